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
    "cosine": Weight(0.893, 0.0551, 1.06),
    "cosine across": Weight(0.2689, 0.3909, 1.3197),
    "weakest part": Weight(0.8613, 0.0612, 0.8743),
    "weakest part across": Weight(0.2585, 0.3761, 1.1356),
    "overlap": Weight(0.3066, 0.3216, 1.004),
    "across": Weight(0.3217, 0.4671, -0.4353),
    "code": Weight(0.0773, 0.2671, 0.6427),
    "brevity": Weight(0.0913, 0.057, 0.1875),
    "": Weight(0.0, 1.0, 0.68),
}


def probability(weights: Weights, features: Mapping[str, float]) -> float:
    """How likely a sentence with these features is supported, 0..1."""
    odds = weights[""].weight + sum(
        weights[name].weight * (value - weights[name].mean) / weights[name].deviation
        for name, value in features.items()
    )
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, odds))))
