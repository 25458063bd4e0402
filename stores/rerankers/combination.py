"""Combination: the calibrated score of both legs, a cross-encoder's opinion, and what must stand there word by word."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from stores.documents.coverage import coverage, units

_NEAR = 1e-6
"""Probabilities are kept this far from 0 and 1, where the logarithm of their odds has no end."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What the parts count, in log-odds."""

    cross_encoder: float
    """For each unit of the cross-encoder's score above the average of the candidates."""
    missing: float
    """For a passage with none of the query's numbers and identifiers; in proportion if it has some."""


def combined(
    calibrated: Sequence[float], scores: Sequence[float], missing: Sequence[float], weights: Weights
) -> list[float]:
    """The probability, 0..1, that each candidate of one query is relevant.

    `calibrated` are probabilities, `scores` the cross-encoder's without a unit, `missing` what `missing_exact` says.
    Scores count against their average only, so candidates that the cross-encoder cannot tell apart stay as they were.
    """
    average = sum(scores) / len(scores) if scores else 0.0
    return [
        _probability(_log_odds(one) + weights.cross_encoder * (score - average) - weights.missing * lacking)
        for one, score, lacking in zip(calibrated, scores, missing, strict=True)
    ]


def missing_exact(query: str, passages: Sequence[str]) -> list[float]:
    """The share, 0..1, of the query's numbers and identifiers that each passage lacks; 0 if it has none."""
    asked = dict.fromkeys((unit for unit in units(query) if unit.hard), 1.0)
    return [coverage(asked, passage).hard_missing for passage in passages]


def _log_odds(probability: float) -> float:
    kept = min(1 - _NEAR, max(_NEAR, probability))
    return math.log(kept / (1 - kept))


def _probability(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds)) if log_odds >= 0 else math.exp(log_odds) / (1 + math.exp(log_odds))
