"""A turn that breaks off, anywhere and in any way: the question stays, marked, and nothing half is in the context."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from scripted import OpenAgent, ScriptedModel, search_call

from graph.agent import Agent
from graph.models.errors import ModelUnreachableError
from nodes.errors import EmptyQuestionError, QuestionTooLongError
from nodes.turn import FAILED, is_answer
from stores.errors import ForeignThreadError, StoreError

FIRST, SECOND = "第一个问题：开门时间是几点？", "你好"
PROBLEM = StoreError("The store is away. Try again.")


class Broken:
    """An object whose named methods raise once, and otherwise do what the real one does."""

    def __init__(self, inner: Any, *names: str) -> None:
        self._inner = inner
        self._names = set(names)

    def __getattr__(self, name: str) -> Any:
        if name not in self._names:
            return getattr(self._inner, name)
        self._names.discard(name)

        async def broken(*args: Any, **kwargs: Any) -> Any:
            raise PROBLEM

        return broken


BREAKS: dict[str, dict[str, tuple[str, ...]]] = {
    "recall_memory": {"recall": ("recall",)},
    "plan": {"memories": ("get_many",)},
    "retrieve": {"documents": ("search",)},
    "check_citations": {"documents": ("chunks",)},
}


def broken_agent(agent: Agent, parts: dict[str, tuple[str, ...]]) -> Agent:
    from dataclasses import replace

    from graph.build import build

    fields = {name: Broken(getattr(agent.services, name), *methods) for name, methods in parts.items()}
    services = replace(agent.services, **fields)
    return Agent(services, build(services).compile(checkpointer=services.checkpointer))


async def check_afterwards(agent: Agent) -> None:
    """The next turn works; the failed question is in the history, marked, and in no prompt."""
    reply = await agent.ask(SECOND)
    history = await agent.history()
    model = agent.services.model
    assert isinstance(model, ScriptedModel)

    assert reply.status == "chat"
    assert [m.text for m in history if isinstance(m, HumanMessage)] == [FIRST, SECOND]
    assert FAILED in history[0].additional_kwargs
    assert sum(is_answer(m) for m in history) == 1
    last_prompts = model.prompts("plan")[-1] + model.prompts("answer")[-1]
    assert FIRST not in [message.text for message in last_prompts]


@pytest.mark.parametrize("node", BREAKS)
async def test_a_store_that_fails_in_a_node_fails_the_turn_and_not_the_thread(
    open_scripted: OpenAgent, node: str, tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text("# 馆\n\n开门时间是八点。\n", encoding="utf-8")

    def plan(prompt: list) -> object:
        return search_call("开门") if prompt[-1].text == FIRST else "NO_SEARCH"

    async with open_scripted({"plan": [plan], "answer": ["好。"]}) as agent:
        await agent.ingest(tmp_path / "a.md")
        with pytest.raises(StoreError, match="away"):
            await broken_agent(agent, BREAKS[node]).ask(FIRST)
        await check_afterwards(agent)


@pytest.mark.parametrize("task", ["plan", "answer"])
async def test_a_model_that_fails_fails_the_turn_and_not_the_thread(open_scripted: OpenAgent, task: str) -> None:
    error = ModelUnreachableError("No connection to http://127.0.0.1:9.")
    async with open_scripted({task: [error, "NO_SEARCH" if task == "plan" else "好。"]}) as agent:
        with pytest.raises(ModelUnreachableError):
            await agent.ask(FIRST)
        await check_afterwards(agent)


@pytest.mark.parametrize("parts", [{"jobs": ("enqueue",)}])
async def test_what_fails_behind_the_answer_never_costs_the_answer(
    open_scripted: OpenAgent, parts: dict[str, tuple[str, ...]]
) -> None:
    async with open_scripted({"answer": ["你好！"]}) as agent:
        reply = await broken_agent(agent, parts).ask(SECOND)

    assert (reply.status, reply.answer) == ("chat", "你好！")
    assert "compress_history" in [step["node"] for step in reply.steps]


async def test_v01_a_failing_summariser_leaves_history_summary_and_answer_alone(open_scripted: OpenAgent) -> None:
    script = {"answer": ["好" * 300], "summarize": [ModelUnreachableError("gone")]}
    async with open_scripted(script, context_tokens=2_000) as agent:
        replies = [await agent.ask(f"你好，{number}" + "啊" * 200) for number in range(4)]
        state = await agent.graph.aget_state(agent.config(await agent.services.conversations.open("local", "default")))

    assert all(reply.status == "chat" for reply in replies)
    assert state.values.get("summary") is None
    assert len(state.values["messages"]) == 8


async def test_v05_the_summary_moves_on_and_the_context_stays_within_its_budget(open_scripted: OpenAgent) -> None:
    script = {
        "answer": ["答" * 150],
        "summarize": [lambda prompt: f"摘要，共 {prompt[-1].text.count('<turn-')} 条"],
    }
    async with open_scripted(script, context_tokens=3_000) as agent:
        positions = []
        for number in range(12):
            await agent.ask(f"你好，这是第 {number} 句。" + "呀" * 80)
            config = agent.config(await agent.services.conversations.open("local", "default"))
            summary = (await agent.graph.aget_state(config)).values.get("summary")
            positions.append(summary.covers if summary else None)
        history = await agent.history()

    assert len(history) == 24
    assert len(set(positions)) > 2
    ids = [message.id for message in history]
    known = [ids.index(position) for position in positions if position]
    assert known == sorted(known)


@pytest.mark.parametrize("task", ["plan", "answer"])
async def test_a_cancelled_turn_stops_the_model_call_and_counts_as_failed(open_scripted: OpenAgent, task: str) -> None:
    started, stopped = asyncio.Event(), asyncio.Event()

    async def hang(_: object) -> str:
        started.set()
        try:
            await asyncio.sleep(3600)
        finally:
            stopped.set()
        return ""

    def first(prompt: object) -> Any:
        return hang(prompt)

    second = "NO_SEARCH" if task == "plan" else "好。"
    async with open_scripted({task: [first, second]}) as agent:
        running = asyncio.create_task(agent.ask(FIRST))
        await asyncio.wait_for(started.wait(), 10)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await asyncio.wait_for(stopped.wait(), 10)
        await check_afterwards(agent)


async def test_a_stream_closed_by_its_reader_counts_as_failed(open_scripted: OpenAgent) -> None:
    async with open_scripted({"answer": ["好。"]}) as agent:
        stream = agent.stream(FIRST)
        async for _ in stream:
            break
        await stream.aclose()
        await check_afterwards(agent)


async def test_re_running_a_failed_run_completes_it(open_scripted: OpenAgent) -> None:
    async with open_scripted({"answer": [ModelUnreachableError("gone"), "你好！"]}) as agent:
        with pytest.raises(ModelUnreachableError):
            await agent.ask(SECOND)
        config = agent.config(await agent.services.conversations.open("local", "default"))
        await agent.graph.ainvoke(None, config)
        history = await agent.history()

    assert [m.text for m in history] == [SECOND, "你好！"]


@pytest.mark.parametrize(
    ("question", "error"),
    [("", EmptyQuestionError), ("  \n", EmptyQuestionError), ("长" * 100_000, QuestionTooLongError)],
)
async def test_a_question_that_cannot_be_asked_costs_no_model_call(
    open_scripted: OpenAgent, question: str, error: type[Exception]
) -> None:
    async with open_scripted() as agent:
        with pytest.raises(error) as caught:
            await agent.ask(question)
        assert isinstance(agent.services.model, ScriptedModel)
        assert agent.services.model.heard == []

    assert "\n" not in str(caught.value)


async def test_a_thread_answers_only_to_its_user(open_scripted: OpenAgent) -> None:
    async with open_scripted({"answer": ["好。"]}) as agent:
        await agent.ask(SECOND, user="alice", thread="t")
        theirs = await agent.services.conversations.find("alice", "t")
        with pytest.raises(ForeignThreadError):
            await agent.graph.ainvoke(
                {"messages": [HumanMessage(content="hi")]},
                agent.config(theirs),
                context={"user_id": "bob"},
            )
        assert sum(is_answer(message) for message in await agent.history(user="alice", thread="t")) == 1
        await agent.ask(SECOND, user="alice", thread="t")
        assert isinstance(agent.services.model, ScriptedModel)
        assert "hi" not in [message.text for message in agent.services.model.prompts("answer")[-1]]
