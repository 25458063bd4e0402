"""tool_call: runs what was proposed, as far as the application permits. Every call id gets an answer."""

from collections.abc import Callable
from datetime import datetime

from langgraph.runtime import Runtime

from nodes.limits import Limits
from nodes.state import MAX_TOOL_CALLS, Context, State, ToolResult, Update
from nodes.turn import PlannedCall, answer_record, open_calls, question_of, thread_of, user_of
from tools.call import CallOutcome, ProposedCall, run_calls
from tools.registry import Registry
from tools.search_documents import SEARCH_DOCUMENTS
from tools.tool import ToolContext


async def tool_call(
    state: State,
    runtime: Runtime[Context],
    *,
    registry: Registry,
    limits: Limits,
    clock: Callable[[], datetime],
) -> Update:
    """Run the open calls other than searches, side by side; a failing one leaves its siblings unhurt."""
    calls = [call for call in open_calls(state.turn_messages) if call.name != SEARCH_DOCUMENTS]
    offered = registry.candidates(question_of(state), limit=limits.tool_candidates)
    thread = thread_of(runtime) or ""
    outcomes = await run_calls(
        [ProposedCall(id=call.call_id, name=call.name, arguments=call.arguments) for call in calls],
        registry=registry,
        context=ToolContext(user_id=user_of(runtime), thread_id=thread, call_id="", now=clock()),
        allowed={tool.name for tool in offered},
        budget=MAX_TOOL_CALLS - len(state.tool_results),
    )
    return Update(
        turn_messages=[
            answer_record(call.call_id, outcome.content) for call, outcome in zip(calls, outcomes, strict=True)
        ],
        tool_results=[_result(call, outcome) for call, outcome in zip(calls, outcomes, strict=True)],
    )


def _result(call: PlannedCall, outcome: CallOutcome) -> ToolResult:
    arguments = call.arguments if isinstance(call.arguments, dict) else {"malformed": call.arguments}
    return ToolResult(
        call_id=call.call_id,
        name=outcome.name,
        arguments=arguments,
        status=outcome.status,
        content=outcome.content,
    )
