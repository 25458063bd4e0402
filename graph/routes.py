"""Where to go next: the conditional edges, pure functions of the state."""

from typing import Literal

from nodes.conversational import needs_documents
from nodes.state import State
from nodes.turn import open_calls, question_of
from tools.search_documents import SEARCH_DOCUMENTS

AfterPlan = Literal["retrieve", "tool_call", "answer", "check_citations"]


def after_recall(state: State) -> Literal["plan", "check_citations"]:
    """Straight to the end of the turn if the application has said all there is to say."""
    asks_more = not state.awaiting and needs_documents(question_of(state))
    return "check_citations" if state.told and not asks_more else "plan"


def after_plan(state: State) -> list[AfterPlan]:
    """To the searches and the tools that were proposed, side by side; to the answer if there are none.

    A question back to the user is said as it is.
    """
    if state.clarifying:
        return ["check_citations"]
    names = [call.name for call in open_calls(state.turn_messages)]
    targets: list[AfterPlan] = []
    if SEARCH_DOCUMENTS in names or state.searched_by_rule:
        targets.append("retrieve")
    if any(name != SEARCH_DOCUMENTS for name in names):
        targets.append("tool_call")
    return targets or ["answer"]


def after_retrieve(state: State) -> Literal["plan", "answer"]:
    """Back to the planner if it asked for that, or if tools ran beside the search."""
    if state.after_search == "plan" or _tools_ran_beside(state):
        return "plan"
    return "answer"


def _tools_ran_beside(state: State) -> bool:
    plans = [record for record in state.turn_messages if record["role"] == "assistant"]
    return bool(plans) and any(call["name"] != SEARCH_DOCUMENTS for call in plans[-1]["calls"])


def after_check(state: State) -> Literal["answer", "plan", "extract_memory"]:
    """One repair, one more search, or the end of the turn."""
    match state.verdict:
        case "repair":
            return "answer"
        case "search":
            return "plan"
        case _:
            return "extract_memory"
