"""The whole graph against a planner and an answerer that do their worst: what holds whatever a model says."""

import json
import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from typing import get_args

import pytest
from hostile import Piece
from hostile_scripts import FOREIGN, OWN, QUESTIONS, SECRETS, scripts
from hypothesis import HealthCheck, given, settings
from langchain_core.messages import AIMessage, ToolMessage
from markdown_it import MarkdownIt
from stage import ASKS, OTHER, Stage, Turn, opened_stage

from graph.reply import Reply
from nodes.citations.markers import find_markers
from nodes.limits import MAX_ROUNDS
from nodes.state import MAX_PLANS, MAX_REPAIRS, MAX_TOOL_CALLS, Status
from nodes.turn import FAILED, is_answer, open_calls
from stores.documents.sentences import code_spans
from tools.search_documents import MAX_QUERIES

RUNS = 500
MOST_CALLS = MAX_PLANS + 2 + 2 + MAX_REPAIRS
"""Plans, with those that ended in no call; the answer, once more after a second search; the repair."""


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Opened once: five hundred turns of a data directory each would take minutes."""
    with opened_stage(tmp_path_factory.mktemp("adversary"), {ASKS: OWN, OTHER: FOREIGN}) as stage:
        stage.model.ids = foreign_ids(stage)
        yield stage


@pytest.mark.slow
@settings(
    max_examples=RUNS,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(script=scripts(), question=QUESTIONS)
def test_whatever_the_models_say_budgets_rights_and_numbers_hold(
    stage: Stage, script: dict[str, list[list[Piece]]], question: str
) -> None:
    thread = f"t{next(stage.threads)}"
    turn = stage.turn(script, question, thread)
    heard = list(stage.model.heard)

    check_budgets(turn, heard)
    check_no_leak(stage, turn, heard)
    if turn.reply is None:
        check_the_thread_goes_on(stage, turn, thread)
    else:
        check_reply(stage, turn, turn.reply)
        check_calls(turn)


def check_budgets(turn: Turn, heard: list[tuple[str, str]]) -> None:
    rounds = [step["detail"] for step in turn.steps if step["node"] == "retrieve"]
    searched = [0, *(len(detail["searched"]) for detail in rounds)]
    ran = [result for step in turn.steps if step["node"] == "tool_call" for result in step["detail"]["results"]]
    assert sum(later > earlier for earlier, later in pairwise(searched)) <= MAX_ROUNDS
    assert all(b - a <= MAX_QUERIES + 1 for a, b in pairwise(searched))
    assert sum(result["status"] != "rejected" for result in ran) <= MAX_TOOL_CALLS
    assert len(heard) <= MOST_CALLS
    assert sum(task == "repair" for task, _ in heard) <= MAX_REPAIRS


def foreign_ids(stage: Stage) -> list[str]:
    return [one for chunk, document in stage.passages(OTHER) for one in (chunk.chunk_id, document.document_id)]


def check_no_leak(stage: Stage, turn: Turn, heard: list[tuple[str, str]]) -> None:
    """Nothing of the other user's is told, and no model reads it before it says it itself.

    In small talk there is nothing to check a model's words against, and what an unfinished turn holds is no answer.
    """
    unfinished = {"draft", "problems", "missing", "sentences"} if turn.reply is None else set()
    told = turn.streamed + repr([value for key, value in turn.state.items() if key not in unfinished])
    told += repr(turn.steps)
    before = [task for task, _ in heard].index("answer") + 1 if "answer" in dict(heard) else len(heard)
    prompts = "\n".join(prompt for _, prompt in heard[:before])
    if turn.reply is not None:
        told += turn.reply.answer + json.dumps(turn.reply.as_json(), ensure_ascii=False)
    chatted = turn.reply is not None and turn.reply.status == "chat"
    for word in (*stage.model.ids, *SECRETS):
        assert word not in prompts
        assert chatted or word not in told


def check_reply(stage: Stage, turn: Turn, reply: Reply) -> None:
    evidence = {item.chunk_id for item in turn.state["evidence"]}
    readable = stage.run(stage.agent.services.documents.chunks(list(evidence), reader=ASKS))
    numbers = {citation.number for citation in reply.citations}
    assert reply.status in get_args(Status)
    assert reply.answer.startswith(turn.streamed)
    assert shown(reply.answer) <= numbers
    assert {number for marker in find_markers(reply.answer) for number in marker.numbers} == numbers
    assert {citation.citation.chunk_id for citation in reply.citations} <= evidence == set(readable)
    assert all(
        citation.quote in readable[citation.citation.chunk_id][0].text
        for citation in reply.citations
        if " … " not in citation.quote
    )
    assert not re.search(r"<(?:img|a|script)\b", MarkdownIt("commonmark", {"html": True}).render(reply.answer))
    assert json.dumps(reply.as_json(), ensure_ascii=False).encode()
    if reply.status in {"insufficient_material", "clarify"}:
        assert not numbers


def check_calls(turn: Turn) -> None:
    messages = turn.state["messages"]
    asked = [call["id"] for message in messages if isinstance(message, AIMessage) for call in message.tool_calls]
    answered = [message.tool_call_id for message in messages if isinstance(message, ToolMessage)]
    planned = [
        call["id"]
        for record in turn.state["turn_messages"]
        if record["role"] == "assistant"
        for call in record["calls"]
    ]
    assert sorted(asked) == sorted(answered)
    assert len(set(asked)) == len(asked)
    assert open_calls(turn.state["turn_messages"]) == []
    assert len(set(planned)) == len(planned)
    assert sum(is_answer(message) for message in messages) == 1


def check_the_thread_goes_on(stage: Stage, failed: Turn, thread: str) -> None:
    assert len(str(failed.error).splitlines()) == 1
    after = stage.turn({"plan": [["NO_SEARCH"]], "answer": [["不客气。"]]}, "谢谢", thread)
    assert after.reply is not None and after.reply.status == "chat"
    assert FAILED in after.state["messages"][0].additional_kwargs


def shown(text: str) -> set[int]:
    """Every number in brackets of any shape outside code, read without the product's own reader of markers."""
    outside, at = "", 0
    for start, end in code_spans(text):
        outside, at = outside + text[at:start] + " ", end
    folded = unicodedata.normalize("NFKC", outside + text[at:])
    found = re.findall(
        r"(?<![A-Za-z_$)])[\[【〔〖⟦]{1,2}\s*(?:ID:?\s*|\^)?([-\d][\d,\s-]*)(?:†[^\]】]*)?[\]】〕〗⟧]", folded
    )
    return {int(number) for listed in found for number in re.findall(r"-?\d{1,9}", listed)}
