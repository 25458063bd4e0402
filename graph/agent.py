"""open_agent(): the whole of Recite in one object, for notebooks, scripts and the command line."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Unpack, cast

from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, AnyMessage, HumanMessage

from graph.build import Compiled, compiled
from graph.events import StepEvent
from graph.quoting import quoted
from graph.recording import MessageRecorder
from graph.reply import QuotedCitation, Reply
from graph.services import Services, open_services
from graph.settings import Settings, read_settings
from graph.worker import MemoryWorker
from nodes.citations.record import Sentence
from nodes.citations.render import Citation
from nodes.state import Context, ToolResult, Update, Usage
from nodes.turn import ANSWER, is_answer
from stores.conversations import Conversation
from stores.documents.document import DEFAULT_USER, FileResult, SearchResult
from stores.documents.narrowing import Wishes, narrowing
from stores.documents.rerank import Reranker
from stores.memories.memory import Memory
from stores.names import collection_name, hit_limit, path_names, thread_name, user_name, valid_text

DEFAULT_THREAD = "default"
DRAIN_SECONDS = 5.0
"""How long a closing agent works on memory jobs that are still waiting."""


@dataclass(slots=True)
class _Outcome:
    """What the nodes of a turn wrote that belongs into the reply: reading the whole thread again would cost more."""

    answer: AnyMessage | None = None
    tools: list[ToolResult] = field(default_factory=list)

    def take(self, updates: dict[str, Update | None]) -> None:
        """Take in what one step wrote."""
        for update in updates.values():
            results = (update or {}).get("tool_results")
            self.tools += results if isinstance(results, list) else []
            for message in (update or {}).get("messages", []):
                if not isinstance(message, dict) and is_answer(message):
                    self.answer = message


class Agent:
    """One opened data directory with the graph over it. Made by `open_agent`."""

    def __init__(self, services: Services, graph: Compiled) -> None:
        self.services = services
        self.graph = graph
        """The compiled graph, with the project's checkpointer."""

    async def ingest(
        self, *paths: str | Path, user: str = DEFAULT_USER, collection: str | None = None
    ) -> list[FileResult]:
        """Take in files and folders. Documents of the default user are shared with every user.

        Raises:
            StoreError: a path is missing, a folder is empty, or the store cannot work. A file that cannot
                be read is a result with status `failed`.
        """
        chosen = [Path(path) for path in path_names([str(path) for path in paths])]
        into = collection_name(collection) or self.services.settings.collection
        results = self.services.documents.ingest(chosen, owner=user_name(user), collection=into)
        return [result async for result, _, _ in results]

    async def search(
        self,
        query: str,
        *,
        user: str = DEFAULT_USER,
        k: int | None = None,
        min_score: float = 0.0,
        explain: bool = False,
        **wishes: Unpack[Wishes],
    ) -> SearchResult:
        """The retrieval stage alone; hits below the threshold are shown too unless `min_score` names one. `explain`:
        with each leg's rank, the terms that matched, and the passages that the threshold cut. `wishes` narrow it:
        `collection`, `documents`, `kinds`, `languages`, `paths`, `since`, `until` (see
        `stores.documents.narrowing.Narrowing`).

        Raises:
            InputRefusedError: a name, the query, a wish or `k` cannot be used.
            UnknownDocumentError: one of `documents` is none that this user may see.
            StoreError: the store cannot work.
        """
        return await self.services.documents.search(
            valid_text(query, "query"),
            reader=user_name(user),
            narrowing=narrowing(**wishes),
            k=self.services.limits.top_k if k is None else hit_limit(k),
            min_score=min_score,
            explain=explain,
        )

    async def ask(
        self,
        question: str,
        *,
        user: str = DEFAULT_USER,
        thread: str = DEFAULT_THREAD,
        record: bool = False,
        **wishes: Unpack[Wishes],
    ) -> Reply:
        """Answer one question in a thread, from the documents that `wishes` narrow it to (as in `search`).

        `record` keeps the exact messages of every model call in `Reply.messages`, secrets redacted.

        Raises:
            InputError: the question is empty or too long.
            InputRefusedError: a name, a wish, or a character of the question, cannot be used.
            UnknownDocumentError: one of `documents` is none that this user may see; nothing was asked.
            StoreError: the thread is another user's, or a store cannot work.
            ModelError: the chat model's endpoint failed. The question stays in the thread, marked as failed.
        """
        async for item in self.stream(question, user=user, thread=thread, record=record, **wishes):
            if isinstance(item, Reply):
                return item
        raise AssertionError("a stream ends with its reply")

    async def stream(
        self,
        question: str,
        *,
        user: str = DEFAULT_USER,
        thread: str = DEFAULT_THREAD,
        record: bool = False,
        **wishes: Unpack[Wishes],
    ) -> AsyncIterator[str | StepEvent | Reply]:
        """As `ask`: checked text as it is released, a step event per node, at last the reply."""
        narrowed = narrowing(**wishes)
        context = Context(user_id=user, **narrowed.as_json())
        asked = HumanMessage(content=valid_text(question, "question"))
        await self.services.documents.matching(narrowed, reader=user)
        conversation = await self.services.conversations.open(user, thread_name(thread))
        config = self.config(conversation)
        steps: list[StepEvent] = []
        outcome, recorder = _Outcome(), MessageRecorder()
        if record:
            config |= {"callbacks": [recorder]}
        async for mode, item in self.graph.astream(
            {"messages": [asked]},
            config,
            context=context,
            stream_mode=["messages", "custom", "updates"],
            # Each step is on disk before the next begins: a kill never takes a question or an answer with it.
            durability="sync",
        ):
            if mode == "updates":
                outcome.take(cast("dict[str, Update | None]", item))
            elif mode == "custom":
                event = cast("StepEvent", item)
                steps.append(event)
                yield event
            elif isinstance(item[0], AIMessageChunk):
                yield item[0].text
        yield await self._reply(outcome, conversation, steps, recorder.calls)

    async def history(self, *, user: str = DEFAULT_USER, thread: str = DEFAULT_THREAD) -> list[AnyMessage]:
        """The full history of a thread, failed questions included.

        Raises:
            UnknownThreadError: this user has no such thread.
        """
        conversation = await self.services.conversations.find(user_name(user), thread_name(thread))
        return await self.messages(conversation.thread_id)

    async def messages(self, thread_id: str) -> list[AnyMessage]:
        """The messages of a thread by its id; none if there is no such thread."""
        state = await self.graph.aget_state({"configurable": {"thread_id": thread_id}})
        return list(state.values.get("messages", []))

    async def citations(self, message: AnyMessage, *, user: str = DEFAULT_USER) -> list[QuotedCitation]:
        """The citations of an answer from the history, with their quotes as the store holds them now."""
        details = message.additional_kwargs.get(ANSWER, {})
        citations = [Citation.read(stored) for stored in details.get("citations", [])]
        return await quoted(self.services.documents, citations, reader=user)

    async def clear(self, *, user: str = DEFAULT_USER, thread: str = DEFAULT_THREAD) -> None:
        """Empty a thread; its name stays.

        Raises:
            UnknownThreadError: this user has no such thread.
        """
        conversation = await self.services.conversations.find(user_name(user), thread_name(thread))
        await self.services.jobs.cancel_thread(conversation.thread_id)
        await self.services.checkpointer.aclear_thread(conversation.thread_id)

    async def delete_thread(self, *, user: str = DEFAULT_USER, thread: str) -> Conversation:
        """Delete a thread with its history. What was remembered from it stays.

        Raises:
            UnknownThreadError: this user has no such thread.
        """
        conversation = await self.services.conversations.find(user_name(user), thread_name(thread))
        await self.services.conversations.delete(user, conversation.thread_id)
        await self.services.jobs.cancel_thread(conversation.thread_id)
        await self.services.checkpointer.adelete_thread(conversation.thread_id)
        return conversation

    async def memories(self, *, user: str = DEFAULT_USER) -> list[Memory]:
        """What is remembered about a user, newest first."""
        return await self.services.memories.snapshot(user_name(user))

    async def finish_jobs(self, seconds: float = DRAIN_SECONDS) -> None:
        """Work on waiting memory jobs until none is due, for at most so many seconds."""
        await self.worker().drain(seconds)

    def worker(self) -> MemoryWorker:
        """The memory worker over this agent's threads."""
        services = self.services
        return MemoryWorker(
            jobs=services.jobs,
            memories=services.memories,
            recall=services.recall,
            model=services.model,
            history=self.messages,
            prompts=services.prompts,
        )

    @staticmethod
    def config(conversation: Conversation) -> Any:
        """The LangGraph config that runs in this conversation."""
        return {"configurable": {"thread_id": conversation.thread_id}}

    async def _reply(
        self,
        outcome: _Outcome,
        conversation: Conversation,
        steps: Sequence[StepEvent],
        calls: Sequence[dict[str, Any]],
    ) -> Reply:
        answer = outcome.answer
        if answer is None:
            raise AssertionError("a turn that did not fail ends with its answer")
        details = answer.additional_kwargs[ANSWER]
        user = conversation.user_id
        return Reply(
            answer=answer.text,
            status=details["status"],
            task=details.get("task", "chat"),
            thread=conversation.name,
            user=user,
            citations=await self.citations(answer, user=user),
            missing=details.get("missing", []),
            searched=details.get("searched", []),
            memories=await self.services.memories.get_many(user, details.get("memories", [])),
            tools=outcome.tools,
            steps=[dict(step) for step in steps],
            messages=list(calls),
            usage=_usage(details.get("usage", [0, 0, 0])),
            degraded=details.get("degraded", []),
            model=self.services.model_name,
            sentences=[Sentence.read(stored) for stored in details.get("sentences", [])],
            nearest=details.get("nearest", []),
            first_ms=details.get("first_ms"),
        )


def _usage(stored: Sequence[int]) -> Usage:
    calls, read, written = stored
    return Usage(model_calls=calls, input_tokens=read, output_tokens=written)


@asynccontextmanager
async def open_agent(
    home: str | Path | None = None,
    *,
    model: BaseChatModel | None = None,
    embeddings: Embeddings | None = None,
    reranker: Reranker | None = None,
    settings: Settings | None = None,
    work: bool = True,
) -> AsyncIterator[Agent]:
    """Open a data directory and everything over it; on exit, waiting memory jobs get a few seconds.

    `model`, `embeddings` and `reranker` take the place of what the settings name. Without `work`, memory jobs
    wait for `Agent.finish_jobs` or the next start.

    Raises:
        SettingsError: a setting is wrong. StoreError: the data directory cannot be used.
    """
    settings = settings or read_settings(home=home)
    async with open_services(settings, model=model, embeddings=embeddings, reranker=reranker) as services:
        agent = Agent(services, compiled(services, services.checkpointer))
        if not work:
            yield agent
            return
        worker = asyncio.create_task(agent.worker().run())
        try:
            yield agent
        finally:
            worker.cancel()
            await asyncio.gather(worker, return_exceptions=True)
            await agent.finish_jobs()
