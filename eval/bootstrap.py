"""Bootstrap: is one pipeline better than another on the same questions, how sure is a share, or is it the draw?"""

import random
from collections.abc import Sequence

SAMPLES = 2_000


def interval(ours: Sequence[float], theirs: Sequence[float], *, seed: int = 17) -> tuple[float, float, float]:
    """The mean difference per question, and the 95 % interval of it over resampled questions (Efron 1979).

    Raises:
        ValueError: not as many values on both sides, or none.
    """
    differences = [one - other for one, other in zip(ours, theirs, strict=True)]
    if not differences:
        raise ValueError("There is no question to compare on.")
    draw, count = random.Random(seed), len(differences)  # noqa: S311 - a sample, not a secret
    means = sorted(sum(draw.choices(differences, k=count)) / count for _ in range(SAMPLES))
    return sum(differences) / count, means[int(0.025 * SAMPLES)], means[int(0.975 * SAMPLES) - 1]


def share(values: Sequence[float], *, seed: int = 17) -> list[float]:
    """The mean of values in 0..1 and its 95 % interval over resampled questions: mean, low, high; to four places.

    Raises:
        ValueError: there is none.
    """
    return [round(one, 4) for one in interval([float(one) for one in values], [0.0] * len(values), seed=seed)]
