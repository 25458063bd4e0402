"""The offline summary keeps dates, numbers and names, says who spoke, and stays bounded."""

from collections.abc import Sequence

import pytest
from langchain_core.messages import HumanMessage, SystemMessage

from graph.models.offline import OfflineChatModel
from graph.models.summarizing import MAX_CHARACTERS
from nodes.fences import fence, fence_token
from nodes.prompts import prompt

TOKEN = fence_token("t")


def summarized(turns: Sequence[tuple[str, str]], summary: str = "") -> str:
    parts = [fence("summary", summary, token=TOKEN)] if summary else []
    parts += [fence("turn", text, token=TOKEN, attributes={"role": role}) for role, text in turns]
    return OfflineChatModel().invoke([SystemMessage(prompt("summarize")), HumanMessage("\n".join(parts))]).text


@pytest.mark.parametrize(
    "dates",
    [
        ["2026-03-04", "2026年5月17日", "6月30日", "2027-01-09", "12月2日"],
        ["March 4, 2026", "17 May 2026", "2026-06-30", "Jan 9", "Dec. 2"],
    ],
)
def test_v07_thirty_turns_with_five_dates_keep_all_five(dates: list[str]) -> None:
    turns: list[tuple[str, str]] = []
    for index in range(30):
        turns.append(("user", f"这是第 {index} 个问题，说的是一些很长的背景。" * 6))
        turns.append(("assistant", "Some long answer about nothing in particular, going on and on. " * 6))
    for index, date in enumerate(dates):
        turns[index * 12] = ("user", f"合同在 {date} 签。" if index % 2 else f"We sign on {date}.")

    summary = summarized(turns)

    assert all(date in summary for date in dates)
    assert len(summary) <= MAX_CHARACTERS + 200


def test_v07_dates_of_the_old_summary_survive_the_next_one() -> None:
    summary = "用户：交付日是 2026-08-15。"
    for index in range(5):
        summary = summarized([("user", f"第 {index} 轮，日期是 2026-09-0{index + 1}。" + "补充说明。" * 200)], summary)

    assert "2026-08-15" in summary
    assert all(f"2026-09-0{n}" in summary for n in range(1, 6))


def test_it_says_who_said_what() -> None:
    summary = summarized([("user", "We use port 8443."), ("assistant", "端口是 8443。")])

    assert "User: We use port 8443." in summary
    assert "助手：端口是 8443。" in summary


def test_nothing_to_summarise_is_an_empty_summary() -> None:
    assert summarized([]) == ""
