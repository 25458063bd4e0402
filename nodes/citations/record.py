"""What became of each sentence that the model wrote, as it is kept beside the answer and shown in a trace."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any, Literal, Self

from nodes.citations.inert import sanitise
from nodes.citations.material import Material, read_material
from nodes.citations.support import Reason
from nodes.citations.verdicts import SentenceVerdict
from nodes.citations.words import FUNCTION_CHARACTERS, FUNCTION_WORDS, content_terms, coverage, is_chinese, stem
from stores.documents.terms import CJK, fold

Outcome = Literal["pass", "repaired", "replaced", "cut", "needs_none"]
"""Shown as drafted; shown after the repair; drafted, and written anew by the repair; left out; states nothing that
wants a source."""
Why = Reason | Literal["states_nothing", "nothing_looked_up"]

WITHHELD = "…"
"""Stands for words of a cut sentence that are in nothing this user may read."""
LONGEST = 400
"""So many characters of a cut sentence are kept."""
_SAME = 0.2
"""So much a repaired sentence shares at least with the one it stands for."""
_SIGN = rf"[^\W{CJK}]"
_WORD = re.compile(rf"[{CJK}]+|(?:{_SIGN}|[@$])(?:(?:{_SIGN}|[@$.,:/-])*{_SIGN})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence of the draft or of its repair. `score` is 0..1, `numbers` are those the reader sees behind it.

    `text` is without markers. Of a sentence that was cut it repeats only what stands in the user's own material.
    """

    text: str
    verdict: Outcome
    score: float
    reason: Why
    numbers: tuple[int, ...] = ()

    def stored(self) -> dict[str, Any]:
        """As plain JSON types."""
        return {**asdict(self), "numbers": list(self.numbers)}

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Self:
        """Back from `stored`."""
        return cls(**{**stored, "numbers": tuple(stored["numbers"])})


def passed(verdict: SentenceVerdict, shown: Sequence[int], *, repairing: bool) -> Sentence:
    """The record of a sentence that was shown; `shown[0]` is the passage that the reader knows as [1]."""
    numbers = tuple(sorted(shown.index(number) + 1 for number in verdict.cited if number in shown))
    stated = verdict.support.ok and not verdict.plain
    reason: Why = "ok" if stated else "states_nothing" if verdict.plain else "nothing_looked_up"
    outcome: Outcome = "needs_none" if not stated else "repaired" if repairing else "pass"
    return Sentence(
        text=sanitise(verdict.text),
        verdict=outcome,
        score=round(verdict.support.score, 4) if stated else 0.0,
        reason=reason,
        numbers=numbers,
    )


def cut(verdict: SentenceVerdict, known: Sequence[str]) -> Sentence:
    """The record of a sentence that may not be shown; `known` is everything that this user may read of the turn."""
    return Sentence(
        text=_known_words(verdict.text[:LONGEST], [read_material(text) for text in known]),
        verdict="cut",
        score=round(verdict.support.score, 4),
        reason=verdict.support.reason,
    )


def with_repair(drafted: Sequence[Sentence], repair: Sequence[Sentence]) -> list[Sentence]:
    """Both, the sentences that the repair wrote anew marked as replaced: what is still `cut` was left out."""
    records = list(drafted)
    for one in repair:
        if one.verdict in {"repaired", "cut"} and (at := _counterpart(one, records)) is not None:
            records[at] = replace(records[at], verdict="replaced")
    return [*records, *repair]


def left_out(sentences: Sequence[Mapping[str, Any]]) -> int:
    """How many sentences, as stored, were left out because the material does not support them."""
    return sum(one["verdict"] == "cut" for one in sentences)


def _counterpart(repaired: Sentence, records: Sequence[Sentence]) -> int | None:
    """The place of the cut sentence that shares most with this one, `None` if none does."""
    terms = content_terms(repaired.text)
    scored = [
        (max(coverage(terms, other), coverage(other, terms)), -at)
        for at, one in enumerate(records)
        if one.verdict == "cut"
        for other in [content_terms(one.text)]
    ]
    best = max(scored, default=(0.0, 0))
    return -best[1] if best[0] >= _SAME else None


def _known_words(text: str, known: Sequence[Material]) -> str:
    """`text` with every word withheld that stands in none of `known`: of Chinese, signs in no pair that does."""
    everything = "\n".join(one.folded for one in known).casefold()
    terms = frozenset(term for one in known for term in one.terms)

    def told(match: re.Match[str]) -> str:
        word = fold(match[0]).casefold()
        if is_chinese(word):
            return _known_signs(match[0], word, everything)
        said = word in FUNCTION_WORDS or word in everything or stem(word) in terms
        return match[0] if said else WITHHELD

    return sanitise(re.sub(rf"{WITHHELD}(?:\s*{WITHHELD})+", WITHHELD, _WORD.sub(told, text)))


def _known_signs(run: str, folded: str, everything: str) -> str:
    if len(run) == 1 or len(run) != len(folded):
        return run if folded in everything else WITHHELD
    pairs = [pair in everything for pair in map("".join, pairwise(folded))]
    around = zip([False, *pairs], [*pairs, False], strict=True)
    return "".join(
        sign if any(held) or sign in FUNCTION_CHARACTERS else WITHHELD for sign, held in zip(run, around, strict=True)
    )
