"""The HTTP routes beside the LangGraph API: what the CLI and notebooks ask of the process that owns the data directory.

The document routes are those of `stores/documents/routes.py`. Besides:

    GET  /recite/health      {"status": "ok"}, for anybody
    GET  /recite/metrics     {"metrics": {NAME: as `MemoryMeter.snapshot`}}: what the owner counted since it started
    POST /recite/memories    {"user"}  →  {"memories": [Memory]}
    POST /recite/citations   {"user", "citations": [as an answer's message holds them]}
                             →  {"citations": [as `recite ask --json` prints them]}, "source deleted" for lost quotes

Everything but the health check wants the token of `owner.json`, which only this user can read: a page in a browser, or
another user of the machine, must not be able to read files through it.
"""

import asyncio
import hmac
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from graph.quoting import quoted
from nodes.citations.render import Citation
from stores.documents.routes import ANSWERS, PREFIX, STREAMS, with_error_line
from stores.documents.store import DocumentStore
from stores.documents.wire import BadRequestError, error_json, status_of
from stores.errors import StoreError
from stores.memories.repository import Memories
from stores.memory_meter import MemoryMeter
from stores.names import user_name

Endpoint = Callable[[Request], Awaitable[Response]]


class Access:
    """What the routes serve; filled once the process has opened its stores."""

    def __init__(self) -> None:
        self.token: str | None = None
        self.documents: DocumentStore | None = None
        self.memories: Memories | None = None
        self.meter: MemoryMeter | None = None

    def permits(self, request: Request) -> bool:
        """Whether a request carries the owner's token."""
        given = request.headers.get("authorization", "")
        return self.token is not None and hmac.compare_digest(given, f"Bearer {self.token}")


def routes(access: Access) -> list[BaseRoute]:
    """All routes over what `access` holds."""

    def guarded(serve: Callable[[dict[str, Any]], Awaitable[Response]]) -> Endpoint:
        async def endpoint(request: Request) -> Response:
            if not access.permits(request):
                return JSONResponse({"error": "Forbidden", "message": "The token is missing or wrong."}, 403)
            try:
                return await serve(await _body(request))
            except StoreError as error:
                return JSONResponse(error_json(error), status_of(error))

        return endpoint

    def answering(name: str) -> Endpoint:
        return guarded(lambda body: _answer(name, access, body))

    def streaming(name: str) -> Endpoint:
        return guarded(lambda body: _stream(name, access, body))

    async def health(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    return [
        Route("/recite/health", health, methods=["GET"]),
        Route("/recite/metrics", guarded(lambda _: _metrics(access)), methods=["GET"]),
        Route("/recite/citations", guarded(lambda body: _citations(access, body)), methods=["POST"]),
        Route("/recite/memories", guarded(lambda body: _memories(access, body)), methods=["POST"]),
        *(Route(f"{PREFIX}/{name}", answering(name), methods=["POST"]) for name in ANSWERS),
        *(Route(f"{PREFIX}/{name}", streaming(name), methods=["POST"]) for name in STREAMS),
    ]


async def _body(request: Request) -> dict[str, Any]:
    """The JSON object of a request, every string in it valid.

    JSON may spell half a character (`"\\ud800"`), which nothing behind this edge can store or send.
    """
    try:
        body = json.loads(await request.body() or b"{}")
        json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise BadRequestError("The body holds half a character (a lone surrogate). Send whole ones.") from error
    except (ValueError, RecursionError) as error:
        raise BadRequestError("The body is not JSON, or is nested too deeply.") from error
    if not isinstance(body, dict):
        raise BadRequestError("The body is not a JSON object.")
    return body


def _opened(access: Access) -> DocumentStore:
    if access.documents is None:
        raise StoreError("The document store is still opening. Try again in a moment.")
    return access.documents


async def _answer(name: str, access: Access, body: dict[str, Any]) -> Response:
    return JSONResponse(await ANSWERS[name](_opened(access), body))


async def _stream(name: str, access: Access, body: dict[str, Any]) -> Response:
    lines = with_error_line(STREAMS[name](_opened(access), body))
    return StreamingResponse(lines, media_type="application/x-ndjson")


async def _memories(access: Access, body: dict[str, Any]) -> Response:
    if access.memories is None or not isinstance(body.get("user"), str):
        raise BadRequestError("The body must name a user.")
    found = await access.memories.snapshot(user_name(body["user"]))
    return JSONResponse({"memories": [asdict(memory) for memory in found]})


async def _metrics(access: Access) -> Response:
    return JSONResponse({"metrics": access.meter.snapshot() if access.meter is not None else {}})


async def _citations(access: Access, body: dict[str, Any]) -> Response:
    if not isinstance(body.get("user"), str):
        raise BadRequestError("The body must name a user.")
    try:
        citations = [Citation.read(stored) for stored in body.get("citations", [])]
    except (KeyError, TypeError, ValueError) as error:
        raise BadRequestError("The citations are not those of an answer's message.") from error
    found = await quoted(_opened(access), citations, reader=user_name(body["user"]))
    return JSONResponse({"citations": [one.as_json() for one in found]})


@asynccontextmanager
async def listening(access: Access) -> AsyncIterator[str]:
    """Serve the routes on a free loopback port; yields the URL. Requests in flight are finished at the end."""
    config = uvicorn.Config(
        Starlette(routes=routes(access)),
        host="127.0.0.1",
        port=0,
        log_level="critical",
        log_config=None,  # the configuration of the process stands; uvicorn's own needs an open stdout
        lifespan="off",
        http="h11",  # what carries a handful of requests; websockets and a faster parser take long to import
        ws="none",
        timeout_graceful_shutdown=5,
    )
    server = _QuietServer(config)
    task = asyncio.create_task(server.serve())
    try:
        while not server.started:
            if task.done():
                task.result()
                raise StoreError("No loopback port could be opened for other processes to reach this one.")
            await asyncio.sleep(0.005)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.end()
        await asyncio.gather(task, return_exceptions=True)


class _QuietServer(uvicorn.Server):
    """A server inside another program: signals stay with that program, and it ends when it is told, not at a tick."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._ended = asyncio.Event()

    def end(self) -> None:
        """Answer what is in flight and stop."""
        self.should_exit = True
        self._ended.set()

    async def main_loop(self) -> None:
        """Wait for the end."""
        await self._ended.wait()

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Capture none."""
        yield
