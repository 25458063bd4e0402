"""The offline planner: which searches and tools a message gets."""

from datetime import UTC, datetime
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from graph.models.arithmetic import expression_in
from graph.models.offline import OfflineChatModel
from nodes.fences import fence, fence_token
from nodes.prompts import NO_SEARCH, prompt

NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)


def tool(name: str, *properties: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {p: {"type": "string"} for p in properties}}
    return {"type": "function", "function": {"name": name, "description": name, "parameters": schema}}


SEARCH = tool("search_documents", "queries", "then")
CALCULATOR = tool("calculator", "expression")
DATE = tool("current_date", "timezone", "days_until", "offset_days")


def planned(question: str, *history: str, tools: tuple[dict[str, Any], ...] = (SEARCH, CALCULATOR, DATE)) -> AIMessage:
    told: list[BaseMessage] = [SystemMessage(prompt("plan"))]
    for said in history:
        told += [HumanMessage(said), AIMessage("……")]
    reply = OfflineChatModel(now=lambda: NOW).bind_tools(tools).invoke([*told, HumanMessage(question)])
    assert isinstance(reply, AIMessage)
    return reply


def queries(reply: AIMessage) -> list[str]:
    return [
        query for call in reply.tool_calls if call["name"] == "search_documents" for query in call["args"]["queries"]
    ]


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("计算 (37+5)*4", "(37+5)*4"),
        ("18 乘以 9 等于多少？", "18*9"),
        ("二十一除以三是多少", "21/3"),
        ("６４＋１６＝？", "64+16"),
        ("8×5÷4", "8*5/4"),
        ("What is 12% of 350?", "(12/100)*350"),
        ("350 的 12% 是多少", "(12/100)*350"),
        ("how much is 6 plus 7?", "6+7"),
        ("2,400 / 6", "2400 / 6"),
        ("square root of 81", "sqrt(81)"),
        ("3 的 4 次方是多少", "3**4"),
    ],
)
def test_arithmetic_is_written_as_an_expression(text: str, expression: str) -> None:
    assert expression_in(text) == expression


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-30",
        "5-7 天",
        "v2.4.1",
        "TCP/IP 是什么",
        "What is the 3-2-1 rule?",
        "24/7",
        "限额是 500 元吗",
        "C++ 有什么用",
        "",
    ],
)
def test_what_only_looks_like_arithmetic_is_none(text: str) -> None:
    assert expression_in(text) is None


@pytest.mark.parametrize("text", ["计算 (37+5)*4", "What is 12% of 350?", "18 乘以 9 等于多少？"])
def test_arithmetic_calls_the_calculator_and_searches_nothing(text: str) -> None:
    reply = planned(text)

    assert [call["name"] for call in reply.tool_calls] == ["calculator"]


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("今天星期几？", {}),
        ("What's the date today?", {}),
        ("距离 2026-12-25 还有多少天？", {"days_until": "2026-12-25"}),
        ("How many days until December 24?", {"days_until": "2026-12-24"}),
        ("How many days until March 1?", {"days_until": "2027-03-01"}),
        ("现在东京几点？", {"timezone": "Asia/Tokyo"}),
        ("100 天后是星期几", {"offset_days": 100}),
    ],
)
def test_questions_about_the_date_call_the_date_tool(text: str, arguments: dict[str, Any]) -> None:
    reply = planned(text)

    assert [(call["name"], call["args"]) for call in reply.tool_calls] == [("current_date", arguments)]


@pytest.mark.parametrize(
    "text",
    [
        "你好", "Hello!", "谢谢，讲得很清楚", "thanks a lot", "好的", "ok",
        "你是谁？", "what can you do?", "记住，我叫林然",
        "Remember that I live in Turin", "忘掉我的地址",
        "forget my address", "我叫什么名字？", "What do you know about me?",
        "我对花生过敏", "我校对了三遍", "I work at a bank.", "以后请用表格回答", "From now on answer briefly",
    ],
)  # fmt: skip
def test_small_talk_and_matters_of_memory_search_nothing(text: str) -> None:
    reply = planned(text)

    assert reply.tool_calls == []
    assert reply.text == NO_SEARCH


@pytest.mark.parametrize(
    "text",
    [
        "拦截器怎么配置？",
        "我想知道报销要几天",
        "How does my team claim travel costs?",
        "解释一下会话",
        "garbage collection",
        "我国2023年粮食总产量",
        "我校今年的招生计划",
        "我司的差旅标准",
    ],
)
def test_everything_else_is_searched_in_the_users_own_words(text: str) -> None:
    reply = planned(text)

    assert queries(reply)
    assert all(word in " ".join(queries(reply)) for word in text.split()[-1:]) or "我想知道" in text


def test_only_bound_tools_are_called() -> None:
    assert planned("计算 1+2", tools=(SEARCH,)).tool_calls == []
    assert planned("拦截器怎么配置？", tools=(CALCULATOR,)).text == NO_SEARCH


def test_both_kinds_in_one_message_are_called_together() -> None:
    reply = planned("计算 3*4，另外缓存怎么配置？")

    assert {call["name"] for call in reply.tool_calls} == {"calculator", "search_documents"}
    assert queries(reply) == ["缓存怎么配置？"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("缓存是什么？队列怎么用？", ["缓存是什么？", "队列怎么用？"]),
        ("What is a cache and how does a queue work?", ["What is a cache", "how does a queue work?"]),
        ("甲级和乙级员工的补贴分别是多少？", ["甲级员工的补贴是多少？", "乙级员工的补贴是多少？"]),
        ("缓存和队列有什么区别？", ["缓存和队列有什么区别？"]),
        (
            "What is the difference between a cache and a queue?",
            ["What is the difference between a cache and a queue?"],
        ),
    ],
)
def test_a_question_of_several_parts_is_searched_by_part(text: str, parts: list[str]) -> None:
    assert queries(planned(text)) == parts


def test_more_than_five_parts_are_cut_to_five() -> None:
    assert len(queries(planned("".join(f"第{n}章讲什么？" for n in "一二三四五六七")))) == 5


@pytest.mark.parametrize(
    ("before", "text", "named"),
    [
        ("什么是监听器（Listener）？", "那它和调度器有什么区别？", ["监听器", "Listener", "调度器"]),
        ("监听器什么时候执行？", "那调度器呢？", ["执行", "调度器"]),
        ("How does TokenStore.renew work?", "Why does it fail?", ["TokenStore.renew", "fail"]),
        ("What is the parking fee in Oslo?", "and in Bergen?", ["parking", "fee", "Bergen"]),
        ("server.idle-timeout 的默认值是多少？", "这个可以改吗？", ["server.idle-timeout"]),
    ],
)
def test_r09_a_follow_up_is_searched_with_what_it_points_to(before: str, text: str, named: list[str]) -> None:
    query = queries(planned(text, before))[0]

    assert all(word in query for word in named)


def test_r09_a_chain_of_follow_ups_keeps_its_subject() -> None:
    query = queries(planned("那它安全吗？", "什么是 RefreshToken？", "它怎么续期？"))[0]

    assert "RefreshToken" in query


def test_r09_small_talk_in_between_does_not_hide_the_subject() -> None:
    assert "RefreshToken" in queries(planned("它怎么续期？", "什么是 RefreshToken？", "谢谢"))[0]


def test_r10_a_rewritten_query_keeps_language_and_identifiers() -> None:
    query = queries(planned("它在哪里配置？", "什么是 idleTimeout？"))[0]

    assert "idleTimeout" in query
    assert "配置" in query
    assert "configure" not in query.lower()


def test_a_question_that_stands_alone_is_not_touched_by_the_history() -> None:
    assert queries(planned("缓存怎么配置？", "什么是 RefreshToken？")) == ["缓存怎么配置？"]


def running(question: str, call: str, arguments: dict[str, Any], result: str, *, missing: str = "") -> AIMessage:
    system = prompt("plan") + (fence("missing", missing, token=fence_token("t")) if missing else "")
    messages = [
        SystemMessage(system),
        HumanMessage(question),
        AIMessage("", tool_calls=[{"id": "c1", "name": call, "args": arguments}]),
        ToolMessage(result, tool_call_id="c1", name=call),
    ]
    reply = OfflineChatModel(now=lambda: NOW).bind_tools([SEARCH, CALCULATOR, DATE]).invoke(messages)
    assert isinstance(reply, AIMessage)
    return reply


def test_what_the_running_turn_has_answered_is_not_asked_again() -> None:
    done = running("计算 3*4", "calculator", {"expression": "3*4"}, "12")
    found = running("缓存怎么配置？", "search_documents", {"queries": ["缓存怎么配置？"]}, "2 passages, [1], [2]; x")

    assert (done.text, found.text) == (NO_SEARCH, NO_SEARCH)


def test_a_search_without_result_is_tried_once_more_with_other_words() -> None:
    asked = {"queries": ["缓存怎么配置？"], "then": "answer"}

    again = running("缓存怎么配置？", "search_documents", asked, "No passage in the documents fits these queries.")
    told = running("缓存怎么配置？", "search_documents", asked, "1 passages, [1]; x", missing="缓存怎么配置")

    assert queries(again) == queries(told) == ["缓存 配置"]


def test_call_ids_are_the_same_for_the_same_message_and_differ_between_messages() -> None:
    model = OfflineChatModel().bind_tools([CALCULATOR])
    system = SystemMessage(prompt("plan"))

    one = model.invoke([system, HumanMessage("计算 1+2", id="a")])
    same = model.invoke([system, HumanMessage("计算 1+2", id="a")])
    other = model.invoke([system, HumanMessage("计算 1+2", id="b")])

    assert one.tool_calls == same.tool_calls
    assert one.tool_calls[0]["id"] != other.tool_calls[0]["id"]
