"""MilvusCollection: one generation in Milvus: dense vectors, BM25 and their fusion inside the engine.

The BM25 function splits by an analyser of its own, which knows neither Chinese pairs nor identifiers. So it gets the
terms of `stores.documents.terms` ready-made, each as a short digest: a word of letters and digits that every analyser
leaves whole (Milvus Lite has no white-space analyser), and that says nothing to whoever reads the server's disk.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from threading import RLock
from typing import Any

import numpy as np
from pymilvus import AnnSearchRequest, DataType, Function, FunctionType, MilvusClient, RRFRanker

from stores.documents.entry import IndexEntry
from stores.documents.filters import FIELDS, Filter
from stores.documents.fusion import RRF_C
from stores.documents.indexes import KEYWORDS, VECTORS, Ranking
from stores.documents.terms import index_terms, query_terms
from stores.errors import IndexMismatchError, StoreError

Digest = Callable[[str], str]

BATCH = 500
MOST_TERMS = 3_800
"""A text field holds 65,535 bytes: so many digests of 16 characters."""
MOST_HITS = 16_384
"""Milvus gives no more."""
ID, TERMS, DENSE, SPARSE = "chunk_id", "terms", "dense", "sparse"
BY_WORDS = {"metric_type": "BM25"}
BY_MEANING = {"metric_type": "COSINE"}
STRONG = "Strong"
"""Consistency: what was written before is found."""


class MilvusCollection:
    """An `IndexEngine`. The collection is made with the first vectors: only they tell the dimension."""

    def __init__(
        self,
        client: Any,
        name: str,
        *,
        place: str,
        digest: Digest,
        explain: Callable[[Exception], StoreError],
        release: Callable[[], None],
        lite: bool,
    ) -> None:
        self.place = place
        self.explain = explain
        self._client = client
        self._name = name
        self._digest = digest
        self._release = release
        self._lite = lite
        self._lock = RLock()
        self._fresh = False
        self._frequencies: dict[str, int] = {}
        self._dimension = self._known_dimension()
        self.keywords = _Words(self)
        self.vectors = _Nearest(self)

    def add(self, entries: Sequence[IndexEntry], vectors: Sequence[Sequence[float]]) -> None:
        """Upsert chunks with their vectors."""
        rows = [self._row(entry, vector) for entry, vector in zip(entries, vectors, strict=True)]
        if not rows:
            return
        with self._lock:
            self._prepare(len(vectors[0]))
            for start in range(0, len(rows), BATCH):
                self._client.upsert(self._name, rows[start : start + BATCH])
            self._changed(fresh=True)

    def delete(self, chunk_ids: Sequence[str]) -> None:
        """Delete by id."""
        with self._lock:
            if self._dimension is None:
                return
            for start in range(0, len(chunk_ids), BATCH):
                self._client.delete(self._name, ids=list(chunk_ids[start : start + BATCH]))
            self._changed()

    def commit(self) -> None:
        """Nothing to do: a write is in the engine's log when it returns, and every read asks for all of it."""

    def purge(self) -> None:
        """Nothing to do: when deleted rows leave the files is the engine's own affair."""

    def counts(self) -> dict[str, int]:
        """The same number twice: a row is in both indexes."""
        count = self.count()
        return {KEYWORDS: count, VECTORS: count}

    def count(self) -> int:
        """Rows that are there."""
        return self.matching("")

    def matching(self, condition: str) -> int:
        """Rows that meet a condition."""
        if self._dimension is None:
            return 0
        found = self._client.query(self._name, filter=condition, output_fields=["count(*)"], consistency_level=STRONG)
        return int(found[0]["count(*)"])

    def close(self) -> None:
        """Let go of the connection."""
        with self._lock:
            self._release()

    def fuse(self, query: str, vector: Sequence[float], *, within: Filter, limit: int) -> Ranking:
        """Both legs and RRF inside the engine. Its scores are sums over the legs; ours are means."""
        words = self.digested(query_terms(query))
        if not words:
            nearest = self.vectors.search(vector, within=within, limit=limit)
            return [(one, 0.5 / (RRF_C + rank)) for rank, (one, _) in enumerate(nearest, start=1)]
        if within.lets_nothing or not self._searchable(limit):
            return []
        where = self.condition(within)
        legs = [
            AnnSearchRequest([_floats(vector)], DENSE, BY_MEANING, limit, expr=where),
            AnnSearchRequest([words], SPARSE, BY_WORDS, limit, expr=where),
        ]
        found = self._client.hybrid_search(
            self._name, legs, RRFRanker(RRF_C), limit=limit, output_fields=[ID], consistency_level=STRONG
        )
        return ranking((hit[ID], hit["distance"] / len(legs)) for hit in found[0])

    def search(self, data: list[Any], field: str, *, where: str, limit: int) -> list[Ranking]:
        """One leg, for several queries at once; (id, score) of each."""
        if not self._searchable(limit):
            return [[] for _ in data]
        found = self._client.search(
            self._name,
            data=data,
            anns_field=field,
            limit=min(limit, MOST_HITS),
            filter=where,
            output_fields=[ID],
            search_params=BY_WORDS if field == SPARSE else BY_MEANING,
            consistency_level=STRONG,
        )
        # Milvus Lite gives BM25 with the sign reversed; a row without any of the words is no hit in either.
        sign = abs if field == SPARSE else float
        return [ranking((hit[ID], sign(hit["distance"])) for hit in hits) for hits in found]

    def stored_vectors(self, chunk_ids: Sequence[str]) -> dict[str, np.ndarray]:
        """The vectors of given chunks, unknown ids left out."""
        if self._dimension is None or not chunk_ids:
            return {}
        rows = self._client.get(self._name, ids=list(chunk_ids), output_fields=[DENSE], consistency_level=STRONG)
        return {row[ID]: np.asarray(row[DENSE], dtype=np.float32) for row in rows}

    def condition(self, within: Filter) -> str:
        """A filter as Milvus takes it."""
        return " and ".join(
            f"{field} in {json.dumps([self._digest(value) for value in allowed])}"
            for field, allowed in within.conditions.items()
        )

    def digested(self, terms: Iterable[str]) -> str:
        """Terms as the analyser gets them."""
        return " ".join(self._digest(term) for term in list(terms)[:MOST_TERMS])

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """In how many rows each term stands; remembered until something changes."""
        with self._lock:
            known = self._frequencies
            asked = [term for term in terms if term not in known]
        if asked:
            holding = self.search([self._digest(term) for term in asked], SPARSE, where="", limit=MOST_HITS)
            for term, hits in zip(asked, holding, strict=True):
                full = len(hits) >= MOST_HITS
                known[term] = self.matching(f"TEXT_MATCH({TERMS}, '{self._digest(term)}')") if full else len(hits)
        return {term: known[term] for term in terms}

    def checked(self, vector: Sequence[float]) -> list[float]:
        """A vector that fits.

        Raises:
            IndexMismatchError: it is of another length.
        """
        if self._dimension is not None and len(vector) != self._dimension:
            raise _mismatch(self._dimension, len(vector))
        return _floats(vector)

    def _row(self, entry: IndexEntry, vector: Sequence[float]) -> dict[str, Any]:
        return {
            ID: entry.chunk_id,
            **{field: self._digest(value) for field, value in entry.fields.items()},
            TERMS: self.digested(sorted(index_terms(entry.embedded_text))),
            DENSE: self.checked(vector),
        }

    def _changed(self, *, fresh: bool = False) -> None:
        self._frequencies = {}
        self._fresh = self._fresh or fresh

    def _searchable(self, limit: int) -> bool:
        if self._dimension is None or limit < 1:
            return False
        with self._lock:
            if self._lite and self._fresh:
                # Lite indexes fresh rows anew at each search, and takes its word statistics from those that the
                # filter lets through. (A server does this in the background, and refuses to be asked often.)
                self._client.flush(self._name)
                self._fresh = False
        return True

    def _known_dimension(self) -> int | None:
        if not self._client.has_collection(self._name):
            return None
        fields = self._client.describe_collection(self._name)["fields"]
        self._client.load_collection(self._name)
        return next(int(field["params"]["dim"]) for field in fields if field["name"] == DENSE)

    def _prepare(self, dimension: int) -> None:
        if self._dimension is None:
            self._client.create_collection(
                self._name,
                schema=_schema(dimension),
                index_params=_index_parameters(self._client),
                consistency_level=STRONG,
            )
            self._dimension = dimension
        elif self._dimension != dimension:
            raise _mismatch(self._dimension, dimension)


class _Words:
    """The keyword leg: the BM25 function's field."""

    def __init__(self, rows: MilvusCollection) -> None:
        self._rows = rows

    def search(self, query: str, *, within: Filter, limit: int) -> Ranking:
        words = self._rows.digested(query_terms(query))
        if not words or within.lets_nothing:
            return []
        found = self._rows.search([words], SPARSE, where=self._rows.condition(within), limit=limit)
        return [(one, score) for one, score in found[0] if score > 0]

    def scores(self, query: str, chunk_ids: Sequence[str]) -> dict[str, float]:
        words = self._rows.digested(query_terms(query))
        if not words or not chunk_ids:
            return {}
        where = f"{ID} in {json.dumps(list(chunk_ids))}"
        return dict(self._rows.search([words], SPARSE, where=where, limit=len(chunk_ids))[0])

    def document_frequencies(self, terms: Iterable[str]) -> tuple[dict[str, int], int]:
        return self._rows.frequencies(list(dict.fromkeys(terms))), self._rows.count()


class _Nearest:
    """The vector leg: the dense field."""

    def __init__(self, rows: MilvusCollection) -> None:
        self._rows = rows

    def search(self, vector: Sequence[float], *, within: Filter, limit: int) -> Ranking:
        if within.lets_nothing:
            return []
        where = self._rows.condition(within)
        return self._rows.search([self._rows.checked(vector)], DENSE, where=where, limit=limit)[0]

    def scores(self, vector: Sequence[float], chunk_ids: Sequence[str]) -> dict[str, float]:
        asked = np.asarray(vector, dtype=np.float32)
        length = float(np.linalg.norm(asked)) or 1.0
        stored = self._rows.stored_vectors(chunk_ids)
        return {one: float(row @ asked) / (length * (float(np.linalg.norm(row)) or 1.0)) for one, row in stored.items()}


def ranking(hits: Iterable[tuple[str, float]]) -> Ranking:
    """Best first, equal scores by id: Milvus leaves their order open."""
    return sorted(((str(one), float(score)) for one, score in hits), key=lambda hit: (-hit[1], hit[0]))


def _floats(vector: Sequence[float]) -> list[float]:
    return [float(value) for value in vector]


def _mismatch(known: int, given: int) -> IndexMismatchError:
    return IndexMismatchError(
        f"The vector index holds vectors of {known} numbers and got one of {given}: it was built with another "
        "embedding model. Run `recite documents reindex`."
    )


def _schema(dimension: int) -> Any:
    schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field(ID, DataType.VARCHAR, max_length=512, is_primary=True)
    for field in FIELDS:
        schema.add_field(field, DataType.VARCHAR, max_length=64)
    schema.add_field(
        TERMS,
        DataType.VARCHAR,
        max_length=65_535,
        enable_analyzer=True,
        enable_match=True,
        analyzer_params={"tokenizer": "standard"},
    )
    schema.add_field(DENSE, DataType.FLOAT_VECTOR, dim=dimension)
    schema.add_field(SPARSE, DataType.SPARSE_FLOAT_VECTOR)
    schema.add_function(
        Function(
            name="bm25",
            function_type=FunctionType.BM25,
            input_field_names=[TERMS],
            output_field_names=[SPARSE],
        )
    )
    return schema


def _index_parameters(client: Any) -> Any:
    indexes = client.prepare_index_params()
    indexes.add_index(DENSE, index_type="HNSW", metric_type="COSINE", params={"M": 16, "efConstruction": 100})
    # k1 and b as tantivy has them: the calibration's share of the highest possible score counts on k1.
    indexes.add_index(
        SPARSE, index_type="SPARSE_INVERTED_INDEX", metric_type="BM25", params={"bm25_k1": 1.2, "bm25_b": 0.75}
    )
    return indexes
