"""Quarters and fiscal years in any spelling; and what in a text could be the answer to a question."""

import pytest

from graph.models.periods import fiscal_years, quarters
from graph.models.quoting import Material
from graph.models.units import PassageText
from graph.models.values import values_of
from graph.models.wording import Question


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Revenue in Q3 2019", {"q3"}),
        ("third-quarter earnings", {"q3"}),
        ("the second fiscal quarter", {"q2"}),
        ("3Q21 and 4th quarter", {"q3", "q4"}),
        ("第三季度营收", {"q3"}),
        ("首季度", {"q1"}),
        ("the third quarter-final", set()),
        ("一年四季", set()),
        ("Q12", set()),
    ],
)
def test_a_quarter_has_one_name_however_it_is_written(text: str, named: set[str]) -> None:
    assert quarters(text) == named


def test_a_fiscal_year_is_its_year() -> None:
    assert fiscal_years("FY21, FY2022") == {"fy21": "2021", "fy2022": "2022"}


@pytest.mark.parametrize(
    ("question", "answers", "other"),
    [
        (
            "What was the bakery's revenue in Q3 2019?",
            "The bakery reported third-quarter 2019 revenue of $63,000.",
            "The bakery reported first-quarter 2019 revenue of $41,000.",
        ),
        (
            "面包店2019年第三季度的收入是多少？",
            "面包店2019年三季度的收入为63万元。",
            "面包店2019年一季度的收入为41万元。",
        ),
        (
            "What was the bakery's revenue in FY2019?",
            "The bakery's revenue in 2019 came to $240,000.",
            "The bakery's revenue in 2018 came to $210,000.",
        ),
    ],
)
def test_another_quarter_or_year_is_another_thing(question: str, answers: str, other: str) -> None:
    asked = Question(question)

    assert [unit.text for unit in Material([PassageText(1, answers, score=0.9)]).answers(asked)] == [answers]
    assert Material([PassageText(1, other, score=0.9)]).answers(asked) == []


def test_a_quarter_does_not_name_a_thing_as_an_identifier_does() -> None:
    asked = Question("revenue of model T800 in Q3 FY2021")

    assert asked.identifiers == {"t800"}
    assert {"t800", "q3", "2021"} <= asked.literals


@pytest.mark.parametrize(
    ("question", "text", "named", "passed_over"),
    [
        ("这座桥是谁设计的？", "这座桥由林志远设计，1998 年通车。", "林志远", "1998年"),
        ("话剧《晨雾》的导演", "《晨雾》由林志远执导，演出 12 场。", "林志远", "12场"),
        ("Who designed the bridge?", "It was designed by Anna Berg in 1998.", "annaberg", "1998"),
        ("展览在哪个城市举办？", "展览于 5 月在苏州市举办。", "苏州", "5月在"),
        ("这座桥有多少米长？", "这座桥由林志远设计，全长 320 米。", "320米", "林志远"),
    ],
)
def test_only_values_of_the_kind_that_is_asked_for_count(
    question: str, text: str, named: str, passed_over: str
) -> None:
    values = values_of(text, Question(question))

    assert named in values
    assert passed_over not in values


def test_what_the_question_says_itself_is_no_value() -> None:
    assert values_of("林志远设计的桥建于 1998 年。", Question("林志远的桥建于 1998 年吗？")) == frozenset()
