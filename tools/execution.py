"""Running one checked call: time limit, further tries for idempotent tools, nothing left behind."""

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import Any

from tools.errors import ToolArgumentsError, ToolConflictError, ToolDeniedError, ToolError, ToolTimeoutError
from tools.ledger import CallLedger, key_of
from tools.results import as_text
from tools.tool import Run, Tool, ToolContext

RETRY_DELAY_S = 0.1
"""Before the first further try; doubled before each next one."""

_GRACE_S = 1.0
_DECIDED = (ToolArgumentsError, ToolDeniedError, ToolConflictError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """What running came to: a result or an error, after so many tries."""

    result: str | None
    error: Exception | None
    attempts: int


async def execute(
    tool: Tool, arguments: dict[str, Any], context: ToolContext, *, ledger: CallLedger | None = None
) -> Execution:
    """Run `tool`, again after a failure only if it is idempotent; with a `ledger`, a repeated write once.

    An error of the tool is a result here. Cancellation ends the tool and passes on.
    """
    tries = 1 + (tool.retries if tool.idempotent else 0)
    for attempt in range(1, tries + 1):
        try:
            result = await _once(tool, arguments, context, ledger)
        except Exception as error:  # a tool may raise anything
            if attempt == tries or isinstance(error, _DECIDED):
                return Execution(result=None, error=error, attempts=attempt)
            await asyncio.sleep(RETRY_DELAY_S * 2 ** (attempt - 1))
        else:
            return Execution(result=result, error=None, attempts=attempt)
    raise AssertionError("a tool is tried at least once")


async def _once(tool: Tool, arguments: dict[str, Any], context: ToolContext, ledger: CallLedger | None) -> str:
    if tool.run is None:
        raise ToolError(f"{tool.name} is carried out by a step of its own, not here.")
    if ledger is None or tool.impact == "read":
        return await _within(tool, asyncio.create_task(_text(tool.run, arguments, context)), end_late=True)
    task = ledger.task(key_of(tool.name, arguments, context), arguments, partial(_text, tool.run, arguments, context))
    # A write that is late may still take effect: it goes on, and the same key finds its result.
    return await _within(tool, task, end_late=False)


async def _text(run: Run, arguments: dict[str, Any], context: ToolContext) -> str:
    try:
        return as_text(await run(arguments, context))
    except SystemExit as error:  # would end the process, not the call
        raise ToolError("The tool tried to end the program.") from error


async def _within(tool: Tool, task: asyncio.Task[str], *, end_late: bool) -> str:
    """The task's result. A tool that ignores its cancellation is abandoned after a moment of grace."""
    try:
        done, _ = await asyncio.wait({task}, timeout=tool.timeout_s)
    except asyncio.CancelledError:
        await _end(task)
        raise
    if not done:
        if end_late:
            await _end(task)
        raise ToolTimeoutError(f"{tool.name} gave no answer within {tool.timeout_s:g} s.")
    if task.cancelled():
        raise ToolError(f"{tool.name} was cancelled.")
    return task.result()


async def _end(task: asyncio.Task[str]) -> None:
    task.add_done_callback(_take_exception)
    task.cancel()
    await asyncio.wait({task}, timeout=_GRACE_S)


def _take_exception(task: asyncio.Task[str]) -> None:
    """Else asyncio reports the error of an ended task as never retrieved."""
    if not task.cancelled():
        task.exception()
