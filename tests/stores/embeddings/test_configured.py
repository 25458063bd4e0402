"""A user's own model behind the same interface."""

import pytest
from langchain_core.embeddings import Embeddings

from stores.embeddings.configured import ConfiguredEmbeddings
from stores.errors import StoreError


class Scripted(Embeddings):
    """Gives the vectors it was told to, and counts its calls."""

    def __init__(self, *vectors: list[float]) -> None:
        self.vectors = list(vectors)
        self.calls = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self.vectors

    def embed_query(self, text: str) -> list[float]:
        self.calls += 1
        return self.vectors[0]


def test_the_dimension_is_measured_once():
    inner = Scripted([1.0, 0.0, 0.0])
    embedder = ConfiguredEmbeddings(inner, name="x")
    assert (embedder.dimension, embedder.dimension, inner.calls) == (3, 3, 1)


def test_a_model_that_changes_its_dimension_is_refused():
    embedder = ConfiguredEmbeddings(Scripted([1.0, 0.0], [1.0, 0.0, 0.0]), name="x")
    with pytest.raises(StoreError, match="vector of 3 numbers after vectors of 2"):
        embedder.embed_documents(["a", "b"])


def test_a_model_that_loses_a_text_is_refused():
    with pytest.raises(StoreError, match="1 vectors for 2 texts"):
        ConfiguredEmbeddings(Scripted([1.0, 0.0]), name="x").embed_documents(["a", "b"])


def test_no_piece_of_a_long_text_is_over_the_window(hash_embeddings):
    text = "中文没有空格" * 100 + " some English words " * 50
    embedder = ConfiguredEmbeddings(hash_embeddings, name="x", window=100)
    embedder.embed_documents([text])
    assert "".join(hash_embeddings.seen) == text
    assert all(len(embedder.token_spans(piece)) <= 100 for piece in hash_embeddings.seen)
