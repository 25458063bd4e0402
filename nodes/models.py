"""Calling a chat model from a node: never streamed to the client by itself, always counted."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage
from langchain_core.runnables import Runnable, RunnableConfig

from nodes.state import Usage

SILENT = RunnableConfig(tags=["nostream"])
"""The nodes release checked text themselves; what a model says on the way is nobody's to see."""


def silent(model: BaseChatModel | Runnable[Any, AIMessage]) -> Runnable[Any, AIMessage]:
    """The model with its tokens kept out of the client's stream."""
    return model.with_config(SILENT)


async def said(model: Runnable[Any, AIMessage], prompt: Sequence[AnyMessage]) -> AIMessageChunk | None:
    """The whole reply, gathered from its stream: only there are a call's arguments as the model wrote them.

    A reply that was not streamed has its calls repaired by LangChain: cut-off arguments come back as complete ones.
    """
    reply: AIMessageChunk | None = None
    async for chunk in model.astream(list(prompt)):
        assert isinstance(chunk, AIMessageChunk)  # noqa: S101 - narrows the stream's declared type
        reply = chunk if reply is None else reply + chunk
    return reply


def counted(usage: Usage, reply: AIMessage) -> Usage:
    """Usage with one more call; an endpoint that reports no tokens adds none."""
    tokens = reply.usage_metadata
    return replace(
        usage,
        model_calls=usage.model_calls + 1,
        input_tokens=usage.input_tokens + (tokens["input_tokens"] if tokens else 0),
        output_tokens=usage.output_tokens + (tokens["output_tokens"] if tokens else 0),
    )


_beside: ContextVar[list[AIMessage]] = ContextVar("calls_beside")


@contextmanager
def calls_beside() -> Iterator[list[AIMessage]]:
    """What models reply inside the block that the node itself does not call, such as one that reranks a search.

    Calls in another process are not among them.
    """
    replies: list[AIMessage] = []
    token = _beside.set(replies)
    try:
        yield replies
    finally:
        _beside.reset(token)


def beside(reply: AIMessage) -> None:
    """Let the node that is running, if any, count this reply."""
    _beside.get([]).append(reply)
