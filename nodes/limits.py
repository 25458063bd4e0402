"""The numbers a deployment may set that nodes obey."""

from dataclasses import dataclass

MAX_ROUNDS = 3
"""Rounds of search a turn, unless the settings say otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Budgets of a turn. Tokens are estimates (`nodes/tokens.py`)."""

    top_k: int = 5
    min_score: float = 0.7
    max_rounds: int = MAX_ROUNDS
    context_tokens: int = 12_000
    plan_seconds: float = 30.0
    tool_candidates: int = 16

    @property
    def history_tokens(self) -> int:
        """The share of the context for recent turns."""
        return self.context_tokens // 3

    @property
    def evidence_tokens(self) -> int:
        """The share of the context for passages and tool results."""
        return self.context_tokens // 2

    @property
    def question_tokens(self) -> int:
        """The longest question: more is refused before any model sees it."""
        return self.context_tokens // 3

    @property
    def compress_above(self) -> int:
        """Once the turns not yet summarised cost more than this, the older ones are summarised."""
        return self.history_tokens * 3 // 4
