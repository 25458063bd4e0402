"""The turn that memory operations are judged by: what the user said, when, and what it may have answered."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """The user's recent messages of one thread and what stood around the latest.

    Only messages of the role user belong in `user_messages`: recalled memories, documents, tool results and
    system text are no evidence of anything.
    """

    user_messages: tuple[str, ...]
    """Oldest first; the last one is the message of this turn."""
    time: datetime
    """When the latest message was sent, in the user's own zone; relative dates count from it."""
    assistant_message: str | None = None
    """What the assistant said just before the latest message. It resolves a "yes", and proves nothing else."""

    def __post_init__(self) -> None:
        if self.time.tzinfo is None:
            raise ValueError("The time of a turn needs a zone: 'yesterday' depends on it.")

    @property
    def latest(self) -> str:
        """The message of this turn; empty when there is none."""
        return self.user_messages[-1] if self.user_messages else ""
