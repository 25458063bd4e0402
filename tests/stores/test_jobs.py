"""The outbox: nothing is lost, nothing runs twice, and one failing job holds back only its own thread."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from stores.database import open_database, sqlite_url
from stores.jobs import MAX_ATTEMPTS, Job, Jobs, UnknownJobError


class MovingClock:
    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[AsyncEngine]:
    async with open_database(sqlite_url(tmp_path / "recite.db")) as opened:
        yield opened


@pytest.fixture
def clock() -> MovingClock:
    return MovingClock()


@pytest.fixture
def jobs(engine: AsyncEngine, clock: MovingClock) -> Jobs:
    return Jobs(engine, clock=clock)


async def put(jobs: Jobs, key: str, *, user: str = "alice", thread: str = "t1") -> bool:
    return await jobs.enqueue("extract", user, key, {"thread_id": thread, "message_id": key})


async def take(jobs: Jobs, lease_s: float = 60) -> Job:
    job = await jobs.claim(lease_s)
    assert job is not None
    return job


async def states(jobs: Jobs) -> dict[str, str]:
    return {job.key: job.state for job in await jobs.list()}


async def test_m49_the_same_key_is_taken_in_once_even_at_once(jobs: Jobs) -> None:
    assert sorted(await asyncio.gather(*(put(jobs, "m1") for _ in range(5)))) == [False] * 4 + [True]
    await jobs.complete(await take(jobs))
    assert not await put(jobs, "m1")
    assert await jobs.claim(60) is None


async def test_m49_two_workers_never_hold_one_job(engine: AsyncEngine, clock: MovingClock) -> None:
    jobs = Jobs(engine, clock=clock)
    for n in range(4):
        await put(jobs, f"m{n}", user=f"user{n}", thread=f"t{n}")
    taken = await asyncio.gather(*(Jobs(engine, clock=clock).claim(60) for _ in range(8)))
    assert sorted(job.key for job in taken if job) == ["m0", "m1", "m2", "m3"]


async def test_m51_two_quick_messages_run_in_order_one_at_a_time(jobs: Jobs) -> None:
    await put(jobs, "m1")
    await put(jobs, "m2")
    first = await take(jobs)
    assert first.key == "m1"
    assert await jobs.claim(60) is None
    await jobs.complete(first)
    assert (await take(jobs)).key == "m2"


async def test_m51_one_job_of_a_user_at_a_time_across_threads_and_users_side_by_side(jobs: Jobs) -> None:
    await put(jobs, "a1", thread="t1")
    await put(jobs, "a2", thread="t2")
    await put(jobs, "b1", user="bob", thread="t3")
    assert [(await take(jobs)).key for _ in range(2)] == ["a1", "b1"]
    assert await jobs.claim(60) is None


async def test_m54_a_job_that_always_fails_pauses_longer_each_time_and_then_is_dead(
    jobs: Jobs, clock: MovingClock
) -> None:
    await put(jobs, "m1")
    pauses = []
    for _ in range(MAX_ATTEMPTS):
        job = await take(jobs)
        await jobs.fail(job, "ProposalError")
        waited = 0
        while (await jobs.list())[0].state == "waiting" and (await jobs.next_due() or clock.now) > clock.now:
            clock.advance(5)
            waited += 5
        pauses.append(waited)
    assert pauses == [5, 20, 80, 300, 0]
    [dead] = await jobs.list(state="dead")
    assert (dead.attempts, dead.reason) == (5, "ProposalError")
    assert await jobs.claim(60) is None


async def test_m54_other_threads_and_users_are_not_blocked_and_the_own_thread_keeps_its_order(
    jobs: Jobs, clock: MovingClock
) -> None:
    await put(jobs, "a1", thread="t1")
    await put(jobs, "a2", thread="t1")
    await put(jobs, "a3", thread="t2")
    await put(jobs, "b1", user="bob", thread="t3")
    await jobs.fail(await take(jobs), "TimeoutError")
    free = [await take(jobs), await take(jobs)]
    assert [job.key for job in free] == ["a3", "b1"]
    for job in free:
        await jobs.complete(job)
    assert await jobs.claim(60) is None
    clock.advance(5)
    assert (await take(jobs)).key == "a1"


async def test_m54_a_dead_job_lets_its_thread_go_on_and_can_be_retried(jobs: Jobs, clock: MovingClock) -> None:
    await put(jobs, "m1")
    await put(jobs, "m2")
    for _ in range(MAX_ATTEMPTS):
        await jobs.fail(await take(jobs), "Boom")
        clock.advance(300)
    second = await take(jobs)
    assert second.key == "m2"
    await jobs.complete(second)
    await jobs.retry((await jobs.list(state="dead"))[0].job_id)
    again = await take(jobs)
    assert (again.key, again.attempts) == ("m1", 1)


async def test_a_worker_that_died_loses_its_job_to_the_next(jobs: Jobs, clock: MovingClock) -> None:
    await put(jobs, "m1")
    lost = await take(jobs, lease_s=30)
    clock.advance(29)
    assert await jobs.claim(30) is None
    clock.advance(1)
    taken = await take(jobs, lease_s=30)
    assert (taken.key, taken.attempts) == ("m1", 2)
    assert not await jobs.complete(lost)
    assert not await jobs.fail(lost, "late")
    assert await jobs.complete(taken)


async def test_a_job_that_kills_every_worker_is_dead_at_the_limit(jobs: Jobs, clock: MovingClock) -> None:
    await put(jobs, "m1")
    for _ in range(MAX_ATTEMPTS):
        await take(jobs, lease_s=10)
        clock.advance(10)
    assert await jobs.claim(10) is None
    assert await states(jobs) == {"m1": "dead"}


async def test_an_unfinished_turn_is_put_off_without_counting_and_others_pass_it(
    jobs: Jobs, clock: MovingClock
) -> None:
    await put(jobs, "m1")
    await put(jobs, "m2")
    for _ in range(MAX_ATTEMPTS + 3):
        job = await take(jobs)
        assert (job.key, job.attempts) == ("m1", 1)
        await jobs.defer(job, 10)
        clock.advance(10)
    await jobs.defer(await take(jobs), 10)
    assert (await take(jobs)).key == "m2"


async def test_m73_a_deleted_threads_jobs_are_cancelled_and_stay_so(jobs: Jobs) -> None:
    await put(jobs, "m1", thread="gone")
    await put(jobs, "m2", thread="gone")
    await put(jobs, "m3", thread="kept")
    running = await take(jobs)
    assert await jobs.cancel_thread("gone") == 2
    assert not await jobs.complete(running)
    assert not await put(jobs, "m1", thread="gone")
    assert (await take(jobs)).key == "m3"


@pytest.mark.parametrize("value", ["我对花生过敏 请记住", "two words", "x" * 201, "line\nbreak"])
async def test_m67_text_is_refused_in_a_payload(jobs: Jobs, value: str) -> None:
    with pytest.raises(ValueError, match="not text"):
        await jobs.enqueue("extract", "alice", "k", {"message_id": value})


async def test_only_waiting_and_dead_jobs_can_be_retried(jobs: Jobs) -> None:
    await put(jobs, "m1")
    job = await take(jobs)
    for wrong in (job.job_id, 999):
        with pytest.raises(UnknownJobError):
            await jobs.retry(wrong)


async def test_jobs_survive_a_restart_and_list_by_user_and_state(tmp_path: Path, clock: MovingClock) -> None:
    url = sqlite_url(tmp_path / "other.db")
    async with open_database(url) as engine:
        await put(Jobs(engine, clock=clock), "m1")
        await put(Jobs(engine, clock=clock), "m2", user="bob", thread="t2")
    async with open_database(url) as engine:
        jobs = Jobs(engine, clock=clock)
        assert [job.key for job in await jobs.list(user_id="bob")] == ["m2"]
        assert [job.payload["message_id"] for job in await jobs.list(state="waiting")] == ["m1", "m2"]
