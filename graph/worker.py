"""The memory worker: takes extraction jobs from the outbox, asks the model, lets the application decide."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage

from nodes.extract_memory import EXTRACT_JOB
from nodes.fences import fence, fence_token
from nodes.models import silent
from nodes.prompts import BUILT_IN, Prompts
from nodes.told import not_kept
from nodes.turn import FAILED, is_answer
from stores.jobs import Job, Jobs
from stores.memories.intent import wants_remembering
from stores.memories.memory import SNAPSHOT_LIMIT, Memory, Verdict
from stores.memories.proposal import parse_proposal
from stores.memories.recall import Recall
from stores.memories.repository import Memories
from stores.memories.turn import Turn

logger = logging.getLogger(__name__)

History = Callable[[str], Awaitable[Sequence[AnyMessage]]]
"""The messages of a thread by its id; empty when the thread is gone."""

RECENT_MESSAGES = 4
"""User messages of the thread that the extraction reads, the job's own among them."""
IDLE_SECONDS = 1.0
LEASE_SECONDS = 120.0
UNFINISHED_SECONDS = 2.0
"""How long a job waits whose turn is still running."""


class MemoryWorker:
    """Runs extraction jobs one at a time. A failing job is retried later and never touches an answer."""

    def __init__(
        self,
        *,
        jobs: Jobs,
        memories: Memories,
        recall: Recall,
        model: BaseChatModel,
        history: History,
        prompts: Prompts = BUILT_IN,
    ) -> None:
        self._prompts = prompts
        self._jobs = jobs
        self._memories = memories
        self._recall = recall
        self._model = model
        self._history = history

    async def run(self) -> None:
        """Work until cancelled."""
        while True:
            if not await self.work_once():
                await asyncio.sleep(IDLE_SECONDS)

    async def drain(self, seconds: float) -> None:
        """Work until nothing is due, for at most so many seconds."""
        try:
            async with asyncio.timeout(seconds):
                while await self.work_once():
                    pass
        except TimeoutError:
            logger.info("memory jobs are left for the next start")

    async def work_once(self) -> bool:
        """One job if one is due, else the vectors that are missing. Returns whether there was anything to do."""
        job = await self._jobs.claim(LEASE_SECONDS, kinds=[EXTRACT_JOB])
        if job is None:
            return await self._recall.embed_pending() > 0
        try:
            await self._extract(job)
        except asyncio.CancelledError:
            raise
        except Exception as error:
            await self._jobs.fail(job, type(error).__name__)
        return True

    async def _extract(self, job: Job) -> None:
        messages = await self._history(job.payload["thread_id"])
        place = next((i for i, m in enumerate(messages) if m.id == job.payload["message_id"]), None)
        if place is None:
            await self._jobs.complete(job)
            return
        answered = next((m for m in messages[place + 1 :] if is_answer(m) or isinstance(m, HumanMessage)), None)
        if answered is None:
            await self._jobs.defer(job, UNFINISHED_SECONDS)
            return
        if not is_answer(answered):
            await self._jobs.complete(job)
            return
        snapshot = await self._memories.snapshot(job.user_id, limit=SNAPSHOT_LIMIT)
        turn = _turn(messages, place, job)
        reply = await silent(self._model).ainvoke(_prompt(self._prompts, turn, snapshot, job))
        proposal = parse_proposal(reply.text)
        verdicts = await self._memories.execute(
            job.user_id,
            proposal.operations,
            turn,
            thread_id=job.payload["thread_id"],
            job_id=str(job.job_id),
            snapshot=snapshot,
            dropped=proposal.dropped,
        )
        if wants_remembering(turn.latest) and not not_kept(turn.latest) and not any(map(_settled, verdicts)):
            raise NothingRememberedError
        await self._jobs.complete(job)


class NothingRememberedError(Exception):
    """The user asked to remember something and nothing was kept: the job shows as failed and is tried again."""


def _settled(verdict: Verdict) -> bool:
    """Whether something was written, or is known already."""
    known = verdict.operation.action == "IGNORE" and verdict.operation.target_id is not None
    return known or verdict.reason in {None, "duplicate"}


def _turn(messages: Sequence[AnyMessage], place: int, job: Job) -> Turn:
    """The user's own recent messages up to the job's, the latest last, and what the assistant had said before it."""
    before = messages[: place + 1]
    own = [m for m in before if isinstance(m, HumanMessage) and FAILED not in m.additional_kwargs]
    return Turn(
        user_messages=tuple(message.text for message in own[-RECENT_MESSAGES:]),
        assistant_message=next((m.text for m in reversed(before[:-1]) if is_answer(m)), None),
        time=datetime.fromisoformat(job.created_at).astimezone(),
    )


def _prompt(prompts: Prompts, turn: Turn, snapshot: Sequence[Memory], job: Job) -> list[AnyMessage]:
    token = fence_token(job.payload["message_id"])
    parts = [
        fence("message", text, token=token, attributes={"time": turn.time.isoformat()}) for text in turn.user_messages
    ]
    parts += [
        fence("memory", memory.content, token=token, attributes={"id": memory.memory_id, "type": memory.type})
        for memory in snapshot
    ]
    return [SystemMessage(content=prompts.text("extract")), HumanMessage(content="\n".join(parts))]
