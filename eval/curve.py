"""The curve of refusal: what is refused rightly against what is refused wrongly, as a threshold moves."""

import random
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

SAMPLES = 500


def area(answerable: Sequence[float], negative: Sequence[float]) -> float:
    """The chance, 0..1, that a question with an answer scores above one without; ties count half (AUC).

    Raises:
        ValueError: there is none of one kind.
    """
    if not answerable or not negative:
        raise ValueError("The curve needs questions with an answer and questions without.")
    ordered = sorted(negative)
    below = sum((bisect_left(ordered, one) + bisect_right(ordered, one)) / 2 for one in answerable)
    return below / (len(answerable) * len(negative))


def refused_at(answerable: Sequence[float], negative: Sequence[float], false_refusals: float) -> float:
    """The greatest share of negative questions that a threshold refuses while it refuses no more than
    `false_refusals` of the answerable ones.
    """
    return max((right for wrong, right, _ in points(answerable, negative) if wrong <= false_refusals), default=0.0)


def points(answerable: Sequence[float], negative: Sequence[float]) -> list[tuple[float, float, float]]:
    """(false refusals, refused negatives, threshold) for every threshold that changes something, from the lowest.

    What scores below the threshold is refused.
    """
    right, wrong = sorted(answerable), sorted(negative)
    thresholds = sorted({*right, *wrong})
    found = [(bisect_left(right, one) / len(right), bisect_left(wrong, one) / len(wrong), one) for one in thresholds]
    return [*found, (1.0, 1.0, float("inf"))]


def area_interval(answerable: Sequence[float], negative: Sequence[float], *, seed: int = 17) -> list[float]:
    """The 95 % interval of `area` over resampled questions, both kinds drawn anew; to four places."""
    draw = random.Random(seed)  # noqa: S311 - a sample, not a secret
    areas = sorted(
        area(draw.choices(answerable, k=len(answerable)), draw.choices(negative, k=len(negative)))
        for _ in range(SAMPLES)
    )
    return [round(areas[int(0.025 * SAMPLES)], 4), round(areas[int(0.975 * SAMPLES) - 1], 4)]
