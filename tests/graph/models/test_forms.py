"""The offline model's forms through the whole graph: summary, review questions, comparison, steps; all checked."""

import re
from pathlib import Path

import pytest
from scripted import OpenAgent

from graph.models.comparing import sides_of
from graph.models.overview import asked_count
from graph.reply import Reply

ZH = """# 阅览室守则

## 一、开放

阅览室周一至周五 8:00 开门。阅览室周末 9:30 开门。

## 二、座位

座位预约是一种提前占用座位的办法。每位读者每天最多预约 3 次。离开座位超过 40 分钟，座位会被释放。

## 三、违约

一个月内违约 5 次的读者，暂停预约 14 天。读者可以在 7 天内提出申诉。

## 四、申诉办法

申诉按下面的步骤办理：

1. 登录读者系统，打开“我的违约”。
2. 填写申诉理由并上传证明。
3. 等待管理员在两个工作日内答复。
"""
EN = """# Pump manual

## Filter pump

The filter pump moves water through the cartridge. The filter pump draws 60 watts.

## Drain pump

The drain pump empties the tank. The drain pump draws 95 watts.

## Cleaning

A cartridge is a paper filter in a plastic frame. Replace the cartridge every 45 days. Never run either pump dry.
"""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "阅览室守则.md").write_text(ZH, encoding="utf-8")
    (folder / "pump manual.md").write_text(EN, encoding="utf-8")
    return folder


async def ask(open_offline: OpenAgent, library: Path, question: str) -> Reply:
    async with open_offline() as agent:
        await agent.ingest(library)
        return await agent.ask(question)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("总结一下阅览室守则", ["开门", "预约", "违约", "申诉"]),
        ("Summarise the pump manual", ["filter pump", "drain pump", "every 45 days"]),
    ],
)
async def test_a_summary_has_a_cited_sentence_of_every_part_in_order(
    open_offline: OpenAgent, library: Path, question: str, parts: list[str]
) -> None:
    reply = await ask(open_offline, library, question)

    lines = [line for line in reply.answer.splitlines() if line.startswith("- ")]
    assert (reply.status, reply.task) == ("answered", "summarise")
    assert all(re.search(r"\[\d+\]$", line) for line in lines)
    places = [next(i for i, line in enumerate(lines) if part in line) for part in parts]
    assert places == sorted(places)
    assert len({citation.path for citation in reply.citations}) == 1


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("给阅览室守则出三道复习题", 3),
        ("Write 3 review questions about the pump manual", 3),
        ("给阅览室守则出几道复习题", 4),
    ],
)
async def test_review_questions_are_made_of_cited_sentences(
    open_offline: OpenAgent, library: Path, question: str, count: int
) -> None:
    reply = await ask(open_offline, library, question)

    asked = re.findall(r"^\d+\. (.+)$", reply.answer, re.MULTILINE)
    answers = re.findall(r"^(?:答案：|Answer: )(.+)$", reply.answer, re.MULTILINE)
    assert (reply.status, reply.task) == ("answered", "review")
    assert len(asked) == len(answers) >= count
    assert len(set(asked)) == len(asked)
    assert all(re.sub(r"\[\d+\]", "", one).endswith(("？", "?")) for one in asked)
    assert all(re.search(r"\[\d+\]$", one) for one in answers)
    quotes = re.sub(r"\s", "", "".join(citation.quote for citation in reply.citations))
    assert all(re.sub(r"\[\d+\]|\s|[。.]$", "", one).rstrip("。.") in quotes for one in answers)


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("Compare the filter pump with the drain pump", ["filter pump draws 60 watts", "drain pump draws 95 watts"]),
        ("What is the difference between the filter pump and the drain pump?", ["filter pump", "drain pump"]),
        ("阅览室周末和周一至周五的开门时间有什么区别？", ["8:00", "9:30"]),
    ],
)
async def test_a_comparison_quotes_both_sides(
    open_offline: OpenAgent, library: Path, question: str, sides: list[str]
) -> None:
    reply = await ask(open_offline, library, question)

    assert (reply.status, reply.task) == ("answered", "compare")
    assert all(side in reply.answer for side in sides)


async def test_a_side_that_nothing_speaks_of_is_named_as_missing(open_offline: OpenAgent, library: Path) -> None:
    reply = await ask(open_offline, library, "Compare the filter pump with the hand crank")

    assert reply.status == "partial"
    assert reply.missing == ["hand crank"]
    assert "filter pump" in reply.answer


async def test_what_a_pronoun_does_not_stand_for_is_never_named_as_missing(
    open_offline: OpenAgent, library: Path
) -> None:
    async with open_offline() as agent:
        await agent.ingest(library)
        await agent.ask("How does the filter pump behave before the cartridge blocks?", thread="t")
        reply = await agent.ask("它和 drain pump 有什么区别？", thread="t")

    assert reply.missing == []
    assert "filter pump" in reply.answer


async def test_steps_are_the_whole_list_in_its_order(open_offline: OpenAgent, library: Path) -> None:
    reply = await ask(open_offline, library, "申诉怎么办理？请列出步骤")

    assert (reply.status, reply.task) == ("answered", "steps")
    places = [reply.answer.index(part) for part in ("我的违约", "上传证明", "两个工作日")]
    assert places == sorted(places)
    assert len(re.findall(r"^\d+\. .*\[\d+\]$", reply.answer, re.MULTILINE)) == 3


@pytest.mark.parametrize(
    "question", ["总结一下火星上的生命", "出三道关于火星的复习题", "Summarise life on Mars", "Quiz me on volcanoes"]
)
async def test_c14_a_summary_or_questions_of_what_no_document_holds_are_refused(
    open_offline: OpenAgent, library: Path, question: str
) -> None:
    reply = await ask(open_offline, library, question)

    assert reply.status == "insufficient_material"
    assert reply.citations == []


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("过滤器和拦截器有什么区别？", ["过滤器", "拦截器"]),
        ("请比较 REST 与 gRPC 的异同", ["REST", "gRPC"]),
        ("What is the difference between a lease and a licence?", ["lease", "licence"]),
        ("Compare plan A with plan B", ["plan A", "plan B"]),
        ("How does TCP differ from UDP?", ["TCP", "UDP"]),
        ("借期是多久？", []),
    ],
)
def test_the_sides_of_a_comparison_are_named_as_the_user_wrote_them(question: str, sides: list[str]) -> None:
    assert sides_of(question) == sides


def test_the_sides_of_a_follow_up_come_from_the_conversation() -> None:
    assert sides_of("那它和拦截器有什么区别？", ["什么是过滤器？"]) == ["过滤器", "拦截器"]


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("出三道题", 3),
        ("用两句话总结", 2),
        ("Write 4 review questions", 4),
        ("five questions please", 5),
        ("出几道题", None),
        ("99 questions", 15),
    ],
)
def test_as_many_are_made_as_were_asked_for(question: str, count: int | None) -> None:
    assert asked_count(question) == count
