"""The ports between the document store and its indexes: two legs, the engine that holds both, the backend of engines.

Everything here blocks and may be called from any thread; `IndexPair` brings it to the event loop. The manifest stays
the truth: an engine knows ids, owners, collections, documents, kinds, languages, terms and vectors, and no text.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from stores.documents.entry import IndexEntry
from stores.documents.filters import Filter
from stores.errors import StoreError

Ranking = list[tuple[str, float]]
"""(chunk id, score), best first, equal scores by id."""

KEYWORDS, VECTORS = "keywords", "vectors"
WHAT_TO_DO = "Run `recite documents reindex` to build it anew from your files, or move the folder away."


@runtime_checkable
class KeywordLeg(Protocol):
    """Which chunks hold a query's terms."""

    def search(self, query: str, *, within: Filter, limit: int) -> Ranking:
        """The best by BM25, score above 0; empty for a query without terms."""
        ...

    def scores(self, query: str, chunk_ids: Sequence[str]) -> dict[str, float]:
        """BM25 of given chunks, those without any of the query's terms left out. No filter: ids are trusted."""
        ...

    def document_frequencies(self, terms: Iterable[str]) -> tuple[dict[str, int], int]:
        """In how many chunks each term stands, and how many chunks there are."""
        ...


@runtime_checkable
class VectorLeg(Protocol):
    """Which chunks' vectors lie nearest to a query's."""

    def search(self, vector: Sequence[float], *, within: Filter, limit: int) -> Ranking:
        """The nearest by cosine.

        Raises:
            IndexMismatchError: the vector has another length than those in the index.
        """
        ...

    def scores(self, vector: Sequence[float], chunk_ids: Sequence[str]) -> dict[str, float]:
        """Cosine of given chunks, unknown ids left out. No filter: ids are trusted."""
        ...


class Fuse(Protocol):
    """Both legs and their fusion by reciprocal rank, in one request to the engine."""

    def __call__(self, query: str, vector: Sequence[float], *, within: Filter, limit: int) -> Ranking:
        """The best by the mean over the legs of 1 / (60 + rank)."""
        ...


class IndexEngine(Protocol):
    """The two indexes of one generation. Changes are found, and lasting, after `commit`."""

    @property
    def keywords(self) -> KeywordLeg:
        """The keyword leg."""
        ...

    @property
    def vectors(self) -> VectorLeg:
        """The vector leg."""
        ...

    @property
    def fuse(self) -> Fuse | None:
        """The engine's own fusion, `None` if the legs are fused outside."""
        ...

    @property
    def place(self) -> str:
        """Where it is, for messages."""
        ...

    def add(self, entries: Sequence[IndexEntry], vectors: Sequence[Sequence[float]]) -> None:
        """Add chunks with a vector each, or replace what is indexed under their ids."""
        ...

    def delete(self, chunk_ids: Sequence[str]) -> None:
        """Forget chunks. An unknown id is no error."""
        ...

    def commit(self) -> None:
        """Make everything added and deleted so far lasting and visible."""
        ...

    def purge(self) -> None:
        """Take what was deleted out of the files too, as far as the engine lets one."""
        ...

    def counts(self) -> dict[str, int]:
        """Chunks by index."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...

    def explain(self, error: Exception) -> StoreError:
        """What an error of the engine's own means to the user: damaged, or out of reach."""
        ...


class IndexBackend(Protocol):
    """Where the generations of one data directory's indexes live."""

    @property
    def kind(self) -> str:
        """Goes into what an index was built with: another kind of backend asks for a rebuild."""
        ...

    def generations(self) -> list[int]:
        """The numbers that are taken, in any order.

        Raises:
            IndexUnreachableError: the server does not answer.
        """
        ...

    def open(self, number: str, *, expected: bool) -> IndexEngine:
        """Open a generation, or create it unless it is `expected` to be there.

        Raises:
            IndexDamagedError: it cannot be opened, or is expected and missing.
            IndexUnreachableError: the server does not answer.
        """
        ...

    def drop_others(self, number: str) -> None:
        """Remove all other generations: they are half-built or outlived."""
        ...


BackendFactory = Callable[[Path, str], IndexBackend]
"""From the data directory and the library's id, under which several of them share one server."""
