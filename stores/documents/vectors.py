"""VectorIndex: nearest chunks by cosine, on Chroma, embedded or a server."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import RLock
from typing import Any, Self, TypeVar

import chromadb
import numpy as np
from chromadb.config import Settings
from chromadb.errors import ChromaError, InvalidArgumentError

from stores.documents.entry import IndexEntry
from stores.documents.filters import Filter
from stores.errors import IndexDamagedError, IndexMismatchError

_Row = TypeVar("_Row")
_Near = tuple[str, float, dict[str, Any]]
"""Chunk id, cosine, metadata."""

COLLECTION = "recite-chunks"
"""Chroma wants 3-512 ASCII characters. Recite's own collections, of any name, are metadata."""
BATCH = 5_000
"""Chroma takes at most 5,461 rows a call."""
OVERFETCH = 4
"""Times as many rows as asked for are looked at, at most, before Chroma is made to filter."""
DOCUMENTS = 10_000
"""Documents per filter: Chroma makes each a variable of an SQL statement, which takes at most 32,766."""
HNSW = {"space": "cosine", "ef_construction": 100, "ef_search": 200, "max_neighbors": 16}


class VectorIndex:
    """Which chunks' vectors lie nearest to a query's vector, among those that a filter lets through.

    Chroma gets vectors, ids and five short metadata fields; no text, no embedder, no telemetry. Writes are
    visible at once. One process uses the folder or collection; within it every method may be called from any thread.
    """

    def __init__(
        self,
        client: Any,
        *,
        collection: str = COLLECTION,
        batch: int = BATCH,
        release: Callable[[Any], None] = lambda client: client.close(),
    ) -> None:
        self._client = client
        self._release = release
        self._name = collection
        self._batch = batch
        self._lock = RLock()
        self._rows = self._collection()
        self._known_count: int | None = None
        self._whole: dict[Filter, bool] = {}

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the index in this folder, or begin one there.

        Raises:
            IndexDamagedError: what is in the folder cannot be opened.
        """
        path.mkdir(parents=True, exist_ok=True)
        settings = Settings(anonymized_telemetry=False, allow_reset=False)
        try:
            return cls(chromadb.PersistentClient(path=str(path), settings=settings))
        except (ChromaError, ValueError, OSError, RuntimeError) as error:
            raise IndexDamagedError(
                f"The vector index in {path} cannot be opened ({error}). Run `recite documents reindex`."
            ) from error

    def add(self, entries: Sequence[IndexEntry], vectors: Sequence[Sequence[float]]) -> None:
        """Take in chunks with their vectors, one each, in order. One whose id is known replaces the old one.

        Raises:
            IndexMismatchError: the vectors have another length than those in the index.
            ValueError: not as many vectors as entries.
        """
        rows = list(zip(entries, vectors, strict=True))
        with self._lock:
            self._known_count = None
            self._whole = {
                scope: whole and all(scope.passes(entry.fields) for entry in entries)
                for scope, whole in self._whole.items()
            }
            for part in _batches(rows, self._batch):
                self._upsert([entry for entry, _ in part], [vector for _, vector in part])

    def delete(self, chunk_ids: Iterable[str]) -> None:
        """Forget chunks. An unknown id is no error."""
        with self._lock:
            self._known_count = None
            for part in _batches(list(chunk_ids), self._batch):
                self._rows.delete(ids=part)

    def clear(self) -> None:
        """Forget everything, also which length the vectors had."""
        with self._lock:
            self._known_count = None
            self._client.delete_collection(self._name)
            self._rows = self._collection()

    def commit(self) -> None:
        """Nothing to do: Chroma's writes are lasting when they return. Here so that both indexes read alike."""

    def search(self, vector: Sequence[float], *, within: Filter, limit: int) -> list[tuple[str, float]]:
        """The nearest (chunk id, cosine), nearest first.

        Raises:
            IndexMismatchError: the vector has another length than those in the index.
        """
        with self._lock:
            limit = min(limit, self._counted())
            if within.lets_nothing or limit < 1:
                return []
            asked = np.asarray(vector, dtype=np.float32)
            hits = self._nearest_passing(asked, within, limit)
        return _best(hits, limit)

    def scores(self, vector: Sequence[float], chunk_ids: Sequence[str]) -> dict[str, float]:
        """Cosine of given chunks, unknown ids left out. No filter: ids are trusted."""
        if not chunk_ids:
            return {}
        with self._lock:
            found = self._rows.get(ids=list(chunk_ids), include=["embeddings"])
        cosines = _cosines(np.asarray(vector, dtype=np.float32), found["embeddings"])
        return dict(zip(found["ids"], cosines, strict=True))

    def count(self) -> int:
        """Chunks in the index."""
        with self._lock:
            self._known_count = int(self._rows.count())
            return self._known_count

    def close(self) -> None:
        """Release the files or the connection."""
        with self._lock:
            self._release(self._client)

    def _counted(self) -> int:
        """As `count`, without asking when nothing has changed: Chroma counts row by row."""
        return self.count() if self._known_count is None else self._known_count

    def _collection(self) -> Any:
        return self._client.get_or_create_collection(
            self._name, embedding_function=None, configuration={"hnsw": dict(HNSW)}
        )

    def _nearest_passing(self, asked: np.ndarray, within: Filter, limit: int) -> list[tuple[str, float]]:
        """Look without Chroma's filter first and filter here; with it only if too few of the nearest pass.

        First at no more than are asked for, and without asking whose they are if all rows are readable: reading who
        owns a row costs as much as finding it.

        Chroma's filter costs by how many rows it lets through (140 ms for 20,000, measured with 1.5.9), so it is dear
        exactly when it is hardly needed and cheap when it is.
        """
        if not within.is_narrow and self._all_readable(within):
            return [(chunk_id, cosine) for chunk_id, cosine, _ in self._query(asked, limit, where=None, owned=False)]
        hits = _passing(self._query(asked, limit, where=None), within)
        if limit <= len(hits) * OVERFETCH and len(hits) < limit:
            # As many as would do, should the share that passes stay the same, and half as many again.
            enough = 3 * limit * limit // (2 * len(hits)) + 1
            hits = _passing(self._query(asked, min(enough, limit * OVERFETCH), where=None), within)
        return hits[:limit] if len(hits) >= limit else self._filtered(asked, within, limit)

    def _filtered(self, asked: np.ndarray, within: Filter, limit: int) -> list[tuple[str, float]]:
        """The nearest by Chroma's own filter, for many documents part by part."""
        if within.documents is None:
            return self._filtered_at_once(asked, within, limit)
        parts = (frozenset(part) for part in _batches(sorted(within.documents), DOCUMENTS))
        return [hit for part in parts for hit in self._filtered_at_once(asked, replace(within, documents=part), limit)]

    def _filtered_at_once(self, asked: np.ndarray, within: Filter, limit: int) -> list[tuple[str, float]]:
        """Without the conditions of owner and collection if those will hold anyway: each that lets most rows through
        makes Chroma go through them all (13 ms and 85 ms for 10 documents of 5,000).
        """
        scope = replace(within, documents=None, kinds=None, languages=None)
        if within.documents is not None or (within.is_narrow and self._all_readable(scope)):
            near = self._nearest_where(asked, _without(within.conditions, *scope.conditions), limit)
            hits = _passing(near, within)
            if len(hits) == len(near):
                return hits
        return _passing(self._nearest_where(asked, within.conditions, limit), within)

    def _nearest_where(self, asked: np.ndarray, conditions: Mapping[str, Collection[str]], limit: int) -> list[_Near]:
        """By the graph of neighbours; if that gives fewer than asked for, by looking at every row that passes.

        Rows that lie apart from a crowd of near duplicates are at times not reached in the graph.
        """
        where = _where(conditions)
        near = self._query(asked, limit, where=where)
        if len(near) >= limit:
            return near
        found = self._rows.get(where=where, include=["embeddings", "metadatas"])
        cosines = _cosines(asked, found["embeddings"])
        return list(zip(found["ids"], cosines, found["metadatas"], strict=True))

    def _all_readable(self, within: Filter) -> bool:
        """No row is another owner's, or of another collection. Asked once; then rows that are added tell."""
        if within not in self._whole:
            others = [{field: {"$nin": list(allowed)}} for field, allowed in within.conditions.items()]
            where = others[0] if len(others) == 1 else {"$or": others}
            self._whole[within] = not self._rows.get(where=where, limit=1, include=[])["ids"]
        return self._whole[within]

    def _query(self, asked: np.ndarray, limit: int, *, where: dict[str, Any] | None, owned: bool = True) -> list[_Near]:
        """Nearest first, the metadata empty unless `owned`."""
        include = ["distances", "metadatas"] if owned else ["distances"]
        try:
            found = self._rows.query(query_embeddings=[asked], n_results=limit, where=where, include=include)
        except InvalidArgumentError as error:
            raise _mismatch(error) from error
        metadata = found["metadatas"][0] if owned else [{}] * len(found["ids"][0])
        rows = zip(found["ids"][0], found["distances"][0], metadata, strict=True)
        return [(chunk_id, 1.0 - float(distance), row) for chunk_id, distance, row in rows]

    def _upsert(self, entries: list[IndexEntry], vectors: list[Sequence[float]]) -> None:
        try:
            self._rows.upsert(
                ids=[entry.chunk_id for entry in entries],
                embeddings=np.asarray(vectors, dtype=np.float32),
                metadatas=[entry.fields for entry in entries],
            )
        except InvalidArgumentError as error:
            raise _mismatch(error) from error


def _cosines(asked: np.ndarray, rows: Any) -> list[float]:
    if not len(rows):
        return []
    stored = np.asarray(rows, dtype=np.float32)
    lengths = np.linalg.norm(stored, axis=1) * np.linalg.norm(asked)
    return [float(one) for one in stored @ asked / np.where(lengths > 0, lengths, 1.0)]


def _passing(near: list[_Near], within: Filter) -> list[tuple[str, float]]:
    """Those that pass, in their order."""
    conditions = within.conditions.items()
    return [
        (chunk_id, cosine)
        for chunk_id, cosine, row in near
        if all(row[field] in allowed for field, allowed in conditions)
    ]


def _best(hits: list[tuple[str, float]], limit: int) -> list[tuple[str, float]]:
    """Nearest first, ties by id."""
    return sorted(hits, key=lambda hit: (-hit[1], hit[0]))[:limit]


def _without(conditions: Mapping[str, Collection[str]], *fields: str) -> dict[str, Collection[str]]:
    return {field: allowed for field, allowed in conditions.items() if field not in fields}


def _where(conditions: Mapping[str, Collection[str]]) -> dict[str, Any]:
    """The conditions as Chroma takes them."""
    asked = [{field: {"$in": list(allowed)}} for field, allowed in conditions.items()]
    return asked[0] if len(asked) == 1 else {"$and": asked}


def _batches(rows: list[_Row], size: int) -> Iterator[list[_Row]]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def _mismatch(error: InvalidArgumentError) -> IndexMismatchError:
    return IndexMismatchError(
        f"The vector index refused a vector ({error}): it was built with another embedding model. "
        "Run `recite documents reindex`."
    )
