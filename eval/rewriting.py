"""`rewrite+NAME`: the chat model plans the queries and a pipeline answers each, through the product's own nodes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from types import SimpleNamespace
from typing import Any, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime

from eval.pipelines import Pipeline, Ranked
from graph.routes import after_plan
from nodes.limits import Limits
from nodes.plan import plan
from nodes.retrieve import retrieve
from nodes.state import Context, State, Update
from stores.documents.document import Chunk, Hit, SearchResult
from stores.documents.retrieval import POOL
from stores.documents.store import DocumentStore
from stores.memories.repository import Memories
from stores.metrics import NO_METER
from tools.registry import Registry

_RUNTIME: Runtime[Context] = Runtime(context=Context())


@dataclass(frozen=True, slots=True)
class Planner:
    """What the `plan` node needs: the model, the tools it is offered, where memories are, the budgets of a turn."""

    model: BaseChatModel
    registry: Registry
    memories: Memories
    limits: Limits


def rewriting(inner: Pipeline, chunks: Mapping[str, Chunk], planner: Planner) -> Pipeline:
    """The pipeline asked with the planned queries and the question itself, merged as in a turn."""
    return _Rewriting(inner, chunks, planner)


class _Rewriting:
    def __init__(self, inner: Pipeline, chunks: Mapping[str, Chunk], planner: Planner) -> None:
        self._inner, self._chunks, self._planner = inner, chunks, planner
        self._limits = replace(planner.limits, top_k=POOL, min_score=0.0)

    async def __call__(self, query: str) -> Ranked:
        started = perf_counter()
        searched = _Searched(self._inner, self._chunks)
        state = State(messages=[HumanMessage(query, id="question")])
        ms = {"plan": 0.0, "search": 0.0}
        while True:
            state = await self._planned(state, ms)
            # The user's own question is searched whatever the planner says; after that only what it proposes.
            if state.searched and "retrieve" not in after_plan(state):
                break
            state = await self._retrieved(state, searched, ms)
            if state.after_search != "plan" or state.rounds >= self._limits.max_rounds:
                break
        ms["total"] = (perf_counter() - started) * 1000
        ids = [item.chunk_id for item in state.evidence]
        scores = {one: searched.scores[one] for one in ids if one in searched.scores}
        return Ranked(ids, ms, scores, tuple(state.degraded), state.usage)

    async def _planned(self, state: State, ms: dict[str, float]) -> State:
        started = perf_counter()
        planner = self._planner
        update = await plan(
            state, _RUNTIME, model=planner.model, registry=planner.registry, memories=planner.memories,
            limits=self._limits,
        )  # fmt: skip
        ms["plan"] += (perf_counter() - started) * 1000
        if "usage" not in update:  # late or empty: the call was made all the same
            update["usage"] = replace(state.usage, model_calls=state.usage.model_calls + 1)
        return _after(state, update)

    async def _retrieved(self, state: State, searched: "_Searched", ms: dict[str, float]) -> State:
        started = perf_counter()
        # The node searches and looks chunks up, nothing else.
        documents = cast("DocumentStore", searched)
        update = await retrieve(state, _RUNTIME, documents=documents, limits=self._limits, meter=NO_METER)
        ms["search"] += (perf_counter() - started) * 1000
        return _after(state, update)


def _after(state: State, update: Update) -> State:
    """The state as the graph's channels would make it: calls and their answers grow, the rest is replaced."""
    fields: dict[str, Any] = dict(update) | {"task": "find"}  # ranked lists are measured, not what a task brings
    fields["turn_messages"] = [*state.turn_messages, *fields.get("turn_messages", ())]
    return replace(state, **fields)


@dataclass(slots=True)
class _Searched:
    """A pipeline as the `retrieve` node asks the document store."""

    inner: Pipeline
    chunks_by_id: Mapping[str, Chunk]
    scores: dict[str, float] = field(default_factory=dict)
    """The best calibrated score of each passage."""

    async def search(self, query: str, *, k: int, **_: Any) -> SearchResult:
        ranked = await self.inner(query)
        for one, score in ranked.scores.items():
            self.scores[one] = max(score, self.scores.get(one, 0.0))
        hits = tuple(self._hit(one, ranked) for one in ranked.ids[:k])
        return SearchResult(query=query, hits=hits, degraded=ranked.degraded, ms=ranked.ms)

    async def chunks(self, chunk_ids: Sequence[str], **_: Any) -> dict[str, tuple[Chunk, Any]]:
        return {one: (self.chunks_by_id[one], SimpleNamespace(revision=1)) for one in chunk_ids}

    def _hit(self, one: str, ranked: Ranked) -> Hit:
        chunk = self.chunks_by_id[one]
        score = ranked.scores.get(one, 0.0)
        return Hit(chunk=chunk, title=chunk.context, path=chunk.document_id, score=score, source="both")
