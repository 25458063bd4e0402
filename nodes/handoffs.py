"""The hand-off: what a deployment adds to a refusal, so that a reader gets further elsewhere."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from langgraph.runtime import Runtime

from nodes.state import MAX_TOOL_CALLS, Context, State, ToolResult
from nodes.turn import question_message, question_of, thread_of, user_of
from tools.call import ProposedCall, run_calls
from tools.registry import Registry
from tools.tool import Tool, ToolContext

_QUESTION_NAMES = ("question", "query", "text", "message")


@dataclass(frozen=True, slots=True, kw_only=True)
class HandOff:
    """`text` stands below a refusal as it is written; the tool is called with the question before one."""

    text: str = ""
    call: "HandOffCall | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HandOffCall:
    """A tool, and the argument of it that takes the question."""

    registry: Registry
    tool: str
    argument: str
    clock: Callable[[], datetime]


NO_HAND_OFF = HandOff()


async def handed_off(state: State, runtime: Runtime[Context], call: HandOffCall) -> ToolResult:
    """The result of the one call, or why it was not run: the rules are those of every other tool call."""
    call_id = f"hand-off-{question_message(state.messages).id}"
    [outcome] = await run_calls(
        [ProposedCall(id=call_id, name=call.tool, arguments={call.argument: question_of(state)})],
        registry=call.registry,
        context=ToolContext(user_id=user_of(runtime), thread_id=thread_of(runtime) or "", call_id="", now=call.clock()),
        allowed={call.tool},
        budget=MAX_TOOL_CALLS - len(state.tool_results),
    )
    return ToolResult(
        call_id=outcome.call_id,
        name=outcome.name,
        arguments=outcome.arguments,
        status=outcome.status,
        content=outcome.content,
    )


def question_argument(tool: Tool) -> str | None:
    """The argument of a tool that can take the question alone: a string, and no other argument is required."""
    properties = tool.parameters.get("properties", {})
    required = list(tool.parameters.get("required", ()))
    strings = [name for name, schema in properties.items() if schema.get("type") == "string"]
    if len(required) == 1:
        return required[0] if required[0] in strings else None
    return next((name for name in _QUESTION_NAMES if name in strings), None) if not required else None
