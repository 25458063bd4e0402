"""The curve of refusal: what is refused rightly against what is refused wrongly, as a threshold moves."""

import random
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

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
    right = sorted(answerable)
    spared = int(false_refusals * len(right) + 1e-9)
    if spared >= len(right):
        return 1.0
    return bisect_left(sorted(negative), right[spared]) / len(negative)


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
    return _middle([area(*sample) for sample in _resampled(answerable, negative, seed)])


def band(
    answerable: Sequence[float], negative: Sequence[float], shares: Sequence[float], *, seed: int = 17
) -> list[list[float]]:
    """The curve with its 95 % interval: [false refusals, refused negatives, lower end, upper end] for each share."""
    samples = [
        [refused_at(right, wrong, share) for share in shares] for right, wrong in _resampled(answerable, negative, seed)
    ]
    return [
        [share, round(refused_at(answerable, negative, share), 4), *_middle([sample[place] for sample in samples])]
        for place, share in enumerate(shares)
    ]


def _resampled(
    answerable: Sequence[float], negative: Sequence[float], seed: int
) -> Iterator[tuple[list[float], list[float]]]:
    draw = random.Random(seed)  # noqa: S311 - a sample, not a secret
    for _ in range(SAMPLES):
        yield draw.choices(answerable, k=len(answerable)), draw.choices(negative, k=len(negative))


def _middle(values: Sequence[float]) -> list[float]:
    """What the middle 95 % of the values lie between."""
    ordered = sorted(values)
    return [round(ordered[int(0.025 * len(ordered))], 4), round(ordered[int(0.975 * len(ordered)) - 1], 4)]
