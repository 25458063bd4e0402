"""One question, one answer."""

from graph.commands import shared
from graph.commands.escaping import escape
from graph.commands.narrowed import tell_if_nothing_is_left
from graph.commands.printing import print_call, print_footer, print_sources, print_step
from graph.console import print_json
from graph.reply import Reply
from stores.documents.narrowing import Narrowing

MEMORY_SECONDS = 5.0
"""How long the command works on memory jobs once the answer is printed."""


async def ask_once(question: str, *, user: str, thread: str, narrowing: Narrowing, trace: bool, as_json: bool) -> None:
    """`recite ask`: the answer is printed before any memory is extracted."""
    async with shared.agent() as agent:
        await tell_if_nothing_is_left(agent, narrowing, user=user)
        async for item in agent.stream(question, user=user, thread=thread, record=trace, **narrowing.as_json()):
            if isinstance(item, Reply):
                _finish(item, trace=trace, as_json=as_json)
        await agent.finish_jobs(MEMORY_SECONDS)


def _finish(reply: Reply, *, trace: bool, as_json: bool) -> None:
    if as_json:
        print_json(reply.as_json())
        return
    shared.out.print(escape(reply.answer))
    print_sources(reply)
    if trace:
        for step in reply.steps:
            print_step(step)
        for number, call in enumerate(reply.messages, start=1):
            print_call(number, call)
    print_footer(reply)
