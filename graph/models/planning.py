"""The offline model's PLAN task: by rules, which searches and tools a message needs."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage
from langchain_core.messages.tool import tool_call

from graph.models.arithmetic import expression_in
from graph.models.dates import dates_in
from graph.models.intents import intent_of
from graph.models.questions import asked_back, named_for, parts_of, standalone
from graph.models.wording import content_words
from nodes.fences import read_fences
from nodes.prompts import NO_SEARCH
from nodes.tasks import task_by_rule
from tools.search_documents import MAX_QUERIES

SEARCH, CALCULATOR, CURRENT_DATE = "search_documents", "calculator", "current_date"

_ZONES = {
    "北京": "Asia/Shanghai", "上海": "Asia/Shanghai", "beijing": "Asia/Shanghai", "shanghai": "Asia/Shanghai",
    "东京": "Asia/Tokyo", "tokyo": "Asia/Tokyo", "伦敦": "Europe/London", "london": "Europe/London",
    "纽约": "America/New_York", "new york": "America/New_York", "巴黎": "Europe/Paris", "paris": "Europe/Paris",
    "柏林": "Europe/Berlin", "berlin": "Europe/Berlin", "悉尼": "Australia/Sydney", "sydney": "Australia/Sydney",
    "新加坡": "Asia/Singapore", "singapore": "Asia/Singapore", "香港": "Asia/Hong_Kong", "hong kong": "Asia/Hong_Kong",
    "utc": "UTC",
}  # fmt: skip
_DISTANCE = re.compile(r"还有|还剩|距离?|离|\b(?:until|till|to|before|left)\b", re.IGNORECASE)
_NOTHING_FOUND = re.compile(r"^\s*(?:no passages?|0 passages?|nothing)\b", re.IGNORECASE)

Tools = Mapping[str, Mapping[str, Any]]
"""The bound tools: name to JSON schema of the arguments."""


def plan(messages: Sequence[BaseMessage], tools: Tools, today: date) -> AIMessage:
    """Tool calls for what the last user message asks and nothing has answered yet, else `NO_SEARCH`."""
    position = max(i for i, message in enumerate(messages) if isinstance(message, HumanMessage))
    question, running = messages[position], messages[position + 1 :]
    earlier = [message.text for message in messages[:position] if isinstance(message, HumanMessage)]
    answers = asked_back(messages[:position])
    proposed = _proposals(question.text, earlier, tools, today, answers=answers)
    if any(isinstance(message, ToolMessage) for message in running):
        proposed = _still_open(proposed, messages[0].text, question.text, running)
    calls = [
        tool_call(name=name, args=arguments, id=_call_id(question, name, arguments))
        for name, arguments in proposed
        if name in tools
    ]
    return AIMessage(content="" if calls else NO_SEARCH, tool_calls=calls)


def _proposals(
    question: str, earlier: Sequence[str], tools: Tools, today: date, *, answers: bool
) -> list[tuple[str, dict[str, Any]]]:
    whole = intent_of(question)
    if whole not in {"documents", "arithmetic", "date"}:
        return []
    parts = parts_of(question) if whole == "documents" else [question]
    proposed: list[tuple[str, dict[str, Any]]] = []
    queries: list[str] = []
    for index, part in enumerate(parts):
        match intent_of(part):
            case "arithmetic":
                proposed.append((CALCULATOR, {"expression": expression_in(part)}))
            case "date":
                proposed.append((CURRENT_DATE, _date_arguments(part, tools.get(CURRENT_DATE, {}), today)))
            case "documents":
                queries.append(_query(part, earlier, parts[:index], answers=answers))
            case _:
                pass
    if queries:
        unique = list(dict.fromkeys(queries))[:MAX_QUERIES]
        known = tools.get(SEARCH, {}).get("properties", {})
        named = {"task": task_by_rule(unique[0] if answers else question)} if "task" in known else {}
        proposed.insert(0, (SEARCH, {"queries": unique, "then": "answer", **named}))
    return proposed


def _query(part: str, earlier: Sequence[str], beside: Sequence[str], *, answers: bool) -> str:
    """A standalone query; what answers a question of the application's own brings along what was asked before it."""
    if answers and not beside and earlier:
        return named_for(earlier[-1], part)
    return standalone(part, earlier, beside)


def _date_arguments(part: str, schema: Mapping[str, Any], today: date) -> dict[str, Any]:
    """What the date tool can be told: a zone, the day to count to, the days to go. Only what its schema knows."""
    arguments: dict[str, Any] = {}
    zone = next((zone for city, zone in _ZONES.items() if city in part.lower()), None)
    if zone:
        arguments["timezone"] = zone
    named = dates_in(part, today)
    if named and named[-1].day != today:
        if _DISTANCE.search(part):
            day = named[-1].day
            arguments["days_until"] = (day if day >= today else _next_year(day)).isoformat()
        else:
            arguments["offset_days"] = (named[-1].day - today).days
    known = schema.get("properties", {})
    return {name: value for name, value in arguments.items() if name in known}


def _next_year(day: date) -> date:
    """A day given without a year lies ahead."""
    return day.replace(year=day.year + 1, day=min(day.day, 28) if day.month == 2 else day.day)  # noqa: PLR2004


def _still_open(
    proposed: Sequence[tuple[str, dict[str, Any]]], system: str, question: str, running: Sequence[BaseMessage]
) -> list[tuple[str, dict[str, Any]]]:
    """What the running turn has not answered: calls not made yet, and one more search if the first found too little."""
    made = [call for message in running if isinstance(message, AIMessage) for call in message.tool_calls]
    names = {call["name"] for call in made}
    left = [(name, arguments) for name, arguments in proposed if name not in names]
    if SEARCH in names and _needs_more(system, running):
        fresh = _other_queries(proposed, question, made)
        if fresh:
            left.insert(0, (SEARCH, {"queries": fresh, "then": "answer"}))
    return left


def _needs_more(system: str, running: Sequence[BaseMessage]) -> bool:
    """The application said that material is missing, or the last search found nothing."""
    if read_fences(system, "missing"):
        return True
    results = [m for m in running if isinstance(m, ToolMessage) and m.name in {SEARCH, None}]
    return len(results) == 1 and _NOTHING_FOUND.match(results[-1].text) is not None


def _other_queries(
    proposed: Sequence[tuple[str, dict[str, Any]]], question: str, made: Sequence[ToolCall]
) -> list[str]:
    """The content words alone, where they were not searched before."""
    searched = {query for call in made if call["name"] == SEARCH for query in call["args"].get("queries", [])}
    planned = [query for name, arguments in proposed if name == SEARCH for query in arguments["queries"]]
    bare = [" ".join(content_words(query)) for query in planned or [question]]
    return [query for query in dict.fromkeys(bare) if query and query not in searched]


def _call_id(question: BaseMessage, name: str, arguments: Mapping[str, Any]) -> str:
    """The same for the same turn and arguments; another turn's message has another id."""
    basis = json.dumps([question.id, question.text, name, arguments], ensure_ascii=False, sort_keys=True)
    return f"call_{hashlib.sha256(basis.encode()).hexdigest()[:16]}"
