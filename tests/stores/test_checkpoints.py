"""The checkpointer keeps our own types, refuses damaged files, and erases what is deleted."""

import logging
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from stores.checkpoints import ErasingSqliteSaver, open_checkpointer
from stores.errors import IndexDamagedError


@dataclass(frozen=True)
class Found:
    number: int
    place: str


class State(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    found: list[Found]


ALLOWED = [(Found.__module__, "Found")]


async def answer(state: State) -> dict[str, Any]:
    return {"messages": [AIMessage("marmalade is answered")], "found": [Found(1, "marmalade jar")]}


def graph(saver: AsyncSqliteSaver, node: Any = answer) -> Any:
    builder = StateGraph(State)
    builder.add_node("answer", node)
    builder.add_edge(START, "answer")
    builder.add_edge("answer", END)
    return builder.compile(checkpointer=saver)


def thread(name: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": name}}


def question() -> dict[str, Any]:
    return {"messages": [HumanMessage("where is the marmalade")], "found": []}


def every_byte(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in path.parent.glob(path.name + "*"))


async def blobs_of(saver: ErasingSqliteSaver, thread_id: str) -> list[bytes]:
    """What is stored of a thread, as it is stored: deflated where that pays."""
    query = (
        "SELECT checkpoint FROM checkpoints WHERE thread_id = ?1 UNION SELECT value FROM writes WHERE thread_id = ?1"
    )
    async with saver.conn.execute(query, (thread_id,)) as cursor:
        blobs = [row[0] for row in await cursor.fetchall()]
    telling = [blob for blob in blobs if len(blob) > 60]
    assert telling
    return telling


async def test_own_types_come_back_after_a_restart_and_nothing_is_blocked(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "deep" / "threads.db"
    async with open_checkpointer(path, allowed=ALLOWED) as saver:
        await graph(saver).ainvoke(question(), thread("t1"))
    with caplog.at_level(logging.WARNING):
        async with open_checkpointer(path, allowed=ALLOWED) as saver:
            values = (await graph(saver).aget_state(thread("t1"))).values
    assert values["found"] == [Found(1, "marmalade jar")]
    assert len(values["messages"]) == 2
    assert "deserializ" not in caplog.text.lower()


async def test_a_type_that_is_not_allowed_is_not_built(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "threads.db"
    async with open_checkpointer(path, allowed=ALLOWED) as saver:
        await graph(saver).ainvoke(question(), thread("t1"))
    async with open_checkpointer(path) as saver:
        loaded = await saver.aget_tuple(thread("t1"))
    assert loaded is not None
    assert not any(isinstance(one, Found) for one in loaded.checkpoint["channel_values"].get("found", []))


async def test_m72_a_deleted_thread_is_in_no_byte_and_the_other_stays(tmp_path: Path) -> None:
    path = tmp_path / "threads.db"
    async with open_checkpointer(path, allowed=ALLOWED) as saver:
        await graph(saver).ainvoke(question(), thread("gone"))
        await graph(saver).ainvoke({"messages": [HumanMessage("keep the honey")], "found": []}, thread("kept"))
        kept = await blobs_of(saver, "kept")
        gone = [blob for blob in await blobs_of(saver, "gone") if blob not in kept]
        assert any(blob in every_byte(path) for blob in gone)
        await saver.adelete_thread("gone")
        assert not any(blob in every_byte(path) for blob in gone)
        assert any(blob in every_byte(path) for blob in kept)
        assert (await graph(saver).aget_state(thread("gone"))).values == {}
        assert len((await graph(saver).aget_state(thread("kept"))).values["messages"]) == 2


async def test_m73_a_run_that_ends_after_its_thread_was_deleted_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "threads.db"
    async with open_checkpointer(path, allowed=ALLOWED) as saver:

        async def deleted_meanwhile(state: State) -> dict[str, Any]:
            await saver.adelete_thread("gone")
            return await answer(state)

        result = await graph(saver, deleted_meanwhile).ainvoke(question(), thread("gone"))
        assert result["messages"][-1].content == "marmalade is answered"
        assert (await graph(saver).aget_state(thread("gone"))).values == {}
    with closing(sqlite3.connect(path)) as connection:
        rows = "SELECT (SELECT count(*) FROM checkpoints) + (SELECT count(*) FROM writes)"
        assert connection.execute(rows).fetchone() == (0,)


@pytest.mark.parametrize("content", [b"this is no database, " * 100, b"SQLite format 3\x00" + b"\xff" * 4096])
async def test_a_damaged_file_is_named_with_what_to_do(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "threads.db"
    path.write_bytes(content)
    with pytest.raises(IndexDamagedError, match=r"threads\.db"):
        async with open_checkpointer(path):
            pass
