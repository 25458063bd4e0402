"""The search tool as the model sees it: a schema and no code, because the retrieve step carries it out."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tools.arguments import checked_arguments, parse_arguments
from tools.errors import ToolArgumentsError
from tools.tasks import SEARCHED, Searched, task_named
from tools.tool import Tool

SEARCH_DOCUMENTS = "search_documents"
MAX_QUERIES = 5
MAX_QUERY_LENGTH = 400

# Punctuation that tells identifiers apart: C and C#, a.b and a-b, -1 and 1.
_TELLING = frozenset("#+-./_@&*%\\")

search_documents = Tool(
    name=SEARCH_DOCUMENTS,
    description=(
        "Search the user's documents. 在用户的文档中搜索。 Give 1 to 5 standalone queries; keep names, "
        "numbers, dates and identifiers as the user wrote them, in the user's language."
    ),
    parameters={
        "type": "object",
        "properties": {
            "queries": {
                "type": "array",
                "items": {"type": "string", "minLength": 1, "maxLength": MAX_QUERY_LENGTH},
                "minItems": 1,
                "maxItems": MAX_QUERIES,
                "description": "Each understandable without the conversation; one per part of the question.",
            },
            "then": {
                "type": "string",
                "enum": ["answer", "plan"],
                "default": "answer",
                "description": 'What follows: "plan" only if a later search needs what this one finds.',
            },
            "task": {
                "type": "string",
                "enum": list(SEARCHED),
                "description": "What the question asks for: it decides how much is brought and how it is answered.",
            },
        },
        "required": ["queries"],
    },
    run=None,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """One to five different queries, none blank."""

    queries: tuple[str, ...]
    then: Literal["answer", "plan"] = "answer"
    task: Searched | None = None
    """What the planner took the question for; `None` if it named nothing that can be meant."""
    repeats: int = 0
    """How many more were given that only repeated one of them."""


def parse_search(arguments: Mapping[str, Any] | str) -> SearchRequest | ToolArgumentsError:
    """The model's arguments as a request, or what is wrong with them, as a value: the caller has a fallback.

    Queries are trimmed; blank ones are dropped, and so are repetitions in other width, case, spacing or
    punctuation; the first five stay, each cut to 400 characters. A task that is none is left out.
    """
    try:
        given = parse_arguments(arguments) if isinstance(arguments, str) else dict(arguments)
        strings = _strings(given.get("queries"))
        distinct = _distinct(strings)
        queries = distinct[:MAX_QUERIES]
        task = task_named(given.pop("task", None))  # one that is none costs the default, not the queries
        checked = checked_arguments(search_documents, given | {"queries": queries})
    except ToolArgumentsError as error:
        return error
    repeats = sum(map(bool, map(same_query_key, strings))) - len(distinct)
    return SearchRequest(
        queries=tuple(checked["queries"]), then=checked.get("then", "answer"), task=task, repeats=repeats
    )


def same_query_key(query: str) -> str:
    """Equal for queries that differ only in width, case, spaces or punctuation; empty without a word."""
    folded = unicodedata.normalize("NFKC", query).casefold()
    kept = (each for each in folded if not each.isspace() and (each in _TELLING or _says_something(each)))
    key = "".join(kept).rstrip(".")
    return key if any(each.isalnum() for each in key) else ""


def _says_something(character: str) -> bool:
    return unicodedata.category(character)[0] not in "PCZ"


def _strings(queries: object) -> list[str]:
    given = [queries] if isinstance(queries, str) else queries
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        raise ToolArgumentsError("queries must be a list of strings.")
    return given


def _distinct(queries: list[str]) -> list[str]:
    kept: dict[str, str] = {}
    for query in queries:
        key = same_query_key(query)
        if key:
            kept.setdefault(key, query.strip()[:MAX_QUERY_LENGTH].strip())
    return list(kept.values())
