"""The curve of refusal: what is refused rightly against what is refused wrongly, as a threshold moves."""

from bisect import bisect_left
from collections.abc import Sequence


def area(answerable: Sequence[float], negative: Sequence[float]) -> float:
    """The chance, 0..1, that a question with an answer scores above one without; ties count half (AUC).

    Raises:
        ValueError: there is none of one kind.
    """
    if not answerable or not negative:
        raise ValueError("The curve needs questions with an answer and questions without.")
    ordered = sorted(negative)
    below = sum(bisect_left(ordered, one) + 0.5 * ordered.count(one) for one in answerable)
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
