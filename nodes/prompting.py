"""What the planner and the answering model read: system prompt, conversation, question with its frames."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage

from nodes.fences import fence, fence_token
from nodes.joining import Part, joined
from nodes.state import Evidence, State, ToolResult
from nodes.turn import question_message
from nodes.window import window
from stores.documents.document import Chunk, Document
from stores.memories.memory import Memory

Passages = Mapping[str, tuple[Chunk, Document]]
"""Current chunks by id, as `DocumentStore.chunks` gives them."""


def conversation(state: State, *, system: str, memories: Sequence[Memory], history_tokens: int) -> list[AnyMessage]:
    """The system prompt with memories and summary, then the recent turns. The question is not in it."""
    token = turn_token(state)
    parts = [system]
    parts += [
        fence("memory", memory.content, token=token, attributes={"id": memory.memory_id, "type": memory.type})
        for memory in memories
    ]
    if state.summary is not None:
        parts.append(fence("summary", state.summary.text, token=token))
    parts += [fence("missing", missing, token=token) for missing in state.missing]
    return [
        SystemMessage(content="\n\n".join(parts)),
        *window(state.messages, state.summary, history_tokens),
    ]


def turn_token(state: State) -> str:
    """The fence token of this turn: from the id of its question, which no document can know."""
    return fence_token(question_message(state.messages).id or "")


def framed_question(
    question: str,
    *,
    token: str,
    evidence: Sequence[Evidence] = (),
    passages: Passages = MappingProxyType({}),
    results: Sequence[ToolResult] = (),
    sentences: Sequence[str] = (),
) -> HumanMessage:
    """The user's own question with the passages, tool results and failed sentences that belong to it."""
    parts = [fence("question", question, token=token)]
    parts += [passage_frame(part, *passages[part.item.chunk_id], token=token) for part in joined(evidence, passages)]
    parts += [
        fence("tool", result.content, token=token, attributes={"name": result.name, "status": result.status})
        for result in results
    ]
    parts += [fence("sentence", sentence, token=token) for sentence in sentences]
    return HumanMessage(content="\n".join(parts))


def passage_frame(part: Part, chunk: Chunk, document: Document, *, token: str) -> str:
    """One passage as the answering model reads it; what the passage before it ends with is not repeated."""
    attributes = {
        "n": part.item.number,
        **({} if part.follows is None else {"follows": part.follows}),
        "title": document.title,
        "place": str(chunk.location),
        "context": " ".join(chunk.context.split()),
        "score": f"{part.item.score:.2f}",
    }
    return fence("passage", chunk.text[part.start :], token=token, attributes=attributes)
