"""Conversations listed, shown, deleted."""

from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from graph.agent import Agent
from graph.commands import shared
from graph.commands.escaping import escape
from graph.console import print_json
from graph.reply import SOURCE_GONE
from nodes.turn import ANSWER, FAILED, is_answer
from stores.conversations import Conversation


def conversation_json(conversation: Conversation) -> dict[str, Any]:
    """One row of `recite threads list --json`."""
    return {
        "id": conversation.thread_id,
        "name": conversation.name,
        "title": conversation.title,
        "user": conversation.user_id,
        "created_at": conversation.created_at,
        "updated_at": conversation.updated_at,
    }


async def list_threads(*, user: str, as_json: bool) -> None:
    """`recite threads list`."""
    async with shared.records() as records:
        found = await records.conversations.list(user)
    if as_json:
        print_json([conversation_json(conversation) for conversation in found])
        return
    if not found:
        shared.out.print("No conversations yet.")
    for conversation in found:
        shared.out.print(
            f"{conversation.thread_id[:8]}  {conversation.updated_at[:16]}  "
            f"[bold]{escape(conversation.name)}[/bold]  {escape(conversation.title or '')}"
        )


async def show_thread(thread: str, *, user: str, as_json: bool) -> None:
    """`recite threads show`."""
    async with shared.agent() as agent:
        conversation = await agent.services.conversations.find(user, thread)
        messages = await agent.messages(conversation.thread_id)
        rows = [await message_json(agent, message, messages, user) for message in messages]
    if as_json:
        print_json({**conversation_json(conversation), "messages": rows})
        return
    for row in rows:
        print_message(row)


async def message_json(agent: Agent, message: AnyMessage, messages: list[AnyMessage], user: str) -> dict[str, Any]:
    """One message of a history: role, text, and for an answer its status and citations."""
    row: dict[str, Any] = {"role": message.type, "content": message.text, "id": message.id}
    if isinstance(message, HumanMessage):
        row["failed"] = FAILED in message.additional_kwargs or _unanswered(message, messages)
    elif is_answer(message):
        row["status"] = message.additional_kwargs[ANSWER]["status"]
        row["citations"] = [c.as_json() for c in await agent.citations(message, user=user)]
    elif isinstance(message, AIMessage):
        row["tool_calls"] = [{"name": call["name"], "arguments": call["args"]} for call in message.tool_calls]
    return row


def _unanswered(message: HumanMessage, messages: list[AnyMessage]) -> bool:
    """The newest question, if its turn broke off and none has followed that could mark it."""
    place = next(i for i, other in enumerate(messages) if other is message)
    return not any(is_answer(later) or isinstance(later, HumanMessage) for later in messages[place + 1 :])


def print_message(row: dict[str, Any]) -> None:
    """One message of a history on the terminal."""
    if row["role"] == "human":
        mark = " [red](failed)[/red]" if row["failed"] else ""
        shared.out.print(f"[bold]you[/bold]{mark}: {escape(row['content'])}")
    elif "status" in row:
        shared.out.print(f"[green]recite[/green]: {escape(row['content'])}")
        for citation in row["citations"]:
            gone = f" [yellow]({SOURCE_GONE})[/yellow]" if citation["quote"] == SOURCE_GONE else ""
            shared.out.print(f"  [cyan]\\[{citation['number']}][/cyan] {escape(citation['path'])}{gone}")
    elif row["role"] == "tool":
        shared.out.print(f"  [dim]tool: {escape(row['content'])}[/dim]")


async def delete_thread(thread: str, *, user: str, as_json: bool) -> None:
    """`recite threads delete`."""
    async with shared.agent() as agent:
        deleted = await agent.delete_thread(user=user, thread=thread)
    if as_json:
        print_json({"deleted": conversation_json(deleted)})
    else:
        shared.out.print(f"deleted {escape(deleted.name)}")
