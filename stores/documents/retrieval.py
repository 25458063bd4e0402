"""HybridSearch: a query in, calibrated hits out: both legs, fusion, calibration, and a reranker if there is one."""

import asyncio
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

from stores.documents.across import ACROSS_POOL, crossed, language_read, means_of, moved_to
from stores.documents.calibration import Candidate, relevance
from stores.documents.document import Chunk, Hit, Language, SearchResult, Source
from stores.documents.entry import passage_text
from stores.documents.exact import IN_TEXT, exactness
from stores.documents.filters import Filter
from stores.documents.fusion import fused
from stores.documents.indexes import Fuse, KeywordLeg, VectorLeg
from stores.documents.rerank import Reranker, RerankFailedError, only_orders
from stores.documents.retrievers import (
    LEG_TIMEOUT_SECONDS,
    GuardedRetriever,
    KeywordRetriever,
    Leg,
    VectorRetriever,
)
from stores.documents.selection import selected
from stores.documents.terms import index_terms, query_terms
from stores.embeddings.embedder import Embedder
from stores.errors import SearchFailedError

Load = Callable[[Sequence[str]], Awaitable[dict[str, tuple[Chunk, str, str]]]]
"""Chunk ids to (current chunk, title, path); an id it leaves out is stale and no hit."""

POOL = 50
"""How many of the fused chunks are read and scored."""
RERANK_POOL = 20
"""How many of the best are shown to the reranker; never fewer than were asked for."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What the two legs brought for one query."""

    keyword: Leg
    vector: Leg
    fused: dict[str, float]
    embedding: Sequence[float] | None
    ms: dict[str, float]
    across: Leg = field(default_factory=lambda: Leg("vector"))
    """What the vector leg brought for the query as moved to the other language."""


class HybridSearch:
    """Keyword and vector search over the same chunks, as one ranking with one score that means something.

    `Hit.score` is the calibrated probability that the hit is relevant. With a reranker that answered it is the
    reranker's own, already 0..1, and hits it was not shown are left out; if the reranker only orders, the score stays
    and they stand behind.
    """

    def __init__(
        self,
        *,
        keywords: KeywordLeg,
        vectors: VectorLeg,
        embeddings: Embedder,
        reranker: Reranker | None,
        load: Load,
        fuse: Fuse | None = None,
    ) -> None:
        self._keywords = keywords
        self._vectors = vectors
        self._embeddings = embeddings
        self._reranker = reranker
        self._load = load
        self._fuse = fuse

    async def search(
        self,
        query: str,
        *,
        within: Filter,
        k: int,
        min_score: float,
        explain: bool = False,
    ) -> SearchResult:
        """The `k` best chunks that the filter lets through with `score >= min_score`, best first.

        `explain` says which terms matched, and what the threshold cut. An engine that fuses by itself gives hits no
        ranks by leg, unless `explain` has the legs run apart.

        A blank query, an empty index and a `k` above what there is give fewer hits or none.

        Raises:
            SearchFailedError: both legs failed. A leg, or the reranker, that failed alone is named in `degraded`.
        """
        started = perf_counter()
        if not query.strip() or within.lets_nothing or k < 1:
            return SearchResult(query=query, hits=(), degraded=(), ms={"total": _ms(started)})
        pool = max(POOL, k)
        found = None if explain else await self._fused_inside(query, within, pool)
        found = found or await self._legs(query, within, pool)
        await self._across(query, found, within)
        fusing = perf_counter()
        hits = await self._scored(query, found)
        legs = (found.keyword, found.vector, found.across)
        degraded = list(dict.fromkeys(leg.name for leg in legs if leg.error is not None))
        ms = found.ms | {"fuse": _ms(fusing)}
        if self._reranker is not None and hits:
            reranking = perf_counter()
            try:
                hits = await _reranked(self._reranker, query, hits, shown=max(RERANK_POOL, k))
            except Exception:  # a given reranker may raise anything: the order without it stands
                degraded.append("reranker")
            ms["rerank"] = _ms(reranking)
        ms["total"] = _ms(started)
        kept = tuple(selected([hit for hit in hits if hit.score >= min_score], query)[:k])
        cut = tuple(hit for hit in hits[:k] if hit.score < min_score)
        below = len(cut)
        kept, cut = (_explained(query, kept), _explained(query, cut)) if explain else (kept, ())
        return SearchResult(query=query, hits=kept, degraded=tuple(degraded), ms=ms, below_threshold=below, cut=cut)

    async def _fused_inside(self, query: str, within: Filter, pool: int) -> _Found | None:
        """What the engine found and fused by itself; `None` if it does not, or if that failed: then the legs run
        apart, and one of them may still answer.
        """
        if self._fuse is None:
            return None
        started = perf_counter()
        try:
            embedding = await self._embeddings.aembed_query(query)
            embed_ms, asking = _ms(started), perf_counter()
            call = asyncio.to_thread(self._fuse, query, embedding, within=within, limit=max(2 * POOL, pool))
            ranking = await asyncio.wait_for(call, LEG_TIMEOUT_SECONDS)
        except Exception:
            # Whatever it was, the legs meet it again and say which of them it concerns.
            return None
        ms = {"embed": embed_ms, "engine": _ms(asking)}
        return _Found(Leg("keyword"), Leg("vector"), dict(ranking[:pool]), embedding, ms)

    async def _legs(self, query: str, within: Filter, pool: int) -> _Found:
        limit = max(2 * POOL, pool)
        keyword = GuardedRetriever(
            inner=KeywordRetriever(index=self._keywords, within=within, limit=limit),
            leg=Leg("keyword"),
        )
        nearest = VectorRetriever(index=self._vectors, embeddings=self._embeddings, within=within, limit=limit)
        vector = GuardedRetriever(inner=nearest, leg=Leg("vector"))
        ranking = await fused(query, [keyword, vector])
        if keyword.leg.error is not None and vector.leg.error is not None:
            raise SearchFailedError(
                f"Both parts of the search failed: keyword ({keyword.leg.error}); vector ({vector.leg.error}). "
                "Run `recite doctor`."
            ) from vector.leg.error
        embedding, embed_ms = nearest.embedded[0] if nearest.embedded else (None, 0.0)
        ms = {"embed": embed_ms, "keyword": keyword.leg.ms, "vector": vector.leg.ms}
        return _Found(keyword.leg, vector.leg, dict(ranking[:pool]), embedding, ms)

    def _moved(self, query: str, found: _Found) -> Sequence[float] | None:
        means = means_of(self._embeddings.name)
        if means is None or found.embedding is None or found.vector.error is not None:
            return None
        return [float(one) for one in moved_to(query, found.embedding, means)]

    async def _across(self, query: str, found: _Found, within: Filter) -> None:
        """Look up what lies nearest in the other language; a failure here leaves what the legs found."""
        started, moved = perf_counter(), self._moved(query, found)
        if moved is None:
            return
        call = asyncio.to_thread(self._vectors.search, moved, within=within, limit=ACROSS_POOL)
        try:
            found.across.scores = dict(await asyncio.wait_for(call, LEG_TIMEOUT_SECONDS))
        except Exception as error:
            found.across.error = error
        found.ms["across"] = _ms(started)

    async def _complete_across(self, query: str, found: _Found, languages: Mapping[str, Language]) -> None:
        """Measure what the legs found in the other language as the rest of that language was."""
        moved = self._moved(query, found)
        if moved is not None:
            ids = [one for one, language in languages.items() if crossed(query, language)]
            await self._complete(found.across, lambda missing: self._vectors.scores(moved, missing), ids)

    async def _scored(self, query: str, found: _Found) -> list[Hit]:
        asked = list(dict.fromkeys((*found.fused, *found.across.scores)))
        if not asked:
            return []
        loaded, *_ = await asyncio.gather(
            self._load(asked),
            self._complete(found.keyword, lambda missing: self._keywords.scores(query, missing), asked),
            self._complete(found.vector, lambda missing: self._vectors.scores(found.embedding or (), missing), asked),
        )
        read = {one: language_read(loaded[one][0]) for one in asked if one in loaded}
        languages = {one: read[one] for one in read if one in found.fused or crossed(query, read[one])}
        if not languages:
            return []
        ids = list(languages)
        await self._complete_across(query, found, languages)
        known = None if found.keyword.error else self._keywords.document_frequencies
        passages = [(loaded[one][0].context, loaded[one][0].text) for one in ids]
        exact = await asyncio.to_thread(exactness, query, passages, known)
        candidates = [
            _candidate(loaded[one][0], languages[one], found, level) for one, level in zip(ids, exact, strict=True)
        ]
        scores = await asyncio.to_thread(
            relevance,
            query,
            candidates,
            frequencies=known,
            embedding=found.embedding,
            model=self._embeddings.name,
        )
        ranks = found.keyword.ranks, found.vector.ranks
        hits = [_hit(loaded[one], found, score, *ranks) for one, score in zip(ids, scores, strict=True)]
        levels = dict(zip(ids, exact, strict=True))
        return sorted(hits, key=lambda hit: _place(hit, levels[hit.chunk.chunk_id]))

    async def _complete(
        self, leg: Leg, scores: Callable[[Sequence[str]], dict[str, float]], ids: Sequence[str]
    ) -> None:
        """Let a leg score what only the other one ranked. A leg that fails here counts as failed."""
        missing = [one for one in ids if one not in leg.scores]
        if leg.error is not None or not missing:
            return
        try:
            leg.completed = await asyncio.to_thread(scores, missing)
        except Exception as error:
            leg.error = error


def _place(hit: Hit, exact: int) -> tuple[int, float, float, str]:
    """Where a hit stands: who names a rare identifier is looking for the passages that hold it."""
    return (-exact, -hit.score, -(hit.fused_score or 0.0), hit.chunk.chunk_id)


def _candidate(chunk: Chunk, language: Language, found: _Found, exact: int) -> Candidate:
    return Candidate(
        passage=passage_text(chunk.context, chunk.text),
        language=language,
        bm25=None if found.keyword.error else found.keyword.score(chunk.chunk_id) or 0.0,
        cosine=None if found.vector.error else found.vector.score(chunk.chunk_id),
        across=found.across.score(chunk.chunk_id),
        exact=exact >= IN_TEXT,
    )


def _hit(
    loaded: tuple[Chunk, str, str],
    found: _Found,
    score: float,
    keyword_ranks: Mapping[str, int],
    vector_ranks: Mapping[str, int],
) -> Hit:
    chunk, title, path = loaded
    keyword_rank = keyword_ranks.get(chunk.chunk_id)
    vector_rank = vector_ranks.get(chunk.chunk_id)
    words = keyword_rank or (vector_rank is None and found.keyword.score(chunk.chunk_id))
    source: Source = "vector" if not words else "keyword" if keyword_rank and not vector_rank else "both"
    return Hit(
        chunk=chunk,
        title=title,
        path=path,
        score=score,
        source=source,
        keyword_rank=keyword_rank,
        vector_rank=vector_rank,
        keyword_score=found.keyword.score(chunk.chunk_id),
        vector_score=found.vector.score(chunk.chunk_id),
        fused_score=found.fused.get(chunk.chunk_id),
    )


async def _reranked(reranker: Reranker, query: str, hits: Sequence[Hit], *, shown: int) -> list[Hit]:
    """The hits by the reranker's numbers, best first; equal numbers keep their order."""
    first, rest, orders = hits[:shown], hits[shown:], only_orders(reranker)
    scores = await reranker.rerank(query, first)
    allowed: Callable[[float], bool] = math.isfinite if orders else lambda score: 0.0 <= score <= 1.0
    if len(scores) != len(first) or not all(map(allowed, scores)):
        due = "one finite number" if orders else "one number in 0..1"
        raise RerankFailedError(f"The reranker gave {scores!r} for {len(first)} hits: {due} each is due.")
    ranked = sorted(zip(first, scores, strict=True), key=lambda one: -one[1])
    if orders:
        return [*(replace(hit, rerank_score=score) for hit, score in ranked), *rest]
    return [replace(hit, score=score, rerank_score=score) for hit, score in ranked]


def _explained(query: str, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    return tuple(replace(hit, matched=_matched(query, hit.chunk)) for hit in hits)


def _matched(query: str, chunk: Chunk) -> tuple[str, ...]:
    terms = frozenset(index_terms(passage_text(chunk.context, chunk.text)))
    return tuple(term for term in query_terms(query) if term in terms)


def _ms(since: float) -> float:
    return (perf_counter() - since) * 1000
