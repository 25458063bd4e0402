"""Threads written by earlier releases still open: `DeltaChannel` is beta, and its reducer a private name."""

import shutil
from pathlib import Path

import pytest
from scripted import OpenAgent

from nodes.turn import ANSWER

FILES = Path(__file__).parent / "files"


@pytest.mark.parametrize("release", ["0.1.0"])
async def test_a_thread_of_an_earlier_release_reads_and_goes_on(
    open_scripted: OpenAgent, home: Path, release: str
) -> None:
    home.mkdir()
    shutil.copy(FILES / f"threads-{release}.db", home / "threads.db")
    thread = (FILES / f"threads-{release}.id").read_text().strip()

    async with open_scripted({"answer": ["不客气。"]}) as agent:
        before = await agent.messages(thread)
        reply = await agent.ask("谢谢", thread=thread)
        after = await agent.messages(thread)

    assert [message.type for message in before] == ["human", "ai", "human", "ai", "tool", "ai"]
    assert before[1].text == "本科生每次最多借 12 册，借期为 30 天。[1]"
    assert before[1].additional_kwargs[ANSWER]["citations"][0]["number"] == 1
    assert reply.answer == "不客气。"
    assert after[: len(before)] == before
    assert len(after) == len(before) + 2
