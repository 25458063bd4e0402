"""recall_memory: opens a turn. Whose thread is it, what is remembered, what did an earlier failure leave behind."""

from collections.abc import Callable, Sequence
from datetime import datetime

from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from nodes.errors import QuestionTooLongError
from nodes.limits import Limits
from nodes.state import Context, State, Update, Usage
from nodes.tokens import estimate_tokens
from nodes.told import all_forgotten, confirmation_asked, confirms, has_secret, not_kept, nothing_to_forget
from nodes.turn import FAILED, is_answer, question_message, question_of, thread_of, user_of
from stores.conversations import Conversations
from stores.memories.intent import forget_all
from stores.memories.recall import Recall
from stores.memories.repository import Memories

_ALL = 10_000


async def recall_memory(
    state: State,
    runtime: Runtime[Context],
    *,
    conversations: Conversations,
    recall: Recall,
    memories: Memories,
    limits: Limits,
    clock: Callable[[], datetime],
) -> Update:
    """Check the question and the thread's owner, recall at most five memories, clear the last turn's working fields.

    Forgetting everything is settled here, between the user and the application; no model takes part.

    Raises:
        InputError: the question is empty or too long.
        ForeignThreadError: the thread belongs to another user.
    """
    started = clock().timestamp()
    question = question_of(state)
    cost = estimate_tokens(question)
    if cost > limits.question_tokens:
        raise QuestionTooLongError(
            f"The question has about {cost} tokens and at most {limits.question_tokens} fit. "
            "Put long material into a file and ingest it, then ask about it."
        )
    user_id = user_of(runtime)
    if (thread_id := thread_of(runtime)) is not None:
        await conversations.claim(thread_id, user_id, title="" if has_secret(question) else question)
        await conversations.touch(thread_id)
    told, awaiting = await _told(question, state.messages[:-1], user_id, memories)
    recalled = await recall.recall(user_id, question)
    return Update(
        messages=_newly_failed(state.messages),
        turn_messages=Overwrite([]),
        tool_results=Overwrite([]),
        told=told,
        awaiting=awaiting,
        task=None,
        clarifying="",
        memories=[memory.memory_id for memory in recalled],
        evidence=[],
        searched=[],
        degraded=[],
        below_threshold=0,
        rounds=0,
        searched_again=False,
        searched_by_rule=False,
        after_search="answer",
        repairs=0,
        missing=[],
        drafted_at=-1,
        draft="",
        released="",
        shown=[],
        problems=[],
        sentences=[],
        started=started,
        first_ms=None,
        verdict="",
        usage=Usage(),
    )


async def _told(question: str, before: Sequence[AnyMessage], user_id: str, memories: Memories) -> tuple[str, bool]:
    """What the application says itself, and whether it then waits for a confirmation."""
    if confirms(question, before):
        return all_forgotten(question, await memories.forget_all(user_id)), False
    if forget_all(question):
        count = len(await memories.snapshot(user_id, limit=_ALL))
        return (confirmation_asked(question, count), True) if count else (nothing_to_forget(question), False)
    return not_kept(question), False


def _newly_failed(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Earlier questions that were never answered, marked so. Their calls were in `turn_messages`, now cleared."""
    current = question_message(messages)
    marked: list[AnyMessage] = []
    open_question: HumanMessage | None = None
    for message in messages:
        if isinstance(message, HumanMessage):
            if open_question is not None and FAILED not in open_question.additional_kwargs:
                marked.append(_failed(open_question))
            open_question = message
        elif is_answer(message):
            open_question = None
    return [message for message in marked if message.id != current.id]


def _failed(message: HumanMessage) -> HumanMessage:
    return message.model_copy(update={"additional_kwargs": {**message.additional_kwargs, FAILED: True}})
