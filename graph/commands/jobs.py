"""The outbox of memory jobs."""

from typing import Any

from graph.commands import shared
from graph.commands.escaping import escape
from graph.console import print_json
from stores.counting import counted
from stores.jobs import Job


def job_json(job: Job) -> dict[str, Any]:
    """One row of `recite jobs list --json`."""
    return {
        "id": job.job_id,
        "kind": job.kind,
        "user": job.user_id,
        "state": job.state,
        "attempts": job.attempts,
        "reason": job.reason,
        "created_at": job.created_at,
    }


async def list_jobs(*, as_json: bool) -> None:
    """`recite jobs list`."""
    async with shared.records() as records:
        found = await records.jobs.list()
    if as_json:
        print_json([job_json(job) for job in found])
        return
    if not found:
        shared.out.print("No jobs.")
    for job in found:
        attempts = counted(job.attempts, "attempt")
        shared.out.print(
            f"{job.job_id:5}  {job.state:9} {attempts:11} {escape(job.user_id)}  {escape(job.reason or '')}"
        )


async def retry_job(job_id: int, *, as_json: bool) -> None:
    """`recite jobs retry`."""
    async with shared.records() as records:
        await records.jobs.retry(job_id)
    if as_json:
        print_json({"retry": job_id})
    else:
        shared.out.print(f"{job_id} waits again; `recite jobs run` works on it now.")


async def run_jobs(*, as_json: bool) -> None:
    """`recite jobs run`."""
    async with shared.agent() as agent:
        worker = agent.worker()
        count = 0
        while await worker.work_once():
            count += 1
    if as_json:
        print_json({"run": count})
    else:
        shared.out.print(f"{counted(count, 'job')} run")
