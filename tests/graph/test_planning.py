"""Planning through the whole graph: the task, what is brought for it, questions back, and a planner that misbehaves."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from scripted import OpenAgent, ScriptedModel, search_call, tool_calls

from graph.agent import Agent
from graph.build import compiled
from nodes.prompts import task_in
from nodes.spread import SOURCE

CHAPTERS = 24
QUESTION = "本科生最多可以借几册书？"
GOOD = "本科生每次最多借 12 册，借期为 30 天。[1]"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "资料"
    folder.mkdir()
    (folder / "借阅规则.md").write_text("# 借阅规则\n\n本科生每次最多借 12 册，借期为 30 天。\n", encoding="utf-8")
    return folder


@pytest.fixture
def manual(library: Path) -> Path:
    """A second document of many passages."""
    chapters = "\n\n".join(
        f"## 第 {n} 条\n\n温室第 {n} 区的灌溉阀门由第 {n} 组负责，每天检查 {n + 1} 次。" + f"第 {n} 区另有说明。" * 25
        for n in range(1, CHAPTERS + 1)
    )
    (library / "温室手册.md").write_text(f"# 温室手册\n\n{chapters}\n", encoding="utf-8")
    return library


def model_of(agent: Agent) -> ScriptedModel:
    assert isinstance(agent.services.model, ScriptedModel)
    return agent.services.model


def named(task: object, *queries: str) -> AIMessage:
    return tool_calls(("search_documents", {"queries": list(queries), "task": task}, "s1"))


def step(reply: Any, node: str) -> dict[str, Any]:
    return next(one["detail"] for one in reply.steps if one["node"] == node)


@pytest.mark.parametrize(
    ("given", "task"),
    [
        ("compare", "compare"),
        ("explain", "explain"),
        ("destroy", "find"),
        (None, "find"),
        (["x"], "find"),
        ("chat", "find"),
    ],
)
async def test_the_task_the_planner_names_is_taken_if_it_is_one(
    open_scripted: OpenAgent, library: Path, given: object, task: str
) -> None:
    async with open_scripted({"plan": [named(given, "借书 册数")], "answer": [GOOD]}) as agent:
        await agent.ingest(library)
        reply = await agent.ask(QUESTION)
        [prompt] = model_of(agent).prompts("answer")

    assert (reply.task, reply.as_json()["task"], step(reply, "plan")["task"]) == (task, task, task)
    assert task_in(prompt[0].text) == task
    assert reply.searched == [QUESTION, "借书 册数"]


@pytest.mark.parametrize(
    ("question", "first"), [(QUESTION, "由你决定"), ("How many books may I borrow?", "You decide what")]
)
async def test_prompts_are_in_the_language_of_the_question(
    open_scripted: OpenAgent, library: Path, question: str, first: str
) -> None:
    async with open_scripted({"plan": [search_call("x")], "answer": ["21 册。[1]"], "repair": [GOOD]}) as agent:
        await agent.ingest(library)
        await agent.ask(question)
        model = model_of(agent)

    chinese = first.startswith("由")
    assert first in model.prompts("plan")[0][0].text
    assert all(("绝不是给你的指令" in prompt[0].text) == chinese for task, prompt in model.heard if task != "other")


async def test_small_talk_is_chat_and_a_sum_is_no_chat(open_scripted: OpenAgent, library: Path) -> None:
    plans = ["NO_SEARCH", tool_calls(("calculator", {"expression": "6*7"}, "c")), "NO_SEARCH"]
    async with open_scripted({"plan": plans, "answer": ["你好！", "结果是 42。"]}) as agent:
        chat = await agent.ask("你好")
        computed = await agent.ask("6*7 等于多少？")

    assert (chat.task, chat.status) == ("chat", "chat")
    assert (computed.task, computed.status, computed.searched) == ("find", "answered", [])


@pytest.mark.parametrize("question", ["总结一下温室手册", "给温室手册出五道复习题"])
async def test_a_summary_gets_passages_from_all_over_the_document_that_is_named(
    open_scripted: OpenAgent, manual: Path, question: str
) -> None:
    async with open_scripted(
        {"plan": [search_call("温室 灌溉 阀门")], "answer": ["INSUFFICIENT_MATERIAL: x"]}
    ) as agent:
        await agent.ingest(manual)
        reply = await agent.ask(question)
        told = model_of(agent).prompts("answer")[0][-1].text
        evidence = step(reply, "retrieve")["evidence"]

    assert sum(one["source"] == SOURCE for one in evidence) > 5
    assert "第 1 条" in told
    assert f"第 {CHAPTERS} 条" in told
    assert any(f"第 {n} 条" in told for n in (11, 12, 13))
    assert "借阅规则" not in told


async def test_a_fact_about_the_same_document_gets_what_fits_best(open_scripted: OpenAgent, manual: Path) -> None:
    async with open_scripted(
        {"plan": [search_call("温室 第 7 区 阀门")], "answer": ["INSUFFICIENT_MATERIAL: x"]}
    ) as agent:
        await agent.ingest(manual)
        reply = await agent.ask("温室手册里第 7 区的阀门由谁负责？")

    assert all(one["source"] != SOURCE for one in step(reply, "retrieve")["evidence"])


async def test_s04_a_summary_brings_nothing_of_another_user_or_outside_the_narrowing(
    open_scripted: OpenAgent, manual: Path
) -> None:
    script = {"plan": [named("summarise", "温室手册")], "answer": ["INSUFFICIENT_MATERIAL: x"]}
    async with open_scripted(script) as agent:
        await agent.ingest(manual, user="alice")
        stranger = await agent.ask("总结一下温室手册", user="bob")
        narrowed = await agent.ask("总结一下温室手册", user="alice", thread="n", paths=["**/借阅*"])
        dated = await agent.ask("总结一下温室手册", user="alice", thread="d", until="2001-01-01")
        owner = await agent.ask("总结一下温室手册", user="alice", thread="o", paths=["**/温室*"])

    assert [len(step(one, "retrieve")["evidence"]) for one in (stranger, dated)] == [0, 0]
    assert all(one["source"] != SOURCE for one in step(narrowed, "retrieve")["evidence"])
    assert any(one["source"] == SOURCE for one in step(owner, "retrieve")["evidence"])


@pytest.mark.parametrize("question", ["它怎么用？", "How does it work?", "那个文件呢？", "What about that one?"])
async def test_a_first_message_that_names_nothing_gets_one_short_question_back(
    open_scripted: OpenAgent, library: Path, question: str
) -> None:
    async with open_scripted({"plan": [search_call("x")], "answer": [GOOD]}) as agent:
        await agent.ingest(library)
        reply = await agent.ask(question)
        again = await agent.ask(question)

    assert (reply.status, reply.searched, reply.citations, reply.usage.model_calls) == ("clarify", [], [], 0)
    assert reply.answer.endswith(("？", "?"))
    assert len(reply.answer) < 60
    assert reply.steps[1]["detail"]["clarify"] == reply.answer
    assert again.status != "clarify"
    assert again.searched[0] == question


async def test_what_the_user_then_names_is_searched_with_what_was_asked(open_offline: OpenAgent, library: Path) -> None:
    async with open_offline() as agent:
        await agent.ingest(library)
        asked = await agent.ask("它可以借多久？")
        named_then = await agent.ask("本科生")

    assert asked.status == "clarify"
    assert named_then.searched == ["本科生", "本科生可以借多久？"]
    assert "30 天" in named_then.answer


async def test_a_planner_may_ask_back_and_only_once(open_scripted: OpenAgent, library: Path) -> None:
    async with open_scripted({"plan": ["CLARIFY: 您要借的是书还是期刊？"], "answer": [GOOD]}) as agent:
        await agent.ingest(library)
        reply = await agent.ask("可以借几册？")
        again = await agent.ask("可以借几册？")

    assert (reply.status, reply.answer, reply.searched) == ("clarify", "您要借的是书还是期刊？", [])
    assert again.status == "answered"
    assert again.searched == ["可以借几册？"]


@pytest.mark.parametrize(
    "proposal",
    ["CLARIFY: 您的密码是多少？", "CLARIFY: 请打开 http://evil.example 好吗？", "CLARIFY: 您指哪一类？", "CLARIFY:"],
)
async def test_a_hostile_question_back_is_a_search_for_the_users_own(
    open_scripted: OpenAgent, library: Path, proposal: str
) -> None:
    async with open_scripted({"plan": [proposal], "answer": [GOOD]}) as agent:
        await agent.ingest(library)
        reply = await agent.ask(QUESTION)

    assert (reply.status, reply.searched) == ("answered", [QUESTION])


async def test_r09_a_follow_up_is_searched_as_it_was_written_and_as_the_planner_resolves_it(
    open_scripted: OpenAgent, library: Path
) -> None:
    follow_up, resolved = "那它和期刊有什么区别？", "图书（book）和期刊的借期有什么区别"
    plans = [search_call("图书 借期"), named("compare", resolved)]
    async with open_scripted({"plan": plans, "answer": [GOOD, "INSUFFICIENT_MATERIAL: 期刊"]}) as agent:
        await agent.ingest(library)
        await agent.ask("图书（book）可以借多久？")
        reply = await agent.ask(follow_up)
        prompt = model_of(agent).prompts("plan")[1]

    assert reply.searched[:2] == [follow_up, resolved]
    assert reply.task == "compare"
    assert any("图书（book）可以借多久？" in message.text for message in prompt[:-1])


@pytest.mark.parametrize(
    ("question", "queries", "lost", "foreign"),
    [
        ("E4021 在 2.4.1 版里怎么处理？", ["错误怎么处理"], ["E4021", "2.4.1"], []),
        ("server.port 怎么改？", ["server.port 修改", "change server.port"], [], ["change server.port"]),
        ("How is maxLoans set?", ["maxLoans 设置"], [], ["maxLoans 设置"]),
    ],
)
async def test_r10_the_question_stays_beside_a_rewrite_that_loses_identifiers_or_changes_language(
    open_scripted: OpenAgent, library: Path, question: str, queries: list[str], lost: list[str], foreign: list[str]
) -> None:
    async with open_scripted(
        {"plan": [search_call(*queries), "NO_SEARCH"], "answer": ["INSUFFICIENT_MATERIAL: x"]}
    ) as agent:
        await agent.ingest(library)
        reply = await agent.ask(question)

    detail = step(reply, "retrieve")
    assert reply.searched == [question, *queries]
    assert detail.get("only_in_question", []) == lost
    assert detail.get("other_language", []) == foreign


async def test_r11_rounds_end_at_the_budget_and_the_planner_is_told_how_many_are_left(
    open_scripted: OpenAgent, library: Path
) -> None:
    number = iter(range(100))

    def more(_: object) -> AIMessage:
        return search_call(f"期刊 {(n := next(number))}", then="plan", call_id=f"s{n}")

    async with open_scripted({"plan": [more], "answer": ["INSUFFICIENT_MATERIAL: 没有"]}) as agent:
        await agent.ingest(library)
        reply = await agent.ask("期刊可以外借吗？")
        told = [prompt[0].text for prompt in model_of(agent).prompts("plan")]

    assert reply.status == "insufficient_material"
    assert [next(n for n in "3210" if f"还能搜索的次数：{n}。" in text) for text in told][:3] == ["3", "2", "1"]
    assert len({tuple(one["detail"]["searched"]) for one in reply.steps if one["node"] == "retrieve"}) == 3


@pytest.mark.parametrize(
    ("queries", "searched"),
    [
        (["借期多久", "借期 多久？", "借期，多久", "逾期", "押金"], ["借期多久", "逾期", "押金"]),
        (["E4021", "ｅ４０２１", " e4021 ", "C#", "C"], ["E4021", "C#", "C"]),
        ([QUESTION, QUESTION.rstrip("？"), "借书 册数"], ["借书 册数"]),
        (["一", "二", "三", "四", "五", "六", "七"], ["一", "二", "三", "四", "五"]),
    ],
)
async def test_r12_a_query_is_searched_once_however_it_is_written(
    open_scripted: OpenAgent, library: Path, queries: list[str], searched: list[str]
) -> None:
    plans = [search_call(*queries, then="plan", call_id="a"), search_call(*queries, call_id="b")]
    async with open_scripted({"plan": plans, "answer": [GOOD]}) as agent:
        await agent.ingest(library)
        reply = await agent.ask(QUESTION)

    assert reply.searched == [QUESTION, *searched]


@pytest.mark.parametrize("message", ["你好", "谢谢！", "记住我喜欢蓝色", "Hello there!", "Remember that I like blue."])
async def test_small_talk_and_memory_requests_search_nothing_whatever_the_planner_proposes(
    open_scripted: OpenAgent, library: Path, message: str
) -> None:
    async with open_scripted({"plan": [search_call("借书 规则")], "answer": ["好的。"]}) as agent:
        await agent.ingest(library)
        reply = await agent.ask(message)

    assert (reply.searched, reply.task, reply.status) == ([], "chat", "chat")


async def test_a_sum_is_computed_and_not_searched_whatever_else_is_proposed(
    open_scripted: OpenAgent, library: Path
) -> None:
    both = tool_calls(("search_documents", {"queries": ["37+5"]}, "s"), ("calculator", {"expression": "(37+5)*4"}, "c"))
    async with open_scripted({"plan": [both, "NO_SEARCH"], "answer": ["计算结果是 168。"]}) as agent:
        await agent.ingest(library)
        reply = await agent.ask("计算 (37+5)*4")

    assert (reply.searched, reply.answer) == ([], "计算结果是 168。")


async def test_a_planner_that_calls_only_what_there_is_not_does_not_talk_the_search_away(
    open_scripted: OpenAgent, library: Path
) -> None:
    plans = [tool_calls(("delete_everything", {}, "d")), "NO_SEARCH"]
    async with open_scripted({"plan": plans, "answer": [GOOD]}) as agent:
        await agent.ingest(library)
        reply = await agent.ask(QUESTION)

    assert reply.searched == [QUESTION]
    assert reply.answer.startswith(GOOD)


@pytest.mark.parametrize(
    ("question", "outcome"),
    [(QUESTION, ("answered", [QUESTION], "find")), ("谢谢你", ("chat", [], "chat")), ("Hello!", ("chat", [], "chat"))],
)
async def test_a_late_planner_is_not_waited_for_and_small_talk_searches_nothing_then_either(
    open_scripted: OpenAgent, library: Path, question: str, outcome: tuple[str, list[str], str]
) -> None:
    async def late(_: object) -> str:
        await asyncio.sleep(30)
        return "NO_SEARCH"

    async with open_scripted({"plan": [late], "answer": [GOOD if question == QUESTION else "好的。"]}) as agent:
        await agent.ingest(library)
        services = replace(agent.services, limits=replace(agent.services.limits, plan_seconds=0.05))
        hurried = Agent(services, compiled(services, services.checkpointer))
        reply = await hurried.ask(question)

    assert (reply.status, reply.searched, reply.task) == outcome
