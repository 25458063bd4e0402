"""The checkpointer: LangGraph's SQLite saver with our own types allowed, and deletion that erases."""

import asyncio
import sqlite3
import zlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiosqlite
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from typing_extensions import override

from stores.database import BUSY_TIMEOUT_MS, try_to_open
from stores.errors import IndexDamagedError

_TOMBSTONES = """
CREATE TABLE IF NOT EXISTS deleted_threads (thread_id TEXT PRIMARY KEY);
CREATE TRIGGER IF NOT EXISTS no_checkpoint_of_a_deleted_thread BEFORE INSERT ON checkpoints
WHEN EXISTS (SELECT 1 FROM deleted_threads WHERE thread_id = NEW.thread_id)
BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER IF NOT EXISTS no_write_of_a_deleted_thread BEFORE INSERT ON writes
WHEN EXISTS (SELECT 1 FROM deleted_threads WHERE thread_id = NEW.thread_id)
BEGIN SELECT RAISE(IGNORE); END;
"""
"""The check is the database's own, so that no write can slip in between the check and the deletion."""

DEFLATED = "+zlib"
WORTH_DEFLATING = 128
"""Bytes below which deflating gains nothing."""


class CompressingSerializer(JsonPlusSerializer):
    """LangGraph's serialiser, deflated: half of a checkpoint is version strings that hardly differ."""

    @override
    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        kind, data = super().dumps_typed(obj)
        if len(data) < WORTH_DEFLATING:
            return kind, data
        return kind + DEFLATED, zlib.compress(data)

    @override
    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        kind, content = data
        if kind.endswith(DEFLATED):
            return super().loads_typed((kind.removesuffix(DEFLATED), zlib.decompress(content)))
        return super().loads_typed(data)


class ErasingSqliteSaver(AsyncSqliteSaver):
    """The saver of LangGraph, whose deleted threads are gone from the file and stay gone.

    A run that is still going when its thread is deleted finishes without leaving anything behind: its late writes
    are dropped.
    """

    @override
    async def setup(self) -> None:
        if not self.is_setup:
            await super().setup()
            await self.conn.executescript(_TOMBSTONES)
            await self.conn.commit()

    @override
    async def adelete_thread(self, thread_id: str) -> None:
        await self.setup()
        await self.conn.execute("INSERT OR IGNORE INTO deleted_threads VALUES (?)", (str(thread_id),))
        await super().adelete_thread(thread_id)
        async with self.lock:
            await self.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    async def aclear_thread(self, thread_id: str) -> None:
        """Erase what a thread holds; unlike after `adelete_thread`, it can be written to again."""
        await self.setup()
        await super().adelete_thread(thread_id)
        async with self.lock:
            await self.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    async def deleted_threads(self) -> set[str]:
        """The ids of all threads that were deleted, here or through the server."""
        await self.setup()
        async with self.conn.execute("SELECT thread_id FROM deleted_threads") as cursor:
            return {row[0] for row in await cursor.fetchall()}


@asynccontextmanager
async def open_checkpointer(
    path: Path, *, allowed: Sequence[tuple[str, str]] = ()
) -> AsyncIterator[ErasingSqliteSaver]:
    """The checkpointer over one SQLite file, made if it is not there.

    `allowed` are the (module, class) pairs of the state's own types; LangGraph's and LangChain's are known. A
    type that is in neither comes back as plain data and is named in the log as blocked.

    Raises:
        IndexDamagedError: the file is there but is no database.
    """
    await asyncio.to_thread(path.parent.mkdir, parents=True, exist_ok=True)
    serde = CompressingSerializer(allowed_msgpack_modules=list(allowed))
    async with _connected(path) as connection:
        try:
            for pragma in (
                "journal_mode=WAL",
                f"busy_timeout={BUSY_TIMEOUT_MS}",
                "secure_delete=ON",
                "synchronous=NORMAL",
            ):
                await connection.execute(f"PRAGMA {pragma}")
            saver = ErasingSqliteSaver(connection, serde=serde)
            await saver.setup()
        except sqlite3.DatabaseError as error:
            raise _unusable(path, error) from error
        yield saver


@asynccontextmanager
async def _connected(path: Path) -> AsyncIterator[aiosqlite.Connection]:
    try:
        await asyncio.to_thread(try_to_open, path)
        connection = await aiosqlite.connect(path)
    except sqlite3.Error as error:  # a folder of that name, no permission
        raise _unusable(path, error) from error
    try:
        yield connection
    finally:
        await connection.close()


def _unusable(path: Path, error: sqlite3.Error) -> IndexDamagedError:
    return IndexDamagedError(
        f"The conversation file {path} cannot be opened ({error}). "
        "Restore it from a copy, or move it away and begin anew."
    )
