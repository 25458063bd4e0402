"""Calls as the model proposed them, and what became of each: every call id gets exactly one outcome."""

import asyncio
import json
import uuid
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, Literal

from tools.arguments import checked_arguments
from tools.errors import ToolDeniedError, ToolError
from tools.execution import Execution, execute
from tools.ledger import CallLedger
from tools.registry import Registry, near_names
from tools.results import RESULT_LIMIT, as_error, as_text, bounded
from tools.tool import Tool, ToolContext

CallStatus = Literal["ok", "error", "rejected"]

NEEDS_CONFIRMATION = "This call needs confirmation by the user. It was not run."
OVER_BUDGET = "The tool call limit of this turn is reached. It was not run; answer with what there is."
_REPEATED = "The same call was proposed twice under the id {}. It was not run again."
_LONGEST_NAME = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedCall:
    """A call that the model proposed. Nothing of it is trusted."""

    id: str | None
    name: str
    arguments: dict[str, Any] | str
    """Text if the model's arguments could not be parsed: it is checked again and never repaired."""
    position: int | None = None
    """Where parsing the text failed, in characters from 0, if that is known."""
    repeats: str | None = None
    """The id of an earlier call of this list that it repeats word for word. Set by `identified`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOutcome:
    """The one answer to one call. `ok`: it ran; `error`: it could not; `rejected`: it was not let run."""

    call_id: str
    name: str
    arguments: dict[str, Any]
    """As the tool received them; empty if they were not even a JSON object."""
    status: CallStatus
    content: str
    ms: float
    attempts: int
    """How often the tool was started: 0 if it was not."""
    whole: str | None = field(default=None, repr=False)
    """The complete result if `content` had to be cut, for the audit; it does not belong into the state."""


def identified(
    calls: Sequence[ProposedCall], *, new_id: Callable[[], str] = lambda: f"call_{uuid.uuid4().hex}"
) -> list[ProposedCall]:
    """The calls in order, each with an id of its own: missing and repeated ids are replaced.

    Whoever writes the model's message into a conversation gives it these ids: calls and answers must agree.
    """
    taken = {call.id for call in calls}
    seen: dict[tuple[str | None, str, str], str] = {}
    given: set[str | None] = set()
    result: list[ProposedCall] = []
    for call in calls:
        blank = not (call.id and call.id.strip())
        content = (call.id, call.name, json.dumps(call.arguments, sort_keys=True, default=str))
        own = call
        if blank or call.id in given:
            repeats = call.repeats if blank else call.repeats or seen.get(content)
            own = replace(call, id=_fresh(new_id, taken), repeats=repeats)
        given.add(own.id)
        seen.setdefault(content, str(own.id))
        result.append(own)
    return result


async def run_calls(
    calls: Sequence[ProposedCall],
    *,
    registry: Registry,
    context: ToolContext,
    allowed: Collection[str],
    budget: int,
    ledger: CallLedger | None = None,
    result_limit: int = RESULT_LIMIT,
) -> list[CallOutcome]:
    """Check the calls and run those that may run, side by side: one outcome a call, in order.

    The outcomes bear the ids that `identified` gives.

    Args:
        allowed: the names offered to the model in this turn; nothing else can be called.
        budget: calls left in this turn; those beyond it are rejected.
        ledger: remembers writes, so that repeating one under its key replays the result.
        result_limit: bytes a result may take up.

    A failing call never takes its siblings with it. Cancelling ends every running tool.
    """
    own = identified(calls)
    desk = _Desk(registry, context, frozenset(allowed), ledger, result_limit)
    answers = await asyncio.gather(
        *(desk.answer(call, over_budget=place >= budget) for place, call in enumerate(own)),
        return_exceptions=True,
    )
    return [
        answer if isinstance(answer, CallOutcome) else _outcome(call, "error", as_error(answer))
        for call, answer in zip(own, answers, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Desk:
    """What every call of one turn is checked against."""

    registry: Registry
    context: ToolContext
    allowed: frozenset[str]
    ledger: CallLedger | None
    result_limit: int

    async def answer(self, call: ProposedCall, *, over_budget: bool) -> CallOutcome:
        if call.repeats is not None:
            return _outcome(call, "rejected", _REPEATED.format(call.repeats))
        if over_budget:
            return _outcome(call, "rejected", OVER_BUDGET)
        try:
            tool = self._tool(call.name)
            arguments = checked_arguments(tool, call.arguments, call.position)
        except ToolError as error:
            return _outcome(call, "error", as_error(error))
        checked = replace(call, arguments=arguments)
        if tool.impact == "high":
            return _outcome(checked, "rejected", NEEDS_CONFIRMATION)
        started = perf_counter()
        execution = await execute(tool, arguments, replace(self.context, call_id=str(call.id)), ledger=self.ledger)
        return self._told(checked, execution, (perf_counter() - started) * 1000)

    def _tool(self, name: str) -> Tool:
        """The tool of this name, if it may be called now; one that may not looks like one not there."""
        usable = [
            each
            for each in self.registry.names()
            if each in self.allowed and self.registry.get(each).permitted(self.context.permissions)
        ]
        if name in usable:
            return self.registry.get(name)
        near = near_names(name, usable)
        hint = f"Near it: {', '.join(near)}." if near else "No tool of a similar name may be used."
        raise ToolDeniedError(
            f"There is no tool {bounded_name(name)!r} that may be called now. Nothing was run. {hint}"
        )

    def _told(self, call: ProposedCall, execution: Execution, ms: float) -> CallOutcome:
        if execution.error is not None:
            content = as_error(execution.error)
            return replace(_outcome(call, "error", content), ms=ms, attempts=execution.attempts)
        whole = execution.result or ""
        content = bounded(whole, self.result_limit)
        return replace(
            _outcome(call, "ok", content),
            ms=ms,
            attempts=execution.attempts,
            whole=whole if content != whole else None,
        )


def bounded_name(name: str) -> str:
    """A proposed name as it may be repeated."""
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"


def _outcome(call: ProposedCall, status: CallStatus, content: str) -> CallOutcome:
    return CallOutcome(
        call_id=str(call.id),
        name=as_text(bounded_name(call.name)),
        arguments=call.arguments if isinstance(call.arguments, dict) else {},
        status=status,
        content=content,
        ms=0.0,
        attempts=0,
    )


def _fresh(new_id: Callable[[], str], taken: set[str | None]) -> str:
    fresh = new_id()
    while fresh in taken:
        fresh = new_id()
    taken.add(fresh)
    return fresh
