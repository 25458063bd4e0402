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
    "cosine": Weight(0.6194, 0.1653, 0.9641),
    "cosine across": Weight(0.1808, 0.2719, 2.6761),
    "weakest part": Weight(0.4975, 0.1883, 0.9409),
    "weakest part across": Weight(0.1402, 0.2228, 0.7067),
    "opposed": Weight(0.0062, 0.0786, -0.1819),
    "cosine Chinese": Weight(0.2809, 0.3564, 0.8003),
    "Chinese": Weight(0.4062, 0.4911, -1.3007),
    "overlap": Weight(0.3074, 0.3215, 0.6541),
    "across": Weight(0.3205, 0.4667, -2.6169),
    "code": Weight(0.077, 0.2666, 0.4801),
    "brevity": Weight(0.0911, 0.0568, 0.1508),
    "": Weight(0.0, 1.0, 0.4554),
}


def probability(weights: Weights, features: Mapping[str, float]) -> float:
    """How likely a sentence with these features is supported, 0..1."""
    odds = weights[""].weight + sum(
        weights[name].weight * (value - weights[name].mean) / weights[name].deviation
        for name, value in features.items()
    )
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, odds))))
