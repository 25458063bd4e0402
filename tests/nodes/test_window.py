"""The context window and the incremental summary: conversation.md V-01 … V-07."""

from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from nodes.state import Summary
from nodes.tokens import estimate_messages, estimate_tokens, shorten
from nodes.turn import ANSWER
from nodes.window import finished_turns, uncovered, window


def turn(number: int, *, question: str = "问题", answer: str = "回答", tool: str | None = None) -> list[AnyMessage]:
    messages: list[AnyMessage] = [HumanMessage(content=f"{question}{number}", id=f"q{number}")]
    if tool is not None:
        calls = [{"name": "calculator", "args": {}, "id": f"{number}-{i}", "type": "tool_call"} for i in range(2)]
        messages.append(AIMessage(content="", tool_calls=calls, id=f"c{number}"))
        messages += [ToolMessage(content=tool, tool_call_id=call["id"]) for call in calls]
    messages.append(
        AIMessage(content=f"{answer}{number}", id=f"a{number}", additional_kwargs={ANSWER: {"status": "chat"}})
    )
    return messages


def test_a_failed_turn_is_never_in_the_window() -> None:
    failed = HumanMessage(content="失败的问题", id="f")

    shown = window([*turn(1), failed, *turn(2)], None, 10_000)

    assert [message.id for message in shown] == ["q1", "a1", "q2", "a2"]


def test_v02_one_huge_tool_result_leaves_a_valid_bounded_window() -> None:
    shown = window(turn(1, tool="结果" * 50_000), None, 600)

    assert [type(message) for message in shown] == [HumanMessage, AIMessage]
    assert estimate_messages(shown) <= 600


def test_v03_calls_and_their_results_stay_or_go_together() -> None:
    messages = [*turn(1, tool="x" * 2_000), *turn(2, tool="short")]

    for budget in range(50, 3_000, 150):
        shown = window(messages, None, budget)
        called = [call["id"] for m in shown if isinstance(m, AIMessage) for call in m.tool_calls]
        answered = [m.tool_call_id for m in shown if isinstance(m, ToolMessage)]
        assert called == answered


def test_v06_chinese_is_not_undercounted() -> None:
    assert estimate_tokens("你好世界" * 100) >= 400


@given(st.text(max_size=2_000), st.integers(20, 500))
def test_shortening_keeps_head_and_tail_within_reach_of_the_budget(text: str, tokens: int) -> None:
    short = shorten(text, tokens)

    assert short == text or (short[:10] == text[:10] and short[-5:] == text[-5:] and len(short) < len(text) + 60)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=12), st.integers(0, 11))
def test_v05_no_turn_is_neither_summarised_nor_in_the_window(lengths: list[int], covered: int) -> None:
    messages = [m for n, length in enumerate(lengths) for m in turn(n, question="问" * length)]
    covered = min(covered, len(lengths) - 1)
    summary = Summary(text="早先的内容", covers=f"a{covered}")

    shown = {message.id for message in window(messages, summary, 4_000)}

    assert {f"q{n}" for n in range(covered + 1, len(lengths))} <= shown
    assert not {f"q{n}" for n in range(covered + 1)} & shown


def test_an_answer_cleared_away_leaves_everything_uncovered() -> None:
    assert len(uncovered([*turn(1), *turn(2)], Summary(text="x", covers="gone"))) == 2


def test_turns_are_finished_by_an_answer_only() -> None:
    assert [t.last_id for t in finished_turns([*turn(1), HumanMessage(content="?", id="q2")])] == ["a1"]
