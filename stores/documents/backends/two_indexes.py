"""TwoIndexes: an engine of two indexes that know nothing of each other, a keyword index and a vector index."""

from collections.abc import Callable, Sequence

from stores.documents.entry import IndexEntry
from stores.documents.indexes import KEYWORDS, VECTORS, Fuse
from stores.documents.keywords import KeywordIndex
from stores.documents.vectors import VectorIndex
from stores.errors import StoreError


class TwoIndexes:
    """tantivy and Chroma, wherever Chroma runs. The legs are fused outside."""

    def __init__(
        self,
        keywords: KeywordIndex,
        vectors: VectorIndex,
        *,
        place: str,
        explain: Callable[[Exception], StoreError],
    ) -> None:
        self.keywords = keywords
        self.vectors = vectors
        self.place = place
        self._explain = explain

    @property
    def fuse(self) -> Fuse | None:
        """None: `stores.documents.fusion` does it."""
        return None

    def add(self, entries: Sequence[IndexEntry], vectors: Sequence[Sequence[float]]) -> None:
        """Add to both."""
        self.keywords.add(entries)
        self.vectors.add(entries, vectors)

    def delete(self, chunk_ids: Sequence[str]) -> None:
        """Forget in both."""
        self.keywords.delete(chunk_ids)
        self.vectors.delete(chunk_ids)

    def commit(self) -> None:
        """Commit both, the purge left for later."""
        self.keywords.commit(purge=False)
        self.vectors.commit()

    def purge(self) -> None:
        """Write the keyword segments anew that hold deleted terms."""
        self.keywords.purge()

    def counts(self) -> dict[str, int]:
        """Chunks by index."""
        return {KEYWORDS: self.keywords.count(), VECTORS: self.vectors.count()}

    def close(self) -> None:
        """Close both."""
        self.keywords.close()
        self.vectors.close()

    def explain(self, error: Exception) -> StoreError:
        """What the error means, by who opened the two."""
        return self._explain(error)
