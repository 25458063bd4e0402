"""The context window: which part of a thread a model sees.

A turn is a user message with everything up to its checked answer. Turns are kept or left out whole; a failed
turn is never in the window. What the summary covers is told by the summary alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from nodes.state import Summary
from nodes.tokens import estimate_messages, shorten
from nodes.turn import is_answer


@dataclass(frozen=True, slots=True)
class FinishedTurn:
    """A user message, the tool calls with their results, and the answer that closed it."""

    messages: tuple[AnyMessage, ...]

    @property
    def last_id(self) -> str:
        """The id of the answer: the position a summary can cover up to."""
        return self.messages[-1].id or ""


def finished_turns(messages: Sequence[AnyMessage]) -> list[FinishedTurn]:
    """The finished turns of a thread, oldest first. A question without an answer opens none."""
    turns: list[FinishedTurn] = []
    current: list[AnyMessage] = []
    for message in messages:
        if isinstance(message, HumanMessage):
            current = [message]
        elif current:
            current.append(message)
            if is_answer(message):
                turns.append(FinishedTurn(tuple(current)))
                current = []
    return turns


def uncovered(messages: Sequence[AnyMessage], summary: Summary | None) -> list[FinishedTurn]:
    """The finished turns after the summary's position, oldest first."""
    turns = finished_turns(messages)
    if summary is None:
        return turns
    for index, turn in enumerate(turns):
        if turn.last_id == summary.covers:
            return turns[index + 1 :]
    return turns


def window(messages: Sequence[AnyMessage], summary: Summary | None, budget: int) -> list[AnyMessage]:
    """The recent turns as a model reads them, oldest first, within `budget` tokens.

    Every turn that the summary does not cover is there: in full as long as there is room, newest first, then
    without its tool messages and with long texts shortened. Only if even that is too much are the oldest left out.
    """
    chosen: list[list[AnyMessage]] = []
    left = budget
    for turn in reversed(uncovered(messages, summary)):
        for form in (_full(turn), _brief(turn, 400), _brief(turn, 60)):
            cost = estimate_messages(form)
            if cost <= left:
                chosen.append(form)
                left -= cost
                break
        else:
            break
    return [message for form in reversed(chosen) for message in form]


def _full(turn: FinishedTurn) -> list[AnyMessage]:
    """The turn's messages, the answer without what was stored beside it."""
    *rest, answer = turn.messages
    return [*rest, AIMessage(content=answer.text, id=answer.id)]


def _brief(turn: FinishedTurn, tokens: int) -> list[AnyMessage]:
    question, answer = turn.messages[0], turn.messages[-1]
    return [
        HumanMessage(content=shorten(question.text, tokens), id=question.id),
        AIMessage(content=shorten(answer.text, tokens), id=answer.id),
    ]
