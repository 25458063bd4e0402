"""Memories: the one place where long-term memories are read and written, always for one named user."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from stores.errors import StoreError
from stores.memories.clock import Clock, timestamp, utc_now
from stores.memories.erasure import scrub
from stores.memories.execution import Execution
from stores.memories.memory import SNAPSHOT_LIMIT, Memory, MemoryType, Operation, Verdict
from stores.memories.proposal import Dropped
from stores.memories.rows import (
    active_memories,
    erase_memory,
    find_memory,
    insert_memory,
    lift_tombstones,
    lock_owner,
    new_memory,
    read_tombstones,
    record_decision,
    replace_memory,
)
from stores.memories.sameness import Tombstones
from stores.memories.tables import audit, history, memories, owners, tombstones
from stores.memories.turn import Turn
from stores.memories.validate import ContentProblem, clean_content, content_problem


class MemoryRefusedError(StoreError):
    """The user's own memory cannot be kept: `reason` says why, in the words of `ContentProblem`."""

    def __init__(self, reason: ContentProblem | Literal["stale"]) -> None:
        super().__init__(f"The memory was not stored: {_EXPLANATION[reason]}")
        self.reason = reason


_EXPLANATION: dict[str, str] = {
    "structure": "its content is no text. Write one sentence.",
    "length": "it must have 4 to 400 characters. Shorten or split it.",
    "sensitive": "it holds a number, address or secret that is never kept. Leave that out.",
    "needs_confirmation": "it is a personal matter. Add it yourself if you want it kept.",
    "duplicate": "another memory already says so.",
    "stale": "it was changed meanwhile. Look at it again, then edit.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryVersion:
    """What a memory said until `replaced_at`."""

    version: int
    content: str
    quote: str | None
    source: Literal["user", "extracted"]
    written_at: str
    replaced_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One decision. `reason` is `None` when it was carried out."""

    at: str
    action: str
    reason: str | None
    confidence: float | None
    memory_id: str | None
    job_id: str | None
    position: int | None


class Memories:
    """The memories of all users over one database; nothing about a user is kept on the instance."""

    def __init__(self, engine: AsyncEngine, *, clock: Clock = utc_now) -> None:
        self._engine = engine
        self._clock = clock

    async def snapshot(self, user_id: str, *, limit: int = SNAPSHOT_LIMIT) -> list[Memory]:
        """The user's active memories, the most recently changed first."""
        async with self._engine.connect() as connection:
            return (await active_memories(connection, user_id))[:limit]

    async def get(self, user_id: str, memory_id: str) -> Memory:
        """One memory; an unambiguous beginning of its id will do.

        Raises:
            UnknownMemoryError: this user has none with that id.
        """
        async with self._engine.connect() as connection:
            return await find_memory(connection, user_id, memory_id)

    async def get_many(self, user_id: str, memory_ids: Sequence[str]) -> list[Memory]:
        """This user's memories with these ids, in the order of the ids; what is gone is left out."""
        async with self._engine.connect() as connection:
            known = {memory.memory_id: memory for memory in await active_memories(connection, user_id)}
        return [known[memory_id] for memory_id in memory_ids if memory_id in known]

    async def history(self, user_id: str, memory_id: str) -> list[MemoryVersion]:
        """What a memory said before, oldest first; empty if it never changed.

        Raises:
            UnknownMemoryError: this user has none with that id.
        """
        async with self._engine.connect() as connection:
            memory = await find_memory(connection, user_id, memory_id)
            query = select(*(history.c[name] for name in MemoryVersion.__dataclass_fields__))
            rows = await connection.execute(
                query.where(history.c.memory_id == memory.memory_id).order_by(history.c.version)
            )
            return [MemoryVersion(**row) for row in rows.mappings()]

    async def audit(self, user_id: str, *, limit: int = 100) -> list[AuditEntry]:
        """The latest decisions about this user's memory, newest first."""
        query = select(*(audit.c[name] for name in AuditEntry.__dataclass_fields__))
        query = query.where(audit.c.user_id == user_id).order_by(audit.c.audit_id.desc()).limit(limit)
        async with self._engine.connect() as connection:
            return [AuditEntry(**row) for row in (await connection.execute(query)).mappings()]

    async def tombstones(self, user_id: str) -> Tombstones:
        """What this user had forgotten, for `validate`."""
        async with self._engine.connect() as connection:
            return await read_tombstones(connection, user_id)

    async def add(
        self,
        user_id: str,
        content: str,
        *,
        type: MemoryType = "semantic",  # noqa: A002 - the field is called so
        thread_id: str | None = None,
    ) -> Memory:
        """Keep what the user wrote with their own hand. That also lifts a tombstone on it.

        Raises:
            MemoryRefusedError: its length, a secret in it, or another memory that says the same.
        """
        now = timestamp(self._clock())
        text = clean_content(content)
        async with self._engine.begin() as connection:
            await lock_owner(connection, user_id)
            problem = content_problem(text, await active_memories(connection, user_id), confirmed=True)
            if problem is not None or text is None:
                raise MemoryRefusedError(problem or "structure")
            memory = new_memory(user_id, type, text, "user", thread_id, None, now)
            if not await insert_memory(connection, memory):
                raise MemoryRefusedError("duplicate")
            await lift_tombstones(connection, user_id, [text])
            await record_decision(connection, user_id, now, "ADD", memory_id=memory.memory_id)
        return memory

    async def edit(self, user_id: str, memory_id: str, content: str, *, version: int | None = None) -> Memory:
        """Let a memory say something else; the old text goes into its history.

        With `version`, only if it is still that version.

        Raises:
            UnknownMemoryError: this user has none with that id.
            MemoryRefusedError: as for `add`, or somebody changed it meanwhile; nothing is changed then.
        """
        now = timestamp(self._clock())
        text = clean_content(content)
        async with self._engine.begin() as connection:
            await lock_owner(connection, user_id)
            old = await find_memory(connection, user_id, memory_id)
            if version is not None and version != old.version:
                raise MemoryRefusedError("stale")
            others = await active_memories(connection, user_id)
            problem = content_problem(text, others, confirmed=True, except_id=old.memory_id)
            if problem is not None or text is None:
                raise MemoryRefusedError(problem or "structure")
            memory = await replace_memory(connection, old, text, None, "user", old.thread_id, now)
            await lift_tombstones(connection, user_id, [text])
            await record_decision(connection, user_id, now, "UPDATE", memory_id=memory.memory_id)
        return memory

    async def forget(self, user_id: str, memory_id: str) -> Memory:
        """Erase a memory with its history and vector. Only a hash stays, which keeps it from being learnt again.

        Raises:
            UnknownMemoryError: this user has none with that id.
        """
        now = timestamp(self._clock())
        async with self._engine.begin() as connection:
            await lock_owner(connection, user_id)
            memory = await find_memory(connection, user_id, memory_id)
            await erase_memory(connection, memory, now)
            await record_decision(connection, user_id, now, "DELETE", memory_id=memory.memory_id)
        await scrub(self._engine)
        return memory

    async def forget_all(self, user_id: str) -> int:
        """Erase everything kept about a user and return how many memories that were.

        Nothing that was said before teaches a memory any more.
        """
        now = timestamp(self._clock())
        async with self._engine.begin() as connection:
            await lock_owner(connection, user_id)
            await connection.execute(delete(history).where(history.c.user_id == user_id))
            erased = await connection.execute(delete(memories).where(memories.c.user_id == user_id))
            await connection.execute(delete(tombstones).where(tombstones.c.user_id == user_id))
            await connection.execute(delete(audit).where(audit.c.user_id == user_id))
            await connection.execute(update(owners).where(owners.c.user_id == user_id).values(forgotten_at=now))
            await record_decision(connection, user_id, now, "FORGET_ALL")
        await scrub(self._engine, vacuum=True)
        return erased.rowcount

    async def execute(
        self,
        user_id: str,
        operations: Sequence[Operation],
        turn: Turn,
        *,
        thread_id: str | None,
        job_id: str,
        snapshot: Sequence[Memory] | None = None,
        dropped: Sequence[Dropped] = (),
    ) -> list[Verdict]:
        """Decide on each proposed operation and carry out the accepted ones, all in one transaction.

        Every check is made again inside it. `snapshot` is what the model was shown: targets must be in it and
        unchanged since; without it the present memories count. `dropped` are entries of the reply that were no
        operations; they are only audited. A job delivered twice changes nothing and gets the same verdicts.
        """
        erased = False
        verdicts: list[Verdict] = []
        async with self._engine.begin() as connection:
            await lock_owner(connection, user_id)
            execution = Execution(connection, user_id, turn, thread_id, job_id, timestamp(self._clock()))
            await execution.begin(snapshot)
            for position, operation in enumerate(operations):
                verdict = await execution.step(position, operation)
                erased = erased or (operation.action == "DELETE" and verdict.reason is None)
                verdicts.append(verdict)
            for entry in dropped:
                await execution.note_dropped(entry)
        if erased:
            await scrub(self._engine)
        return verdicts
