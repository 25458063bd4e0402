"""What a chat model was sent, word for word: recorded where every model is called, not rebuilt from the state."""

from typing import Any
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from tools.redaction import redact, redacted

_ROLES = {"human": "user", "ai": "assistant"}


class MessageRecorder(AsyncCallbackHandler):
    """Keeps the messages of every call that a chat model of the run receives, secrets redacted.

    LangChain's models announce each call with the messages they are given; an endpoint that takes no tools is sent
    the same with the tool messages told in words.
    """

    run_inline = True

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        """In order: `node`, the names of the `tools` on offer, and `messages` with `role` and `text`."""

    async def on_chat_model_start(
        self,
        serialized: dict[str, Any],  # noqa: ARG002 - the port's signature
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,  # noqa: ARG002
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """One call begins."""
        offered = (kwargs.get("invocation_params") or {}).get("tools") or ()
        self.calls += [
            {
                "node": str((metadata or {}).get("langgraph_node", "")),
                "tools": [tool["function"]["name"] for tool in offered if "function" in tool],
                "messages": [_told(message) for message in sent],
            }
            for sent in messages
        ]


def _told(message: BaseMessage) -> dict[str, Any]:
    told: dict[str, Any] = {"role": _ROLES.get(message.type, message.type), "text": redact(message.text)}
    if isinstance(message, AIMessage) and message.tool_calls:
        told["tool_calls"] = [{"name": call["name"], "args": redacted(call["args"])} for call in message.tool_calls]
    if isinstance(message, ToolMessage):
        told["name"] = message.name or ""
    return told
