"""The document store's port: what the graph, the CLI and the HTTP routes may ask of it."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Protocol

from stores.documents.document import Chunk, Document, FileResult, SearchResult
from stores.documents.narrowing import EVERYTHING, Narrowing


class DocumentStore(Protocol):
    """Documents in, passages out. `reader` sees their own documents and the shared library, nothing else."""

    def ingest(
        self, paths: Sequence[Path], *, owner: str, collection: str, prune: bool = False
    ) -> AsyncIterator[tuple[FileResult, int, int]]:
        """Take in files and folders; yields (result, files done, files in all), one per file.

        With `prune`, documents of these folders whose file is gone are deleted at the end.

        Raises:
            StoreError: the store itself cannot work. A file that cannot be read is a result, not an error.
        """
        ...

    async def documents(self, *, reader: str, collection: str | None = None) -> list[Document]:
        """What this user may see, by path."""
        ...

    async def document(self, document_id: str, *, reader: str) -> Document:
        """One document; an unambiguous prefix of its id will do.

        Raises:
            UnknownDocumentError: there is none that this user may see.
        """
        ...

    async def delete(self, document_id: str, *, owner: str) -> Document:
        """Remove a document and everything made from it.

        Raises:
            UnknownDocumentError: there is none that this user owns.
        """
        ...

    def reindex(self) -> AsyncIterator[tuple[FileResult, int, int]]:
        """Build both indexes anew from the files, as `ingest` does."""
        ...

    async def search(
        self,
        query: str,
        *,
        reader: str,
        narrowing: Narrowing = EVERYTHING,
        k: int = 5,
        min_score: float = 0.0,
        explain: bool = False,
    ) -> SearchResult:
        """The `k` best chunks with `score >= min_score`, best first, among those that it is narrowed to.

        An engine that fuses both legs by itself gives no ranks by leg; with `explain` they are run apart.

        Raises:
            SearchFailedError: both legs failed. One failed leg is named in `degraded`.
            UnknownDocumentError: it is narrowed to a document that this reader may not see, or that is none.
        """
        ...

    async def matching(self, narrowing: Narrowing, *, reader: str) -> int | None:
        """How many documents a search so narrowed would look at; `None` if documents, paths and dates are all open.

        Raises:
            UnknownDocumentError: as by `search`.
        """
        ...

    async def chunks(self, chunk_ids: Sequence[str], *, reader: str) -> dict[str, tuple[Chunk, Document]]:
        """Current chunks by id. An id that is gone, or that this reader may not see, is left out."""
        ...

    async def spread(self, document_id: str, *, reader: str, k: int) -> list[Chunk]:
        """At most `k` chunks of a document, evenly spread over it, in order.

        Raises:
            UnknownDocumentError: there is none that this user may see.
        """
        ...

    async def health(self) -> dict[str, object]:
        """Counts and versions for `recite doctor`."""
        ...
