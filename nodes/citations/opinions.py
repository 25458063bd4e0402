"""Who decides whether a sentence is supported by what it cites: the ports, and what one draft asks of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from nodes.citations.features import Asked
from stores.errors import StoreError

SUPPORT = "support"
"""What `degraded` says when the configured check could not be asked and the local one decided."""


class SupportFailedError(Exception):
    """A support model or judge cannot be asked this time. The message says why, and what to do."""


class SupportModel(Protocol):
    """Gives each sentence the probability, 0..1, that its passages together support it. From 0.5 on they do.

    It is asked only where figures, names, quotations and polarity agree, and never overrules those. May be asked by
    several threads at once.
    """

    def score(self, asked: Sequence[Asked]) -> list[float]:
        """One probability a question, in order. Blocks.

        Raises:
            SupportFailedError: there is no judgement this time.
            StoreError: a model's file is missing or damaged.
        """
        ...


class DraftJudge(Protocol):
    """Reads a whole draft at once, as a chat model does."""

    async def read(self, asked: Sequence[Asked]) -> Mapping[Asked, float]:
        """The probability of each question, or of those it has an opinion on.

        Raises:
            SupportFailedError: there is no judgement this time.
        """
        ...


Likeness = Callable[[str, str], float]
"""How alike in meaning two words are: the cosine of the local embedder. Blocks."""


@dataclass(slots=True, eq=False)
class Opinions:
    """What is thought of one draft. `degraded` once the model or the judge failed and somebody else decided."""

    model: SupportModel | None
    fallback: SupportModel | None = None
    judge: DraftJudge | None = None
    likeness: Likeness | None = None
    degraded: bool = False
    _read: dict[Asked, float] = field(default_factory=dict)

    async def read(self, asked: Sequence[Asked]) -> None:
        """Let the judge, if there is one, read the draft's sentences before they are checked."""
        if self.judge is None or not asked:
            return
        try:
            self._read.update(await self.judge.read(asked))
        except SupportFailedError:
            self.degraded = True

    def score(self, asked: Asked) -> float | None:
        """The probability that the sentence is supported; `None` if nobody can say, and words must decide."""
        if asked in self._read:
            return self._read[asked]
        for model in (self.model, self.fallback):
            if model is None:
                continue
            try:
                return model.score([asked])[0]
            except (SupportFailedError, StoreError):
                self.degraded = True
        return None

    def alike(self, one: str, other: str) -> float | None:
        """How alike in meaning two words are, up to 1; `None` if nobody can say."""
        if self.likeness is None:
            return None
        try:
            return self.likeness(one, other)
        except StoreError:
            self.degraded = True
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportCheck:
    """How drafts are checked in this deployment: `None` throughout leaves it to the words."""

    model: SupportModel | None = None
    fallback: SupportModel | None = None
    judge: DraftJudge | None = None
    likeness: Likeness | None = None

    def of_draft(self) -> Opinions:
        """A new draft is to be checked."""
        return Opinions(self.model, self.fallback, self.judge, self.likeness)


BY_WORDS = SupportCheck()
"""No model at all."""
