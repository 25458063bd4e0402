"""A conversation on the terminal: answers stream in, commands begin with a slash."""

import asyncio
import contextlib
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from graph.agent import Agent
from graph.commands import shared
from graph.commands.escaping import escape
from graph.commands.memory import print_memory
from graph.commands.printing import print_call, print_footer, print_sources, print_step
from graph.commands.threads import message_json, print_message
from graph.commands.typed import Typed
from graph.console import complain, explain
from graph.failures import EXPECTED
from graph.reply import Reply
from stores.errors import UnknownThreadError
from stores.names import thread_name

HELP = """/thread [NAME]   show or switch the conversation
/threads         your conversations
/history         this conversation in full
/clear           empty this conversation
/memories        what is remembered about you
/remember TEXT   remember something
/forget ID       erase a memory (the beginning of its id will do)
/tools           what the model may call
/trace           show every step and what the model is sent, on or off
/reset           start a new conversation
/help            this list
/quit            leave"""


@dataclass(slots=True)
class Session:
    """Who talks, where, and how much is shown."""

    agent: Agent
    user: str
    thread: str
    collection: str | None
    trace: bool = False


async def converse(*, user: str, thread: str, collection: str | None) -> None:
    """`recite chat`."""
    async with shared.agent(work=True) as agent:
        session = Session(agent=agent, user=user, thread=thread, collection=collection)
        shared.out.print(f"[dim]{escape(agent.services.model_name)} · thread {escape(thread)} · /help[/dim]")
        typed = Typed()
        while (line := await _read(typed)) is not None:
            text = line.strip()
            if text in {"/quit", "/exit"}:
                break
            if text:
                await _guarded(_command(session, text) if text.startswith("/") else _ask(session, text))


async def _read(typed: Typed) -> str | None:
    """The next line, `None` at the end of the input. One that is no UTF-8 costs a line of complaint."""
    while True:
        if sys.stdin.isatty():
            shared.out.print("[bold]you>[/bold] ", end="")
        try:
            return await typed.line()
        except UnicodeDecodeError:
            complain("That line is not valid UTF-8, so nothing was done with it. Set the terminal to UTF-8.")


async def _guarded(work: Coroutine[Any, Any, None]) -> None:
    """Run one turn: Ctrl-C stops it and not the conversation, an error costs one line."""
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    with contextlib.suppress(NotImplementedError):
        loop.add_signal_handler(signal.SIGINT, task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        current = asyncio.current_task()
        if not task.cancelled() or (current is not None and current.cancelling()):
            raise
        complain("Stopped. The question stays in the history, marked as failed.")
    except EXPECTED as error:
        complain(explain(error))
    finally:
        with contextlib.suppress(NotImplementedError):
            loop.remove_signal_handler(signal.SIGINT)


async def _ask(session: Session, question: str) -> None:
    streamed = ""
    stream = session.agent.stream(
        question, user=session.user, thread=session.thread, record=session.trace, collection=session.collection
    )
    async for item in stream:
        if isinstance(item, str):
            streamed += item
            shared.out.print(escape(item), end="")
        elif isinstance(item, Reply):
            shared.out.print(escape(item.answer[len(streamed) :]))
            print_sources(item)
            for number, call in enumerate(item.messages, start=1):
                print_call(number, call)
            print_footer(item)
        elif session.trace:
            print_step(dict(item))


async def _command(session: Session, text: str) -> None:
    name, _, argument = text.partition(" ")
    command = COMMANDS.get(name)
    if command is None:
        complain(f"There is no {name}. /help lists what there is.")
        return
    await command(session, argument.strip())


async def _thread(session: Session, name: str) -> None:
    if name:
        session.thread = thread_name(name)
    shared.out.print(f"thread {escape(session.thread)}")


async def _threads(session: Session, _: str) -> None:
    for conversation in await session.agent.services.conversations.list(session.user):
        mark = "*" if conversation.name == session.thread else " "
        shared.out.print(f"{mark} {escape(conversation.name)}  [dim]{escape(conversation.title or '')}[/dim]")


async def _history(session: Session, _: str) -> None:
    try:
        messages = await session.agent.history(user=session.user, thread=session.thread)
    except UnknownThreadError:
        messages = []
    if not messages:
        shared.out.print("Nothing was said here yet.")
    for message in messages:
        print_message(await message_json(session.agent, message, messages, session.user))


async def _clear(session: Session, _: str) -> None:
    await session.agent.clear(user=session.user, thread=session.thread)
    shared.out.print("cleared")


async def _memories(session: Session, _: str) -> None:
    memories = await session.agent.memories(user=session.user)
    if not memories:
        shared.out.print("Nothing is remembered.")
    for memory in memories:
        print_memory(memory)


async def _remember(session: Session, text: str) -> None:
    print_memory(await session.agent.services.memories.add(session.user, text, type="semantic"))


async def _forget(session: Session, memory_id: str) -> None:
    forgotten = await session.agent.services.memories.forget(session.user, memory_id)
    shared.out.print(f"forgotten: {escape(forgotten.content)}")


async def _tools(session: Session, _: str) -> None:
    for name in session.agent.services.registry.names():
        shared.out.print(name)


async def _trace(session: Session, _: str) -> None:
    session.trace = not session.trace
    shared.out.print(f"trace {'on' if session.trace else 'off'}")


async def _reset(session: Session, _: str) -> None:
    taken = {c.name for c in await session.agent.services.conversations.list(session.user)}
    number = 2
    while (name := f"{session.thread.rstrip('0123456789-')}-{number}") in taken:
        number += 1
    session.thread = name
    shared.out.print(f"thread {escape(name)}")


async def _help(_: Session, __: str) -> None:
    shared.out.print(HELP, markup=False)


COMMANDS: dict[str, Callable[[Session, str], Awaitable[None]]] = {
    "/thread": _thread,
    "/threads": _threads,
    "/history": _history,
    "/clear": _clear,
    "/memories": _memories,
    "/remember": _remember,
    "/forget": _forget,
    "/tools": _tools,
    "/trace": _trace,
    "/reset": _reset,
    "/help": _help,
}
