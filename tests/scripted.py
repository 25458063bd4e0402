"""A chat model that says what a test wrote down, and the shapes that tests share."""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, SystemMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import Field, PrivateAttr

from graph.agent import Agent
from nodes.prompts import (
    ANSWER_TASK,
    EXTRACT_TASK,
    NO_SEARCH,
    PLAN_TASK,
    REPAIR_TASK,
    RERANK_TASK,
    SUMMARIZE_TASK,
    SUPPORT_TASK,
)

TASKS = {
    "plan": PLAN_TASK,
    "answer": ANSWER_TASK,
    "repair": REPAIR_TASK,
    "summarize": SUMMARIZE_TASK,
    "extract": EXTRACT_TASK,
    "rerank": RERANK_TASK,
    "support": SUPPORT_TASK,
}
Line = str | AIMessage | BaseException | Callable[[list[BaseMessage]], Any]


class ScriptedModel(BaseChatModel):
    """A chat model that says what a test wrote down for each task, line by line; the last line repeats.

    A line is a text, a message with tool calls, an exception to raise, or a function of the prompt.
    """

    script: dict[str, list[Any]] = Field(default_factory=dict)
    _said: dict[str, int] = PrivateAttr(default_factory=dict)
    _heard: list[tuple[str, list[BaseMessage]]] = PrivateAttr(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    @property
    def heard(self) -> list[tuple[str, list[BaseMessage]]]:
        """Every call: its task and its prompt."""
        return self._heard

    def prompts(self, task: str) -> list[list[BaseMessage]]:
        return [messages for name, messages in self._heard if name == task]

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self.bind(tools=tools)

    async def _line(self, messages: list[BaseMessage]) -> AIMessage:
        first = messages[0].text.splitlines()[0] if isinstance(messages[0], SystemMessage) else ""
        task = next((name for name, line in TASKS.items() if line == first), "other")
        self._heard.append((task, messages))
        lines = self.script.get(task, [DEFAULTS.get(task, "")])
        place = self._said.get(task, 0)
        self._said[task] = place + 1
        line = lines[min(place, len(lines) - 1)]
        if callable(line):
            line = line(messages)
            if hasattr(line, "__await__"):
                line = await line
        if isinstance(line, BaseException):
            raise line
        return line if isinstance(line, AIMessage) else AIMessage(content=line)

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        raise NotImplementedError("the graph calls models asynchronously")

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=await self._line(messages))])

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        reply = await self._line(messages)
        for start in range(0, len(reply.text), 3):
            yield ChatGenerationChunk(message=AIMessageChunk(content=reply.text[start : start + 3]))
        calls = [(c["id"], c["name"], json.dumps(c["args"])) for c in reply.tool_calls]
        calls += [(c["id"], c["name"], c["args"]) for c in reply.invalid_tool_calls]
        chunks = [
            {"id": call_id, "name": name, "args": args, "index": index, "type": "tool_call_chunk"}
            for index, (call_id, name, args) in enumerate(calls)
        ]
        yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=chunks))


DEFAULTS = {"plan": NO_SEARCH, "answer": "好的。", "extract": '{"operations": []}', "summarize": "摘要。"}


def search_call(*queries: str, then: str = "answer", call_id: str = "s1") -> AIMessage:
    """A planner's message that proposes one search."""
    return tool_calls(("search_documents", {"queries": list(queries), "then": then}, call_id))


def tool_calls(*calls: tuple[str, dict[str, Any], str]) -> AIMessage:
    """A planner's message that proposes several calls."""
    return AIMessage(
        content="",
        tool_calls=[{"name": name, "args": args, "id": call_id, "type": "tool_call"} for name, args, call_id in calls],
    )


OpenAgent = Callable[..., AbstractAsyncContextManager[Agent]]
