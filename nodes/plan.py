"""plan: the model proposes searches and tool calls, or says that none is needed."""

import asyncio
import json
from collections.abc import Collection, Mapping, Sequence
from itertools import count
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, HumanMessage
from langchain_core.runnables import Runnable
from langgraph.runtime import Runtime

from nodes.characters import whole
from nodes.clarify import asked_back, is_unclear, proposed_question
from nodes.conversational import is_for_a_tool, needs_documents, searches_nothing
from nodes.limits import Limits
from nodes.models import counted, said, silent
from nodes.prompting import conversation
from nodes.prompts import BUILT_IN, NO_SEARCH, Prompts
from nodes.spoken import language_of
from nodes.state import MAX_PLANS, MAX_TOOL_CALLS, Context, State, Update
from nodes.tasks import task_by_rule
from nodes.turn import PlannedCall, call_record, narrowing_of, question_of, turn_as_messages, user_of
from stores.documents.store import DocumentStore
from stores.memories.repository import Memories
from tools.errors import ToolArgumentsError
from tools.registry import Registry
from tools.search_documents import SEARCH_DOCUMENTS, parse_search
from tools.tasks import Task
from tools.tool import Tool, as_openai

DEEPEST = 32
"""Arguments nested deeper stay the text they came as: no tool wants them, and a checkpoint cannot hold them."""


async def plan(
    state: State,
    runtime: Runtime[Context],
    *,
    model: BaseChatModel,
    registry: Registry,
    memories: Memories,
    limits: Limits,
    documents: DocumentStore | None = None,
    prompts: Prompts = BUILT_IN,
) -> Update:
    """At most one model call. Late, empty or unusable output becomes a search for the user's own question.

    A message that says nothing of what it is about is asked back without any call; `documents` tell whether "this
    document" can be but one.
    """
    question = question_of(state)
    if _first(state) and not state.told and await _is_unclear(state, runtime, documents):
        return Update(clarifying=asked_back(question), task=task_by_rule(question))
    offered = _offered(state, registry.candidates(question, limit=limits.tool_candidates), limits)
    if not offered:
        searched = _nothing_done(state, registry) and needs_documents(question)
        return Update(after_search="answer") | _by_rule(state, searched=searched)
    recalled = await memories.get_many(user_of(runtime), state.memories)
    system = prompts.plan(language_of(question), rounds=max(0, limits.max_rounds - state.rounds))
    prompt = [
        *conversation(state, system=system, memories=recalled, history_tokens=limits.history_tokens),
        HumanMessage(content=question),
        *turn_as_messages(state.turn_messages),
    ]
    reply = await _in_time(silent(model.bind_tools([as_openai(tool) for tool in offered])), prompt, limits)
    if reply is None:
        return _by_rule(state, searched=_nothing_done(state, registry))
    return _decided(state, reply, registry) | Update(usage=counted(state.usage, reply))


def _decided(state: State, reply: AIMessage, registry: Registry) -> Update:
    """What becomes of the planner's reply: permitted calls, a question back, a search by rule, or nothing."""
    question = question_of(state)
    proposed = proposed_calls(reply, before=state.turn_messages)
    calls = _wanted(proposed, question)
    if calls:
        return Update(turn_messages=[call_record(calls)], searched_by_rule=False, task=_named(state, calls))
    asked = proposed_question(reply.text, state) if not proposed and not state.told else None
    if asked is not None:
        return Update(clarifying=asked, searched_by_rule=False, task=task_by_rule(question))
    declined = bool(proposed) or NO_SEARCH in reply.text
    return _by_rule(
        state,
        searched=_nothing_done(state, registry) and not (declined and not needs_documents(question)),
    )


def _by_rule(state: State, *, searched: bool) -> Update:
    """The application's own decision: the user's question is searched, or the turn goes on with what there is."""
    if searched and not searches_nothing(question_of(state)):
        return Update(searched_by_rule=True, task=task_by_rule(question_of(state)))
    looked_up = bool(state.searched or state.turn_messages)
    return Update(searched_by_rule=False, task=state.task if looked_up else "chat")


def _wanted(calls: list[PlannedCall], question: str) -> list[PlannedCall]:
    """The calls without searches for what no document answers: small talk, memory requests, a sum beside its tool."""
    others = [call for call in calls if call.name != SEARCH_DOCUMENTS]
    if searches_nothing(question) or (others and is_for_a_tool(question)):
        return others
    return calls


def _named(state: State, calls: Sequence[PlannedCall]) -> Task:
    """What the question asks for: as it was named when its first search was planned, else by rule."""
    if state.searched and state.task is not None:
        return state.task
    requests = (parse_search(call.arguments) for call in calls if call.name == SEARCH_DOCUMENTS)
    named = (one.task for one in requests if not isinstance(one, ToolArgumentsError) and one.task is not None)
    return next(named, task_by_rule(question_of(state)))


async def _is_unclear(state: State, runtime: Runtime[Context], documents: DocumentStore | None) -> bool:
    question = question_of(state)
    if state.summary is not None or not is_unclear(question, state.messages, one_document=False):
        return False
    narrowed = narrowing_of(runtime)
    if documents is None or is_unclear(question, state.messages, one_document=True):
        return True
    found = await documents.matching(narrowed, reader=user_of(runtime))
    if found is None:
        found = len(await documents.documents(reader=user_of(runtime), collection=narrowed.collection))
    return found != 1


def _first(state: State) -> bool:
    """Nothing was searched or called yet this turn."""
    return not state.searched and not state.turn_messages


def _nothing_done(state: State, registry: Registry) -> bool:
    """Nothing was searched yet this turn, and no call named a tool that there is."""
    known = registry.names()
    called = {
        call["name"] for record in state.turn_messages if record["role"] == "assistant" for call in record["calls"]
    }
    return not state.searched and called.isdisjoint(known)


def _offered(state: State, candidates: Sequence[Tool], limits: Limits) -> list[Tool]:
    """The candidates whose budget is not used up; none once the planner was asked often enough."""
    if sum(record["role"] == "assistant" for record in state.turn_messages) >= MAX_PLANS:
        return []
    tools_left = len(state.tool_results) < MAX_TOOL_CALLS
    searches_left = state.rounds < limits.max_rounds
    return [tool for tool in candidates if (searches_left if tool.name == SEARCH_DOCUMENTS else tools_left)]


async def _in_time(model: Runnable[Any, AIMessage], prompt: Sequence[AnyMessage], limits: Limits) -> AIMessage | None:
    try:
        async with asyncio.timeout(limits.plan_seconds):
            return await said(model, prompt)
    except TimeoutError:
        return None


def proposed_calls(reply: AIMessage, *, before: Sequence[Mapping[str, Any]]) -> list[PlannedCall]:
    """Every call of a reply, malformed ones included, each under an id of its own in the whole turn.

    A blank id, or one that this reply or one `before` it has used, is replaced: small engines number the calls of
    every reply from nought, and a second call under an answered id would never be run.
    """
    calls: list[PlannedCall] = []
    taken = {call["id"] for record in before if record["role"] == "assistant" for call in record["calls"]}
    for given, name, arguments in _proposals(reply):
        call_id = given if given and given.strip() and given not in taken else _unused(taken)
        taken.add(call_id)
        calls.append(PlannedCall(call_id=call_id, name=name, arguments=arguments))
    return calls


def _unused(taken: Collection[str]) -> str:
    return next(call_id for at in count(len(taken)) if (call_id := f"call-{at}") not in taken)


def _proposals(reply: AIMessage) -> list[tuple[str | None, str, dict[str, Any] | str]]:
    """Id, name and arguments of every call, the arguments as text where they are no JSON object."""
    if isinstance(reply, AIMessageChunk) and reply.tool_call_chunks:
        raw = [(c["id"], c["name"] or "", c["args"] or "") for c in reply.tool_call_chunks]
        return [(call_id and whole(call_id), whole(name), _object(whole(args))) for call_id, name, args in raw]
    return [
        *((call["id"], call["name"], call["args"]) for call in reply.tool_calls),
        *((call["id"], call["name"] or "", call["args"] or "") for call in reply.invalid_tool_calls),
    ]


def _object(arguments: str) -> dict[str, Any] | str:
    try:
        parsed = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return arguments
    return parsed if isinstance(parsed, dict) and _can_be_kept(parsed) else arguments


def _can_be_kept(parsed: dict[str, Any]) -> bool:
    """Whether a checkpoint can hold it: not nested too deeply, and without half a character."""
    return not _deeper(parsed, DEEPEST) and whole(text := json.dumps(parsed, ensure_ascii=False)) == text


def _deeper(value: object, levels: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels < 0 or any(_deeper(one, levels - 1) for one in inner)
