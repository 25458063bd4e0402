"""Fixtures for the document store: a small deterministic embedder, folders of documents, an opened store."""

import hashlib
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from stores.database import open_database, sqlite_url
from stores.documents.document import FileResult
from stores.documents.local import LocalDocuments
from stores.documents.narrowing import Narrowing
from stores.documents.store import DocumentStore
from stores.documents.terms import index_terms
from stores.embeddings.embedder import Embedder


class TermEmbedder(Embedder):
    """Texts with the same terms lie near each other. Remembers what it was asked to embed."""

    def __init__(self, *, name: str = "terms", dimension: int = 64) -> None:
        self.embedded: list[str] = []
        self.broken = False
        self._name = name
        self._dimension = dimension

    @property
    def name(self) -> str:
        return self._name

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def window(self) -> int:
        return 512

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return [match.span() for match in re.finditer(r"[A-Za-z0-9_]+|[^\sA-Za-z0-9_]", text)]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        if self.broken:
            raise ConnectionError("the endpoint is down")
        self.embedded += texts
        return [self._vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self._vector(text)

    def _vector(self, text: str) -> list[float]:
        vector = [0.0] * self._dimension
        for term in index_terms(text):
            vector[int(hashlib.sha256(term.encode()).hexdigest(), 16) % self._dimension] += 1.0
        length = sum(value * value for value in vector) ** 0.5 or 1.0
        return [value / length for value in vector]


@asynccontextmanager
async def open_local(home: Path, embeddings: Embedder, **settings: Any) -> AsyncIterator[LocalDocuments]:
    home.mkdir(parents=True, exist_ok=True)
    async with (
        open_database(sqlite_url(home / "recite.db")) as engine,
        LocalDocuments.open(home, engine=engine, embeddings=embeddings, **settings) as documents,
    ):
        yield documents


async def take_in(
    documents: DocumentStore, *paths: Path, owner: str = "local", collection: str = "default"
) -> list[FileResult]:
    return [result async for result, _, _ in documents.ingest(paths, owner=owner, collection=collection)]


async def found(documents: DocumentStore, query: str, /, reader: str = "local", **filters: Any) -> list[str]:
    """The texts that a search finds, best first; `filters` narrow it."""
    result = await documents.search(query, reader=reader, k=50, narrowing=Narrowing(**filters))
    return [hit.chunk.text for hit in result.hits]


def files_holding(home: Path, words: Sequence[str]) -> list[tuple[str, str]]:
    """Which file under `home` holds which of the words, in UTF-8 or UTF-16."""
    forms = [(word, form) for word in words for form in (word.encode(), word.encode("utf-16-le"))]
    contents = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    return [(path.name, word) for path, content in contents.items() for word, form in forms if form in content]


@pytest.fixture
def open_store(home: Path) -> Callable[..., AbstractAsyncContextManager[LocalDocuments]]:
    """Opens the test's store: `async with open_store(embedder) as documents`."""
    return partial(open_local, home)


@pytest.fixture
async def documents(home: Path, embedder: TermEmbedder) -> AsyncIterator[LocalDocuments]:
    """The test's store, opened."""
    async with open_local(home, embedder) as store:
        yield store


@pytest.fixture
def ingest() -> Callable[..., Any]:
    """Takes paths in: `await ingest(documents, folder, owner="alice")`, the results by file."""
    return take_in


@pytest.fixture
def search() -> Callable[..., Any]:
    """The texts found: `await search(documents, "query", reader="alice")`."""
    return found


@pytest.fixture
def holding(home: Path) -> Callable[..., list[tuple[str, str]]]:
    """Which files of the store hold one of these words."""
    return partial(files_holding, home)


@pytest.fixture
def embedder() -> TermEmbedder:
    return TermEmbedder()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A folder with a few documents in Chinese and English, prose and code."""
    folder = tmp_path / "library"
    (folder / "课程 一").mkdir(parents=True)
    (folder / "travel.md").write_text(
        "# Travel policy\n\n## Hotels\n\nThe nightly limit for hotels is 500 yuan in Zanzibar.\n\n"
        "## Trains\n\nSecond class is paid for quokkas and their keepers.\n",
        encoding="utf-8",
    )
    (folder / "课程 一" / "过滤器.md").write_text(
        "# 过滤器\n\n## 作用\n\n过滤器在请求到达服务之前运行，可以检查登录状态。\n\n"
        "## 顺序\n\n多个过滤器按照声明的先后组成一条链。\n",
        encoding="utf-8",
    )
    (folder / "dao.py").write_text(
        '"""Reads users."""\n\n\nclass UserDao:\n    def find_by_name(self, name):\n        return self.rows[name]\n',
        encoding="utf-8",
    )
    return folder
