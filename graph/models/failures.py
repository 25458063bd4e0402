"""From what the client library raises to one typed, one-line error that never holds the key."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit, urlunsplit

import httpx
import openai
from langchain_openai import StreamChunkTimeoutError

from graph.models.errors import (
    ModelError,
    ModelOverloadedError,
    ModelRejectedError,
    ModelResponseError,
    ModelTimeoutError,
    ModelUnreachableError,
)

BROKEN = (
    openai.OpenAIError,
    httpx.HTTPError,
    StreamChunkTimeoutError,
    json.JSONDecodeError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
)
"""What the client library lets out. With the last four it says that the answer is no chat completion."""

_MAX_DETAIL = 200
_KEY_LIKE = re.compile(r"\b(?:sk|key|Bearer)[-_ ][\w*.…-]{4,}", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a request went."""

    model: str
    base_url: str
    key: str = field(default="", repr=False)

    def __str__(self) -> str:
        parts = urlsplit(self.base_url)
        bare = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
        return f"The chat model {self.model!r} at {bare.rstrip('/')}"


def is_about(error: openai.APIStatusError, words: Sequence[str]) -> bool:
    """Whether the endpoint's own message names one of these."""
    text = f"{error.message} {error.body}".lower()
    return any(word in text for word in words)


def typed_error(error: Exception, endpoint: Endpoint) -> ModelError:
    """The error that the rest of Recite sees."""
    if isinstance(error, openai.APITimeoutError | httpx.TimeoutException | StreamChunkTimeoutError):
        return ModelTimeoutError(f"{endpoint} did not answer in time. Try again, or raise the time-out.")
    if isinstance(error, openai.APIStatusError):
        return _by_status(error, endpoint)
    if isinstance(error, openai.APIConnectionError | httpx.HTTPError):
        detail = _detail(error.__cause__ or error, endpoint)
        return ModelUnreachableError(f"{endpoint} cannot be reached ({detail}). Is the address right?")
    if isinstance(error, openai.APIError):
        return ModelOverloadedError(f"{endpoint} broke off its answer: {_detail(error, endpoint)}.")
    return ModelResponseError(
        f"{endpoint} sent something that is no chat completion ({_detail(error, endpoint)}). "
        "Check that the address ends in the API's root, often /v1."
    )


def _by_status(error: openai.APIStatusError, endpoint: Endpoint) -> ModelError:
    status = error.status_code
    if status in {401, 403}:
        # What the endpoint says here may repeat the key, whole or in part.
        return ModelRejectedError(f"{endpoint} refused the API key ({status}). Check OPENAI_API_KEY.")
    if status == httpx.codes.NOT_FOUND:
        return ModelRejectedError(f"{endpoint} was not found (404). Check the address and the model's name.")
    if status in {408, 504}:
        return ModelTimeoutError(f"{endpoint} did not answer in time ({status}). Try again later.")
    if status == httpx.codes.TOO_MANY_REQUESTS or status >= httpx.codes.INTERNAL_SERVER_ERROR:
        return ModelOverloadedError(f"{endpoint} is overloaded or failing ({status}). Try again later.")
    return ModelRejectedError(f"{endpoint} refused the request ({status}): {_detail(error, endpoint)}")


def _detail(error: BaseException, endpoint: Endpoint) -> str:
    text = str(error) or type(error).__name__
    if endpoint.key:
        text = text.replace(endpoint.key, "***")
    return " ".join(_KEY_LIKE.sub("***", text).split())[:_MAX_DETAIL]
