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
    "cosine": Weight(0.8932, 0.0551, 1.3751),
    "cosine across": Weight(0.2679, 0.3905, 1.0069),
    "weakest part": Weight(0.8615, 0.0612, 1.4131),
    "weakest part across": Weight(0.2576, 0.3757, 0.76),
    "opposed": Weight(0.0062, 0.0786, -0.1572),
    "cosine Chinese": Weight(0.3813, 0.4614, -0.243),
    "Chinese": Weight(0.4062, 0.4911, -0.8883),
    "overlap": Weight(0.3077, 0.3219, 0.7121),
    "across": Weight(0.3205, 0.4667, 0.0779),
    "code": Weight(0.077, 0.2666, 0.5228),
    "brevity": Weight(0.0911, 0.0568, 0.0751),
    "": Weight(0.0, 1.0, 0.4168),
}


def probability(weights: Weights, features: Mapping[str, float]) -> float:
    """How likely a sentence with these features is supported, 0..1."""
    odds = weights[""].weight + sum(
        weights[name].weight * (value - weights[name].mean) / weights[name].deviation
        for name, value in features.items()
    )
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, odds))))
