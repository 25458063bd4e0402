"""Sufficiency: the probability that a sentence, in its passage, answers a question.

One logistic regression over what the search, the cross-encoder and the words say. Its constants are fitted by
`python benchmarks/calibrate_answers.py DATA_DIR` on questions with known answers, on passages of the same article from
which the answer was taken out, and on foreign ones; docs/answers.md shows what they do on questions of another set.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Judge = Callable[[Sequence[tuple[str, str]]], Sequence[float]]
"""A cross-encoder: how well each text fits each question; higher is better, without a unit."""

LINE_UNIT = 5.0
"""Scores of the packaged cross-encoder are divided by this, so that they lie about in -1..1."""
AGREEING = 3
"""So many of the best sentences, or passages, tell how much the material as a whole speaks of what is asked."""
FEW = 3
"""With as many other sentences, a margin before their average counts half."""
UNKNOWN_STANDING = 1.5
"""For a passage that came without a score: the log-odds of an average one that passed the threshold."""
_CERTAIN = 0.99

FEATURES = (
    "standing",
    "line",
    "margin",
    "agreement",
    "covered",
    "breadth",
    "absent",
    "weakest",
    "typed",
    "shared",
    "one",
)
JUDGED_WEIGHTS: Mapping[str, float] = {
    "standing": 0.34, "line": 0.0, "margin": 0.759, "agreement": 0.862, "covered": 0.82,
    "breadth": 0.512, "absent": -1.352, "weakest": 0.0, "typed": 0.185, "shared": 2.189, "one": -2.932,
}  # fmt: skip
"""With the cross-encoder's opinion."""
WORD_WEIGHTS: Mapping[str, float] = {
    "standing": 0.622, "line": 0.0, "margin": 0.0, "agreement": 0.0, "covered": 2.186,
    "breadth": 1.034, "absent": -1.008, "weakest": 0.0, "typed": 0.0, "shared": 2.621, "one": -3.221,
}  # fmt: skip
"""Without it."""
JUDGED_THRESHOLD, WORD_THRESHOLD = 0.45, 0.50
"""The least probability with which a sentence is quoted, as the script prints it: at most 10 % of the answerable
questions of the unseen half would be refused.
"""
_STANDS_OUT, _AHEAD = 4.0, 1.0
"""Margins, of the cross-encoder's score, from which one sentence is the one that is meant. Chosen by hand,
for short documents about one thing, where the rest of the regression has little to go by; docs/answers.md says what
that costs.
"""
_HALF, _MOST = 0.5, 0.6
_FEW_OTHERS = 2
"""Where more passages than that speak of the matter, one sentence ahead of the rest says little."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """What is known of one sentence, row or line of code beside a question."""

    score: float | None
    """The calibrated score of its passage."""
    line: float = 0.0
    """What it says of the question and the sentence."""
    margin: float = 0.0
    """How far `line` is before the average of the other sentences, less if they are few."""
    agreement: float = 0.0
    """The average of the best lines of all passages."""
    covered: float
    """The share of the question's terms in the sentence, less for those only in its surroundings."""
    breadth: float = 0.0
    """What the best sentences of the best passages cover, on average: does the material as a whole speak of it?"""
    absent: float
    """The share of the question's terms that its passage lacks altogether."""
    weakest: float = 1.0
    """What the least well held word of the question is worth in it, its surroundings, its passage: 1 to 0."""
    typed: float = 0.0
    """1: it holds the kind of thing that is asked for, -1: it does not, 0: the question asks for no certain kind."""
    shared: int = 0
    """In how many other passages a sentence about the same says one of its numbers, dates or names."""
    others: int = 0
    """How many other passages speak of what the question asks."""
    foreign: bool = False
    """It is in the other language: words cannot tell."""

    def row(self) -> tuple[float, ...]:
        """One value for each of `FEATURES`."""
        told = 0.0 if self.foreign else 1.0
        return (
            UNKNOWN_STANDING if self.score is None else _log_odds(self.score),
            self.line / LINE_UNIT,
            self.margin / LINE_UNIT,
            self.agreement / LINE_UNIT,
            told * self.covered,
            self.breadth,
            told * self.absent,
            told * self.weakest,
            self.typed,
            told * self.covered * math.log2(1 + min(self.shared, AGREEING)),
            1.0,
        )


def probability(signals: Signals, *, judged: bool) -> float:
    """The probability, 0..1, that the sentence answers."""
    weights = JUDGED_WEIGHTS if judged else WORD_WEIGHTS
    logit = sum(weights[name] * value for name, value in zip(FEATURES, signals.row(), strict=True))
    return 1.0 / (1.0 + math.exp(-logit))


def suffices(signals: Signals, *, judged: bool) -> bool:
    """Whether a sentence is quoted: it is likely to answer, or it stands out where little else speaks of the matter."""
    if probability(signals, judged=judged) >= threshold(judged=judged):
        return True
    return judged and stands_out(signals)


def stands_out(signals: Signals) -> bool:
    """Where little else speaks of the matter: far ahead of the rest with half of the words; or ahead of it with most,
    if no certain kind of thing is asked.
    """
    if signals.others > _FEW_OTHERS:
        return False
    if signals.typed == 0 and signals.covered >= _MOST and signals.absent <= 1 - _MOST:
        return signals.margin >= _AHEAD
    known = signals.covered >= _HALF and signals.absent <= _HALF and signals.typed >= 0
    return known and signals.margin >= _STANDS_OUT


def threshold(*, judged: bool) -> float:
    """The least probability with which a sentence is quoted."""
    return JUDGED_THRESHOLD if judged else WORD_THRESHOLD


def telling(signals: Sequence[Signals]) -> Sequence[Signals]:
    """Those in the question's language, where words can tell; all if there are none."""
    return [one for one in signals if not one.foreign] or signals


def agreement(values: Sequence[float]) -> float:
    """The average of the best `AGREEING` values, fewer if there are fewer."""
    best = sorted(values, reverse=True)[:AGREEING]
    return sum(best) / len(best) if best else 0.0


def margins(lines: Sequence[float]) -> list[float]:
    """How far each line is before the average of the others. With `FEW` others it counts half."""
    others = len(lines) - 1
    if others < 1:
        return [0.0] * len(lines)
    total = sum(lines)
    return [(one - (total - one) / others) * others / (others + FEW) for one in lines]


def _log_odds(score: float) -> float:
    kept = min(_CERTAIN, max(1 - _CERTAIN, score))
    return math.log(kept / (1 - kept))
