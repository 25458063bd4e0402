"""A chat model that wishes the application ill: it says piece by piece what a test wrote, well-formed or not."""

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage, SystemMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from pydantic import Field, PrivateAttr
from scripted import DEFAULTS, TASKS

from graph.models.errors import ModelOverloadedError, ModelTimeoutError, ModelUnreachableError
from nodes.fences import read_fences

FAILURES = (
    ModelUnreachableError("The endpoint cannot be reached."),
    ModelTimeoutError("The endpoint did not answer in time."),
    ModelOverloadedError("The endpoint broke off its answer."),
)


class Slow:
    """A pause longer than any planner is waited for."""

    def __repr__(self) -> str:
        return "SLOW"


SLOW = Slow()
Piece = str | dict[str, Any] | Exception | Slow
"""What a reply is made of: text, a raw piece of a tool call, a failure in mid-stream, a pause."""


class HostileModel(BaseChatModel):
    """Says for each task the pieces of one line after the other; the last line repeats.

    `{{words}}` in a text becomes the number of the passage that holds the words, 1 if none does; `{{#2}}` the third
    of `ids`.
    """

    script: dict[str, list[list[Any]]] = Field(default_factory=dict)
    ids: list[str] = Field(default_factory=list)
    _heard: list[tuple[str, str]] = PrivateAttr(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "hostile"

    @property
    def heard(self) -> list[tuple[str, str]]:
        """Every call since `says`: its task and its prompt as text."""
        return self._heard

    def says(self, script: Mapping[str, list[list[Piece]]]) -> None:
        """Begin anew with this script."""
        self.script = dict(script)
        self._heard = []

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self.bind(tools=tools)

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        raise NotImplementedError("the graph streams")

    async def _astream(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        first = messages[0].text.splitlines()[0] if isinstance(messages[0], SystemMessage) else ""
        task = next((name for name, line in TASKS.items() if line == first), "other")
        said = sum(name == task for name, _ in self._heard)
        prompt = "\n".join(message.text for message in messages)
        self._heard.append((task, prompt))
        lines = self.script.get(task) or [[DEFAULTS.get(task, "")]]
        for piece in lines[min(said, len(lines) - 1)]:
            match piece:
                case Exception():
                    raise piece
                case Slow():
                    await asyncio.sleep(3600)
                case str():
                    for part in _cut(_numbered(piece, prompt, self.ids)):
                        yield ChatGenerationChunk(message=AIMessageChunk(content=part))
                case _:
                    yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=[piece]))
        yield ChatGenerationChunk(message=AIMessageChunk(content=""))


def _cut(text: str) -> list[str]:
    """Tokens of six characters, so that markers are split over them; fewer and longer ones of a long text."""
    size = 6 if len(text) < 300 else 97
    return [text[at : at + size] for at in range(0, len(text), size)]


def _numbered(text: str, prompt: str, ids: list[str]) -> str:
    frames = read_fences(prompt, "passage") if "{{" in text else []

    def number(match: re.Match[str]) -> str:
        if match[1].startswith("#"):
            return ids[int(match[1][1:])]
        return next((frame.attributes["n"] for frame in frames if match[1] in frame.text), "1")

    return re.sub(r"\{\{(.+?)\}\}", number, text)
