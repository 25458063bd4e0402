"""The time as the stores write it: ISO 8601 in UTC with microseconds, so that text sorts as time does."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Gives the present moment with its zone; a parameter wherever time matters."""


def utc_now() -> datetime:
    """The present moment in UTC."""
    return datetime.now(UTC)


def timestamp(moment: datetime) -> str:
    """A moment as stored."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
