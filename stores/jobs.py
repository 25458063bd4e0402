"""Jobs: the durable outbox of work that follows a turn, such as extracting memories."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import uuid4

from sqlalchemy import (
    Column,
    ColumnElement,
    CursorResult,
    FromClause,
    Index,
    Integer,
    ScalarSelect,
    String,
    Table,
    Text,
    and_,
    exists,
    or_,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from stores.database import metadata
from stores.errors import StoreError
from stores.memories.clock import Clock, timestamp, utc_now
from stores.memories.tables import insert_into

JobState = Literal["waiting", "running", "done", "dead", "cancelled"]

MAX_ATTEMPTS = 5
FIRST_PAUSE_S = 5.0
LONGEST_PAUSE_S = 300.0
_GROWTH = 4.0
"""Pauses between attempts: 5, 20, 80, 300 seconds."""
_ID = re.compile(r"[^\s\x00-\x1f]{0,200}\Z")

jobs = Table(
    "jobs",
    metadata,
    Column("job_id", Integer, primary_key=True, autoincrement=True),
    Column("kind", String(40), nullable=False),
    Column("user_id", String(200), nullable=False),
    Column("key", String(300), nullable=False, unique=True),
    Column("thread_id", String(64)),
    Column("payload", Text, nullable=False),
    Column("state", String(10), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("due_at", String(40), nullable=False),
    Column("lease", String(32)),
    Column("leased_until", String(40)),
    Column("reason", String(200)),
    Column("created_at", String(40), nullable=False),
    Column("updated_at", String(40), nullable=False),
    Column("deferred", Integer, nullable=False),
)
_RUNNING = jobs.c.state == "running"
Index("one_running_job_per_user", jobs.c.user_id, unique=True, sqlite_where=_RUNNING, postgresql_where=_RUNNING)
Index("jobs_by_state", jobs.c.state, jobs.c.due_at)


class UnknownJobError(StoreError):
    """No job with this id, or none in a state that allows what was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One piece of work. Its payload holds ids, never text.

    `lease` proves, to `complete`, `fail` and `defer`, that the caller still holds it.
    """

    job_id: int
    kind: str
    user_id: str
    key: str
    thread_id: str | None
    payload: dict[str, str]
    state: JobState
    attempts: int
    """Attempts begun, the running one included."""
    due_at: str
    lease: str | None
    reason: str | None
    created_at: str
    updated_at: str


class Jobs:
    """An outbox with leases, back-off, an attempt limit and a dead letter state.

    One job of a user runs at a time; jobs of one thread run in the order in which they were enqueued, so that a
    failing one holds back its own thread until it succeeds or dies, and nothing else.
    """

    def __init__(self, engine: AsyncEngine, *, clock: Clock = utc_now) -> None:
        self._engine = engine
        self._clock = clock

    async def enqueue(self, kind: str, user_id: str, key: str, payload: Mapping[str, str]) -> bool:
        """Put one job in, once per idempotency key; whether it was new.

        Raises:
            ValueError: a payload value is text and no id. What a person wrote never goes in here.
        """
        for name, value in payload.items():
            if not _ID.match(value):
                raise ValueError(f"The payload's {name!r} must be an id without white space, not text.")
        now = timestamp(self._clock())
        async with self._engine.begin() as connection:
            statement = insert_into(connection, jobs).values(
                kind=kind, user_id=user_id, key=key, thread_id=payload.get("thread_id"),
                payload=json.dumps(dict(payload), sort_keys=True), state="waiting", attempts=0, due_at=now,
                created_at=now, updated_at=now, deferred=0,
            )  # fmt: skip
            result: CursorResult[Any] = await connection.execute(statement.on_conflict_do_nothing())
            return result.rowcount == 1

    async def claim(self, lease_s: float, *, kinds: Sequence[str] = ()) -> Job | None:
        """Take the next job that is due for `lease_s` seconds, or `None`.

        A job whose lease ran out is taken again; the worker that held it can no longer complete it. One that ran
        out at its last attempt is dead.
        """
        moment = self._clock()
        now = timestamp(moment)
        lease = uuid4().hex
        async with self._engine.begin() as connection:
            await self._bury_expired(connection, now)
            statement = (
                update(jobs)
                .where(jobs.c.job_id == _next(now, kinds), _claimable(jobs, now))
                .values(
                    state="running", attempts=jobs.c.attempts + 1, lease=lease, deferred=0, updated_at=now,
                    leased_until=timestamp(moment + timedelta(seconds=lease_s)),
                )
                .returning(*_columns())
            )  # fmt: skip
            row = (await connection.execute(statement)).mappings().one_or_none()
            return _job(row) if row else None

    async def complete(self, job: Job) -> bool:
        """Mark a claimed job as done; `False` if the lease was lost meanwhile."""
        return await self._settle(job, state="done", reason=None)

    async def fail(self, job: Job, reason: str) -> bool:
        """Count a failed attempt: again after a pause, or dead at the limit; `False` if the lease was lost.

        `reason` names the error (its class), and holds nothing of what a person wrote.
        """
        if job.attempts >= MAX_ATTEMPTS:
            return await self._settle(job, state="dead", reason=reason[:200])
        pause = min(FIRST_PAUSE_S * _GROWTH ** (job.attempts - 1), LONGEST_PAUSE_S)
        due = timestamp(self._clock() + timedelta(seconds=pause))
        return await self._settle(job, state="waiting", reason=reason[:200], due_at=due)

    async def defer(self, job: Job, seconds: float) -> bool:
        """Put a job off because its turn is not finished: no attempt counts, and later jobs may pass it."""
        due = timestamp(self._clock() + timedelta(seconds=seconds))
        return await self._settle(job, state="waiting", reason=None, due_at=due, attempts=job.attempts - 1, deferred=1)

    async def retry(self, job_id: int) -> None:
        """Give a dead job, or one that pauses, a fresh start now.

        Raises:
            UnknownJobError: there is no such job, or it runs, is done or was cancelled.
        """
        now = timestamp(self._clock())
        async with self._engine.begin() as connection:
            result: CursorResult[Any] = await connection.execute(
                update(jobs)
                .where(jobs.c.job_id == job_id, jobs.c.state.in_(["dead", "waiting"]))
                .values(state="waiting", attempts=0, due_at=now, reason=None, updated_at=now, deferred=0)
            )
        if result.rowcount != 1:
            raise UnknownJobError(f"No waiting or dead job {job_id}. `recite jobs list` shows the jobs.")

    async def list(self, *, user_id: str | None = None, state: JobState | None = None, limit: int = 200) -> list[Job]:
        """Jobs in the order in which they were enqueued, the latest `limit` of them."""
        query = select(*_columns()).order_by(jobs.c.job_id.desc()).limit(limit)
        if user_id is not None:
            query = query.where(jobs.c.user_id == user_id)
        if state is not None:
            query = query.where(jobs.c.state == state)
        async with self._engine.connect() as connection:
            rows = (await connection.execute(query)).mappings().all()
        return [_job(row) for row in reversed(rows)]

    async def cancel_thread(self, thread_id: str) -> int:
        """Cancel what waits or runs for a deleted thread; how many jobs that were.

        A running worker then cannot complete its job, and the same turn cannot be enqueued again.
        """
        now = timestamp(self._clock())
        async with self._engine.begin() as connection:
            result: CursorResult[Any] = await connection.execute(
                update(jobs)
                .where(jobs.c.thread_id == thread_id, jobs.c.state.in_(["waiting", "running"]))
                .values(state="cancelled", lease=None, leased_until=None, updated_at=now)
            )
            return result.rowcount

    async def next_due(self) -> datetime | None:
        """When the next waiting job is due; `None` if none waits."""
        query = select(jobs.c.due_at).where(jobs.c.state == "waiting").order_by(jobs.c.due_at).limit(1)
        async with self._engine.connect() as connection:
            due = await connection.scalar(query)
        return datetime.fromisoformat(due) if due else None

    async def _settle(self, job: Job, **values: object) -> bool:
        now = timestamp(self._clock())
        async with self._engine.begin() as connection:
            result: CursorResult[Any] = await connection.execute(
                update(jobs)
                .where(jobs.c.job_id == job.job_id, jobs.c.state == "running", jobs.c.lease == job.lease)
                .values(lease=None, leased_until=None, updated_at=now, **values)
            )
            return result.rowcount == 1

    async def _bury_expired(self, connection: AsyncConnection, now: str) -> None:
        await connection.execute(
            update(jobs)
            .where(_RUNNING, jobs.c.leased_until <= now, jobs.c.attempts >= MAX_ATTEMPTS)
            .values(state="dead", lease=None, leased_until=None, reason="lease expired", updated_at=now)
        )


def _columns() -> list[Column[Any]]:
    return [jobs.c[name] for name in Job.__dataclass_fields__]


def _job(row: Mapping[Any, Any]) -> Job:
    return Job(**{**row, "payload": json.loads(row["payload"])})


def _claimable(table: FromClause, now: str) -> ColumnElement[bool]:
    waiting = and_(table.c.state == "waiting", table.c.due_at <= now)
    return or_(waiting, and_(table.c.state == "running", table.c.leased_until <= now))


def _next(now: str, kinds: Sequence[str]) -> ScalarSelect[int]:
    """The oldest claimable job whose user has nothing else running and whose thread has nothing older to do."""
    one, other = jobs.alias(), jobs.alias()
    busy = exists().where(other.c.user_id == one.c.user_id, other.c.state == "running", other.c.job_id != one.c.job_id)
    older = exists().where(
        other.c.user_id == one.c.user_id,
        other.c.thread_id == one.c.thread_id,
        other.c.job_id < one.c.job_id,
        other.c.state.in_(["waiting", "running"]),
        other.c.deferred == 0,
    )
    query = select(one.c.job_id).where(_claimable(one, now), ~busy, ~older)
    if kinds:
        query = query.where(one.c.kind.in_(list(kinds)))
    return query.order_by(one.c.job_id).limit(1).scalar_subquery()
