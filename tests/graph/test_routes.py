"""The conditional edges."""

import pytest

from graph.routes import after_check, after_plan, after_retrieve
from nodes.state import State
from nodes.turn import PlannedCall, answer_record, call_record
from tools.search_documents import SEARCH_DOCUMENTS


def planned(*names: str, answered: tuple[str, ...] = ()) -> list[dict]:
    calls = [PlannedCall(call_id=name, name=name, arguments={}) for name in names]
    return [call_record(calls), *(answer_record(name, "done") for name in answered)]


@pytest.mark.parametrize(
    ("state", "targets"),
    [
        (State(), ["answer"]),
        (State(searched_by_rule=True), ["retrieve"]),
        (State(turn_messages=planned(SEARCH_DOCUMENTS)), ["retrieve"]),
        (State(turn_messages=planned("calculator")), ["tool_call"]),
        (State(turn_messages=planned(SEARCH_DOCUMENTS, "calculator")), ["retrieve", "tool_call"]),
        (State(turn_messages=planned("calculator", answered=("calculator",))), ["answer"]),
    ],
)
def test_after_plan_go_where_calls_are_open(state: State, targets: list[str]) -> None:
    assert after_plan(state) == targets


@pytest.mark.parametrize(
    ("state", "target"),
    [
        (State(turn_messages=planned(SEARCH_DOCUMENTS)), "answer"),
        (State(turn_messages=planned(SEARCH_DOCUMENTS), after_search="plan"), "plan"),
        (State(turn_messages=planned(SEARCH_DOCUMENTS, "calculator")), "plan"),
        (State(), "answer"),
    ],
)
def test_after_retrieve_plan_again_only_for_a_reason(state: State, target: str) -> None:
    assert after_retrieve(state) == target


def test_after_the_check_repair_search_or_end() -> None:
    assert after_check(State(verdict="repair")) == "answer"
    assert after_check(State(verdict="search")) == "plan"
    assert after_check(State(verdict="done")) == "extract_memory"
