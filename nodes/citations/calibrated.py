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
    "cosine": Weight(0.6367, 0.1646, 0.5623),
    "cosine across": Weight(0.1544, 0.2599, 1.89),
    "weakest part": Weight(0.5164, 0.1887, 1.1939),
    "weakest part across": Weight(0.1197, 0.2122, 1.0824),
    "opposed": Weight(0.0116, 0.1069, -0.194),
    "cosine Chinese": Weight(0.2939, 0.3629, 0.8215),
    "Chinese": Weight(0.4175, 0.4931, -1.1296),
    "overlap": Weight(0.323, 0.3193, -0.0008),
    "across": Weight(0.2723, 0.4452, -2.7791),
    "code": Weight(0.0652, 0.2469, 0.4262),
    "figures": Weight(0.2156, 0.339, 0.2134),
    "": Weight(0.0, 1.0, 0.7032),
}


def probability(weights: Weights, features: Mapping[str, float]) -> float:
    """How likely a sentence with these features is supported, 0..1."""
    odds = weights[""].weight + sum(
        weights[name].weight * (value - weights[name].mean) / weights[name].deviation
        for name, value in features.items()
    )
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, odds))))
