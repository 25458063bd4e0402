"""Milvus: both indexes of a generation in one collection of a Milvus server, or of a Milvus Lite file."""

import logging
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

from milvus_lite.server_manager import server_manager_instance
from pymilvus import MilvusClient
from pymilvus.exceptions import MilvusException

from stores.documents.backends.embedded import drop_folders
from stores.documents.backends.milvus_collection import MilvusCollection
from stores.documents.indexes import WHAT_TO_DO
from stores.errors import IndexDamagedError, IndexUnreachableError, StoreError

_R = TypeVar("_R")

CONNECT_SECONDS = 10.0


class Milvus:
    """Generations as collections `recite_<library>_<number>`."""

    kind = "milvus"

    def __init__(self, home: Path, library: str, *, uri: str, token: str = "") -> None:
        self._folder = home / "index"
        self._library = library
        self._prefix = f"recite_{library}_"
        self._uri = uri
        self._token = token
        self._lite = Path(uri).absolute() if uri.endswith(".db") else None

    def generations(self) -> list[int]:
        """The numbers of this library's collections."""
        return self._asked(self._numbers)

    def open(self, number: str, *, expected: bool) -> MilvusCollection:
        """Open or create the collection."""
        client = self._client()
        try:
            return self._told(lambda: self._collection(client, self._prefix + number, expected=expected))
        except StoreError:
            self._release(client)
            raise

    def drop_others(self, number: str) -> None:
        """Remove the library's other collections, and the folders of embedded indexes."""
        self._asked(lambda client: self._drop(client, number))
        drop_folders(self._folder, keep=None)

    def _collection(self, client: Any, name: str, *, expected: bool) -> MilvusCollection:
        if expected and not client.has_collection(name):
            raise IndexDamagedError(f"There is no collection {name} at {self._uri}. {WHAT_TO_DO}")
        return MilvusCollection(
            client,
            name,
            place=f"at {self._uri}",
            # Terms, owners, collections and the like are told to the server as digests that only this library can make.
            digest=lambda text: blake2b(text.encode(), digest_size=8, key=self._library.encode()).hexdigest(),
            explain=self._explain,
            release=lambda: self._release(client),
            lite=self._lite is not None,
        )

    def _numbers(self, client: Any) -> list[int]:
        names = (str(name) for name in client.list_collections())
        numbers = (name.removeprefix(self._prefix) for name in names if name.startswith(self._prefix))
        return [int(number) for number in numbers if number.isdigit()]

    def _drop(self, client: Any, number: str) -> None:
        for one in self._numbers(client):
            if str(one) != number:
                client.drop_collection(f"{self._prefix}{one}")

    def _asked(self, call: Callable[[Any], _R]) -> _R:
        client = self._client()
        try:
            return self._told(lambda: call(client))
        finally:
            self._release(client)

    def _client(self) -> Any:
        return self._told(self._connected)

    def _connected(self) -> Any:
        if self._lite is None:
            return MilvusClient(self._uri, token=self._token, timeout=CONNECT_SECONDS)
        self._lite.parent.mkdir(parents=True, exist_ok=True)
        address = _in_use.take(str(self._lite))
        return MilvusClient(address, timeout=CONNECT_SECONDS)

    def _release(self, client: Any) -> None:
        client.close()
        if self._lite is not None:
            _in_use.give_back(str(self._lite))

    def _told(self, call: Callable[[], _R]) -> _R:
        try:
            return call()
        except StoreError:
            raise
        except Exception as error:
            raise self._explain(error) from error

    def _explain(self, error: Exception) -> StoreError:
        what = (str(getattr(error, "message", "") or error).strip().splitlines() or [type(error).__name__])[0]
        if self._lite is None and _is_silent(error):
            return IndexUnreachableError(
                f"The Milvus server at {self._uri} does not answer ({what.rstrip('.')}). "
                "Start it, or change RECITE_VECTOR_STORE."
            )
        return IndexDamagedError(f"The index at {self._uri} cannot be used ({what}). {WHAT_TO_DO}")


def _is_silent(error: Exception) -> bool:
    """Whether pymilvus gave up on a server; it has one exception for everything."""
    told = str(error).lower()
    silent = ("fail connecting", "unavailable", "retry run out", "connection refused", "deadline")
    return isinstance(error, MilvusException) and any(one in told for one in silent)


class _LiteServers:
    """Milvus Lite serves a file to its own process over a loopback port: one server a file, ended by its last user."""

    def __init__(self) -> None:
        self._users: dict[str, int] = {}
        # pymilvus asks for a time stamp that Lite does not give, and does without; grpc prints a traceback about it.
        logging.getLogger("grpc._server").addFilter(lambda record: "not implemented" not in record.getMessage())

    def take(self, path: str) -> str:
        address = server_manager_instance.start_and_get_uri(path)
        if address is None:
            raise IndexDamagedError(f"The index at {path} cannot be opened: another process uses it, or it is damaged.")
        self._users[path] = self._users.get(path, 0) + 1
        return str(address)

    def give_back(self, path: str) -> None:
        self._users[path] -= 1
        if not self._users[path]:
            server_manager_instance.release_server(path)


_in_use = _LiteServers()
