"""A process that is killed in the middle of a turn; run by test_killed_turns.py, once for all its tests.

Each line on stdin, {"home", "node", "moment"}, forks a child that asks a question in that data directory and gets
SIGKILL at the beginning or the end of that node; the line that answers says how the child ended. Forking spares each
test the seconds that importing takes: nothing here has begun a thread or an event loop.
"""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from scripted import ScriptedModel, tool_calls  # noqa: E402

import graph.build  # noqa: E402
from graph.agent import open_agent  # noqa: E402
from graph.settings import Settings  # noqa: E402

FIRST = "第一个问题：123+456 等于多少，开门时间是几点？"
BOTH = tool_calls(
    ("calculator", {"expression": "123+456"}, "c1"), ("search_documents", {"queries": ["开门"], "then": "answer"}, "s1")
)
SCRIPT = {"plan": [BOTH, "NO_SEARCH"], "answer": ["123+456 等于 579。"]}


def killing(node: Any, moment: str) -> Any:
    """The node, whose process ends before it has begun or when it has done everything but return."""

    async def killed(*args: Any) -> Any:
        if moment == "end":
            await node(*args)
        os.kill(os.getpid(), signal.SIGKILL)

    return killed


async def ask(home: str, node: str, moment: str) -> None:
    """The turn that is not to end."""
    observed = graph.build.observed

    def with_death(name: str, step: Any, **kwargs: Any) -> Any:
        return observed(name, killing(step, moment) if name == node else step, **kwargs)

    graph.build.observed = with_death
    settings = Settings(home=home, _env_file=None)
    async with open_agent(settings=settings, model=ScriptedModel(script=SCRIPT), work=False) as agent:
        await agent.ask(FIRST)


def main() -> None:
    """Serve until stdin ends."""
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            asyncio.run(ask(**order))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
