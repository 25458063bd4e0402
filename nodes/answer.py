"""answer: the model drafts; sentences that pass the local checks are shown at once."""

from collections.abc import AsyncIterator, Sequence

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage
from langgraph.graph.message import push_message
from langgraph.runtime import Runtime

from nodes.citations.results import ToolTexts
from nodes.citations.units import units_in
from nodes.citations.verdicts import Passage
from nodes.drafting import Gate
from nodes.limits import Limits
from nodes.models import counted, silent
from nodes.prompting import Passages, conversation, framed_question, turn_token
from nodes.prompts import BUILT_IN, Prompts
from nodes.spoken import language_of
from nodes.state import Context, Evidence, State, ToolResult, Update
from nodes.tokens import estimate_tokens
from nodes.turn import answer_id, question_message, question_of, user_of
from stores.documents.store import DocumentStore
from stores.memories.memory import Memory
from stores.memories.repository import Memories


async def answer(
    state: State,
    runtime: Runtime[Context],
    *,
    model: BaseChatModel,
    documents: DocumentStore,
    memories: Memories,
    limits: Limits,
    prompts: Prompts = BUILT_IN,
) -> Update:
    """One model call: a draft over the evidence, or the one repair of the sentences that failed."""
    material = len(state.evidence) + len(state.tool_results)
    if state.verdict == "search" and material == state.drafted_at:
        return Update(verdict="")  # the second search brought nothing: the draft stands
    user = user_of(runtime)
    passages = await documents.chunks([item.chunk_id for item in state.evidence], reader=user)
    recalled = await memories.get_many(user, state.memories)
    evidence = within_budget(state.evidence, passages, limits.evidence_tokens)
    prompt = _prompt(state, evidence, passages, recalled, limits, prompts)
    gate = Gate(
        passages=judged_passages(evidence, passages),
        free=free_texts(state, recalled),
        allow_uncited=is_chat(state),
        tools=tool_texts(state, evidence, passages),
        released=state.released,
        shown=list(state.shown),
    )
    message_id = answer_id(question_message(state.messages).id)
    reply: AIMessageChunk | None = None
    stream: AsyncIterator[AIMessage] = silent(model).astream(prompt)
    async for chunk in stream:
        assert isinstance(chunk, AIMessageChunk)  # noqa: S101 - narrows the stream's declared type
        reply = chunk if reply is None else reply + chunk
        _push(gate.feed(chunk.text), message_id)
    _push(gate.finish(), message_id)
    return Update(
        draft=gate.text,
        drafted_at=material,
        released=gate.released,
        shown=gate.shown,
        problems=gate.problems,
        missing=gate.missing if state.verdict != "repair" else state.missing,
        verdict="",
        repairs=state.repairs + (state.verdict == "repair"),
        usage=counted(state.usage, reply) if reply is not None else state.usage,
    )


def _prompt(
    state: State,
    evidence: Sequence[Evidence],
    passages: Passages,
    recalled: Sequence[Memory],
    limits: Limits,
    prompts: Prompts,
) -> list[AnyMessage]:
    repairing = state.verdict == "repair"
    language = language_of(question_of(state))
    task = None if state.task == "chat" else state.task
    system = prompts.text("repair", language) if repairing else prompts.answer(language, task)
    asked = framed_question(
        question_of(state),
        token=turn_token(state),
        evidence=evidence,
        passages=passages,
        results=state.tool_results,
        sentences=state.problems if repairing else (),
    )
    return [
        *conversation(state, system=system, memories=recalled, history_tokens=limits.history_tokens),
        asked,
    ]


def _push(text: str, message_id: str) -> None:
    if text:
        push_message(AIMessageChunk(content=text, id=message_id), state_key=None)


def is_chat(state: State) -> bool:
    """Nothing was looked up: small talk, or about the user."""
    return not state.searched and not state.tool_results


def within_budget(evidence: Sequence[Evidence], passages: Passages, budget: int) -> list[Evidence]:
    """The readable evidence that fits, in order of its numbers, the best first to be kept."""
    kept: set[int] = set()
    for item in sorted(evidence, key=lambda item: -max(item.worth, item.score)):
        if item.chunk_id not in passages:
            continue
        budget -= estimate_tokens(passages[item.chunk_id][0].text)
        if budget < 0 and kept:
            break
        kept.add(item.number)
    return [item for item in evidence if item.number in kept]


def judged_passages(evidence: Sequence[Evidence], passages: Passages) -> dict[int, Passage]:
    """What a draft's numbers may stand for."""
    return {
        item.number: Passage.of(item.number, passages[item.chunk_id][0])
        for item in evidence
        if item.chunk_id in passages
    }


def free_texts(state: State, recalled: Sequence[Memory]) -> list[str]:
    """What a sentence may rest on without a number: tool results and what is remembered about the user."""
    return [
        *(_told(result) for result in state.tool_results if result.status == "ok"),
        *(memory.content for memory in recalled),
    ]


def tool_texts(state: State, evidence: Sequence[Evidence], passages: Passages) -> ToolTexts:
    """What the turn's tools returned, for sentences that tell it in their own words."""
    told = [(result.status, _told(result)) for result in state.tool_results]
    named = [units_in(passages[one.chunk_id][0].text.casefold()) for one in evidence if told]
    return ToolTexts(
        results=tuple(text for status, text in told if status == "ok"),
        failures=tuple(text for status, text in told if status != "ok"),
        asked=question_of(state),
        units=frozenset().union(*named),
    )


def _told(result: ToolResult) -> str:
    return f"{result.arguments}\n{result.content}"
