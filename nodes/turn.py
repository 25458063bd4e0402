"""The running turn: who asks, what is asked, which calls are still open."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.runtime import Runtime

from nodes.errors import EmptyQuestionError
from nodes.state import Context, State
from stores.documents.document import DEFAULT_USER
from stores.documents.narrowing import EVERYTHING, Narrowing

FAILED = "recite_failed"
"""Key in `additional_kwargs` of a user message whose turn did not finish."""
ANSWER = "recite"
"""Key in `additional_kwargs` of a final answer: status, citations, what was searched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCall:
    """A tool call as the model proposed it. `arguments` is the raw text if it was no JSON object."""

    call_id: str
    name: str
    arguments: dict[str, Any] | str


def user_of(runtime: Runtime[Context]) -> str:
    """The user of this run: the authenticated one if the server knows one, else the context's."""
    server = runtime.server_info
    if server is not None and server.user is not None:
        return server.user.identity
    return runtime.context.user_id if runtime.context is not None else DEFAULT_USER


def thread_of(runtime: Runtime[Context]) -> str | None:
    """The thread of this run, `None` outside any."""
    return runtime.execution_info.thread_id if runtime.execution_info is not None else None


def narrowing_of(runtime: Runtime[Context]) -> Narrowing:
    """What the searches of this run are narrowed to."""
    return runtime.context.narrowing if runtime.context is not None else EVERYTHING


def question_message(messages: Sequence[AnyMessage]) -> HumanMessage:
    """The user message that this turn answers: the last one.

    Raises:
        EmptyQuestionError: there is none, or it holds no text.
    """
    for message in reversed(messages):
        if isinstance(message, HumanMessage):
            if not message.text.strip():
                break
            return message
    raise EmptyQuestionError("The question is empty. Write what you want to know.")


def question_of(state: State) -> str:
    """The user's own words."""
    return question_message(state.messages).text.strip()


def answer_id(question_id: str | None) -> str:
    """The id of the answer to a question: known before the answer is, so that it can be streamed."""
    return f"answer-{question_id}"


def is_answer(message: AnyMessage) -> bool:
    """Whether a message closes a turn."""
    return isinstance(message, AIMessage) and ANSWER in message.additional_kwargs


def call_record(calls: Sequence[PlannedCall]) -> dict[str, Any]:
    """The planner's calls as kept in `turn_messages`.

    Plain dictionaries rather than messages: message objects in a node's output would be streamed to the client.
    """
    return {
        "role": "assistant",
        "calls": [{"id": call.call_id, "name": call.name, "arguments": call.arguments} for call in calls],
    }


def answer_record(call_id: str, content: str) -> dict[str, Any]:
    """The answer to one call as kept in `turn_messages`."""
    return {"role": "tool", "id": call_id, "content": content}


def open_calls(records: Sequence[Mapping[str, Any]]) -> list[PlannedCall]:
    """The proposed calls that have no answer yet, in order."""
    answered = {record["id"] for record in records if record["role"] == "tool"}
    return [
        PlannedCall(call_id=call["id"], name=call["name"], arguments=call["arguments"])
        for record in records
        if record["role"] == "assistant"
        for call in record["calls"]
        if call["id"] not in answered
    ]


def turn_as_messages(records: Sequence[Mapping[str, Any]]) -> list[AnyMessage]:
    """`turn_messages` as a model reads them; a call without an answer is left out."""
    answers = {record["id"]: record["content"] for record in records if record["role"] == "tool"}
    messages: list[AnyMessage] = []
    for record in records:
        if record["role"] != "assistant":
            continue
        calls = [call for call in record["calls"] if call["id"] in answers]
        messages += call_messages(
            [(PlannedCall(call_id=c["id"], name=c["name"], arguments=c["arguments"]), answers[c["id"]]) for c in calls]
        )
    return messages


def call_messages(answered: Sequence[tuple[PlannedCall, str]]) -> list[AnyMessage]:
    """One assistant message with calls, followed by the answer to each."""
    if not answered:
        return []
    calls = [
        {
            "name": call.name,
            "args": call.arguments if isinstance(call.arguments, dict) else {"malformed": call.arguments},
            "id": call.call_id,
            "type": "tool_call",
        }
        for call, _ in answered
    ]
    return [
        AIMessage(content="", tool_calls=calls),
        *(ToolMessage(content=content, tool_call_id=call.call_id, name=call.name) for call, content in answered),
    ]


def as_record(message: AnyMessage) -> dict[str, Any]:
    """A tool message or tool-calling message as a dictionary that the `messages` channel accepts.

    See `call_record` for why these are not message objects.
    """
    if isinstance(message, ToolMessage):
        return {
            "role": "tool",
            "content": message.content,
            "tool_call_id": message.tool_call_id,
            "name": message.name,
            "id": message.id,
        }
    if isinstance(message, AIMessage):
        return {
            "role": "assistant",
            "content": message.content,
            "id": message.id,
            "tool_calls": [
                {
                    "type": "function",
                    "id": call["id"],
                    "function": {
                        "name": call["name"],
                        "arguments": json.dumps(call["args"], ensure_ascii=False),
                    },
                }
                for call in message.tool_calls
            ],
        }
    raise TypeError(f"{type(message).__name__} is no tool message")
