"""The statements that read and write rows of long-term memory inside somebody else's transaction."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal
from uuid import uuid4

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from stores.errors import UnknownMemoryError
from stores.memories.memory import Memory, MemoryType
from stores.memories.sameness import Tombstones, fingerprint
from stores.memories.tables import audit, history, insert_into, memories, owners, tombstones

_COLUMNS = [memories.c[name] for name in Memory.__dataclass_fields__]


async def lock_owner(connection: AsyncConnection, user_id: str) -> None:
    """Make other writers of this user wait until the transaction ends."""
    if not user_id:
        raise ValueError("Memories need a user id; got an empty one.")
    statement = insert_into(connection, owners).values(user_id=user_id, revision=1)
    await connection.execute(
        statement.on_conflict_do_update(index_elements=["user_id"], set_={"revision": owners.c.revision + 1})
    )


async def active_memories(connection: AsyncConnection, user_id: str) -> list[Memory]:
    """The user's active memories, the most recently changed first."""
    query = select(*_COLUMNS).where(memories.c.user_id == user_id)
    rows = await connection.execute(query.order_by(memories.c.updated_at.desc(), memories.c.memory_id))
    return [Memory(**row) for row in rows.mappings()]


async def find_memory(connection: AsyncConnection, user_id: str, memory_id: str) -> Memory:
    """One memory of this user by its id or an unambiguous beginning of it.

    Raises:
        UnknownMemoryError: there is none, or more than one.
    """
    mine = await active_memories(connection, user_id)
    found = [memory for memory in mine if memory_id and memory.memory_id.startswith(memory_id)]
    if len(found) != 1:
        raise UnknownMemoryError(
            f"{'No' if not found else 'More than one'} memory with the id {memory_id!r}. "
            "List the memories to see their ids."
        )
    return found[0]


async def read_tombstones(connection: AsyncConnection, user_id: str) -> Tombstones:
    """What this user had forgotten."""
    rows = await connection.execute(
        select(tombstones.c.fingerprint, tombstones.c.erased_at).where(tombstones.c.user_id == user_id)
    )
    erased = {mark: datetime.fromisoformat(at) for mark, at in rows}
    everything = await connection.scalar(select(owners.c.forgotten_at).where(owners.c.user_id == user_id))
    return Tombstones(
        user_id=user_id,
        erased=erased,
        all_before=datetime.fromisoformat(everything) if everything else None,
    )


def new_memory(
    user_id: str,
    type: MemoryType,  # noqa: A002
    content: str,
    source: Literal["user", "extracted"],
    thread_id: str | None,
    quote: str | None,
    now: str,
) -> Memory:
    """A first version with a fresh id."""
    return Memory(
        memory_id=uuid4().hex, user_id=user_id, type=type, content=content, source=source, thread_id=thread_id,
        quote=quote, created_at=now, updated_at=now, version=1,
    )  # fmt: skip


async def insert_memory(connection: AsyncConnection, memory: Memory) -> bool:
    """Write a memory unless an active one says the same; whether it was written."""
    values = {name: getattr(memory, name) for name in Memory.__dataclass_fields__}
    mark = fingerprint(memory.user_id, memory.content)
    statement = insert_into(connection, memories).values(**values, fingerprint=mark, embedding_status="pending")
    result = await connection.execute(statement.on_conflict_do_nothing())
    return bool(result.rowcount == 1)


async def replace_memory(
    connection: AsyncConnection,
    old: Memory,
    content: str,
    quote: str | None,
    source: Literal["user", "extracted"],
    thread_id: str | None,
    now: str,
) -> Memory:
    """Let the new text take the old one's place in one step: at no moment is there none, or both."""
    await connection.execute(
        insert(history).values(
            memory_id=old.memory_id, version=old.version, user_id=old.user_id, content=old.content,
            quote=old.quote, source=old.source, written_at=old.updated_at, replaced_at=now,
        )
    )  # fmt: skip
    await connection.execute(
        update(memories)
        .where(memories.c.memory_id == old.memory_id, memories.c.version == old.version)
        .values(
            content=content, quote=quote, source=source, thread_id=thread_id, updated_at=now, version=old.version + 1,
            fingerprint=fingerprint(old.user_id, content), embedding_status=
                "pending", embedding_model=None, embedding=None,
        )
    )  # fmt: skip
    return await find_memory(connection, old.user_id, old.memory_id)


async def erase_memory(connection: AsyncConnection, memory: Memory, now: str) -> None:
    """Delete a memory with its history and vector; hashes of what it said stay."""
    rows = await connection.execute(
        select(history.c.content, history.c.quote).where(history.c.memory_id == memory.memory_id)
    )
    texts = {memory.content, memory.quote, *(text for row in rows for text in row)}
    await connection.execute(delete(history).where(history.c.memory_id == memory.memory_id))
    await connection.execute(delete(memories).where(memories.c.memory_id == memory.memory_id))
    for text in texts:
        if text:
            statement = insert_into(connection, tombstones).values(
                user_id=memory.user_id, fingerprint=fingerprint(memory.user_id, text), erased_at=now
            )
            await connection.execute(
                statement.on_conflict_do_update(index_elements=["user_id", "fingerprint"], set_={"erased_at": now})
            )


async def lift_tombstones(connection: AsyncConnection, user_id: str, texts: Sequence[str | None]) -> None:
    """Let these contents and quotes be learnt again."""
    marks = [fingerprint(user_id, text) for text in texts if text]
    await connection.execute(
        delete(tombstones).where(tombstones.c.user_id == user_id, tombstones.c.fingerprint.in_(marks))
    )


async def record_decision(
    connection: AsyncConnection,
    user_id: str,
    now: str,
    action: str,
    *,
    reason: str | None = None,
    memory_id: str | None = None,
    confidence: float | None = None,
    job_id: str | None = None,
    position: int | None = None,
) -> None:
    """Write one row of the audit; a second one for the same operation of a job is absorbed."""
    statement = insert_into(connection, audit).values(
        user_id=user_id, at=now, action=action, reason=reason, memory_id=memory_id, confidence=confidence,
        job_id=job_id, position=position,
    )  # fmt: skip
    await connection.execute(statement.on_conflict_do_nothing())
