"""A real HTTP server on loopback that speaks Chat Completions, with scripted replies and faults.

    with ChatServer() as server:
        server.script(Reply("hello"), Reply(status=429, headers={"Retry-After": "0"}), Reply("again"))
        ...  # server.base_url, server.requests

Scripted replies are used up in order; after them every request gets `server.default`, or what
`server.respond` makes of the request's body. `/v1/embeddings` answers with vectors that depend on the text alone.
"""

import asyncio
import hashlib
import json
import math
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any, Self

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


@dataclass(frozen=True)
class Reply:
    """One scripted answer. What is left out does not happen."""

    text: str = ""
    tool_calls: tuple[tuple[str, str], ...] = ()
    """(name, arguments as the raw string that the model wrote)."""
    reasoning_content: str = ""
    usage: dict[str, Any] | None = field(default_factory=lambda: dict(USAGE))
    status: int = 200
    error: str = "scripted failure"
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    """Seconds before the answer begins."""
    pieces: int = 3
    """Characters per streamed piece."""
    cut_after: int | None = None
    """Break the connection after so many streamed pieces."""
    stall_after: int | None = None
    """Send nothing more after so many streamed pieces."""
    raw: str | None = None
    """This body instead of a completion."""
    finish: str = "stop"


@dataclass(frozen=True)
class Received:
    """One request as it came in."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class ChatServer:
    """The server; `with` starts it in a thread on a free port and stops it."""

    def __init__(self, *, tools: str = "yes", stream_options: bool = True) -> None:
        """`tools`: "yes", "ignored" (calls never come back) or "rejected" (400)."""
        self.tools = tools
        self.stream_options = stream_options
        self.default = Reply("ready")
        self.respond: Callable[[dict[str, Any]], Reply] | None = None
        self.requests: list[Received] = []
        self._script: deque[Reply] = deque()
        self._stopping = threading.Event()

    def script(self, *replies: Reply) -> None:
        """Answer the next requests with these, in order."""
        self._script.extend(replies)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """The bodies of the chat requests so far."""
        return [request.body for request in self.requests if request.path.endswith("/chat/completions")]

    def __enter__(self) -> Self:
        routes = [
            Route("/v1/chat/completions", self._chat, methods=["POST"]),
            Route("/v1/embeddings", self._embeddings, methods=["POST"]),
            Route("/v1/models", self._models),
        ]
        config = uvicorn.Config(
            Starlette(routes=routes),
            host="127.0.0.1",
            port=0,
            log_level="critical",
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        deadline = time.monotonic() + 10
        while not self._server.started:
            assert time.monotonic() < deadline, "the chat server did not start"
            time.sleep(0.01)
        self._port = self._server.servers[0].sockets[0].getsockname()[1]
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._server.should_exit = True
        self._thread.join(timeout=10)

    async def _chat(self, request: Request) -> Response:
        body = await self._record(request)
        if body.get("tools") and self.tools == "rejected":
            return _failure(400, f"{body['model']} does not support tools")
        if body.get("stream_options") and not self.stream_options:
            return _failure(400, "Unrecognized request argument supplied: stream_options")
        reply = self._next(body)
        await self._sleep(reply.delay)
        if reply.raw is not None:
            return PlainTextResponse(reply.raw, reply.status, reply.headers)
        if reply.status != 200:
            return _failure(reply.status, reply.error, reply.headers)
        if body.get("stream"):
            return StreamingResponse(self._stream(reply, body), media_type="text/event-stream")
        return JSONResponse(_completion(reply, body, self.tools == "yes"))

    async def _embeddings(self, request: Request) -> Response:
        body = await self._record(request)
        texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
        data = [{"object": "embedding", "index": i, "embedding": _vector(str(text))} for i, text in enumerate(texts)]
        usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
        return JSONResponse({"object": "list", "data": data, "model": body["model"], "usage": usage})

    async def _models(self, request: Request) -> Response:
        return JSONResponse({"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    async def _record(self, request: Request) -> dict[str, Any]:
        body = await request.json()
        self.requests.append(Received(request.url.path, dict(request.headers), body))
        return body

    def _next(self, body: dict[str, Any]) -> Reply:
        if self._script:
            return self._script.popleft()
        return self.respond(body) if self.respond else self.default

    async def _sleep(self, seconds: float) -> None:
        """Sleep, but let go as soon as the server stops."""
        deadline = time.monotonic() + seconds
        # Another thread stops the server, so an asyncio event would not do.
        while time.monotonic() < deadline and not self._stopping.is_set():  # noqa: ASYNC110
            await asyncio.sleep(min(0.02, seconds))

    async def _stream(self, reply: Reply, body: dict[str, Any]) -> AsyncIterator[str]:
        for sent, delta in enumerate(_deltas(reply, self.tools == "yes" and bool(body.get("tools")))):
            if reply.cut_after is not None and sent >= reply.cut_after:
                raise asyncio.CancelledError  # uvicorn closes the connection in the middle of the body
            if reply.stall_after is not None and sent >= reply.stall_after:
                await self._sleep(60)
            yield _event(body, [{"index": 0, "delta": delta, "finish_reason": None}])
        finish = "tool_calls" if reply.tool_calls and self.tools == "yes" else reply.finish
        yield _event(body, [{"index": 0, "delta": {}, "finish_reason": finish}])
        if reply.usage and (body.get("stream_options") or {}).get("include_usage"):
            yield _event(body, [], usage=reply.usage)
        yield "data: [DONE]\n\n"


def _failure(status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"error": {"message": message, "type": "scripted", "code": None}}, status, headers)


def _completion(reply: Reply, body: dict[str, Any], tools: bool) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.reasoning_content:
        message["reasoning_content"] = reply.reasoning_content
    calls = tools and body.get("tools") and reply.tool_calls
    if calls:
        message["tool_calls"] = [_call(i, *call) for i, call in enumerate(reply.tool_calls)]
    answer = {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else reply.finish}],
    }
    return answer | ({"usage": reply.usage} if reply.usage else {})


def _call(index: int, name: str, arguments: str) -> dict[str, Any]:
    return {
        "id": f"call_{index}",
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def _deltas(reply: Reply, tools: bool) -> list[dict[str, Any]]:
    def cut(text: str) -> list[str]:
        return [text[i : i + reply.pieces] for i in range(0, len(text), reply.pieces)]

    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"reasoning_content": piece} for piece in cut(reply.reasoning_content)]
    deltas += [{"content": piece} for piece in cut(reply.text)]
    if not tools:
        return deltas
    for index, (name, arguments) in enumerate(reply.tool_calls):
        deltas.append({"tool_calls": [{"index": index, **_call(index, name, "")}]})
        deltas += [{"tool_calls": [{"index": index, "function": {"arguments": piece}}]} for piece in cut(arguments)]
    return deltas


def _event(body: dict[str, Any], choices: list[dict[str, Any]], usage: dict[str, Any] | None = None) -> str:
    chunk = {
        "id": "chatcmpl-scripted",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": body["model"],
        "choices": choices,
        **({"usage": usage} if usage else {}),
    }
    return f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n"


def _vector(text: str, dimension: int = 16) -> list[float]:
    """Character pairs hashed into a few dimensions: equal texts agree, similar ones are near."""
    vector = [0.0] * dimension
    for pair in zip(text, text[1:] + " ", strict=False):
        vector[hashlib.sha256("".join(pair).encode()).digest()[0] % dimension] += 1.0
    length = math.sqrt(sum(value * value for value in vector)) or 1.0
    return [value / length for value in vector]
