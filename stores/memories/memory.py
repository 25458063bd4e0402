"""A long-term memory and the operations a model may propose on it."""

from dataclasses import dataclass
from typing import Literal

MemoryType = Literal["semantic", "episodic", "procedural"]
Action = Literal["ADD", "UPDATE", "DELETE", "IGNORE"]

MIN_CONFIDENCE = 0.85
MIN_LENGTH = 4
MAX_LENGTH = 400
SNAPSHOT_LIMIT = 100
RECALL_LIMIT = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One thing remembered about one user.

    `semantic` is a fact, `procedural` how to answer, `episodic` a dated event.
    """

    memory_id: str
    user_id: str
    type: MemoryType
    content: str
    source: Literal["user", "extracted"]
    thread_id: str | None
    quote: str | None
    """The user's own words it rests on."""
    created_at: str
    updated_at: str
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """A proposal by the model. Nothing happens until code has validated it."""

    action: Action
    type: MemoryType | None
    content: str | None
    target_id: str | None
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the application decided about one operation. `reason` is `None` exactly when it was accepted."""

    operation: Operation
    reason: str | None
    memory_id: str | None = None
