"""ChromaServer: vectors on a Chroma server, the keyword index in the data directory."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import chromadb
import httpx
from chromadb.config import Settings
from chromadb.errors import ChromaError, NotFoundError

from stores.documents.backends.embedded import damaged, drop_folders, numbered_folders, open_keywords
from stores.documents.backends.two_indexes import TwoIndexes
from stores.documents.indexes import WHAT_TO_DO
from stores.documents.vectors import VectorIndex
from stores.errors import IndexDamagedError, IndexUnreachableError, StoreError

_R = TypeVar("_R")

BATCH = 500
"""Vectors travel as JSON, some 20 bytes a number, and a server takes 40 MB a request: room for 4,000 dimensions."""


class ChromaServer:
    """Generations as collections `recite-<library>-<number>` on the server, and folders `index/<number>/keywords`."""

    kind = "chroma server"

    def __init__(self, home: Path, library: str, *, host: str, port: int, token: str = "") -> None:
        self._folder = home / "index"
        self._prefix = f"recite-{library}-"
        self._host = host
        self._port = port
        self._headers = {"Authorization": f"Bearer {token}"} if token else None

    def generations(self) -> list[int]:
        """The numbers of this library's collections, and of the folders."""
        return [*self._asked(self._numbers), *numbered_folders(self._folder)]

    def open(self, number: str, *, expected: bool) -> TwoIndexes:
        """Open or create the generation on both sides."""
        vectors = self._asked(lambda client: self._vectors(client, number, expected=expected), keep=True)
        try:
            keywords = open_keywords(self._folder / number, expected=expected)
        except IndexDamagedError:
            vectors.close()
            raise
        return TwoIndexes(keywords, vectors, place=f"at {self._url}", explain=self._explain)

    def drop_others(self, number: str) -> None:
        """Remove the library's other collections and folders."""
        self._asked(lambda client: self._drop(client, number))
        drop_folders(self._folder, keep=number)

    @property
    def _url(self) -> str:
        return f"http://{self._host}:{self._port}"

    def _vectors(self, client: Any, number: str, *, expected: bool) -> VectorIndex:
        name = self._prefix + number
        if expected:
            try:
                client.get_collection(name, embedding_function=None)
            except NotFoundError as error:
                raise IndexDamagedError(f"There is no collection {name} at {self._url}. {WHAT_TO_DO}") from error
        return VectorIndex(client, collection=name, batch=BATCH, release=release)

    def _numbers(self, client: Any) -> list[int]:
        names = (one.name for one in client.list_collections(limit=max(1, client.count_collections())))
        numbers = (name.removeprefix(self._prefix) for name in names if name.startswith(self._prefix))
        return [int(number) for number in numbers if number.isdigit()]

    def _drop(self, client: Any, number: str) -> None:
        for one in self._numbers(client):
            if str(one) != number:
                client.delete_collection(f"{self._prefix}{one}")

    def _asked(self, call: Callable[[Any], _R], *, keep: bool = False) -> _R:
        """The call with a client, which is closed afterwards unless the result goes on using it."""
        settings = Settings(anonymized_telemetry=False)
        try:
            client = chromadb.HttpClient(host=self._host, port=self._port, headers=self._headers, settings=settings)
        except (ValueError, httpx.HTTPError, ChromaError) as error:
            raise self._unreachable(error) from error
        try:
            result = call(client)
        except StoreError:
            release(client)
            raise
        except Exception as error:
            release(client)
            raise self._explain(error) from error
        if not keep:
            release(client)
        return result

    def _explain(self, error: Exception) -> StoreError:
        if isinstance(error, (httpx.HTTPError, ConnectionError)):
            return self._unreachable(error)
        return damaged(self._folder, error)

    def _unreachable(self, error: Exception) -> IndexUnreachableError:
        what = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
        return IndexUnreachableError(
            f"The Chroma server at {self._url} does not answer ({what}). Start it with "
            f"`chroma run --host {self._host} --port {self._port}`, or change RECITE_VECTOR_STORE."
        )


def release(client: Any) -> None:
    """Close a client. chromadb's own `close` leaves its two HTTP sessions to the garbage collector."""
    for part in (client, client._admin_client):  # noqa: SLF001 - there is no other way to the sessions
        part._server._session.close()  # noqa: SLF001
    client.close()
