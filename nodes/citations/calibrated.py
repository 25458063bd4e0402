"""The weights of the support model, as `python benchmarks/calibrate_support.py DATA_DIR` fits and prints them."""

import math
from collections.abc import Mapping
from typing import NamedTuple

SUPPORTED = 0.5
"""From this score on, a sentence counts as supported."""


class Weight(NamedTuple):
    """What a feature counts once it is brought to mean 0 and deviation 1."""

    mean: float
    deviation: float
    weight: float


Weights = Mapping[str, Weight]
"""By feature; `""` is the constant."""

LOCAL_WEIGHTS: Weights = {
    "": Weight(0.0, 1.0, 0.0),
}


def probability(weights: Weights, features: Mapping[str, float]) -> float:
    """How likely a sentence with these features is supported, 0..1."""
    odds = weights[""].weight + sum(
        weights[name].weight * (value - weights[name].mean) / weights[name].deviation
        for name, value in features.items()
    )
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, odds))))
