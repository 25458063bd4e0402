"""Pipelines: named ways from a question to a ranking, over the same corpus, so that they can be compared."""

import asyncio
import warnings
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Literal
from uuid import uuid4

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from typing_extensions import override

from eval.corpus_index import CorpusIndex
from eval.errors import EvaluationError
from nodes.state import Usage
from stores.documents.document import Chunk
from stores.documents.fusion import rrf_scores
from stores.documents.rerank import Reranker
from stores.documents.retrieval import POOL, HybridSearch
from stores.documents.retrievers import Leg
from stores.embeddings.embedder import Embedder

PipelineName = Literal["keyword", "vector", "fusion", "hybrid", "hybrid+rerank", "stock"]
REWRITE = "rewrite+"
"""Before a pipeline's name: the chat model plans the queries first, as in a turn (`eval/rewriting.py`)."""
NOTHING_USED = Usage()
DEPTH = 100
"""How many passages a leg ranks. The product's own search scores `POOL` of the fused ones, and is asked for as many."""


@dataclass(frozen=True)
class Ranked:
    """One query's ranking, best first, with milliseconds by stage and the calibrated scores where there are any."""

    ids: list[str]
    ms: dict[str, float]
    scores: dict[str, float] = field(default_factory=dict)
    degraded: tuple[str, ...] = ()
    usage: Usage = NOTHING_USED


Pipeline = Callable[[str], Awaitable[Ranked]]


def pipeline(name: PipelineName, index: CorpusIndex, embedder: Embedder, reranker: Reranker | None) -> Pipeline:
    """The pipeline of this name.

    Raises:
        EvaluationError: it needs a part that is not there.
    """
    match name:
        case "keyword":
            return _Keyword(index)
        case "vector":
            return _Vector(index, embedder)
        case "fusion":
            return _Fusion(_Keyword(index), _Vector(index, embedder))
        case "hybrid":
            return _Hybrid(index, embedder, None)
        case "hybrid+rerank":
            if reranker is None:
                raise EvaluationError("hybrid+rerank needs a reranker: set RECITE_RERANKER, or leave the pipeline out.")
            return _Hybrid(index, embedder, reranker)
        case "stock":
            return _Stock(index, embedder)


class _Keyword:
    def __init__(self, index: CorpusIndex) -> None:
        self._keywords, self._within = index.pair.keywords, index.within

    async def __call__(self, query: str) -> Ranked:
        started = perf_counter()
        hits = await asyncio.to_thread(self._keywords.search, query, within=self._within, limit=DEPTH)
        return Ranked([one for one, _ in hits], {"total": _ms(started)})


class _Vector:
    def __init__(self, index: CorpusIndex, embedder: Embedder) -> None:
        self._vectors, self._embedder, self._within = index.pair.vectors, embedder, index.within

    async def __call__(self, query: str) -> Ranked:
        started = perf_counter()
        asked = await asyncio.to_thread(self._embedder.embed_query, query)
        embedded = _ms(started)
        hits = await asyncio.to_thread(self._vectors.search, asked, within=self._within, limit=DEPTH)
        return Ranked([one for one, _ in hits], {"embed": embedded, "total": _ms(started)})


class _Fusion:
    """Both legs fused by reciprocal rank, and nothing more: what the calibrated score has to be better than."""

    def __init__(self, keyword: _Keyword, vector: _Vector) -> None:
        self._legs: dict[str, Pipeline] = {"keyword": keyword, "vector": vector}

    async def __call__(self, query: str) -> Ranked:
        started = perf_counter()
        found = [Leg(name, dict.fromkeys((await leg(query)).ids, 0.0)) for name, leg in self._legs.items()]
        scores = rrf_scores(found)
        return Ranked(sorted(scores, key=lambda one: -scores[one])[:POOL], {"total": _ms(started)})


class _Hybrid:
    """The product's own search, without a threshold."""

    def __init__(self, index: CorpusIndex, embedder: Embedder, reranker: Reranker | None) -> None:
        self._chunks, self._within = index.chunks, index.within
        self._search = HybridSearch(
            keywords=index.pair.keywords,
            vectors=index.pair.vectors,
            embeddings=embedder,
            reranker=reranker,
            load=self._load,
            fuse=index.pair.fuse,
        )

    async def __call__(self, query: str) -> Ranked:
        result = await self._search.search(query, within=self._within, k=POOL, min_score=0.0)
        scores = {hit.chunk.chunk_id: hit.score for hit in result.hits}
        return Ranked(list(scores), dict(result.ms), scores, result.degraded)

    async def _load(self, ids: Sequence[str]) -> dict[str, tuple[Chunk, str, str]]:
        return {one: (self._chunks[one], self._chunks[one].context, one) for one in ids if one in self._chunks}


class _Known(Embeddings):
    """The vectors that were made for the index, so that the baseline has the same ones without the wait."""

    def __init__(self, vectors: dict[str, list[float]], embedder: Embedder) -> None:
        self._vectors, self._embedder = vectors, embedder

    @override
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self._vectors[text] for text in texts]

    @override
    def embed_query(self, text: str) -> list[float]:
        return self._embedder.embed_query(text)


class _Stock:
    """What a LangChain user would write: EnsembleRetriever over BM25Retriever and Chroma, defaults, same embedder."""

    def __init__(self, index: CorpusIndex, embedder: Embedder) -> None:
        self._retriever = _stock(index, embedder)

    async def __call__(self, query: str) -> Ranked:
        started = perf_counter()
        found = await asyncio.to_thread(self._retriever.invoke, query)
        ids = [str(document.metadata["passage"]) for document in found]
        return Ranked(list(dict.fromkeys(ids)), {"total": _ms(started)})


def _stock(index: CorpusIndex, embedder: Embedder) -> BaseRetriever:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package is winding down, and says so; it is the same search
        try:
            from langchain_classic.retrievers import EnsembleRetriever  # noqa: PLC0415 - the extra's, with the next two
            from langchain_community.retrievers import BM25Retriever  # noqa: PLC0415
            from langchain_community.vectorstores import Chroma  # noqa: PLC0415
        except ImportError as error:
            raise EvaluationError("The stock pipeline needs `pip install recite-agent[eval]`.") from error
    texts = [f"{chunk.context}\n{chunk.text}".strip() for chunk in index.chunks.values()]
    documents = [
        Document(page_content=text, metadata={"passage": one}) for one, text in zip(index.chunks, texts, strict=True)
    ]
    known = _Known(dict(zip(texts, index.vectors.tolist(), strict=True)), embedder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the class has moved to a package of its own; it is the same search
        # A name of its own: collections in memory are shared by the whole process.
        store = Chroma(collection_name=f"stock-{uuid4().hex}", embedding_function=known)
    for start in range(0, len(documents), 5_000):
        store.add_documents(documents[start : start + 5_000])
    legs = [BM25Retriever.from_documents(documents), store.as_retriever()]
    return EnsembleRetriever(retrievers=legs, weights=[0.5, 0.5])


def _ms(since: float) -> float:
    return (perf_counter() - since) * 1000
