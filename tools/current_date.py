"""The date tool: today, and how far away another day is. The clock is the call's context."""

from datetime import date, datetime, timedelta
from difflib import get_close_matches
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from tools.errors import ToolArgumentsError
from tools.tool import Tool, ToolContext

CURRENT_DATE = "current_date"

_ENGLISH = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_CHINESE = ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日")
_MAX_OFFSET = 3_660_000


def tell_date(
    now: datetime,
    *,
    timezone: str | None = None,
    days_until: str | None = None,
    offset_days: int | None = None,
) -> str:
    """Today's date, weekday and time, one fact a line; then the asked distance and the asked day.

    Args:
        now: with a time zone, which is used unless `timezone` names another.
        timezone: IANA name, such as Asia/Shanghai.
        days_until: ISO date; the distance from today is negative for a past day.
        offset_days: days from today, negative for the past.

    Raises:
        ToolArgumentsError: no such time zone or date, or a day outside the years 1 to 9999.
    """
    local = now if timezone is None else now.astimezone(_zone(timezone))
    today = local.date()
    lines = [
        f"date: {today.isoformat()}",
        f"weekday: {_weekday(today)}",
        f"time: {local:%H:%M:%S}",
        f"timezone: {timezone or local.tzname()} (UTC{local:%z})",
    ]
    if days_until is not None:
        other = _date(days_until)
        lines.append(f"days until {other.isoformat()} ({_weekday(other)}): {(other - today).days}")
    if offset_days is not None:
        other = _shifted(today, offset_days)
        lines.append(f"{offset_days:+d} days: {other.isoformat()} ({_weekday(other)})")
    return "\n".join(lines)


def _weekday(day: date) -> str:
    return f"{_ENGLISH[day.weekday()]} {_CHINESE[day.weekday()]}"


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        near = get_close_matches(name[:80], available_timezones(), n=3)
        hint = f" Near it: {', '.join(near)}." if near else ""
        raise ToolArgumentsError(
            f"There is no time zone {name[:80]!r}. Use an IANA name such as Asia/Shanghai.{hint}"
        ) from error


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ToolArgumentsError(f"{text[:40]!r} is no date of the form 2026-12-31.") from error


def _shifted(day: date, days: int) -> date:
    try:
        return day + timedelta(days=days)
    except OverflowError as error:
        raise ToolArgumentsError(f"{days} days from {day.isoformat()} is outside the years 1 to 9999.") from error


async def _run(arguments: dict[str, Any], context: ToolContext) -> str:
    return tell_date(context.now, **arguments)


current_date = Tool(
    name=CURRENT_DATE,
    description=(
        "Tell today's date, weekday and time; optionally the days from today until a date, or the date so "
        "many days from today. 今天的日期、星期、时间；距某天还有几天；若干天前后是哪天。"
    ),
    parameters={
        "type": "object",
        "properties": {
            "timezone": {
                "type": "string",
                "minLength": 1,
                "maxLength": 64,
                "description": "IANA time zone such as Asia/Shanghai; the user's own if left out.",
            },
            "days_until": {
                "type": "string",
                "format": "date",
                "description": "A date such as 2026-12-31: how many days from today, and its weekday.",
            },
            "offset_days": {
                "type": "integer",
                "minimum": -_MAX_OFFSET,
                "maximum": _MAX_OFFSET,
                "description": "Days from today, negative for the past: which date that is, and its weekday.",
            },
        },
    },
    run=_run,
    timeout_s=5.0,
    idempotent=True,
)
