"""Typed step events on the custom stream: what each node did, for traces and progress."""

import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal, TypeGuard

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.errors import GraphBubbleUp
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from nodes.rewriting import lost_literals, other_language
from nodes.state import Context, State, Update
from nodes.turn import ANSWER, is_answer

logger = logging.getLogger(__name__)

Node = Callable[..., Awaitable[Update]]


class StepEvent(TypedDict):
    """One node of the running turn finished. `ms` is wall-clock time; `detail` says what it decided."""

    type: Literal["step"]
    node: str
    ms: float
    detail: dict[str, Any]


def observed(name: str, node: Node, *, may_fail: bool = False) -> Node:
    """The node, with a step event sent when it returns.

    A node that `may_fail` ends its step with an empty update and the error in the event and the log: the turn goes on.
    """

    async def step(state: State, runtime: Runtime[Context]) -> Update:
        start = time.perf_counter()
        update, detail = Update(), {}
        try:
            update = await node(state, runtime)
            detail = _detail(name, update)
        except GraphBubbleUp:
            raise
        except Exception as error:
            if not may_fail:
                raise
            logger.warning("%s failed, the answer stands: %s", name, type(error).__name__)
            detail = {"error": type(error).__name__}
        ms = round((time.perf_counter() - start) * 1000, 1)
        runtime.stream_writer(StepEvent(type="step", node=name, ms=ms, detail=detail))
        return update

    return step


def _detail(name: str, update: Update) -> dict[str, Any]:
    match name:
        case "recall_memory":
            return {"memories": len(update.get("memories", []))}
        case "plan":
            return _planned(update)
        case "tool_call":
            results = update.get("tool_results", [])
            assert isinstance(results, list)  # noqa: S101 - a node appends; only recall_memory overwrites
            return {"results": [{"name": r.name, "status": r.status, "content": r.content} for r in results]}
        case "retrieve":
            evidence = [
                {"number": item.number, "score": item.score, "source": item.source}
                for item in update.get("evidence", [])
            ]
            return {
                "searched": update.get("searched", []),
                **_rewritten(update.get("searched", [])),
                "evidence": evidence,
                "degraded": update.get("degraded", []),
                "below_threshold": update.get("below_threshold", 0),
            }
        case "answer":
            return {"sentences_failed": len(update.get("problems", []))}
        case "check_citations":
            return _checked(update)
        case "compress_history":
            return {"summarised": "summary" in update}
        case _:
            return {}


def _checked(update: Update) -> dict[str, Any]:
    """Where the turn goes; at its end, what became of each sentence, and how long the first words took."""
    stored: dict[str, Any] = next((m.additional_kwargs[ANSWER] for m in update.get("messages", []) if _closes(m)), {})
    told: dict[str, Any] = {key: stored[key] for key in ("sentences", "first_ms") if key in stored}
    return {"verdict": update.get("verdict", ""), **told}


def _closes(message: AnyMessage | dict[str, Any]) -> TypeGuard[AIMessage]:
    return isinstance(message, AIMessage) and is_answer(message)


def _planned(update: Update) -> dict[str, Any]:
    records = update.get("turn_messages", [])
    assert isinstance(records, list)  # noqa: S101 - a node appends; only recall_memory overwrites
    calls = [{"name": call["name"], "arguments": call["arguments"]} for record in records for call in record["calls"]]
    planned = {"task": update.get("task"), "calls": calls, "searched_by_rule": update.get("searched_by_rule", False)}
    return planned | ({"clarify": update["clarifying"]} if update.get("clarifying") else {})


def _rewritten(searched: Sequence[str]) -> dict[str, Any]:
    """What the planner's queries changed in the user's own question, which is searched first and as it is."""
    if len(searched) <= 1:
        return {}
    question, *queries = searched
    told = {"only_in_question": lost_literals(question, queries), "other_language": other_language(question, queries)}
    return {name: found for name, found in told.items() if found}
