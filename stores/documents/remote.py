"""RemoteDocuments: the document store of the process that owns the data directory, over its loopback address.

The routes and their JSON are written down in `stores.documents.routes`.
"""

import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

from stores.documents.document import Chunk, Document, FileResult, SearchResult
from stores.documents.narrowing import EVERYTHING, Narrowing
from stores.documents.routes import PREFIX
from stores.documents.wire import error_from_json, load
from stores.errors import IndexInUseError, StoreError

CONNECT_S = 5.0
"""How long a connection may take; an answer may take as long as it needs: a first search loads the model."""

JSON = {"Content-Type": "application/json"}


class RemoteDocuments:
    """A `DocumentStore` whose work another process does. Every method may also raise `IndexInUseError`: the owner
    does not answer (any more).
    """

    def __init__(self, url: str, token: str, *, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._url = url
        self._client = httpx.AsyncClient(
            base_url=url.rstrip("/") + PREFIX,
            headers={"Authorization": f"Bearer {token}"},
            timeout=httpx.Timeout(None, connect=CONNECT_S),
            # A proxy of the environment must never see requests to this machine.
            trust_env=False,
            transport=transport,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.aclose()

    def ingest(
        self, paths: Sequence[Path], *, owner: str, collection: str, prune: bool = False
    ) -> AsyncIterator[tuple[FileResult, int, int]]:
        """As `LocalDocuments.ingest`; relative paths are of this process's working directory."""
        absolute = [str(path.absolute()) for path in paths]
        return self._stream("ingest", {"paths": absolute, "owner": owner, "collection": collection, "prune": prune})

    def reindex(self) -> AsyncIterator[tuple[FileResult, int, int]]:
        """As `LocalDocuments.reindex`."""
        return self._stream("reindex", {})

    async def documents(self, *, reader: str, collection: str | None = None) -> list[Document]:
        """As `LocalDocuments.documents`."""
        answer = await self._ask("list", {"reader": reader, "collection": collection})
        return load(list[Document], answer.get("documents"))

    async def document(self, document_id: str, *, reader: str) -> Document:
        """As `LocalDocuments.document`."""
        answer = await self._ask("show", {"document_id": document_id, "reader": reader})
        return load(Document, answer.get("document"))

    async def delete(self, document_id: str, *, owner: str) -> Document:
        """As `LocalDocuments.delete`."""
        answer = await self._ask("delete", {"document_id": document_id, "owner": owner})
        return load(Document, answer.get("document"))

    async def search(
        self,
        query: str,
        *,
        reader: str,
        narrowing: Narrowing = EVERYTHING,
        k: int = 5,
        min_score: float = 0.0,
        explain: bool = False,
    ) -> SearchResult:
        """As `LocalDocuments.search`."""
        body = {
            "query": query,
            "reader": reader,
            "k": k,
            "min_score": min_score,
            "explain": explain,
            **narrowing.as_json(),
        }
        return load(SearchResult, (await self._ask("search", body)).get("result"))

    async def matching(self, narrowing: Narrowing, *, reader: str) -> int | None:
        """As `LocalDocuments.matching`."""
        answer = await self._ask("matching", {"reader": reader, **narrowing.as_json()})
        return load(dict[str, int | None], answer).get("documents")

    async def chunks(self, chunk_ids: Sequence[str], *, reader: str) -> dict[str, tuple[Chunk, Document]]:
        """As `LocalDocuments.chunks`."""
        answer = await self._ask("chunks", {"chunk_ids": list(chunk_ids), "reader": reader})
        return load(dict[str, tuple[Chunk, Document]], answer.get("chunks"))

    async def spread(self, document_id: str, *, reader: str, k: int) -> list[Chunk]:
        """As `LocalDocuments.spread`."""
        answer = await self._ask("spread", {"document_id": document_id, "reader": reader, "k": k})
        return load(list[Chunk], answer.get("chunks"))

    async def health(self) -> dict[str, object]:
        """As `LocalDocuments.health`, with the owner's URL as `owner`."""
        answer = await self._ask("health", {})
        return load(dict[str, object], answer.get("health")) | {"owner": self._url}

    async def _ask(self, route: str, body: dict[str, Any]) -> dict[str, Any]:
        try:
            response = await self._client.post(f"/{route}", content=json.dumps(body), headers=JSON)
        except httpx.TransportError as error:
            raise self._silent(error) from error
        return self._read(response.text, response.status_code)

    async def _stream(self, route: str, body: dict[str, Any]) -> AsyncIterator[tuple[FileResult, int, int]]:
        try:
            async with self._client.stream("POST", f"/{route}", content=json.dumps(body), headers=JSON) as response:
                if response.is_error:
                    await response.aread()
                    self._read(response.text, response.status_code)
                async for line in response.aiter_lines():
                    fields = self._read(line, response.status_code)
                    yield load(FileResult, fields.get("result")), fields["done"], fields["total"]
        except httpx.TransportError as error:
            raise self._silent(error) from error

    def _read(self, text: str, status: int) -> dict[str, Any]:
        """The JSON object of an answer or a line.

        Raises:
            StoreError: the owner's error, as the class it had there.
            IndexInUseError: what answers is not the owner, or does not know our token.
        """
        try:
            fields = json.loads(text)
        except ValueError:
            fields = None
        if isinstance(fields, dict) and "error" in fields and "message" in fields:
            raise error_from_json(fields)
        if not isinstance(fields, dict) or status >= httpx.codes.BAD_REQUEST:
            raise IndexInUseError(
                f"The process that owns the data directory answers {status} at {self._url} and is not understood. "
                "End it and try again."
            )
        return fields

    def _silent(self, error: httpx.TransportError) -> StoreError:
        what = str(error) or type(error).__name__
        return IndexInUseError(
            f"The process that owns the data directory does not answer at {self._url} ({what}). "
            "Wait for it, or end it and try again."
        )
