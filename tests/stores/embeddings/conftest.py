"""The embedders under test: the real local model, and a tiny deterministic one behind the two wrappers."""

import hashlib
from pathlib import Path

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings

from stores.database import open_database, sqlite_url
from stores.embeddings.local import LocalEmbeddings


class HashEmbeddings(Embeddings):
    """Each word a fixed random direction; counts the texts it was given."""

    def __init__(self, dimension: int = 64) -> None:
        self.length = dimension
        self.seen: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.seen += texts
        return [self._vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self._vector(text)

    def _vector(self, text: str) -> list[float]:
        total = np.full(self.length, 1e-3)
        for word in text.split():
            seed = int.from_bytes(hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()[:8], "big")
            total += np.random.default_rng(seed).normal(size=self.length)
        return (total / np.linalg.norm(total)).tolist()


@pytest.fixture
def hash_embeddings() -> HashEmbeddings:
    return HashEmbeddings()


@pytest.fixture(scope="session")
def local_embeddings() -> LocalEmbeddings:
    return LocalEmbeddings()


@pytest.fixture
async def engine(tmp_path: Path):
    async with open_database(sqlite_url(tmp_path / "recite.db")) as engine:
        yield engine
