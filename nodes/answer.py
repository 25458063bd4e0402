"""answer: the model drafts; sentences that pass the local checks are shown at once."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from functools import reduce

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage
from langgraph.runtime import Runtime

from nodes.citations.opinions import BY_WORDS, SUPPORT, SupportCheck
from nodes.citations.record import Sentence, with_repair
from nodes.citations.results import ToolTexts
from nodes.citations.units import units_in
from nodes.citations.verdicts import Passage, asked_of
from nodes.drafting import Gate
from nodes.limits import Limits
from nodes.models import calls_beside, counted, silent
from nodes.prompting import Passages, conversation, framed_question, turn_token
from nodes.prompts import BUILT_IN, Prompts
from nodes.speaking import Clock, Speaker
from nodes.spoken import language_of
from nodes.state import Context, Evidence, State, ToolResult, Update
from nodes.tokens import estimate_tokens
from nodes.turn import question_of, user_of
from stores.documents.store import DocumentStore
from stores.memories.memory import Memory
from stores.memories.repository import Memories
from stores.metrics import Meter


async def answer(
    state: State,
    runtime: Runtime[Context],
    *,
    model: BaseChatModel,
    documents: DocumentStore,
    memories: Memories,
    limits: Limits,
    clock: Clock,
    meter: Meter,
    support: SupportCheck = BY_WORDS,
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
    opinions = support.of_draft()
    repairing = state.verdict == "repair"
    gate = Gate(
        passages=judged_passages(evidence, passages),
        free=free_texts(state, recalled),
        allow_uncited=is_chat(state),
        tools=tool_texts(state, evidence, passages),
        opinions=opinions,
        repairing=repairing,
        released=state.released,
        shown=list(state.shown),
    )
    speaker = Speaker.of(state, clock, meter)
    reply: AIMessageChunk | None = None
    waiting = ""
    stream: AsyncIterator[AIMessage] = silent(model).astream(prompt)
    async for chunk in stream:
        assert isinstance(chunk, AIMessageChunk)  # noqa: S101 - narrows the stream's declared type
        reply = chunk if reply is None else reply + chunk
        if opinions.judge is not None:
            waiting += chunk.text  # it reads whole drafts: nothing can be shown before
        elif gate.take(chunk.text):
            speaker.say(await asyncio.to_thread(gate.look))
    with calls_beside() as judged:
        await opinions.read(asked_of(waiting, gate.passages))
    if gate.take(waiting):
        speaker.say(await asyncio.to_thread(gate.look))
    speaker.say(await asyncio.to_thread(gate.finish))
    return Update(
        draft=gate.text,
        drafted_at=material,
        released=gate.released,
        shown=gate.shown,
        problems=gate.problems,
        sentences=[one.stored() for one in _sentences(state, gate)],
        first_ms=speaker.first_ms,
        missing=state.missing if repairing else gate.missing,
        verdict="",
        repairs=state.repairs + repairing,
        usage=reduce(counted, [*([reply] if reply is not None else []), *judged], state.usage),
        degraded=sorted({*state.degraded, SUPPORT}) if opinions.degraded else state.degraded,
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


def _sentences(state: State, gate: Gate) -> Sequence[Sentence]:
    """What became of every sentence: of this draft, or of the draft before and this repair."""
    if not gate.repairing:
        return gate.sentences
    return with_repair([Sentence.read(stored) for stored in state.sentences], gate.sentences)


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
