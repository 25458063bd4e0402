"""check_citations: decides what becomes of the draft, and alone writes the answer into the thread."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.runtime import Runtime

from nodes.citations.absent import told_missing
from nodes.citations.inert import inert_line
from nodes.citations.opinions import BY_WORDS, Opinions, SupportCheck
from nodes.citations.record import left_out
from nodes.citations.render import Citation, citations_for
from nodes.citations.verdicts import Passage, judge
from nodes.closing import left_out_line, missing_line
from nodes.disagreement import Disagreement, disagreements
from nodes.handoffs import NO_HAND_OFF, HandOff, handed_off
from nodes.limits import Limits
from nodes.prompting import Passages
from nodes.refusal import Near, has_words, nearest, refusal, tools_told, wordless
from nodes.speaking import Clock, Speaker
from nodes.state import MAX_REPAIRS, Context, State, Status, ToolResult, Update
from nodes.turn import (
    ANSWER,
    PlannedCall,
    answer_id,
    as_record,
    call_messages,
    question_message,
    question_of,
    user_of,
)
from stores.documents.store import DocumentStore
from stores.metrics import ROUNDS, Meter

_MOST_OF_RESULT = 600
"""So many characters of a tool's result are told when no sentence about it may be shown."""


async def check_citations(
    state: State,
    runtime: Runtime[Context],
    *,
    documents: DocumentStore,
    limits: Limits,
    clock: Clock,
    meter: Meter,
    support: SupportCheck = BY_WORDS,
    handing: HandOff = NO_HAND_OFF,
) -> Update:
    """Repair failed sentences once, search once more if material is missing, else close the turn."""
    if state.problems and state.repairs < MAX_REPAIRS and state.evidence:
        return Update(verdict="repair")
    if _may_search_again(state, limits):
        return Update(verdict="search", searched_again=True, missing=state.missing or [question_of(state)])
    passages = await documents.chunks([item.chunk_id for item in state.evidence], reader=user_of(runtime))
    status = status_of(state)
    refused = status == "insufficient_material"
    handed = [await handed_off(state, runtime, handing.call)] if refused and handing.call is not None else []
    state = replace(state, tool_results=[*state.tool_results, *handed])
    closed = await asyncio.to_thread(closing, state, status, passages, support.of_draft())
    if refused:
        told = (closed.text, _tool_told(question_of(state), handed), handing.text)
        closed = replace(closed, text="\n\n".join(filter(None, told)))
    question_id = question_message(state.messages).id
    speaker = Speaker.of(state, clock, meter)
    meter.observe(ROUNDS, state.rounds)
    if state.released:
        speaker.say(closed.text[len(state.released) :])
    speaker.heard()
    details = _details(state, closed) | {"first_ms": speaker.first_ms}
    final = AIMessage(content=closed.text, id=answer_id(question_id), additional_kwargs={ANSWER: details})
    return Update(
        messages=[*_tool_messages(state, question_id), final],
        tool_results=handed,
        verdict="done",
        draft="",
        released="",
        problems=[],
        missing=list(closed.missing),
    )


def _may_search_again(state: State, limits: Limits) -> bool:
    """Once a turn: nothing could be said, and there is budget to look elsewhere."""
    untold = not state.released and bool(state.searched)
    searchable = has_words(question_of(state))
    return untold and searchable and not state.searched_again and state.rounds < limits.max_rounds


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """The turn's end: the whole text, and what is stored beside it."""

    text: str
    status: Status
    citations: Sequence[Citation] = ()
    missing: Sequence[str] = ()
    near: Sequence[Near] = ()
    sentences: Sequence[Mapping[str, Any]] = ()


def closing(state: State, status: Status, passages: Passages, opinions: Opinions | None = None) -> Closing:
    """The answer, and after it what the application has to tell; that alone if no model was asked. Blocks."""
    if state.clarifying:
        return Closing(text=state.clarifying, status=status)
    question = question_of(state)
    if state.told and state.drafted_at < 0:
        return Closing(text=state.told, status=status)
    missing = told_missing(state.missing, question, state.searched)
    refused = status == "insufficient_material"
    near = nearest(state.evidence, passages) if refused else []
    told = disagreements(state, passages) if state.shown else []
    added = [one.line for one in told]
    added += [] if refused or status == "chat" else [missing_line(question, missing if state.released else [])]
    if state.released and status != "chat":
        added.append(left_out_line(question, left_out(state.sentences)))
    answered = state.released or _told_instead(state, missing, near)
    return Closing(
        text="\n\n".join(filter(None, [answered, state.told, *added])),
        status=status,
        citations=[] if status in {"insufficient_material", "clarify"} else cited(state, passages, told, opinions),
        missing=missing if status in {"partial", "insufficient_material"} else [],
        near=near,
        sentences=_readable(state, passages),
    )


def _readable(state: State, passages: Passages) -> list[Mapping[str, Any]]:
    """The sentences; what was cut is not repeated once a passage it may come from is out of this user's reach."""
    if all(item.chunk_id in passages for item in state.evidence):
        return list(state.sentences)
    return [one | {"text": ""} if one["verdict"] in {"cut", "replaced"} else one for one in state.sentences]


def _tool_told(question: str, handed: Sequence[ToolResult]) -> str:
    """What the tool of the hand-off returned; why it did not is told with every other call that failed."""
    return tools_told(question, [_inert(one) for one in handed if one.status == "ok"])


def _inert(result: ToolResult) -> tuple[str, bool, str]:
    return inert_line(result.name), result.status == "ok", inert_line(result.content[:_MOST_OF_RESULT])


def _told_instead(state: State, missing: Sequence[str], near: Sequence[Near]) -> str:
    """What the user reads when no sentence of the draft may be shown."""
    question = question_of(state)
    if not has_words(question):
        earlier = [message.text for message in state.messages[:-1] if isinstance(message, HumanMessage)]
        return wordless(question, earlier)
    told = [_inert(result) for result in state.tool_results]
    if told and not state.searched:
        return tools_told(question, told)
    failed = [one for one in told if not one[1]]
    lines = [refusal(question, searched=state.searched, missing=missing, near=near)]
    return "\n".join([*lines, *([tools_told(question, failed)] if failed else [])])


def cited(
    state: State, passages: Passages, told: Sequence[Disagreement] = (), opinions: Opinions | None = None
) -> list[Citation]:
    """The citations of the released text and the disagreements told with it, by the numbers the reader sees.

    Blocks while sentences are checked.
    """
    by_number = {item.number: item.chunk_id for item in state.evidence}
    numbers = told[-1].shown if told else state.shown
    shown = {position: by_number[number] for position, number in enumerate(numbers, start=1)}
    readable = {
        position: Passage.of(position, passages[chunk_id][0])
        for position, chunk_id in shown.items()
        if chunk_id in passages
    }
    verdicts = judge(state.released, readable, free=(), allow_uncited=True, opinions=opinions)
    return citations_for([*verdicts, *(one for each in told for one in each.verdicts)], readable, passages)


def status_of(state: State) -> Status:
    """What kind of answer the text is."""
    if state.clarifying:
        return "clarify"
    if state.told and state.drafted_at < 0:
        return "awaiting_confirmation" if state.awaiting else "chat"
    if not state.released:
        if state.tool_results and not state.searched and has_words(question_of(state)):
            return "partial"
        return "insufficient_material" if has_words(question_of(state)) else "clarify"
    if not state.searched and not state.tool_results:
        return "chat"
    if state.searched and not state.shown and not state.tool_results and not state.memories:
        return "chat"
    failed_alone = not state.shown and not any(result.status == "ok" for result in state.tool_results)
    if state.missing or left_out(state.sentences) or (failed_alone and state.tool_results):
        return "partial"
    return "answered"


def _details(state: State, closed: Closing) -> dict[str, Any]:
    """What is stored beside the answer's text. Passage texts are not: they are read from the store when shown."""
    details: Mapping[str, Any] = {
        "status": closed.status,
        "task": state.task,
        "citations": [citation.stored() for citation in closed.citations],
        "missing": list(closed.missing),
        "nearest": [one.stored() for one in closed.near],
        "sentences": list(closed.sentences),
        "searched": state.searched,
        "memories": state.memories,
        "degraded": state.degraded,
        "usage": [state.usage.model_calls, state.usage.input_tokens, state.usage.output_tokens],
    }
    return {key: value for key, value in details.items() if value}


def _tool_messages(state: State, question_id: str | None) -> list[dict[str, Any] | AnyMessage]:
    """The turn's tool calls with their results, as the thread keeps them."""
    pairs = [
        (PlannedCall(call_id=result.call_id, name=result.name, arguments=result.arguments), result.content)
        for result in state.tool_results
    ]
    messages = call_messages(pairs)
    for index, message in enumerate(messages):
        message.id = f"tools-{question_id}-{index}"
    return [as_record(message) for message in messages]
