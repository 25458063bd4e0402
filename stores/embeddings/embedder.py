"""Embedder: what the stores need to know about an embedding model beside its vectors."""

from abc import abstractmethod
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from langchain_core.embeddings import Embeddings


class Embedder(Embeddings):
    """LangChain's `Embeddings` that says who it is, how long its vectors are, and how it counts a text.

    Nothing is ever cut silently: a text over `window` is embedded in pieces of equal size whose vectors are
    averaged and brought back to length 1.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """The model's id. Vectors of two names never meet in one index."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """Components of a vector."""

    @property
    @abstractmethod
    def window(self) -> int:
        """Tokens the model reads at once, its own special tokens and prefix included."""

    @abstractmethod
    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Where each token stands in `text`, as character offsets (start, end); without special tokens."""


def even_windows(length: int, room: int) -> list[tuple[int, int]]:
    """Cut `length` tokens into the fewest windows of at most `room`, all of nearly the same size."""
    count = max(1, -(-length // room))
    edges = [length * i // count for i in range(count + 1)]
    return list(pairwise(edges))


def mean_direction(vectors: Sequence[Sequence[float]] | np.ndarray) -> list[float]:
    """The average of the vectors, brought to length 1. A single vector comes back unchanged."""
    rows = np.asarray(vectors, dtype=np.float32)
    if len(rows) == 1:
        return list(map(float, rows[0]))
    mean = rows.mean(axis=0)
    length = float(np.linalg.norm(mean))
    return list(map(float, mean / length if length > 0 else mean))
