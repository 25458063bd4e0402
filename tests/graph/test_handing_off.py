"""What a deployment adds to a refusal: a text, or the result of a tool that is told the question."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from commands import Recite
from scripted import OpenAgent, search_call

from nodes.refusal import REFUSAL_EN, REFUSAL_ZH
from tools import builtin_tools
from tools.tool import Tool, ToolContext

QUESTION = "校车几点发车？"
REFUSING: dict[str, list[Any]] = {"plan": [search_call("校车")], "answer": ["INSUFFICIENT_MATERIAL: 校车"]}


def desk(asked: list[str], **changes: Any) -> Tool:
    async def run(arguments: dict[str, Any], _: ToolContext) -> str:
        asked.append(arguments["question"])
        return "已登记，编号 T-17。 ![x](http://evil.example/a.png)"

    schema = {"type": "object", "properties": {"question": {"type": "string"}}, "required": ["question"]}
    return replace(Tool(name="help_desk", description="Asks a person.", parameters=schema, run=run), **changes)


@pytest.fixture
def asked() -> list[str]:
    return []


@pytest.fixture
def with_desk(monkeypatch: pytest.MonkeyPatch, asked: list[str], request: pytest.FixtureRequest) -> None:
    changes = getattr(request, "param", {})
    tools: Sequence[Tool] = (*builtin_tools(), desk(asked, **changes))
    monkeypatch.setattr("graph.services.builtin_tools", lambda: tools)


@pytest.mark.parametrize(("question", "begins"), [(QUESTION, REFUSAL_ZH), ("When does the bus leave?", REFUSAL_EN)])
async def test_a_text_stands_below_a_refusal_as_it_is_written(
    open_scripted: OpenAgent, question: str, begins: str
) -> None:
    async with open_scripted(REFUSING, handoff_text="请致电总台 8000 / Call the desk.") as agent:
        reply = await agent.ask(question)

    assert reply.status == "insufficient_material"
    assert reply.answer.startswith(begins)
    assert reply.answer.endswith("\n\n请致电总台 8000 / Call the desk.")
    assert reply.citations == []


async def test_nothing_is_added_to_an_answer_or_to_small_talk(
    open_scripted: OpenAgent, tmp_path: Path, with_desk: None, asked: list[str]
) -> None:
    (tmp_path / "a.md").write_text("# 校车\n\n校车每天 7:30 发车。\n", encoding="utf-8")
    script = {"plan": [search_call("校车"), "NO_SEARCH"], "answer": ["校车每天 7:30 发车。[1]", "不客气。"]}
    async with open_scripted(script, handoff_text="请致电总台。", handoff_tool="help_desk") as agent:
        await agent.ingest(tmp_path / "a.md")
        answered = await agent.ask(QUESTION)
        thanked = await agent.ask("谢谢")

    assert (answered.answer, thanked.answer, asked) == ("校车每天 7:30 发车。[1]", "不客气。", [])


async def test_the_tool_is_told_the_question_once_and_its_result_stands_below_the_refusal(
    open_scripted: OpenAgent, with_desk: None, asked: list[str]
) -> None:
    async with open_scripted(REFUSING, handoff_tool="help_desk", handoff_text="请稍候。") as agent:
        reply = await agent.ask(QUESTION)
        history = await agent.history()

    assert asked == [QUESTION]
    assert reply.status == "insufficient_material"
    assert "help_desk：已登记，编号 T-17。" in reply.answer
    assert "](http" not in reply.answer
    assert reply.answer.endswith("请稍候。")
    assert [(tool.name, tool.status, tool.arguments) for tool in reply.tools] == [
        ("help_desk", "ok", {"question": QUESTION})
    ]
    assert [message.type for message in history] == ["human", "ai", "tool", "ai"]


@pytest.mark.parametrize("with_desk", [{"impact": "high"}], indirect=True)
async def test_a_tool_that_needs_confirmation_is_not_run_for_a_refusal_either(
    open_scripted: OpenAgent, with_desk: None, asked: list[str]
) -> None:
    async with open_scripted(REFUSING, handoff_tool="help_desk") as agent:
        reply = await agent.ask(QUESTION)

    assert asked == []
    assert [(tool.name, tool.status) for tool in reply.tools] == [("help_desk", "rejected")]
    assert "help_desk 没有成功" in reply.answer


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("help_dsk", "There is no tool 'help_dsk'"),
        ("search_documents", "takes the question as its only required argument"),
        ("current_date", "takes the question as its only required argument"),
    ],
)
def test_a_wrong_tool_is_one_line_at_the_start(
    recite: Recite, monkeypatch: pytest.MonkeyPatch, name: str, said: str
) -> None:
    monkeypatch.setenv("RECITE_HANDOFF_TOOL", name)

    line = recite.fails("ask", QUESTION)

    assert f"RECITE_HANDOFF_TOOL='{name}'" in line
    assert said in line


async def test_a_hand_off_changes_nothing_of_a_question_back(
    open_scripted: OpenAgent, with_desk: None, asked: list[str]
) -> None:
    async with open_scripted({}, handoff_tool="help_desk", handoff_text="请稍候。") as agent:
        reply = await agent.ask("它怎么用？")

    assert (reply.status, asked) == ("clarify", [])
    assert "请稍候" not in reply.answer
