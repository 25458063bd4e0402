"""Cases R-09 to R-12 on planning through the graph: what becomes of the queries that a model proposes."""

import json
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hostile import SLOW, Piece
from stage import ASKS, Stage, opened_stage

from nodes.limits import MAX_ROUNDS

FILES = {
    "滤芯.md": "# 滤芯\n\n滤芯每 45 天更换一次，型号 FX-200。\n",
    "ferry.md": "# Ferry\n\nThe ferry leaves the north pier at 9:15, the bus at 9:40.\n",
}
ZH, EN = "滤芯多久更换一次？", "When does the ferry leave?"


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with opened_stage(tmp_path_factory.mktemp("queries"), {ASKS: FILES}) as stage:
        yield stage


def search(*queries: str, then: str = "answer", call_id: str | None = "a") -> list[Piece]:
    arguments = json.dumps({"queries": queries, "then": then}, ensure_ascii=False)
    return [{"id": call_id, "name": "search_documents", "args": arguments, "index": 0, "type": "tool_call_chunk"}]


@pytest.mark.parametrize(
    ("first", "follow_up", "rewritten"),
    [
        (ZH, "那它的型号呢？", "滤芯的型号"),
        (EN, "And the bus?", "When does the bus leave the north pier?"),
        ("FX-200 是什么？", "多久换？", "FX-200 滤芯 更换 周期"),
    ],
)
def test_r09_r10_a_follow_up_is_searched_as_rewritten_and_as_asked_with_the_thread_before_it(
    stage: Stage, first: str, follow_up: str, rewritten: str
) -> None:
    thread = f"r09-{next(stage.threads)}"
    stage.turn({"plan": [search(first)], "answer": [["好。"]]}, first, thread)
    turn = stage.turn({"plan": [search(rewritten)], "answer": [["好。"]]}, follow_up, thread)

    assert turn.ended.searched == [follow_up, rewritten]
    assert first in stage.model.heard[0][1]


@pytest.mark.parametrize("question", [ZH, EN, "滤芯 vs ferry?"])
@pytest.mark.parametrize("call_id", ["a", " ", None, ""])
def test_r11_a_planner_that_never_has_enough_stops_at_the_budget_whatever_its_ids(
    stage: Stage, question: str, call_id: str | None
) -> None:
    plans = [
        search(*(f"{question} {round_}-{n}" for n in range(7)), then="plan", call_id=call_id) for round_ in range(9)
    ]
    turn = stage.turn({"plan": plans, "answer": [["INSUFFICIENT_MATERIAL: x"]]}, question)

    rounds = [len(step["detail"]["searched"]) for step in turn.steps if step["node"] == "retrieve"]
    assert turn.ended.status == "insufficient_material"
    assert sum(later > earlier for earlier, later in pairwise([0, *rounds])) == MAX_ROUNDS
    assert rounds == sorted(rounds) and max(b - a for a, b in pairwise([0, *rounds])) <= 6


@pytest.mark.parametrize("question", [ZH, EN])
@pytest.mark.parametrize("call_id", ["a", "call-0"])
def test_r11_calls_that_repeat_an_id_over_the_rounds_are_all_run_and_answered(
    stage: Stage, question: str, call_id: str
) -> None:
    plans = [search("型号", then="plan", call_id=call_id), search("bus", call_id=call_id)]
    turn = stage.turn({"plan": plans, "answer": [["没有。"]]}, question)

    assert turn.ended.searched[:3] == [question, "型号", "bus"]


@pytest.mark.parametrize(
    ("queries", "different"),
    [
        (["滤芯型号", "滤芯 型号", "滤芯，型号？", "滤芯型号。", "更换"], ["滤芯型号", "更换"]),
        (["ferry times", "Ferry Times!", "ＦＥＲＲＹ times", "ferry-times"], ["ferry times", "ferry-times"]),
        (["FX-200", "ｆｘ-200", "FX 200", "fx-200？"], ["FX-200", "FX 200"]),
        ([ZH, "滤芯多久更换一次", EN], [EN]),
    ],
)
def test_r12_queries_that_differ_only_in_form_are_searched_once(
    stage: Stage, queries: list[str], different: list[str]
) -> None:
    again = search(*reversed(queries), call_id="b")
    turn = stage.turn({"plan": [search(*queries, then="plan"), again], "answer": [["没有。"]]}, ZH)

    assert turn.ended.searched == [ZH, *different]


@pytest.mark.parametrize(
    "planned",
    [
        ["NO_SEARCH"],
        [""],
        [],
        [SLOW],
        ["我先想想。"],
        ['{"name": "search_documents", "arguments": {"queries": ["x"]}}'],
        [{"id": "a", "name": "search_documents", "args": '{"queries": ["滤', "index": 0, "type": "tool_call_chunk"}],
        [
            {
                "id": "a",
                "name": "search_documents",
                "args": '{"queries": {"q": 1}}',
                "index": 0,
                "type": "tool_call_chunk",
            }
        ],
        [{"id": "a", "name": "web_search", "args": '{"q": "滤芯"}', "index": 0, "type": "tool_call_chunk"}],
        [{"id": " ", "name": "web_search", "args": "", "index": 0, "type": "tool_call_chunk"}],
        [
            {
                "id": "a",
                "name": "calculator",
                "args": '{"a":' * 300 + "1" + "}" * 300,
                "index": 0,
                "type": "tool_call_chunk",
            },
            *search("x"),
        ],
        [
            {
                "id": "a",
                "name": "calculator",
                "args": '{"expression": "\\ud83d"}',
                "index": 0,
                "type": "tool_call_chunk",
            },
            *search("x"),
        ],
    ],
)
@pytest.mark.parametrize("question", [ZH, EN, "Show the ferry times.", "列出滤芯的型号"])
def test_whatever_the_planner_sends_the_users_own_question_is_searched(
    stage: Stage, question: str, planned: list[Piece]
) -> None:
    turn = stage.turn(
        {"plan": [planned, ["NO_SEARCH"]], "answer": [["滤芯每 45 天更换一次。[{{滤芯每 45 天}}]"]]}, question
    )

    assert turn.ended.searched[0] == question
    assert turn.ended.answer.startswith("滤芯每 45 天更换一次。[1]")


@pytest.mark.parametrize("question", ["你好", "thanks", "Hello!", "谢谢"])
def test_small_talk_searches_nothing(stage: Stage, question: str) -> None:
    turn = stage.turn({"plan": [["NO_SEARCH"]], "answer": [["不客气。"]]}, question)

    assert (turn.ended.status, list(turn.ended.searched)) == ("chat", [])
