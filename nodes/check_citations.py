"""check_citations: decides what becomes of the draft, and alone writes the answer into the thread."""

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.runtime import Runtime

from nodes.citations.absent import told_missing
from nodes.citations.inert import inert_line
from nodes.citations.render import Citation, citations_for
from nodes.citations.verdicts import Passage, judge
from nodes.limits import Limits
from nodes.prompting import Passages
from nodes.refusal import has_words, refusal, tools_told, wordless
from nodes.state import MAX_REPAIRS, Context, State, Status, Update
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
    state: State, runtime: Runtime[Context], *, documents: DocumentStore, limits: Limits, meter: Meter
) -> Update:
    """Repair failed sentences once, search once more if material is missing, else close the turn."""
    if state.problems and state.repairs < MAX_REPAIRS and state.evidence:
        return Update(verdict="repair")
    if _may_search_again(state, limits):
        return Update(verdict="search", searched_again=True, missing=state.missing or [question_of(state)])
    ids = [item.chunk_id for item in state.evidence if item.number in state.shown]
    passages = await documents.chunks(ids, reader=user_of(runtime))
    citations = cited(state, passages)
    status = status_of(state)
    question_id = question_message(state.messages).id
    text = _text(state)
    meter.observe(ROUNDS, state.rounds)
    final = AIMessage(
        content=text,
        id=answer_id(question_id),
        additional_kwargs={ANSWER: _details(state, status, citations)},
    )
    return Update(
        messages=[*_tool_messages(state, question_id), final],
        verdict="done",
        draft="",
        released="",
        problems=[],
        missing=_missing(state),
    )


def _may_search_again(state: State, limits: Limits) -> bool:
    """Once a turn: nothing could be said, and there is budget to look elsewhere."""
    untold = not state.released and bool(state.searched)
    searchable = has_words(question_of(state))
    return untold and searchable and not state.searched_again and state.rounds < limits.max_rounds


def _text(state: State) -> str:
    """The answer, and after it what the application has to tell; alone if no model was asked."""
    if state.told and state.drafted_at < 0:
        return state.told
    answered = state.released or _told_instead(state)
    return f"{answered}\n\n{state.told}" if state.told else answered


def _told_instead(state: State) -> str:
    """What the user reads when no sentence of the draft may be shown."""
    question = question_of(state)
    if not has_words(question):
        earlier = [message.text for message in state.messages[:-1] if isinstance(message, HumanMessage)]
        return wordless(question, earlier)
    told = [
        (inert_line(result.name), result.status == "ok", inert_line(result.content[:_MOST_OF_RESULT]))
        for result in state.tool_results
    ]
    if told and not state.searched:
        return tools_told(question, told)
    failed = [one for one in told if not one[1]]
    lines = [refusal(question, searched=state.searched, missing=_missing(state))]
    return "\n".join([*lines, *([tools_told(question, failed)] if failed else [])])


def _missing(state: State) -> list[str]:
    return told_missing(state.missing, question_of(state), state.searched)


def cited(state: State, passages: Passages) -> list[Citation]:
    """The citations of the released text, by the numbers the reader sees."""
    by_number = {item.number: item.chunk_id for item in state.evidence}
    shown = {position: by_number[number] for position, number in enumerate(state.shown, start=1)}
    readable = {
        position: Passage.of(position, passages[chunk_id][0])
        for position, chunk_id in shown.items()
        if chunk_id in passages
    }
    verdicts = judge(state.released, readable, free=(), allow_uncited=True)
    return citations_for(verdicts, readable, passages)


def status_of(state: State) -> Status:
    """What kind of answer the text is."""
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
    if state.missing or state.problems or (failed_alone and state.tool_results):
        return "partial"
    return "answered"


def _details(state: State, status: Status, citations: Sequence[Citation]) -> dict[str, Any]:
    """What is stored beside the answer's text. Passage texts are not: they are read from the store when shown."""
    missing = _missing(state) if status in {"partial", "insufficient_material"} else []
    details: Mapping[str, Any] = {
        "status": status,
        "citations": [citation.stored() for citation in citations]
        if status not in {"insufficient_material", "clarify"}
        else [],
        "missing": missing,
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
