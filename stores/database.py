"""The relational database under manifest, memories, jobs and conversations: one engine, one set of tables."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import MetaData, event
from sqlalchemy.exc import DatabaseError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from stores.errors import IndexDamagedError

metadata = MetaData()
"""Every store declares its tables on this object, at import, with real constraints."""

BUSY_TIMEOUT_MS = 10_000


def sqlite_url(path: Path) -> str:
    """The URL of an SQLite file."""
    return f"sqlite+aiosqlite:///{path}"


_PRAGMAS = ";".join(
    f"PRAGMA {pragma}"
    for pragma in (
        f"busy_timeout={BUSY_TIMEOUT_MS}",
        "journal_mode=WAL",
        "foreign_keys=ON",
        "secure_delete=ON",
        "synchronous=NORMAL",
    )
)


def _configure_sqlite(connection: Any, _: object) -> None:
    # One script: each statement by itself would cross to the connection's thread and back, for every connection.
    connection.run_async(lambda driver: driver.executescript(_PRAGMAS))


def try_to_open(path: Path) -> None:
    """Open the SQLite file, which is made if it is not there, and close it again.

    To be done before aiosqlite opens it: when that fails, its thread tells a future that nobody waits for, and
    breaks with a traceback if the event loop has ended by then.

    Raises:
        sqlite3.Error: it cannot be opened: a folder of that name, no permission.
    """
    sqlite3.connect(path).close()


@asynccontextmanager
async def open_database(url: str) -> AsyncIterator[AsyncEngine]:
    """An engine with all tables in place.

    SQLite connections are not pooled: several processes and event loops use one file, and opening it is cheap.

    Raises:
        IndexDamagedError: the file is there but is no database.
    """
    sqlite = url.startswith("sqlite")
    engine = create_async_engine(url, poolclass=NullPool) if sqlite else create_async_engine(url)
    if sqlite:
        event.listen(engine.sync_engine, "connect", _configure_sqlite)
    try:
        if sqlite and engine.url.database:
            await asyncio.to_thread(try_to_open, Path(engine.url.database))
        async with engine.begin() as connection:
            await connection.run_sync(metadata.create_all)
    except (DatabaseError, sqlite3.Error) as error:
        await engine.dispose()
        raise IndexDamagedError(
            f"The database {engine.url.database} cannot be opened ({getattr(error, 'orig', error)}). "
            "Restore it from a copy, or move the data directory away and ingest again."
        ) from error
    try:
        yield engine
    finally:
        await engine.dispose()
