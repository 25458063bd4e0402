"""Find out what a chat model can do, for `recite doctor`."""

import time
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from graph.models.endpoint import EndpointChatModel
from graph.models.errors import ModelError
from nodes.prompts import prompt

ToolSupport = Literal["yes", "ignored", "rejected", "unknown"]

_TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "calculator",
        "description": "Compute an arithmetic expression.",
        "parameters": {
            "type": "object",
            "properties": {"expression": {"type": "string"}},
            "required": ["expression"],
            "additionalProperties": False,
        },
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a model did when it was asked. `latency_ms` is of the first, shortest call."""

    reachable: bool
    tools: ToolSupport = "unknown"
    streaming: bool = False
    usage: bool = False
    reasoning: bool = False
    latency_ms: float | None = None
    error: str | None = None


async def probe(model: BaseChatModel) -> Capabilities:
    """Three small calls: a reply, a tool call, a stream. A failure ends in `error`, never in an exception."""
    started = time.perf_counter()
    try:
        reply = await model.ainvoke([HumanMessage("Reply with the one word: ready")])
    except ModelError as error:
        return Capabilities(reachable=False, error=str(error))
    latency = (time.perf_counter() - started) * 1000
    tools: ToolSupport = "unknown"
    streaming, failure = False, None
    try:
        tools = await _tools(model)
        streaming = await _streams(model)
    except ModelError as error:
        failure = str(error)
    return Capabilities(
        reachable=True,
        tools=tools,
        streaming=streaming,
        usage=reply.usage_metadata is not None,
        reasoning=bool(reply.response_metadata.get("reasoning")),
        latency_ms=latency,
        error=failure,
    )


async def _tools(model: BaseChatModel) -> ToolSupport:
    try:
        bound = model.bind_tools([_TOOL])
    except NotImplementedError:
        return "rejected"
    reply = await bound.ainvoke([SystemMessage(prompt("plan")), HumanMessage("Calculate 127 * 34")])
    if isinstance(model, EndpointChatModel) and model.rejects_tools:
        return "rejected"
    return "yes" if isinstance(reply, AIMessage) and reply.tool_calls else "ignored"


async def _streams(model: BaseChatModel) -> bool:
    pieces = [piece.text async for piece in model.astream([HumanMessage("Count from 1 to 5")])]
    return any(pieces)
