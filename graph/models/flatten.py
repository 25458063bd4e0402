"""Tell a conversation with tool calls in plain messages, for endpoints that know no tools."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage


def without_tool_messages(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """The same conversation without calls; a result becomes a user message."""
    told: list[BaseMessage] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            told.append(HumanMessage(f"[result of {message.name or 'a tool'}] {message.text}"))
        elif isinstance(message, AIMessage) and (message.tool_calls or message.invalid_tool_calls):
            if message.text:
                told.append(AIMessage(message.text))
        else:
            told.append(message)
    return told
