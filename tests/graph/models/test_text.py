"""Reasoning never stays in a text, however it is cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.models.text import ReasoningFilter, strip_reasoning


def streamed(pieces: list[str], *, hold: bool = False) -> str:
    kept = ReasoningFilter(hold=hold)
    return "".join(kept.feed(piece) for piece in pieces) + kept.finish()


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ('<think>让我想想 {"a": 1}</think>\n\n答案是 3。', "答案是 3。"),
        ("<THINK>x</THINK>yes", "yes"),
        ("<reasoning>why</reasoning> because", "because"),
        ("before <thinking>a</thinking> after", "before  after"),
        ("<think>never closed, so all of it is reasoning", ""),
        ("no opening tag</think>the answer", "the answer"),
        ("<think></think>plain", "plain"),
        ("<think>a</think>b<think>c</think>d", "bd"),
        ("1 < 2 and <thing> stays", "1 < 2 and <thing> stays"),
        ("  kept as it is  ", "  kept as it is  "),
        ("", ""),
    ],
)
def test_reasoning_is_taken_out_of_a_whole_text(text: str, visible: str) -> None:
    assert strip_reasoning(text) == visible


@given(st.lists(st.sampled_from(["<think>", "</think>", "甲", "b ", "<", "x>", "think"]), max_size=8), st.data())
def test_a_stream_shows_the_same_however_it_is_cut(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    whole = streamed([text])

    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]

    assert streamed(pieces) == whole


@given(st.text(alphabet="ab<>/think 想", max_size=30), st.text(alphabet="yz答 ", max_size=10))
def test_nothing_between_the_tags_is_ever_shown(reasoning: str, answer: str) -> None:
    text = f"<think>QQ{reasoning.replace('</think>', '')}QQ</think>{answer}"

    assert "QQ" not in streamed(list(text))


def test_text_comes_out_as_soon_as_it_can_be_no_tag() -> None:
    kept = ReasoningFilter()

    assert kept.feed("3 <") == "3 "
    assert kept.feed(" 5") == "< 5"
    assert kept.feed(" <thi") == " "
    assert kept.feed("s>") == "<this>"


def test_a_closing_tag_without_an_opening_one_is_noticed_and_can_be_waited_for() -> None:
    kept = ReasoningFilter()
    kept.feed("reasoning</think>answer")

    assert kept.orphan_close
    assert streamed(["reason", "ing</th", "ink>\nans", "wer"], hold=True) == "answer"
    assert streamed(["no ", "tag at all"], hold=True) == "no tag at all"


def test_a_long_text_of_brackets_takes_linear_time() -> None:
    text = "<" * 100_000

    assert strip_reasoning(text) == text
    assert streamed([text[i : i + 50] for i in range(0, len(text), 50)]) == text
