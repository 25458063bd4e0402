"""CachedEmbeddings: no text is embedded twice by one model."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from sqlalchemy import Column, LargeBinary, String, Table, delete, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncEngine
from typing_extensions import override

from stores.database import metadata
from stores.embeddings.embedder import Embedder

_T = TypeVar("_T")

embeddings = Table(
    "embeddings",
    metadata,
    Column("content_hash", String(64), primary_key=True),
    Column("model", String(200), primary_key=True),
    Column("vector", LargeBinary, nullable=False),
)
"""float32, little-endian. The text itself is not kept, only its SHA-256."""

ROWS_PER_STATEMENT = 200
"""SQLite's oldest limit is 999 variables a statement; an inserted row takes three."""


class CachedEmbeddings(Embedder):
    """Passage vectors kept in the database by content and model name; everything else is the inner embedder.

    Only `aembed_documents` is cached: the database is asynchronous. Vectors come back as float32 whether they
    were cached or not, so a re-used vector is the vector.
    """

    def __init__(self, inner: Embedder, engine: AsyncEngine) -> None:
        self._inner = inner
        self._engine = engine

    @property
    @override
    def name(self) -> str:
        return self._inner.name

    @property
    @override
    def dimension(self) -> int:
        return self._inner.dimension

    @property
    @override
    def window(self) -> int:
        return self._inner.window

    @override
    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return self._inner.token_spans(text)

    @override
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self._inner.embed_documents(texts)

    @override
    def embed_query(self, text: str) -> list[float]:
        return self._inner.embed_query(text)

    @override
    async def aembed_query(self, text: str) -> list[float]:
        return await self._inner.aembed_query(text)

    @override
    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        hashes = [content_hash(text) for text in texts]
        known = await self._cached(set(hashes))
        missing = {key: text for key, text in zip(hashes, texts, strict=True) if key not in known}
        if missing:
            fresh = await self._inner.aembed_documents(list(missing.values()))
            packed = {key: _pack(vector) for key, vector in zip(missing, fresh, strict=True)}
            await self._keep(packed)
            known |= packed
        return [_unpack(known[key]) for key in hashes]

    async def forget(self, texts: Iterable[str]) -> None:
        """Drop the vectors of these texts, of every model. An unknown text is no error."""
        await self._drop({content_hash(text) for text in texts})

    async def prune(self, keep: Collection[str]) -> int:
        """Drop every vector whose `content_hash` is not among `keep`; how many texts were forgotten."""
        async with self._engine.connect() as connection:
            stored = set(await connection.scalars(select(embeddings.c.content_hash).distinct()))
        gone = stored.difference(keep)
        await self._drop(gone)
        return len(gone)

    async def _cached(self, hashes: Collection[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        async with self._engine.connect() as connection:
            for part in _parts(sorted(hashes)):
                rows = await connection.execute(
                    select(embeddings.c.content_hash, embeddings.c.vector).where(
                        embeddings.c.model == self.name, embeddings.c.content_hash.in_(part)
                    )
                )
                found.update((key, vector) for key, vector in rows)
        return found

    async def _keep(self, packed: dict[str, bytes]) -> None:
        rows = [{"content_hash": key, "model": self.name, "vector": vector} for key, vector in packed.items()]
        async with self._engine.begin() as connection:
            for part in _parts(rows):
                await connection.execute(self._insert(part))

    def _insert(self, rows: Sequence[dict[str, Any]]) -> Any:
        """Another task may have kept the same text meanwhile: the first one stays, they are equal."""
        if self._engine.dialect.name == "postgresql":
            return postgresql.insert(embeddings).values(rows).on_conflict_do_nothing()
        return sqlite.insert(embeddings).values(rows).on_conflict_do_nothing()

    async def _drop(self, hashes: Collection[str]) -> None:
        async with self._engine.begin() as connection:
            for part in _parts(sorted(hashes)):
                await connection.execute(delete(embeddings).where(embeddings.c.content_hash.in_(part)))


def content_hash(text: str) -> str:
    """SHA-256 of the text, hexadecimal; a lone surrogate counts as it stands."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _pack(vector: Sequence[float]) -> bytes:
    return np.asarray(vector, dtype="<f4").tobytes()


def _unpack(vector: bytes) -> list[float]:
    return list(map(float, np.frombuffer(vector, dtype="<f4")))


def _parts(rows: Sequence[_T]) -> Iterator[Sequence[_T]]:
    for start in range(0, len(rows), ROWS_PER_STATEMENT):
        yield rows[start : start + ROWS_PER_STATEMENT]
