"""Candidates: what the search finds for the questions of a BEIR folder, with every score a combination can use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from eval.beir import Dataset, load
from eval.corpus_index import CorpusIndex, open_index
from stores.documents.document import Chunk, Hit
from stores.documents.entry import passage_text
from stores.documents.retrieval import POOL, RERANK_POOL, HybridSearch
from stores.embeddings.embedder import Embedder


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question and the search's hits, best first by calibrated score."""

    query: str
    relevant: Mapping[str, float]
    hits: Sequence[Hit]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """What a reranker is shown: the query with each of the best hits' passages."""
        return [(self.query, passage_text(hit.chunk.context, hit.chunk.text)) for hit in self.hits[:RERANK_POOL]]


async def questions(folder: Path, embedder: Embedder, cache: Path) -> list[Question]:
    """Search for every answerable question of a folder; the index comes from the cache or is built.

    Raises:
        EvaluationError: the folder is no BEIR folder.
    """
    data = load(folder)
    index = await open_index(data, embedder, cache, lambda _done, _of: None)
    try:
        return await _found(data, index, embedder)
    finally:
        await index.pair.close()


async def _found(data: Dataset, index: CorpusIndex, embedder: Embedder) -> list[Question]:
    async def loaded(ids: Sequence[str]) -> dict[str, tuple[Chunk, str, str]]:
        return {one: (index.chunks[one], index.chunks[one].context, one) for one in ids}

    search = HybridSearch(
        keywords=index.pair.keywords, vectors=index.pair.vectors, embeddings=embedder, reranker=None, load=loaded
    )
    found = []
    for query in data.queries:
        if query.relevant:
            result = await search.search(query.text, within=index.within, k=POOL, min_score=0.0)
            found.append(Question(query=query.text, relevant=query.relevant, hits=result.hits))
    return found
