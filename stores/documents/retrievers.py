"""The two legs of a search as LangChain retrievers, and the guard that keeps one leg's failure from the other."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field
from typing_extensions import override

from stores.documents.filters import Filter
from stores.documents.indexes import KeywordLeg, VectorLeg
from stores.embeddings.embedder import Embedder

ID_KEY = "chunk_id"
LEG_LIMIT = 100
LEG_TIMEOUT_SECONDS = 10.0


@dataclass(slots=True, eq=False)
class Leg:
    """What became of one leg in one search."""

    name: str
    scores: dict[str, float] = field(default_factory=dict)
    """What it ranked, best first."""
    completed: dict[str, float] = field(default_factory=dict)
    """Its scores for chunks that only the other leg ranked."""
    error: Exception | None = None
    ms: float = 0.0

    @property
    def ranks(self) -> dict[str, int]:
        """Rank by chunk id, from 1."""
        return {chunk_id: rank for rank, chunk_id in enumerate(self.scores, start=1)}

    def score(self, chunk_id: str) -> float | None:
        """Its score for a chunk, `None` if it has none."""
        return self.scores.get(chunk_id, self.completed.get(chunk_id))


class _AsyncRetriever(BaseRetriever):
    """A retriever for event loops; the blocking way starts a loop of its own."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    @override
    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        quiet = AsyncCallbackManagerForRetrieverRun.get_noop_manager()
        return asyncio.run(self._aget_relevant_documents(query, run_manager=quiet))


class KeywordRetriever(_AsyncRetriever):
    """The chunks that hold the query's terms. `metadata` has `chunk_id` and `score`; there is no text."""

    index: KeywordLeg
    within: Filter
    limit: int = LEG_LIMIT

    @override
    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        found = await asyncio.to_thread(self.index.search, query, within=self.within, limit=self.limit)
        return _documents(found)


class VectorRetriever(_AsyncRetriever):
    """The chunks whose vectors lie nearest to the query's. `metadata` has `chunk_id` and `score`; there is no text."""

    index: VectorLeg
    embeddings: Embedder
    within: Filter
    limit: int = LEG_LIMIT
    embedded: list[tuple[list[float], float]] = Field(default_factory=list)
    """The query's vector and the milliseconds it took, for whoever needs them after the search."""

    @override
    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        started = perf_counter()
        vector = await self.embeddings.aembed_query(query)
        self.embedded.append((vector, (perf_counter() - started) * 1000))
        found = await asyncio.to_thread(self.index.search, vector, within=self.within, limit=self.limit)
        return _documents(found)


class GuardedRetriever(_AsyncRetriever):
    """Another retriever whose failure or delay is an empty answer, written down in `leg`."""

    inner: BaseRetriever
    leg: Leg
    timeout_seconds: float = LEG_TIMEOUT_SECONDS

    @override
    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        started = perf_counter()
        try:
            found = await asyncio.wait_for(
                self.inner.ainvoke(query, config={"callbacks": run_manager.get_child()}), self.timeout_seconds
            )
        except Exception as error:
            self.leg.error = error
            found = []
        self.leg.ms = (perf_counter() - started) * 1000
        self.leg.scores = {one.metadata[ID_KEY]: one.metadata["score"] for one in found}
        return found


def _documents(found: Sequence[tuple[str, float]]) -> list[Document]:
    return [Document(page_content="", metadata={ID_KEY: one, "score": score}) for one, score in found]
