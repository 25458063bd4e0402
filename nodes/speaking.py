"""Speaking: checked text goes to the reader as it is released, and the wait for the first of it is measured."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from langchain_core.messages import AIMessageChunk
from langgraph.graph.message import push_message

from nodes.state import State
from nodes.turn import answer_id, question_message
from stores.metrics import FIRST_WORDS_SECONDS, Meter

Clock = Callable[[], datetime]


@dataclass(slots=True)
class Speaker:
    """Streams text under the answer's id. `first_ms` is the reader's wait for the first words, `None` before them."""

    message_id: str
    started: float
    first_ms: float | None
    clock: Clock
    meter: Meter

    @classmethod
    def of(cls, state: State, clock: Clock, meter: Meter) -> "Speaker":
        """The speaker of the running turn."""
        message_id = answer_id(question_message(state.messages).id)
        return cls(message_id, state.started, state.first_ms, clock, meter)

    def say(self, text: str) -> None:
        """Stream the next piece of the answer; what was said is never taken back."""
        if text:
            self.heard()
            push_message(AIMessageChunk(content=text, id=self.message_id), state_key=None)

    def heard(self) -> None:
        """The reader now has the first words, if not before."""
        if self.first_ms is None:
            seconds = max(0.0, self.clock().timestamp() - self.started) if self.started else 0.0
            self.first_ms = round(seconds * 1000, 1)
            self.meter.observe(FIRST_WORDS_SECONDS, seconds)
