"""Routes: the document store over HTTP, without the HTTP: what each route takes and answers.

Every route is a POST below `PREFIX` with a JSON object as body and `Authorization: Bearer <token>`:

    /list     {"reader", "collection"?}                          {"documents": [Document]}
    /show     {"document_id", "reader"}                          {"document": Document}
    /delete   {"document_id", "owner"}                           {"document": Document}
    /search   {"query", "reader", NARROWING, "k"?, "min_score"?, "explain"?}  {"result": SearchResult}
    /matching {"reader", NARROWING}                              {"documents": how many, null if not narrowed to any}
    /chunks   {"chunk_ids": [...], "reader"}                     {"chunks": {ID: [Chunk, Document]}}
    /spread   {"document_id", "reader", "k"}                     {"chunks": [Chunk]}
    /health   {}                                                 {"health": {...}}
    /ingest   {"paths": [absolute...], "owner", "collection", "prune"?}
                                                                 NDJSON: {"result": FileResult, "done", "total"} a line
    /reindex  {}                                                 NDJSON, the same

NARROWING are the fields of `stores.documents.narrowing.Narrowing`, all of them optional: "collection", "documents",
"kinds", "languages", "paths", "since", "until".

Objects have the fields of the dataclasses in `stores.documents.document`, tuples as lists. An error is
{"error": class name, "message"}: as the answer with the status of `wire.status_of`, or as the last line of a stream
that has begun. The server serves `ANSWERS[name](documents, body)` as a JSON object and
`with_error_line(STREAMS[name](documents, body))` as `application/x-ndjson`; nothing but StoreError comes out of them.
"""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from stores.documents.narrowing import Narrowing, Wishes, narrowing
from stores.documents.store import DocumentStore
from stores.documents.wire import BadRequestError, dump, error_json
from stores.errors import StoreError
from stores.names import collection_name, hit_limit, user_name

PREFIX = "/recite/documents"

Body = Mapping[str, Any]
Answer = dict[str, Any]
Lines = AsyncIterator[str]

User = Annotated[str, AfterValidator(user_name)]
Collection = Annotated[str | None, AfterValidator(collection_name)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _List(_Request):
    reader: User
    collection: Collection = None


class _Show(_Request):
    document_id: str
    reader: User


class _Delete(_Request):
    document_id: str
    owner: User


class _Narrowed(_Request):
    reader: User
    collection: Collection = None
    documents: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None

    @property
    def narrowing(self) -> Narrowing:
        """What the search is narrowed to.

        Raises:
            NarrowingRefusedError: something in it cannot be meant.
        """
        return narrowing(**{name: getattr(self, name) for name in Wishes.__annotations__})


class _Search(_Narrowed):
    query: str
    k: Annotated[int, AfterValidator(hit_limit)] = 5
    min_score: float = 0.0
    explain: bool = False


class _Chunks(_Request):
    chunk_ids: tuple[str, ...]
    reader: User


class _Spread(_Request):
    document_id: str
    reader: User
    k: Annotated[int, AfterValidator(hit_limit)]


class _Ingest(_Request):
    paths: Annotated[tuple[str, ...], Field(min_length=1)]
    owner: User
    collection: Annotated[str, AfterValidator(collection_name)]
    prune: bool = False


class _Nothing(_Request):
    pass


_R = TypeVar("_R", bound=_Request)


async def answer_list(documents: DocumentStore, body: Body) -> Answer:
    """What a reader may see."""
    asked = _request(_List, body)
    return {"documents": dump(await documents.documents(reader=asked.reader, collection=asked.collection))}


async def answer_show(documents: DocumentStore, body: Body) -> Answer:
    """One document."""
    asked = _request(_Show, body)
    return {"document": dump(await documents.document(asked.document_id, reader=asked.reader))}


async def answer_delete(documents: DocumentStore, body: Body) -> Answer:
    """Remove a document; answers with what it was."""
    asked = _request(_Delete, body)
    return {"document": dump(await documents.delete(asked.document_id, owner=asked.owner))}


async def answer_search(documents: DocumentStore, body: Body) -> Answer:
    """The best chunks for a query."""
    asked = _request(_Search, body)
    result = await documents.search(
        asked.query,
        reader=asked.reader,
        narrowing=asked.narrowing,
        k=asked.k,
        min_score=asked.min_score,
        explain=asked.explain,
    )
    return {"result": dump(result)}


async def answer_matching(documents: DocumentStore, body: Body) -> Answer:
    """How many documents a narrowed search looks at."""
    asked = _request(_Narrowed, body)
    return {"documents": await documents.matching(asked.narrowing, reader=asked.reader)}


async def answer_chunks(documents: DocumentStore, body: Body) -> Answer:
    """Chunks by id, with their documents."""
    asked = _request(_Chunks, body)
    return {"chunks": dump(await documents.chunks(asked.chunk_ids, reader=asked.reader))}


async def answer_spread(documents: DocumentStore, body: Body) -> Answer:
    """Chunks from all over a document."""
    asked = _request(_Spread, body)
    return {"chunks": dump(await documents.spread(asked.document_id, reader=asked.reader, k=asked.k))}


async def answer_health(documents: DocumentStore, body: Body) -> Answer:
    """Counts and versions."""
    _request(_Nothing, body)
    return {"health": dump(await documents.health())}


async def stream_ingest(documents: DocumentStore, body: Body) -> Lines:
    """Take in files; one line of NDJSON a file."""
    asked = _request(_Ingest, body)
    paths = [Path(path) for path in asked.paths]
    if not all(path.is_absolute() for path in paths):
        raise BadRequestError("Paths must be absolute: the working directory of the other process is not yours.")
    ingesting = documents.ingest(paths, owner=asked.owner, collection=asked.collection, prune=asked.prune)
    async with _ended(ingesting) as results:
        async for result, done, total in results:
            yield _line({"result": dump(result), "done": done, "total": total})


async def stream_reindex(documents: DocumentStore, body: Body) -> Lines:
    """Build the indexes anew; one line of NDJSON a file."""
    _request(_Nothing, body)
    async with _ended(documents.reindex()) as results:
        async for result, done, total in results:
            yield _line({"result": dump(result), "done": done, "total": total})


async def with_error_line(lines: Lines) -> Lines:
    """The stream, an error that ends it as its last line."""
    try:
        async with _ended(lines):
            async for line in lines:
                yield line
    except StoreError as error:
        yield _line(error_json(error))


ANSWERS: Mapping[str, Callable[[DocumentStore, Body], Awaitable[Answer]]] = {
    "list": answer_list,
    "show": answer_show,
    "delete": answer_delete,
    "search": answer_search,
    "matching": answer_matching,
    "chunks": answer_chunks,
    "spread": answer_spread,
    "health": answer_health,
}
STREAMS: Mapping[str, Callable[[DocumentStore, Body], Lines]] = {
    "ingest": stream_ingest,
    "reindex": stream_reindex,
}


_Item = TypeVar("_Item")


@asynccontextmanager
async def _ended(results: AsyncIterator[_Item]) -> AsyncIterator[AsyncIterator[_Item]]:
    """The results; when the reader goes away, what makes them is ended at once and not when it is collected."""
    try:
        yield results
    finally:
        if isinstance(results, AsyncGenerator):
            await results.aclose()


def _request(kind: type[_R], body: Body) -> _R:
    try:
        return kind.model_validate(body)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the body"
        raise BadRequestError(f"The request is not understood: {where}: {first['msg']}.") from error


def _line(fields: dict[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False) + "\n"
