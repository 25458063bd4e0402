"""Execution: one job's proposed operations, decided and carried out inside one transaction."""

from collections.abc import Sequence

from sqlalchemy import RowMapping, select
from sqlalchemy.ext.asyncio import AsyncConnection

from stores.memories.memory import SNAPSHOT_LIMIT, Memory, Operation, Verdict
from stores.memories.proposal import Dropped
from stores.memories.rows import (
    active_memories,
    erase_memory,
    insert_memory,
    lift_tombstones,
    new_memory,
    read_tombstones,
    record_decision,
    replace_memory,
)
from stores.memories.tables import audit
from stores.memories.turn import Turn
from stores.memories.validate import Accepted, Reason, content_problem, decide

MAX_DELETES = 3
"""Memories that one turn may erase through the model; more is a wish to confirm."""


class Execution:
    """One job's operations inside its transaction."""

    def __init__(
        self, connection: AsyncConnection, user_id: str, turn: Turn, thread_id: str | None, job_id: str, now: str
    ) -> None:
        self._connection = connection
        self._user_id = user_id
        self._turn = turn
        self._thread_id = thread_id
        self._job_id = job_id
        self._now = now
        self._seen: list[Memory] | None = None
        self._deletes = 0

    async def begin(self, snapshot: Sequence[Memory] | None) -> None:
        """Take in what the model was shown; `None` means the present memories."""
        if snapshot is not None:
            self._seen = [memory for memory in snapshot if memory.user_id == self._user_id]
        self._erased = await read_tombstones(self._connection, self._user_id)

    async def step(self, position: int, operation: Operation) -> Verdict:
        """Decide on one operation and carry it out; a position already decided keeps its verdict."""
        before = await self._decided(position)
        if before is not None:
            return Verdict(operation=operation, reason=before["reason"], memory_id=before["memory_id"])
        outcome = await self._decide(operation)
        memory_id: str | None = None
        if isinstance(outcome, Accepted):
            written = await self._carry_out(operation, outcome)
            reason, memory_id = (None, written) if written else ("duplicate", None)
        else:
            reason = outcome
        await record_decision(
            self._connection, self._user_id, self._now, operation.action, reason=reason, memory_id=memory_id,
            confidence=operation.confidence, job_id=self._job_id, position=position,
        )  # fmt: skip
        return Verdict(operation=operation, reason=reason, memory_id=memory_id)

    async def note_dropped(self, entry: Dropped) -> None:
        """Audit an entry of the reply that was no operation."""
        await record_decision(
            self._connection, self._user_id, self._now, "DROPPED", reason=entry.reason,
            job_id=self._job_id, position=-1 - entry.index,
        )  # fmt: skip

    async def _decided(self, position: int) -> RowMapping | None:
        query = select(audit.c.reason, audit.c.memory_id).where(
            audit.c.user_id == self._user_id, audit.c.job_id == self._job_id, audit.c.position == position
        )
        return (await self._connection.execute(query)).mappings().one_or_none()

    async def _decide(self, operation: Operation) -> Accepted | Reason:
        current = await active_memories(self._connection, self._user_id)
        shown = self._seen if self._seen is not None else current[:SNAPSHOT_LIMIT]
        outcome = decide(operation, turn=self._turn, snapshot=shown, tombstones=self._erased)
        if not isinstance(outcome, Accepted):
            return outcome
        if outcome.target is not None:
            present = next((one for one in current if one.memory_id == outcome.target.memory_id), None)
            if present is None or present.version != outcome.target.version:
                return "stale"
        if operation.action == "DELETE":
            self._deletes += 1
            return outcome if self._deletes <= MAX_DELETES else "too_many_deletes"
        target_id = outcome.target.memory_id if outcome.target else None
        return content_problem(outcome.content, current, confirmed=False, except_id=target_id) or outcome

    async def _carry_out(self, operation: Operation, accepted: Accepted) -> str | None:
        if operation.action == "DELETE" and accepted.target is not None:
            await erase_memory(self._connection, accepted.target, self._now)
            return accepted.target.memory_id
        if accepted.content is None or operation.type is None:
            return None
        await lift_tombstones(self._connection, self._user_id, [accepted.content, accepted.quote])
        if accepted.target is not None:
            changed = await replace_memory(
                self._connection,
                accepted.target,
                accepted.content,
                accepted.quote,
                "extracted",
                self._thread_id,
                self._now,
            )
            return changed.memory_id
        memory = new_memory(
            self._user_id, operation.type, accepted.content, "extracted", self._thread_id, accepted.quote, self._now
        )
        return memory.memory_id if await insert_memory(self._connection, memory) else None
