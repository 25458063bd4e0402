"""GivenPassages: a document store over passages handed to it, searched and scored as the product's own."""

import hashlib
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path
from typing import Any

from eval.beir import Dataset, Passage
from eval.corpus_index import COLLECTION, OWNER, CorpusIndex, open_index
from eval.passage_vectors import Progress
from stores.documents.document import Chunk, Document, FileResult, SearchResult
from stores.documents.filters import Filter
from stores.documents.narrowing import EVERYTHING, Narrowing
from stores.documents.rerank import Reranker
from stores.documents.retrieval import HybridSearch
from stores.embeddings.embedder import Embedder
from stores.errors import StoreError, UnknownDocumentError

_BEGINNING = "1970-01-01T00:00:00Z"


def passage_id(text: str) -> str:
    """The same passage is one document, in whichever questions it is given."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


class GivenPassages:
    """All passages of a set in one index. A question is narrowed to its own; each is a document of one chunk."""

    def __init__(self, index: CorpusIndex, embedder: Embedder, reranker: Reranker | None) -> None:
        self._index = index
        self._search = HybridSearch(
            keywords=index.pair.keywords,
            vectors=index.pair.vectors,
            embeddings=embedder,
            reranker=reranker,
            load=self._load,
            fuse=index.pair.fuse,
        )

    @classmethod
    async def open(
        cls, name: str, texts: Iterable[str], embedder: Embedder, reranker: Reranker | None, cache: Path, tell: Progress
    ) -> "GivenPassages":
        """The store of these passages, from the cache or built now."""
        passages = {passage_id(text): Passage("", text) for text in texts}
        fingerprint = hashlib.sha256("".join(sorted(passages)).encode()).hexdigest()
        dataset = Dataset(name, dict(sorted(passages.items())), (), fingerprint)
        return cls(await open_index(dataset, embedder, cache, tell), embedder, reranker)

    async def close(self) -> None:
        """Let go of the index's files."""
        await self._index.pair.close()

    async def search(
        self,
        query: str,
        *,
        reader: str,  # noqa: ARG002 - the port's signature: everybody may read these
        narrowing: Narrowing = EVERYTHING,
        k: int = 5,
        min_score: float = 0.0,
        explain: bool = False,
    ) -> SearchResult:
        """See `DocumentStore`."""
        documents = frozenset(narrowing.documents) or None
        within = Filter(owners=(OWNER,), collection=COLLECTION, documents=documents)
        return await self._search.search(query, within=within, k=k, min_score=min_score, explain=explain)

    async def matching(self, narrowing: Narrowing, *, reader: str) -> int | None:  # noqa: ARG002 - as above
        """See `DocumentStore`."""
        unknown = [one for one in narrowing.documents if one not in self._index.chunks]
        if unknown:
            raise UnknownDocumentError(f"There is no passage {unknown[0]!r} among those given.")
        return len(narrowing.documents) or None

    async def chunks(self, chunk_ids: Sequence[str], *, reader: str) -> dict[str, tuple[Chunk, Document]]:
        """See `DocumentStore`."""
        return {one: (chunk, _document(one, reader)) for one in chunk_ids if (chunk := self._index.chunks.get(one))}

    async def documents(self, *, reader: str, collection: str | None = None) -> list[Document]:  # noqa: ARG002
        """See `DocumentStore`."""
        return [_document(one, reader) for one in self._index.chunks]

    async def document(self, document_id: str, *, reader: str) -> Document:
        """See `DocumentStore`."""
        if document_id not in self._index.chunks:
            raise UnknownDocumentError(f"There is no passage {document_id!r} among those given.")
        return _document(document_id, reader)

    async def spread(self, document_id: str, *, reader: str, k: int) -> list[Chunk]:
        """See `DocumentStore`: a passage is one chunk."""
        await self.document(document_id, reader=reader)
        return [self._index.chunks[document_id]][:k]

    async def delete(self, document_id: str, *, owner: str) -> Document:
        """Given passages stay.

        Raises:
            StoreError: always.
        """
        raise StoreError(f"The passage {document_id!r} of {owner!r} was given to be asked about, not to be changed.")

    def ingest(self, *_: Any, **__: Any) -> AsyncIterator[tuple[FileResult, int, int]]:
        """Nothing is taken in.

        Raises:
            StoreError: always.
        """
        raise StoreError("These passages were given to be asked about. Nothing can be added to them.")

    def reindex(self) -> AsyncIterator[tuple[FileResult, int, int]]:
        """See `ingest`."""
        return self.ingest()

    async def health(self) -> dict[str, object]:
        """See `DocumentStore`."""
        return {"chunks": len(self._index.chunks)}

    async def _load(self, ids: Sequence[str]) -> dict[str, tuple[Chunk, str, str]]:
        return {one: (self._index.chunks[one], one, one) for one in ids}


def _document(one: str, owner: str) -> Document:
    return Document(
        document_id=one, owner=owner, collection=COLLECTION, path=one, title="", media_type="text/plain",
        encoding="utf-8", pages=None, chunks=1, sha256=one, revision=1, state="ready", reason=None,
        updated_at=_BEGINNING,
    )  # fmt: skip
