"""passage_vectors: a cut-short run goes on, a second one embeds nothing, other texts are other vectors."""

import asyncio
from pathlib import Path

import numpy as np
import pytest

from eval import passage_vectors as made
from stores.embeddings.embedder import Embedder


class Counting(Embedder):
    """Vectors that say which text they are of; breaks when told to."""

    name = "counting"
    dimension = 2
    window = 512

    def __init__(self, *, breaks_after: int = 1_000) -> None:
        self.calls = 0
        self._breaks_after = breaks_after

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return [(i, i + 1) for i in range(len(text))]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        if self.calls == self._breaks_after:
            raise KeyboardInterrupt
        self.calls += 1
        return [[float(text), 1.0] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return [float(text), 1.0]


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made, "_PART", 4)


def vectors(texts: list[str], embedder: Embedder, cache: Path) -> np.ndarray:
    return asyncio.run(made.passage_vectors(texts, embedder, cache, lambda _done, _of: None))[0]


def test_a_run_that_was_cut_short_goes_on_where_it_was(tmp_path: Path) -> None:
    texts = [str(number) for number in range(10)]
    with pytest.raises(KeyboardInterrupt):
        vectors(texts, Counting(breaks_after=2), tmp_path)

    second = Counting()
    rows = vectors(texts, second, tmp_path)

    assert second.calls == 1
    assert rows[:, 0].tolist() == [float(text) for text in texts]


def test_what_is_known_is_not_embedded_again(tmp_path: Path) -> None:
    texts = ["1", "2"]
    vectors(texts, Counting(), tmp_path)
    again = Counting()

    assert vectors(texts, again, tmp_path).tolist() == [[1.0, 1.0], [2.0, 1.0]]
    assert again.calls == 0
    assert vectors(["1", "3"], again, tmp_path).tolist() == [[1.0, 1.0], [3.0, 1.0]]
    assert again.calls == 1
