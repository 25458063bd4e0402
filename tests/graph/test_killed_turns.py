"""SIGKILL inside every node of a turn: what the thread holds afterwards, what the next turn and a re-run make of it."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from killing import FIRST
from langchain_core.messages import HumanMessage
from scripted import OpenAgent, ScriptedModel

from graph.agent import Agent
from graph.commands.threads import message_json
from nodes.turn import is_answer

BEFORE_THE_ANSWER = ["recall_memory", "plan", "tool_call", "retrieve", "answer", "check_citations"]
BEHIND_THE_ANSWER = ["extract_memory", "compress_history"]
MOMENTS = ["begin", "end"]
SECOND, ANSWER = "你好", "123+456 等于 579。"

Kill = Callable[[Path, str, str], None]


@pytest.fixture(scope="module")
def kill() -> Iterator[Kill]:
    """Asks FIRST in a data directory, in a process that is killed in the named node."""
    script = Path(__file__).parents[1] / "killing.py"
    with subprocess.Popen(
        [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None

        def order(home: Path, node: str, moment: str) -> None:
            process.stdin.write(json.dumps({"home": str(home), "node": node, "moment": moment}) + "\n")
            process.stdin.flush()
            assert int(process.stdout.readline()) == -signal.SIGKILL

        yield order


async def shown(agent: Agent) -> list[tuple[str, bool | str]]:
    """The history as `recite threads show` tells it: questions with whether they failed, answers with their text."""
    messages = await agent.history()
    rows = [await message_json(agent, message, messages, "local") for message in messages]
    return [
        ("question", row["failed"]) if row["role"] == "human" else ("answer", row["content"])
        for row in rows
        if row["role"] == "human" or "status" in row
    ]


async def jobs_of(agent: Agent) -> list[str]:
    """The questions whose memory job is in the outbox."""
    texts = {message.id: message.text for message in await agent.history()}
    return [texts[job.payload["message_id"]] for job in await agent.services.jobs.list()]


def read_by_the_model(agent: Agent) -> list[str]:
    model = agent.services.model
    assert isinstance(model, ScriptedModel)
    return [message.text for message in model.prompts("plan")[-1] + model.prompts("answer")[-1]]


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("node", BEFORE_THE_ANSWER)
async def test_killed_before_the_answer_the_turn_is_failed_and_nothing_half_is_read_again(
    open_scripted: OpenAgent, home: Path, kill: Kill, node: str, moment: str
) -> None:
    kill(home, node, moment)

    async with open_scripted({"answer": ["好。"]}) as agent:
        assert await shown(agent) == [("question", True)]
        reply = await agent.ask(SECOND)

        assert reply.status == "chat"
        assert await shown(agent) == [("question", True), ("question", False), ("answer", "好。")]
        assert [m.text for m in await agent.history() if isinstance(m, HumanMessage)] == [FIRST, SECOND]
        assert not any(FIRST in text or ANSWER in text or "= 579" in text for text in read_by_the_model(agent))
        assert await jobs_of(agent) == [SECOND]


@pytest.mark.parametrize("node", ["recall_memory", "tool_call", "check_citations"])
async def test_killed_before_the_answer_a_re_run_completes_the_turn_once(
    open_scripted: OpenAgent, home: Path, kill: Kill, node: str
) -> None:
    kill(home, node, "end")

    async with open_scripted({"plan": ["NO_SEARCH"], "answer": [ANSWER]}) as agent:
        await agent.graph.ainvoke(None, agent.config(await agent.services.conversations.open("local", "default")))

        assert [kind for kind, _ in await shown(agent)] == ["question", "answer"]
        assert await jobs_of(agent) == [FIRST]


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("node", BEHIND_THE_ANSWER)
async def test_killed_behind_the_answer_the_answer_stands_and_the_next_turn_reads_it(
    open_scripted: OpenAgent, home: Path, kill: Kill, node: str, moment: str
) -> None:
    kill(home, node, moment)

    async with open_scripted({"answer": ["好。"]}) as agent:
        assert await shown(agent) == [("question", False), ("answer", ANSWER)]
        await agent.ask(SECOND)

        assert await shown(agent) == [("question", False), ("answer", ANSWER), ("question", False), ("answer", "好。")]
        assert ANSWER in read_by_the_model(agent)


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("node", BEHIND_THE_ANSWER)
async def test_killed_behind_the_answer_a_re_run_leaves_one_answer_and_one_memory_job(
    open_scripted: OpenAgent, home: Path, kill: Kill, node: str, moment: str
) -> None:
    kill(home, node, moment)

    async with open_scripted() as agent:
        await agent.graph.ainvoke(None, agent.config(await agent.services.conversations.open("local", "default")))

        assert sum(is_answer(message) for message in await agent.history()) == 1
        assert await jobs_of(agent) == [FIRST]
        model = agent.services.model
        assert isinstance(model, ScriptedModel)
        assert model.heard == []
