"""Conversations: whose each thread is, what people call it, and which ones are gone for good."""

import re
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid5

from sqlalchemy import (
    Column,
    CursorResult,
    RowMapping,
    Select,
    String,
    Table,
    UniqueConstraint,
    delete,
    exists,
    literal,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from stores.database import metadata
from stores.errors import ForeignThreadError, UnknownThreadError
from stores.memories.clock import Clock, timestamp, utc_now
from stores.memories.tables import insert_into

MAX_TITLE = 80
SHORTEST_PREFIX = 4
_NAMESPACE = UUID("6f6c5f4e-6f0e-5d0a-9d5a-2f6b0f3c7a11")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")

conversations = Table(
    "conversations",
    metadata,
    Column("thread_id", String(36), primary_key=True),
    Column("user_id", String(200), nullable=False),
    Column("name", String(200), nullable=False),
    Column("title", String(200), nullable=False),
    Column("created_at", String(40), nullable=False),
    Column("updated_at", String(40), nullable=False),
    UniqueConstraint("user_id", "name", name="one_conversation_per_name"),
)
deleted_threads = Table(
    "deleted_threads",
    metadata,
    Column("thread_id", String(36), primary_key=True),
    Column("deleted_at", String(40), nullable=False),
)
"""Ids of deleted threads, so that a run that ends late does not bring one back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A thread as people know it. `title` is empty until something was asked."""

    thread_id: str
    user_id: str
    name: str
    title: str
    created_at: str
    updated_at: str


def thread_id(user_id: str, name: str) -> str:
    """The id of a user's thread with this name. A name that is a UUID is the id itself."""
    return _numbered(user_id, name, 0)


def _numbered(user_id: str, name: str, times_deleted: int) -> str:
    if _UUID.match(name):
        return name.lower()
    ending = f"\0{times_deleted}" if times_deleted else ""
    return str(uuid5(_NAMESPACE, f"{len(user_id)}:{user_id}:{name}{ending}"))


class Conversations:
    """The register of threads over one database."""

    def __init__(self, engine: AsyncEngine, *, clock: Clock = utc_now) -> None:
        self._engine = engine
        self._clock = clock

    async def open(self, user_id: str, name: str) -> Conversation:
        """The user's conversation of this name, registered if it is new.

        A name whose thread was deleted begins a new thread with another id.

        Raises:
            ForeignThreadError: the name is the id of somebody else's thread.
            UnknownThreadError: the name is the id of a deleted thread.
        """
        async with self._engine.begin() as connection:
            known = await _one(connection, _of(user_id).where(conversations.c.name == name))
            if known is not None:
                return known
            number = 0
            while await _is_deleted(connection, _numbered(user_id, name, number)):
                if _UUID.match(name):
                    raise UnknownThreadError(f"The thread {name} was deleted. Begin another one.")
                number += 1
            return await self._register(connection, _numbered(user_id, name, number), user_id, name, "")

    async def claim(self, thread: str, user_id: str, title: str = "") -> Conversation:
        """Make sure that a thread is this user's, registering it if nobody has it. An empty title is filled.

        Raises:
            ForeignThreadError: it belongs to another user.
            UnknownThreadError: it was deleted.
        """
        thread = thread.lower() if _UUID.match(thread) else thread
        async with self._engine.begin() as connection:
            if await _is_deleted(connection, thread):
                raise UnknownThreadError(f"The thread {thread} was deleted. Begin another one.")
            found = await self._register(connection, thread, user_id, thread, title)
            if title and not found.title:
                await connection.execute(
                    update(conversations)
                    .where(conversations.c.thread_id == thread, conversations.c.title == "")
                    .values(title=_shortened(title))
                )
                found = await _get(connection, thread)
            return found

    async def touch(self, thread: str) -> bool:
        """Note that something happened in a thread; `False` if there is none (any more)."""
        async with self._engine.begin() as connection:
            result: CursorResult[Any] = await connection.execute(
                update(conversations)
                .where(conversations.c.thread_id == thread)
                .values(updated_at=timestamp(self._clock()))
            )
            return result.rowcount == 1

    async def all(self) -> list[Conversation]:
        """Every user's conversations, the latest first, for the server to register."""
        async with self._engine.connect() as connection:
            return await _many(connection, _every())

    async def find(self, user_id: str, name_or_id: str) -> Conversation:
        """The user's conversation by name, id, or an unambiguous beginning of its id (4 characters or more).

        Raises:
            UnknownThreadError: this user has none, or several begin so.
        """
        async with self._engine.connect() as connection:
            mine = await _many(connection, _of(user_id))
        wanted = name_or_id.lower()
        exact = [one for one in mine if name_or_id == one.name or wanted == one.thread_id]
        begun = [one for one in mine if len(wanted) >= SHORTEST_PREFIX and one.thread_id.startswith(wanted)]
        found = exact or begun
        if len(found) == 1 or exact:
            return found[0]
        raise UnknownThreadError(
            f"{'Several conversations begin with' if found else 'No conversation'} {name_or_id!r}. "
            "`recite threads list` shows yours."
        )

    async def delete(self, user_id: str, name_or_id: str) -> Conversation:
        """Remove a conversation for good; its id can never be registered again.

        The checkpoints and jobs of the thread are deleted by their own stores.

        Raises:
            UnknownThreadError: this user has none.
        """
        found = await self.find(user_id, name_or_id)
        async with self._engine.begin() as connection:
            await connection.execute(
                insert_into(connection, deleted_threads)
                .values(thread_id=found.thread_id, deleted_at=timestamp(self._clock()))
                .on_conflict_do_nothing()
            )
            await connection.execute(
                delete(conversations).where(
                    conversations.c.thread_id == found.thread_id, conversations.c.user_id == user_id
                )
            )
        return found

    async def is_deleted(self, thread: str) -> bool:
        """Whether a thread was deleted, so that what comes late for it must be dropped."""
        async with self._engine.connect() as connection:
            return await _is_deleted(connection, thread)

    async def _register(
        self, connection: AsyncConnection, thread: str, user_id: str, name: str, title: str
    ) -> Conversation:
        now = timestamp(self._clock())
        gone = exists().where(deleted_threads.c.thread_id == thread)
        values = {
            "thread_id": thread, "user_id": user_id, "name": name, "title": _shortened(title),
            "created_at": now, "updated_at": now,
        }  # fmt: skip
        row = select(*(literal(value).label(key) for key, value in values.items())).where(~gone)
        statement = insert_into(connection, conversations).from_select(list(values), row)
        await connection.execute(statement.on_conflict_do_nothing())
        found = await _get(connection, thread)
        if found.user_id != user_id:
            raise ForeignThreadError(f"The thread {thread} belongs to another user. Begin one of your own.")
        return found

    async def list(self, user_id: str) -> list[Conversation]:
        """The user's conversations, the latest first."""
        async with self._engine.connect() as connection:
            return await _many(connection, _of(user_id))


def _every() -> Select[Any]:
    columns = [conversations.c[name] for name in Conversation.__dataclass_fields__]
    return select(*columns).order_by(conversations.c.updated_at.desc(), conversations.c.thread_id)


def _of(user_id: str) -> Select[Any]:
    return _every().where(conversations.c.user_id == user_id)


def _conversation(row: RowMapping) -> Conversation:
    return Conversation(**row)


async def _many(connection: AsyncConnection, query: Select[Any]) -> list[Conversation]:
    return [_conversation(row) for row in (await connection.execute(query)).mappings()]


async def _one(connection: AsyncConnection, query: Select[Any]) -> Conversation | None:
    row = (await connection.execute(query)).mappings().one_or_none()
    return _conversation(row) if row else None


async def _get(connection: AsyncConnection, thread: str) -> Conversation:
    found = await _one(connection, _every().where(conversations.c.thread_id == thread))
    if found is None:
        raise UnknownThreadError(f"No conversation {thread}. `recite threads list` shows yours.")
    return found


async def _is_deleted(connection: AsyncConnection, thread: str) -> bool:
    query = select(deleted_threads.c.thread_id).where(deleted_threads.c.thread_id == thread)
    return (await connection.scalar(query)) is not None


def _shortened(title: str) -> str:
    line = " ".join(title.split())
    return line if len(line) <= MAX_TITLE else line[: MAX_TITLE - 1] + "…"
