"""Every bracket shape that models write, and what only looks like one."""

import re

import pytest
from growth import LINEAR, growth
from hypothesis import given
from hypothesis import strategies as st

from nodes.citations.markers import UNREADABLE, cited_spans, complete_prefix, find_markers, without_markers


def numbers(text: str) -> list[int]:
    return [number for marker in find_markers(text) for number in marker.numbers]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("有三天。[1]", [1]),
        ("three days [1, 2].", [1, 2]),
        ("三天。[1][2]", [1, 2]),
        ("三天[1-3]。", [1, 2, 3]),
        ("三天[1–3]。", [1, 2, 3]),
        ("三天[1]-[3]。", [1, 2, 3]),
        ("三天[1、2，4]。", [1, 2, 4]),
        ("three days [1 and 3].", [1, 3]),
        ("[[1], [2]]", [1, 2]),
        ("三天[1]、[2]。", [1, 2]),
        ("三天（来源 1、3，5）。", [1, 3, 5]),
        ("three days (sources 2 and 4).", [2, 4]),
        ("three days (see [2], [3]).", [2, 3]),
    ],
)
def test_c05_several_numbers_in_one_marker_are_one_list(text: str, expected: list[int]) -> None:
    assert numbers(text) == expected


def test_c05_a_range_too_long_or_backwards_stands_for_its_ends() -> None:
    assert numbers("[1-1000]") == [1, 1000]
    assert numbers("[3-1]") == [3, 1]


@pytest.mark.parametrize(
    "marker",
    [
        "【7】",
        "［7］",
        "[[7]]",
        "〔7〕",
        "[^7]",
        "[ID: 7]",
        "[id:7]",
        "【ID：7】",
        "[#7]",
        "[来源7]",
        "[Source 7]",
        "[７]",
        "[٧]",
        "【7†source】",
        "[¹]",
        "(来源7)",
        "（来源 7）",
        "（参见来源：７）",
        "(Source: 7)",
        "(see [7])",
        "（[7]）",
        "（文档 7）",
        "(ID: 7)",
        "[৭]",
        "[๗]",
        "（来源：７）",
        "（出处 7）",
        "(source 7)",
        "( Ref. 7 )",
    ],
)
def test_c06_other_bracket_shapes_labels_and_digits_are_recognised(marker: str) -> None:
    assert numbers(f"一句话{marker}。") == [1 if "¹" in marker else 7]
    assert without_markers(f"一句话{marker}。") == "一句话。"


@pytest.mark.parametrize(
    "text",
    [
        "`int[] a = b[10];`",
        "```java\nint[] a = b[10];\n```",
        "~~~\n[1]\n~~~",
        "``x ` [1]``",
        "int[] a = b[10];",
        "int x = values[2];",
        "print(values[2])",
        "matrix[1][2] = 3",
        "args[0]",
        "(7)",
        "f(7)",
        "（第7条）",
        "(来源不明)",
        "(resource 7)",
        "(source code, 7 files)",
        "a[1].length",
        "（1）和 (1)",
        "[1.5] and [note] and [1a] and []",
        "（附件 1）、(Table 2) and (step 3)",
        "（文档 20231）和 (ID: 44017)",
        "matrix[row][2] = 3",
        "国发〔2023〕12号",
        "[1",
    ],
)
def test_c07_code_and_other_brackets_are_no_citations(text: str) -> None:
    assert numbers(text) == []
    assert without_markers(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "[手册](http://a.example/清单[1])",
        "[见 [1] 处](http://a.example)",
        "![图 [2]](http://a.example/p.png)",
        "![3](http://a.example/p.png)",
        "http://a.example/清单[1]/item",
        "[^1]: 借阅规则.md",
        "正文。\n[2]: http://a.example",
        "- [^3]: note",
    ],
)
def test_c07_links_and_definitions_cite_nothing_and_leave_no_number(text: str) -> None:
    assert numbers(text) == []
    assert not re.search(r"\[[^\]]*\d\]", without_markers(text))


def test_c06_a_label_without_brackets_counts_behind_a_stop_at_the_end_of_a_line() -> None:
    assert numbers("最多 12 册。ID:3\n第二行。ID：４") == [3, 4]
    assert numbers("用户 ID:3 不能删除。") == []
    assert without_markers("最多 12 册。ID:3") == "最多 12 册。"


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("甲乙。（来源 1）丙丁。", ["甲乙。（来源 1）", "丙丁。"]),
        ("One. [Source 2] Two.", ["One. [Source 2]", "Two."]),
        ("甲乙。[1]（来源2）丙丁。", ["甲乙。[1]（来源2）", "丙丁。"]),
        ("甲乙。（另见附录）丙丁。", ["甲乙。", "（另见附录）丙丁。"]),
        ("甲乙。\n\n（来源 1）丙丁。", ["甲乙。", "（来源 1）丙丁。"]),
    ],
)
def test_c06_a_marker_behind_a_stop_belongs_to_the_sentence_before_it(text: str, sentences: list[str]) -> None:
    found = [text[start:end] for start, end in cited_spans(text)]
    assert found == sentences


def test_c07_a_marker_glued_to_a_word_still_counts() -> None:
    assert numbers("It takes three days[1]; HttpServlet[2]。由 doFilter[3] 处理") == [1, 2, 3]


@pytest.mark.parametrize(
    "text",
    [
        "（来源" * 2_000,
        "(source 1," * 1_000,
        "。ID:1" * 1_000,
        "[1]](http" * 1_000,
        "\n[^1]: " * 1_000,
        "http://a[1]" * 1_000,
        "[" + "1" * 5_000,
        "[" * 10_000,
        "[1," * 2_000,
        "[1](" * 1_000,
        "[来源" * 2_000,
        "[ " * 3_000,
    ],
)
def test_c08_hostile_brackets_take_linear_time(text: str) -> None:
    assert growth(find_markers, text * 8) < LINEAR


def test_c08_a_number_of_five_thousand_digits_is_a_marker_of_nothing() -> None:
    assert numbers("[" + "1" * 5_000 + "]") == [UNREADABLE]


def test_e07_lists_zero_and_years_are_parsed_as_written() -> None:
    assert numbers("… [1, 2]") == [1, 2]
    assert numbers("… [0]") == [0]
    assert numbers("… [2024]") == [2024]
    assert numbers("… [-1]") == [-1]


def test_a_link_target_belongs_to_its_marker() -> None:
    assert without_markers("三天[1](http://evil.example/?q=x)。") == "三天。"


def test_taking_markers_out_leaves_no_gaps() -> None:
    assert without_markers("Three days [1], then two [2].") == "Three days, then two."
    assert without_markers("| 500 [1] | 400 [2] |") == "| 500 | 400 |"


@given(st.text(alphabet="[]［】【 0123٣,-^a一。`\n(", max_size=60))
def test_no_marker_survives_its_removal(text: str) -> None:
    assert find_markers(without_markers(text)) == []


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("第一句。", ""),
        ("第一句。[", ""),
        ("第一句。[1", ""),
        ("第一句。[1]", ""),
        ("第一句。[1][", ""),
        ("第一句。[1]第", "第一句。[1]"),
        ("One. [1] T", "One. [1]"),
        ("第一句。[1]\n\n", "第一句。[1]"),
        ("第一句。（", ""),
        ("第一句。（来源", ""),
        ("第一句。（来源 1）", ""),
        ("第一句。（来源 1）第", "第一句。（来源 1）"),
        ("第一句。（另外", ""),
        ("第一句。（另外）说", "第一句。"),
        ("第一句。ID", ""),
        ("第一句。ID:1\n第", "第一句。ID:1"),
        ("One. In", "One."),
        ("见 `a[1]。b", ""),
        ("第一句。[1]\n```java\nx。y", "第一句。[1]"),
        ("版本 3.1", ""),
        ("", ""),
    ],
)
def test_c06_an_unfinished_marker_sentence_or_fence_is_held_back(text: str, whole: str) -> None:
    assert text[: complete_prefix(text)] == whole


@given(
    st.lists(
        st.sampled_from(
            ["甲乙。", "Yes.", " ", "[1]", "【2】", "（来源1）", "（注", "）", "ID:1", "`a[1]`", "\n\n", "- ", "x"]
        ),
        max_size=12,
    ).map("".join)
)
def test_what_was_whole_stays_whole_while_the_text_grows(text: str) -> None:
    reached = [complete_prefix(text[:end]) for end in range(len(text) + 1)]
    assert reached == sorted(reached)
