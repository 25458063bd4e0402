"""Sentences that tell a tool's result in words of their own."""

import pytest

from nodes.citations.results import ToolTexts
from nodes.citations.support import rests_on

NOW = "date: 2026-12-01\nweekday: Tuesday 星期二\ntime: 02:22:39\ntimezone: UTC (UTC+0000)"
TODAY = (f"{{}}\n{NOW}", f"{{'offset_days': 1}}\n{NOW}\n+1 days: 2026-12-02 (Wednesday 星期三)")
ZERO = "{'expression': '1/0'}\nDivision by zero in '1/0'."
POWER = "{'expression': '2**100000'}\nThe power has more than 2000 digits."


def told(sentence: str, *results: str, failures: tuple[str, ...] = (), asked: str = "") -> bool:
    return rests_on(sentence, results, ToolTexts(results, failures, asked)).ok


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("今天几号？", "当前日期：date: 2026-12-01 weekday: Tuesday 星期二 time: 02:22:39 timezone: UTC (UTC+0000)。"),
        ("今天几号？", "今天是2026年12月1日，星期二。"),
        ("今天几号？", "今天是二〇二六年十二月一日。"),
        ("今天几号？", "今天 1 号。"),
        ("现在几点？", "现在是 2 点 22 分 39 秒（UTC）。"),
        ("现在几点？", "现在时间是02:22。"),
        ("明天星期几？", "明天是星期三。"),
        ("明天星期几？", "明天是 12 月 2 日，星期三。"),
        ("what day is it today?", "Today is Tuesday, 1 December 2026."),
        ("what day is it today?", "Today is Tuesday, 2026-12-01."),
        ("what day is it today?", "It is Tuesday, December 1st, 2026."),
        ("What time is it?", "The time is 2:22 am UTC."),
        ("What is tomorrow's date?", "Tomorrow is Wednesday, 2 December 2026."),
    ],
)
def test_a_date_from_the_tool_may_be_told_in_any_notation(asked: str, sentence: str) -> None:
    assert told(sentence, *TODAY, asked=asked)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("今天几号？", "今天是2026年12月3日。"),
        ("今天几号？", "今天是2026年12月1日，星期三。"),
        ("今天几号？", "今天是2026年12月2日，星期三。"),
        ("今天几号？", "今天不是星期二。"),
        ("明天星期几？", "明天是星期二。"),
        ("现在几点？", "现在是下午2点22分。"),
        ("what day is it today?", "Today is Wednesday."),
        ("what day is it today?", "Tomorrow is Tuesday."),
        ("what day is it today?", "Today is Wednesday, 1 December 2026."),
        ("what day is it today?", "The contract with the supplier was signed in Berlin on 1 December 2026."),
    ],
)
def test_a_date_or_weekday_that_the_tool_did_not_tell_is_no_result(asked: str, sentence: str) -> None:
    assert not told(sentence, *TODAY, asked=asked)


@pytest.mark.parametrize(
    ("asked", "result", "sentence", "ok"),
    [
        ("3 个苹果每个 2 元，一共多少？", "{'expression': '3*2'}\n6", "共 6 元。", True),
        ("3 个苹果每个 2 元，一共多少？", "{'expression': '3*2'}\n6", "3 个苹果，每个 2 元，一共 6 元。", True),
        ("3 个苹果每个 2 元，一共多少？", "{'expression': '3*2'}\n6", "共 7 元。", False),
        ("3 个苹果每个 2 元，一共多少？", "{'expression': '3*2'}\n6", "共 6 美元。", False),
        ("3 个苹果每个 2 元，一共多少？", "{'expression': '3*2'}\n6", "共 6 万元。", False),
        ("3 apples at 2 dollars each?", "{'expression': '3*2'}\n6", "That is 6 dollars in total.", True),
        ("3 apples at $2 each?", "{'expression': '3*2'}\n6", "It comes to $6.", True),
        ("3 apples at 2 dollars each?", "{'expression': '3*2'}\n6", "That is 6 euros in total.", False),
        ("3 apples at 2 dollars each?", "{'expression': '3*2'}\n6", "That is 16 dollars in total.", False),
        ("5 km plus 7 km?", "{'expression': '5+7'}\n12", "The sum is 12 km.", True),
        ("5 km plus 7 km?", "{'expression': '5+7'}\n12", "The sum is 12 m.", False),
        ("上限是 600 元吗？另外 2+2=?", "{'expression': '2+2'}\n4", "上限是 600 元，2+2 等于 4。", False),
        ("2+2=?", "{'expression': '2+2'}\n4", "结果不超过 4。", False),
    ],
)
def test_a_bare_result_may_be_told_in_a_unit_that_was_asked_about_and_no_other(
    asked: str, result: str, sentence: str, ok: bool
) -> None:
    assert told(sentence, result, asked=asked) is ok


@pytest.mark.parametrize(
    ("asked", "failure", "sentence", "ok"),
    [
        ("1/0等于多少？", ZERO, "计算没有成功：除数为零。", True),
        ("1/0等于多少？", ZERO, "1/0 没有意义，因为除数是 0。", True),
        ("1/0等于多少？", ZERO, "1/0 等于 0。", False),
        ("1/0等于多少？", ZERO, "计算失败，结果是 0。", False),
        ("what is 1/0?", ZERO, "1/0 is undefined: division by zero.", True),
        ("2 ** 100000", POWER, "The calculator failed: The power has more than 2000 digits.", True),
        ("2 ** 100000", POWER, "计算失败：结果超过 2000 位。", True),
        ("2 ** 100000", POWER, "2**100000 = 2000.", False),
        ("2 ** 100000", POWER, "The calculator failed: the power has more than 3000 digits.", False),
    ],
)
def test_t07_why_a_tool_failed_may_be_told_but_no_result_of_it(
    asked: str, failure: str, sentence: str, ok: bool
) -> None:
    assert told(sentence, failures=(failure,), asked=asked) is ok
