"""OfflineChatModel: answers without a network, by quoting; labelled as what it is."""

import asyncio
import json
import math
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import ConfigDict, Field

from graph.models.answering import answer, repair
from graph.models.chatting import chat_reply
from graph.models.intents import intent_of
from graph.models.language import language_of
from graph.models.phrases import NAME, phrase
from graph.models.planning import plan
from graph.models.questions import parts_of
from graph.models.quoting import Material
from graph.models.remembering import propose
from graph.models.sufficiency import Judge
from graph.models.summarizing import summarize
from graph.models.units import PassageText
from graph.models.wording import Question
from nodes.prompts import ANSWER_TASK, EXTRACT_TASK, PLAN_TASK, REPAIR_TASK, SUMMARIZE_TASK

_PIECE = re.compile(r"[^\s\u2e80-\u9fff\uff00-\uffef]+\s*|[\u2e80-\u9fff\uff00-\uffef]{1,2}\s*|\s+")


def _local_now() -> datetime:
    return datetime.now().astimezone()


class OfflineChatModel(BaseChatModel):
    """A chat model by rules. It plans, quotes, summarises and proposes memories; it never writes a fact itself.

    It tells its task by the first line of the system prompt and reads framed text as data. The same messages
    always give the same reply. Token counts are its own estimate.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    embeddings: Embeddings | None = Field(default=None, exclude=True, repr=False)
    """Compares question and sentence across wordings and languages. Without it, words alone decide."""
    judge: Judge | None = Field(default=None, exclude=True, repr=False)
    """A cross-encoder that reads question and sentence together. Without it, refusal is coarser."""
    now: Callable[[], datetime] = Field(default=_local_now, exclude=True, repr=False)

    @property
    def model_name(self) -> str:
        """What is shown wherever the model is named."""
        return NAME

    def sufficiency(self, question: str, passages: Sequence[PassageText]) -> float:
        """The probability, 0..1, that the passages answer the question, or the part of it that they answer best."""
        material = Material(passages, self.embeddings, self.judge)
        return max(material.sufficiency(Question(part)) for part in parts_of(question))

    @property
    def _llm_type(self) -> str:
        return "recite-offline"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model_name": NAME}

    def bind_tools(
        self,
        tools: Sequence[Any],
        *,
        tool_choice: str | None = None,  # noqa: ARG002 - the port's signature
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The model with these tools on offer; it calls only those."""
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - the port's signature
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002 - the port's signature
        **kwargs: Any,
    ) -> ChatResult:
        message = self._reply(messages, kwargs.get("tools", ()))
        return ChatResult(generations=[ChatGeneration(message=message)], llm_output={"model_name": NAME})

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,  # noqa: ARG002 - the port's signature
        **kwargs: Any,
    ) -> ChatResult:
        return await asyncio.to_thread(self._generate, messages, stop, None, **kwargs)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - the port's signature
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in _chunks(self._reply(messages, kwargs.get("tools", ()))):
            if run_manager:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - the port's signature
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        # The rules, and above all the embedder, block; the event loop must not wait for them.
        message = await asyncio.to_thread(self._reply, messages, kwargs.get("tools", ()))
        for chunk in _chunks(message):
            if run_manager:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    def _reply(self, messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, Any]]) -> AIMessage:
        message = self._message(messages, tools)
        message.usage_metadata = _usage(messages, message, tools)
        message.response_metadata = {
            "model_name": NAME,
            "finish_reason": "tool_calls" if message.tool_calls else "stop",
        }
        return message

    def _message(self, messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, Any]]) -> AIMessage:
        match _task(messages):
            case t if t == PLAN_TASK:
                return plan(messages, _schemas(tools), self.now().date())
            case t if t == ANSWER_TASK:
                return AIMessage(answer(messages, self.embeddings, self.judge))
            case t if t == REPAIR_TASK:
                return AIMessage(repair(messages, self.embeddings))
            case t if t == SUMMARIZE_TASK:
                return AIMessage(summarize(messages))
            case t if t == EXTRACT_TASK:
                return AIMessage(propose(messages, self.now()))
            case _:
                return AIMessage(_free_reply(messages))


def _task(messages: Sequence[BaseMessage]) -> str:
    first = messages[0].text if messages and isinstance(messages[0], SystemMessage) else ""
    return first.partition("\n")[0].strip()


def _free_reply(messages: Sequence[BaseMessage]) -> str:
    """Outside Recite's own tasks it can only make conversation and say what it is."""
    said = next((m.text for m in reversed(messages) if isinstance(m, HumanMessage)), "")
    intent, language = intent_of(said), language_of(said)
    if intent in {"documents", "arithmetic", "date"}:
        return phrase("about_assistant", language)
    return chat_reply(intent, said, [], language)


def _schemas(tools: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    functions = [tool["function"] for tool in tools]
    return {function["name"]: function.get("parameters", {}) for function in functions}


def _chunks(message: AIMessage) -> Iterator[ChatGenerationChunk]:
    """The message in small pieces; calls, usage and metadata come with the last."""
    for piece in _PIECE.findall(message.text):
        yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
    calls = [
        {
            "name": call["name"],
            "args": json.dumps(call["args"], ensure_ascii=False),
            "id": call["id"],
            "index": index,
            "type": "tool_call_chunk",
        }
        for index, call in enumerate(message.tool_calls)
    ]
    yield ChatGenerationChunk(
        message=AIMessageChunk(
            content="",
            tool_call_chunks=calls,
            usage_metadata=message.usage_metadata,
            response_metadata=message.response_metadata,
            chunk_position="last",
        )
    )


def _usage(messages: Sequence[BaseMessage], reply: AIMessage, tools: Sequence[Mapping[str, Any]]) -> UsageMetadata:
    read = sum(_tokens(message.text) for message in messages) + sum(_tokens(json.dumps(tool)) for tool in tools)
    written = _tokens(reply.text) + sum(_tokens(json.dumps(call["args"])) for call in reply.tool_calls)
    return UsageMetadata(input_tokens=read, output_tokens=written, total_tokens=read + written)


def _tokens(text: str) -> int:
    """A Chinese character is about one token, four other characters are."""
    wide = sum("\u2e80" <= character <= "\uffef" for character in text)
    return wide + math.ceil((len(text) - wide) / 4)
