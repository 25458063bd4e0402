"""ConfiguredEmbeddings: any LangChain embedding model, made to say what the stores need to know."""

import re
from functools import cached_property
from threading import Lock

from langchain_core.embeddings import Embeddings
from typing_extensions import override

from stores.embeddings.embedder import Embedder, full_windows, mean_direction, passage_direction
from stores.errors import StoreError

_WIDE = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_TOKEN = re.compile(rf"[{_WIDE}]|[^\W{_WIDE}]{{1,4}}|[^\w\s]")
"""Close to, and mostly above, what real vocabularies count: a wide character, four letters, a mark."""
_PROBE = "recite"


class ConfiguredEmbeddings(Embedder):
    """A user's own model: sentence-transformers, an OpenAI-compatible endpoint, or anything of that interface.

    `name` must identify model and version, since it decides whether an index can be used. `window` is what the
    model reads at once, in tokens; tokens are estimated. A longer text is embedded in equal pieces and averaged.

    Raises:
        StoreError: the model gave a wrong number of vectors, or vectors of another length than before.
    """

    def __init__(self, inner: Embeddings, *, name: str, window: int = 512) -> None:
        self._inner = inner
        self._name = name
        self._window = window
        self._measuring = Lock()

    @property
    @override
    def name(self) -> str:
        return self._name

    @property
    @override
    def dimension(self) -> int:
        """Measured by embedding one word, once, unless vectors have been seen already."""
        with self._measuring:
            return self._measured

    @property
    @override
    def window(self) -> int:
        return self._window

    @override
    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return [match.span() for match in _TOKEN.finditer(text)]

    @override
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        pieces = [self._pieces(text) for text in texts]
        flat = [piece for group in pieces for piece in group]
        return self._joined(pieces, self._inner.embed_documents(flat) if flat else [])

    @override
    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        pieces = [self._pieces(text) for text in texts]
        flat = [piece for group in pieces for piece in group]
        return self._joined(pieces, await self._inner.aembed_documents(flat) if flat else [])

    @override
    def embed_query(self, text: str) -> list[float]:
        return mean_direction(self._alike([self._inner.embed_query(piece) for piece in self._pieces(text)]))

    @override
    async def aembed_query(self, text: str) -> list[float]:
        vectors = [await self._inner.aembed_query(piece) for piece in self._pieces(text)]
        return mean_direction(self._alike(vectors))

    @cached_property
    def _measured(self) -> int:
        return len(self._inner.embed_query(_PROBE))

    def _pieces(self, text: str) -> list[str]:
        spans = self.token_spans(text)
        if len(spans) <= self._window:
            return [text]
        cuts = full_windows(len(spans), self._window)
        starts = [0, *(spans[start][0] for start, _ in cuts[1:])]
        return [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]

    def _joined(self, pieces: list[list[str]], vectors: list[list[float]]) -> list[list[float]]:
        if len(vectors) != sum(len(group) for group in pieces):
            wanted = sum(len(group) for group in pieces)
            raise StoreError(f"The embedding model {self.name} gave {len(vectors)} vectors for {wanted} texts.")
        rest = iter(vectors)
        return [passage_direction(self._alike([next(rest) for _ in group])) for group in pieces]

    def _alike(self, vectors: list[list[float]]) -> list[list[float]]:
        """The vectors, if they are of the one length that this model's have."""
        lengths = {len(vector) for vector in vectors}
        known = self.__dict__.setdefault("_measured", len(vectors[0]))
        if lengths != {known}:
            raise StoreError(
                f"The embedding model {self.name} gave a vector of {max(lengths)} numbers after vectors of {known}."
            )
        return vectors
