"""plan: the model proposes searches and tool calls, or says that none is needed."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, HumanMessage
from langchain_core.runnables import Runnable
from langgraph.runtime import Runtime

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
        searched = _is_untouched(state, registry) and needs_documents(question)
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
        return _by_rule(state, searched=_is_untouched(state, registry))
    return _decided(state, reply, registry) | Update(usage=counted(state.usage, reply))


def _decided(state: State, reply: AIMessage, registry: Registry) -> Update:
    """What becomes of the planner's reply: permitted calls, a question back, a search by rule, or nothing."""
    question = question_of(state)
    proposed = proposed_calls(reply, taken=len(state.turn_messages))
    calls = _wanted(proposed, question)
    if calls:
        return Update(turn_messages=[call_record(calls)], searched_by_rule=False, task=_named(state, calls))
    asked = proposed_question(reply.text, state) if not proposed and not state.told else None
    if asked is not None:
        return Update(clarifying=asked, searched_by_rule=False, task=task_by_rule(question))
    declined = bool(proposed) or NO_SEARCH in reply.text
    return _by_rule(
        state,
        searched=_is_untouched(state, registry)
        and not searches_nothing(question)
        and not (declined and not needs_documents(question)),
    )


def _by_rule(state: State, *, searched: bool) -> Update:
    """The application's own decision: the user's question is searched, or the turn goes on with what there is."""
    if searched:
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


def _is_untouched(state: State, registry: Registry) -> bool:
    """Nothing was searched, and if anything was called, it was no tool that there is."""
    return not state.searched and all(result.name not in registry.names() for result in state.tool_results)


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


def proposed_calls(reply: AIMessage, *, taken: int) -> list[PlannedCall]:
    """Every call of a reply, malformed ones included, each under an id of its own.

    `taken` makes ids given here differ from those of earlier replies of the turn.
    """
    calls: list[PlannedCall] = []
    seen: set[str] = set()
    for index, (call_id, name, arguments) in enumerate(_proposals(reply)):
        unique = call_id if call_id and call_id not in seen else f"call-{taken}-{index}"
        seen.add(unique)
        calls.append(PlannedCall(call_id=unique, name=name, arguments=arguments))
    return calls


def _proposals(reply: AIMessage) -> list[tuple[str | None, str, dict[str, Any] | str]]:
    """Id, name and arguments of every call, the arguments as text where they are no JSON object."""
    if isinstance(reply, AIMessageChunk) and reply.tool_call_chunks:
        return [(c["id"], c["name"] or "", _object(c["args"] or "")) for c in reply.tool_call_chunks]
    return [
        *((call["id"], call["name"], call["args"]) for call in reply.tool_calls),
        *((call["id"], call["name"] or "", call["args"] or "") for call in reply.invalid_tool_calls),
    ]


def _object(arguments: str) -> dict[str, Any] | str:
    try:
        parsed = json.loads(arguments or "{}")
    except ValueError:
        return arguments
    return parsed if isinstance(parsed, dict) else arguments
