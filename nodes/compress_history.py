"""compress_history: when the recent turns grow too long, the older ones are told by a summary."""

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage
from langgraph.runtime import Runtime

from nodes.fences import fence, fence_token
from nodes.limits import Limits
from nodes.models import counted, silent
from nodes.prompts import BUILT_IN, Prompts
from nodes.spoken import language_of
from nodes.state import Context, State, Summary, Update
from nodes.tokens import estimate_messages, shorten
from nodes.window import FinishedTurn, uncovered

TURN_TOKENS = 800
"""The most that the summariser reads of one message."""


async def compress_history(
    state: State, _: Runtime[Context], *, model: BaseChatModel, limits: Limits, prompts: Prompts = BUILT_IN
) -> Update:
    """Old summary + oldest turns → new summary and the position it covers; the history itself stays whole.

    An empty reply changes nothing: the next turn tries again.
    """
    turns = uncovered(state.messages, state.summary)
    block = _oldest(turns, limits.compress_above)
    if not block:
        return Update()
    reply = await silent(model).ainvoke(_prompt(state.summary, block, prompts))
    text = reply.text.strip()
    if not text:
        return Update(usage=counted(state.usage, reply))
    return Update(
        summary=Summary(text=shorten(text, limits.compress_above // 2), covers=block[-1].last_id),
        usage=counted(state.usage, reply),
    )


def _oldest(turns: list[FinishedTurn], threshold: int) -> list[FinishedTurn]:
    """The turns to summarise: none below the threshold, else the oldest until half of it is left; never the last."""
    costs = [estimate_messages(turn.messages) for turn in turns]
    left = sum(costs)
    if left <= threshold:
        return []
    block: list[FinishedTurn] = []
    for turn, cost in zip(turns[:-1], costs[:-1], strict=True):
        if left <= threshold // 2:
            break
        block.append(turn)
        left -= cost
    return block


def _prompt(summary: Summary | None, block: list[FinishedTurn], prompts: Prompts) -> list[AnyMessage]:
    token = fence_token(block[-1].last_id)
    parts = [fence("summary", summary.text, token=token)] if summary is not None else []
    for turn in block:
        question, answer = turn.messages[0], turn.messages[-1]
        for role, message in (("user", question), ("assistant", answer)):
            parts.append(fence("turn", shorten(message.text, TURN_TOKENS), token=token, attributes={"role": role}))
    system = prompts.text("summarize", language_of(block[-1].messages[0].text))
    return [SystemMessage(content=system), HumanMessage(content="\n".join(parts))]
