"""Any OpenAI-compatible chat endpoint, hardened: what it cannot do is left out, what it reasons stays out."""

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import httpx
import openai
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from pydantic import PrivateAttr, SecretStr

from graph.models.failures import BROKEN, Endpoint, typed_error
from graph.models.features import Attempt, Feature
from graph.models.text import ReasoningFilter, strip_reasoning

_NO_KEY = "not-needed"
"""Local servers ask for no key, the client library does."""


class EndpointChatModel(ChatOpenAI):
    """`ChatOpenAI` for endpoints that are only roughly compatible.

    A request that is refused because of `tools` or `stream_options` is sent again without, and the model
    remembers it. Reasoning is taken out of the text; `response_metadata["reasoning"]` says there was some.
    Whatever fails is one `ModelError` after the configured number of retries.
    """

    _lacks: set[Feature] = PrivateAttr(default_factory=set)
    _holds_back: bool = PrivateAttr(default=False)
    """This model opens its reasoning without a tag: wait for the closing one before giving text."""

    @property
    def rejects_tools(self) -> bool:
        """The endpoint has refused a request because of its tools."""
        return "tools" in self._lacks

    async def aclose(self) -> None:
        """Close the connections. The model cannot be used afterwards."""
        await self.root_async_client.close()
        self.root_client.close()

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        attempt = Attempt(self._lacks)
        while True:
            sent, arguments = attempt.messages(messages), attempt.arguments(kwargs)
            try:
                return self._cleaned(await super()._agenerate(sent, stop, run_manager, **arguments))
            except BROKEN as error:
                if not attempt.goes_on(error, kwargs):
                    raise typed_error(error, self._endpoint()) from None

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        attempt = Attempt(self._lacks)
        while True:
            sent, arguments = attempt.messages(messages), attempt.arguments(kwargs)
            try:
                return self._cleaned(super()._generate(sent, stop, run_manager, **arguments))
            except BROKEN as error:
                if not attempt.goes_on(error, kwargs):
                    raise typed_error(error, self._endpoint()) from None

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        *,
        stream_usage: bool | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        kept, started = ReasoningFilter(hold=self._holds_back), False
        attempt, wanted = Attempt(self._lacks), self._should_stream_usage(stream_usage)
        while True:
            sent, arguments = attempt.messages(messages), attempt.arguments(kwargs)
            usage = attempt.streams_usage(wanted)
            try:
                async for raw in super()._astream(sent, stop, None, stream_usage=usage, **arguments):
                    started = True
                    chunk = self._visible(raw, kept)
                    if run_manager:
                        await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
                    yield chunk
                break
            except BROKEN as error:
                if started or not attempt.goes_on(error, kwargs, usage=wanted):
                    raise typed_error(error, self._endpoint()) from None
        last = self._last(kept)
        if run_manager:
            await run_manager.on_llm_new_token(last.text, chunk=last)
        yield last

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        *,
        stream_usage: bool | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        kept, started = ReasoningFilter(hold=self._holds_back), False
        attempt, wanted = Attempt(self._lacks), self._should_stream_usage(stream_usage)
        while True:
            sent, arguments = attempt.messages(messages), attempt.arguments(kwargs)
            usage = attempt.streams_usage(wanted)
            try:
                for raw in super()._stream(sent, stop, None, stream_usage=usage, **arguments):
                    started = True
                    chunk = self._visible(raw, kept)
                    if run_manager:
                        run_manager.on_llm_new_token(chunk.text, chunk=chunk)
                    yield chunk
                break
            except BROKEN as error:
                if started or not attempt.goes_on(error, kwargs, usage=wanted):
                    raise typed_error(error, self._endpoint()) from None
        last = self._last(kept)
        if run_manager:
            run_manager.on_llm_new_token(last.text, chunk=last)
        yield last

    def _endpoint(self) -> Endpoint:
        key = self.openai_api_key.get_secret_value() if isinstance(self.openai_api_key, SecretStr) else ""
        return Endpoint(model=self.model_name, base_url=str(self.root_async_client.base_url), key=key)

    def _cleaned(self, result: ChatResult) -> ChatResult:
        for generation in result.generations:
            message = generation.message
            if isinstance(message, AIMessage):
                text = _plain(message.content)
                message.content = strip_reasoning(text)
                self._holds_back = self._holds_back or _opens_silently(text)
                if message.content != text:
                    message.response_metadata["reasoning"] = True
        return result

    def _visible(self, raw: ChatGenerationChunk, kept: ReasoningFilter) -> ChatGenerationChunk:
        message = raw.message
        if not isinstance(message, AIMessageChunk):
            return raw
        content = kept.feed(_plain(message.content))
        clean = message.model_copy(update={"content": content, "chunk_position": None})
        return ChatGenerationChunk(message=clean, generation_info=raw.generation_info)

    def _last(self, kept: ReasoningFilter) -> ChatGenerationChunk:
        self._holds_back = self._holds_back or kept.orphan_close
        metadata = {"reasoning": True} if kept.seen else {}
        return ChatGenerationChunk(
            message=AIMessageChunk(content=kept.finish(), response_metadata=metadata, chunk_position="last")
        )

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        made = super()._convert_chunk_to_generation_chunk(chunk, default_chunk_class, base_generation_info)
        if made is not None and any(_reasons(choice.get("delta")) for choice in chunk.get("choices") or []):
            made.message.response_metadata["reasoning"] = True
        return made

    def _create_chat_result(
        self, response: dict[str, Any] | openai.BaseModel, generation_info: dict[str, Any] | None = None
    ) -> ChatResult:
        result = super()._create_chat_result(response, generation_info)
        raw = response if isinstance(response, dict) else response.model_dump(warnings=False)
        for generation, choice in zip(result.generations, raw["choices"], strict=True):
            if _reasons(choice.get("message")):
                generation.message.response_metadata["reasoning"] = True
        return result


def _reasons(message: object) -> bool:
    """Whether a raw message or delta carries reasoning in a field of its own."""
    return isinstance(message, dict) and bool(message.get("reasoning_content") or message.get("reasoning"))


def _opens_silently(text: str) -> bool:
    probe = ReasoningFilter()
    probe.feed(text)
    return probe.orphan_close


def _plain(content: str | Sequence[str | dict[Any, Any]]) -> str:
    """The text of a message content; parts that are not text (reasoning, images) do not count."""
    if isinstance(content, str):
        return content
    parts = (part if isinstance(part, str) else part.get("text") for part in content if _is_text(part))
    return "".join(part for part in parts if isinstance(part, str))


def _is_text(part: str | dict[Any, Any]) -> bool:
    return isinstance(part, str) or part.get("type") in {"text", "output_text"}


def open_chat_model(
    *,
    model: str,
    base_url: str | None = None,
    api_key: SecretStr | None = None,
    timeout: float = 60.0,
    max_retries: int = 2,
    temperature: float | None = None,
) -> EndpointChatModel:
    """A chat model at an OpenAI-compatible endpoint. Close it with `await model.aclose()`.

    Args:
        base_url: up to and including `/v1`; `None` is OpenAI's own.
        api_key: `None` for servers that ask for none.
        timeout: seconds for one attempt, and between two pieces of a stream.
        max_retries: further attempts after 408, 409, 429, 5xx, a time-out or a lost connection.
        temperature: `None` leaves it to the endpoint; some models refuse the argument.
    """
    return EndpointChatModel(
        model=model,
        base_url=base_url or "https://api.openai.com/v1",
        api_key=api_key or SecretStr(_NO_KEY),
        timeout=timeout,
        stream_chunk_timeout=timeout,
        max_retries=max_retries,
        temperature=temperature,
        stream_usage=True,
        use_responses_api=False,
        # Clients of its own: the library's shared ones outlive the event loop that opened their connections.
        http_client=httpx.Client(timeout=timeout),
        http_async_client=httpx.AsyncClient(timeout=timeout),
    )
