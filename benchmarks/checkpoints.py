"""What 300 turns cost on disk and in time: the graph as built, beside plain messages with evidence text in the state.

    python benchmarks/checkpoints.py [TURNS]

Prints megabytes of SQLite and the overhead per turn around turn 20 and at the end, for both.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from graph.agent import open_agent
from graph.settings import Settings
from nodes.turn import ANSWER

SENTENCE = "第{n}号实验室位于{n}号楼，开放时间为每天{h}点到{k}点，负责人电话分机{p}。"
PASSAGES = 5
"""Passages of 400 to 500 characters a turn."""


def document(number: int) -> str:
    """A document of one chunk: 400 to 500 characters about one laboratory."""
    lines = [
        SENTENCE.format(n=number, h=6 + number % 4, k=18 + line % 4, p=1000 + number * 13 + line) for line in range(12)
    ]
    return f"# 实验室 {number}\n\n" + "".join(lines)


async def with_the_graph(folder: Path, turns: int) -> tuple[float, list[float]]:
    """Whole turns through the graph: offline model, real stores. Returns megabytes and seconds a turn."""
    docs = folder / "docs"
    docs.mkdir()
    for number in range(30):
        (docs / f"{number}.md").write_text(document(number), encoding="utf-8")
    settings = Settings(
        home=folder / "home", chat_model="offline", min_score=0.0, memory_extraction=False, _env_file=None
    )
    seconds: list[float] = []
    async with open_agent(settings=settings, work=False) as agent:
        await agent.ingest(docs)
        for turn in range(turns):
            start = time.perf_counter()
            reply = await agent.ask(f"{turn % 30}号实验室的开放时间是几点到几点？", thread="long")
            total = time.perf_counter() - start
            seconds.append(total - sum(step["ms"] for step in reply.steps) / 1000)
    return _megabytes(folder / "home" / "threads.db"), seconds


async def with_plain_messages(folder: Path, turns: int) -> tuple[float, list[float]]:
    """The same turns in the usual way: `add_messages`, evidence texts in the state, six nodes."""

    class Plain(TypedDict):
        messages: Annotated[list[AnyMessage], add_messages]
        evidence: list[str]

    texts = [document(number) for number in range(PASSAGES)]

    def retrieve(_: Plain) -> dict[str, Any]:
        return {"evidence": texts}

    def answer(_: Plain) -> dict[str, Any]:
        return {"messages": [AIMessage(content=texts[0][:120], additional_kwargs={ANSWER: {"citations": texts[:2]}})]}

    def nothing(_: Plain) -> dict[str, Any]:
        return {}

    graph = StateGraph(Plain)
    steps = [
        ("recall", nothing),
        ("plan", nothing),
        ("retrieve", retrieve),
        ("answer", answer),
        ("check", nothing),
        ("extract", nothing),
    ]
    for name, step in steps:
        graph.add_node(name, step)
    names = [START, *(name for name, _ in steps), END]
    for left, right in pairwise(names):
        graph.add_edge(left, right)
    path, seconds = folder / "plain.db", []
    async with AsyncSqliteSaver.from_conn_string(str(path)) as saver:
        compiled = graph.compile(checkpointer=saver)
        for turn in range(turns):
            start = time.perf_counter()
            question = HumanMessage(content=f"{turn % 30}号实验室的开放时间是几点到几点？")
            await compiled.ainvoke({"messages": [question]}, {"configurable": {"thread_id": "long"}})
            seconds.append(time.perf_counter() - start)
    return _megabytes(path), seconds


def _megabytes(path: Path) -> float:
    return sum(p.stat().st_size for p in path.parent.glob(path.name + "*")) / 1e6


def _row(name: str, megabytes: float, seconds: list[float]) -> str:
    early = statistics.median(seconds[10:30]) * 1000
    late = statistics.median(seconds[-20:]) * 1000
    return f"{name:34} {megabytes:8.1f} MB   {early:7.1f} ms   {late:7.1f} ms   {late / early:5.2f}"


async def main(turns: int) -> None:
    """Both, one after the other."""
    print(f"{turns} turns, {PASSAGES} passages of 400 to 500 characters each; overhead per turn")
    print(f"{'':34} {'on disk':>11}   {'turn 20':>10}   {'last 20':>10}   ratio")
    for name, run in (("Recite", with_the_graph), ("add_messages, evidence in state", with_plain_messages)):
        with tempfile.TemporaryDirectory() as folder:
            print(_row(name, *await run(Path(folder), turns)), flush=True)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 300))
