"""Different values for one thing are found, values of different things are not."""

import pytest

from nodes.citations.conflicts import Conflict, Source, conflicts
from nodes.citations.dated import age_of


def found(
    one: str, other: str, question: str, titles: tuple[str, str] = ("停车规定 2022", "停车规定 2025")
) -> list[Conflict]:
    """The answer repeats the last line of the first text."""
    sources = {
        number: Source(number, f"d{number}", title, f"{title}.md", text)
        for number, title, text in ((1, titles[0], one), (2, titles[1], other))
    }
    return conflicts([(one.rsplit("\n", maxsplit=1)[-1], [1])], sources, question)


@pytest.mark.parametrize(
    ("one", "other", "question"),
    [
        ("访客每次最多停放 2 小时。", "访客每次最多可以停放 3 小时。", "访客能停多久？"),
        ("月租车位每月收费 400 元，另收押金 100 元。", "月租车位每月收费 450 元，另收押金 100 元。", "月租多少钱？"),
        ("地下车库限高两米。", "地下车库限高 2.2 米。", "车库限高多少？"),
        ("逾期费率为百分之三。", "逾期费率为 5%。", "逾期费率是多少？"),
        ("访客车辆可以进入内院。", "访客车辆不得进入内院。", "访客车辆能进内院吗？"),
        ("Visitors may park in the yard.", "Visitors must not park in the yard.", "May visitors park in the yard?"),
        ("The gate closes after 20 seconds.", "The gate closes after 45 seconds.", "When does the gate close?"),
        ("The tunnel opened on July 4, 2016.", "The tunnel opened on May 9, 2017.", "When did the tunnel open?"),
    ],
)
def test_another_value_for_the_same_thing_is_found(one: str, other: str, question: str) -> None:
    [conflict] = found(one, other, question)
    assert (conflict.one.number, conflict.other.number) == (1, 2)
    assert conflict.other.age.newer_than(conflict.one.age)
    assert not conflict.one.age.newer_than(conflict.other.age)


@pytest.mark.parametrize(
    ("one", "other", "question"),
    [
        ("访客每次最多停放 2 小时。", "员工每次最多停放 10 小时。", "访客能停多久？"),
        ("访客每次最多停放 2 小时。", "访客每次至少停放 1 小时。", "访客能停多久？"),
        ("访客每次最多停放 2 小时。", "访客每次最多停放两小时。", "访客能停多久？"),
        ("2021 年车位收入为 80 万元。", "2022 年车位收入为 95 万元。", "车位收入是多少？"),
        ("满 1 年的，优惠 50 元。", "满 5 年的，优惠 200 元。", "优惠多少？"),
        ("超过 2 小时的，加收 10 元。", "超过 8 小时的，加收 30 元。", "加收多少？"),
        ("第一次违停罚款 50 元。", "第三次违停罚款 200 元。", "违停罚多少？"),
        ("车库约有 300 个车位。", "车库共有 312 个车位。", "有多少车位？"),
        ("本规定自 2022 年 5 月 1 日起施行。", "本规定自 2025 年 1 月 1 日起施行。", "什么时候施行？"),
        ("16号线的换乘站有 3 个。", "17号线的换乘站有 5 个。", "16号线有几个换乘站？"),
        ("The gate closes after 20 seconds.", "The barrier closes after 45 seconds.", "When does the gate close?"),
        ("依照本规定第八条处理违停车辆。", "依照本规定第九条处理违停车辆。", "违停怎么处理？"),
        ("车位分为 3 类：月租 400 元，日租 30 元。", "车位分为 4 类：月租 400 元，日租 30 元。", "日租多少钱？"),
    ],
)
def test_values_of_different_things_are_no_conflict(one: str, other: str, question: str) -> None:
    assert [c for c in found(one, other, question) if "类" not in c.one.clause] == []


def test_handbooks_of_two_companies_do_not_disagree() -> None:
    text = "入职满一年的员工每年享有 {} 天带薪年假，须提前申请。"
    pair = (text.format(5), text.format(10), "年假有几天？")
    assert found(*pair, titles=("东海公司员工手册", "北山公司员工手册")) == []
    assert found(*pair, titles=("员工手册 2020 修订版", "员工手册 2024 修订版")) != []


def test_a_document_does_not_disagree_with_itself() -> None:
    sources = {n: Source(n, "d", "规定", "规定.md", f"访客每次最多停放 {n} 小时。") for n in (2, 3)}
    assert conflicts([("访客每次最多停放 2 小时。", [2])], sources, "访客能停多久？") == []


@pytest.mark.parametrize(
    ("path", "title", "text", "age"),
    [
        ("规定(2024-06-28).md", "规定", "", "2024-06-28"),
        ("规定_20230701.md", "规定", "", "2023-07-01"),
        ("a.md", "规定（2023年修订）", "", "2023"),
        ("a.md", "Guide, May", "date: 2022-03-04", "2022-03-04"),
        ("a.md", "规定", "本规定自 2021 年 9 月 1 日起施行。", "2021-09-01"),
        ("guide-v2.1.md", "Guide", "", "v2.1"),
        ("a.md", "规定 第3版", "", "v3"),
        ("a.md", "规定", "2020 年有 30 个车位。", ""),
    ],
)
def test_a_document_is_as_old_as_it_says(path: str, title: str, text: str, age: str) -> None:
    assert str(age_of(path, title, [text])) == age


def test_what_is_not_told_exactly_enough_is_not_called_newer() -> None:
    year, month = age_of("2024.md", "规定"), age_of("2024-05.md", "规定")
    assert not year.newer_than(month) and not month.newer_than(year)
    assert age_of("v2.md", "规定").newer_than(age_of("v1.9.md", "规定"))
    assert not age_of("v2.md", "规定").newer_than(age_of("2020.md", "规定"))
