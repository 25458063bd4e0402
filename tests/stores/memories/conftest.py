"""A database and a clock that the tests move."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from stores.database import open_database, sqlite_url
from stores.memories.repository import Memories


class MovingClock:
    """Stands still until told to move."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def database_file(tmp_path: Path) -> Path:
    return tmp_path / "recite.db"


@pytest.fixture
async def engine(database_file: Path) -> AsyncIterator[AsyncEngine]:
    async with open_database(sqlite_url(database_file)) as opened:
        yield opened


@pytest.fixture
def clock() -> MovingClock:
    return MovingClock()


@pytest.fixture
def memories(engine: AsyncEngine, clock: MovingClock) -> Memories:
    return Memories(engine, clock=clock)
