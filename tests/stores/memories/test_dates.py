"""Dates that a model resolved are checked against the message's own time, in Chinese and in English."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stores.memories.dates import dates_hold, unresolved

MONDAY = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("words", "date"),
    [
        ("昨天", "2026-11-29"), ("前天", "2026年11月28日"), ("大后天", "2026-12-03"), ("下周三", "2026-12-09"),
        ("上周五", "2026-11-27"), ("三天前", "2026-11-27"), ("两周后", "2026-12-14"), ("上个月", "2026-10"),
        ("去年", "2025 年"),
        ("12月5日", "2026-12-05"), ("周五", "2026-12-04"), ("十天后", "2026-12-10"), ("明年三月", "2027-03"),
        ("yesterday", "November 29, 2026"), ("tomorrow", "2026-12-01"), ("next Friday", "2026-12-04"),
        ("last Friday", "2026-11-27"), ("3 days ago", "2026-11-27"), ("in two weeks", "2026-12-14"),
        ("last month", "October 2026"),
        ("on Dec 5th", "2026-12-05"), ("the day after tomorrow", "2026-12-02"), ("last year", "in 2025"),
    ],
)  # fmt: skip
def test_m16_a_relative_date_resolves_from_the_message(words: str, date: str) -> None:
    assert dates_hold(f"The user signed, {date}", f"I signed {words}", MONDAY)


@pytest.mark.parametrize(
    ("words", "date"),
    [
        ("昨天", "2026-11-30"),
        ("下周三", "2026-12-02"),
        ("去年", "2026 年"),
        ("yesterday", "2026-11-28"),
        ("last Friday", "2026-12-04"),
        ("12月5日", "2026-12-06"),
        ("3 days ago", "2026-12-03"),
    ],
)
def test_m16_a_wrong_date_is_seen(words: str, date: str) -> None:
    assert not dates_hold(f"The user signed, {date}", f"I signed {words}", MONDAY)


@pytest.mark.parametrize(
    "content",
    [
        "用户昨天签了合同",
        "用户下周三出差",
        "The user signed yesterday",
        "The user travels next Friday",
        "用户三天前搬家",
    ],
)
def test_a_relative_day_in_a_memory_is_unresolved(content: str) -> None:
    assert unresolved(content)


@pytest.mark.parametrize(
    "content",
    [
        "用户于 2026-11-29 签了合同",
        "用户每周三打羽毛球",
        "用户以前天天跑步",
        "The user drinks 2 coffees a day",
        "The user runs on Fridays",
    ],
)
def test_habits_and_absolute_dates_are_resolved(content: str) -> None:
    assert not unresolved(content)


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_can_be_compared(content: str, words: str) -> None:
    assert dates_hold(content, words, MONDAY) in {True, False}
    assert unresolved(content) in {True, False}
