"""extract_memory: leaves one durable job behind; what becomes of it never touches the answer."""

from langgraph.runtime import Runtime

from nodes.state import Context, State, Update
from nodes.turn import question_message, thread_of, user_of
from stores.jobs import Jobs
from stores.memories.intent import wants_privacy

EXTRACTOR_VERSION = "1"
EXTRACT_JOB = "extract_memory"


async def extract_memory(state: State, runtime: Runtime[Context], *, jobs: Jobs, enabled: bool) -> Update:
    """Enqueue the extraction of this turn, unless it is switched off, private, or outside any thread.

    The job holds ids only: the worker reads the messages from the thread, so a deleted thread leaves nothing.
    A re-run node enqueues nothing twice: the key is the same.
    """
    thread_id = thread_of(runtime)
    question = question_message(state.messages)
    if not enabled or thread_id is None or question.id is None or wants_privacy(question.text):
        return Update()
    await jobs.enqueue(
        kind=EXTRACT_JOB,
        user_id=user_of(runtime),
        key=f"{thread_id}:{question.id}:{EXTRACTOR_VERSION}",
        payload={"thread_id": thread_id, "message_id": question.id},
    )
    return Update()
