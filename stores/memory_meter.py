"""MemoryMeter: counters and histograms of this process, since it started."""

from bisect import bisect_left
from threading import Lock
from typing import Any

from stores.metrics import METRICS, OTHER, Counter, Histogram

Labels = tuple[str, ...]


class MemoryMeter:
    """Totals and histograms with fixed buckets. Its size is bounded by the closed sets of labels."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._totals: dict[tuple[Counter, Labels], int] = {}
        self._series: dict[tuple[Histogram, Labels], _Series] = {}

    def count(self, name: Counter, value: int = 1, **labels: str) -> None:
        """See `Meter`."""
        key = name, _known(name, labels)
        with self._lock:
            self._totals[key] = self._totals.get(key, 0) + value

    def observe(self, name: Histogram, value: float, **labels: str) -> None:
        """See `Meter`."""
        key = name, _known(name, labels)
        with self._lock:
            series = self._series.get(key) or self._series.setdefault(key, _Series(METRICS[name].buckets))
            series.add(value)

    def snapshot(self) -> dict[str, Any]:
        """Every metric by name: `{"meaning", "unit", "kind", "values": [...]}`.

        A counter's value is `{"labels", "value"}`; a histogram's `{"labels", "count", "sum", "buckets"}`, where each
        bucket holds all observations up to its bound, as Prometheus has it.
        """
        told: dict[tuple[str, Labels], dict[str, Any]] = {}
        with self._lock:
            told |= {key: {"value": total} for key, total in self._totals.items()}
            told |= {key: series.as_json() for key, series in self._series.items()}
        return {
            name: {
                "meaning": metric.meaning,
                "unit": metric.unit,
                "kind": "histogram" if metric.buckets else "counter",
                "values": [
                    {"labels": dict(zip(metric.labels, labels, strict=True)), **value}
                    for (one, labels), value in sorted(told.items())
                    if one == name
                ],
            }
            for name, metric in METRICS.items()
        }


class _Series:
    """The observations of one histogram under one set of labels."""

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0

    def add(self, value: float) -> None:
        """Note one value."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self._sum += value

    def as_json(self) -> dict[str, Any]:
        """Count, sum and the cumulative buckets."""
        up_to, buckets = 0, {}
        for bound, count in zip([*map(_plain, self._bounds), "+Inf"], self._counts, strict=True):
            up_to += count
            buckets[bound] = up_to
        return {"count": up_to, "sum": round(self._sum, 6), "buckets": buckets}


def _plain(bound: float) -> str:
    return f"{bound:g}"


def _known(name: Counter | Histogram, labels: dict[str, str]) -> Labels:
    """The labels' values in the metric's order; one that is not known, or not given, becomes `other`."""
    allowed = METRICS[name].labels
    return tuple(labels[key] if labels.get(key) in values else OTHER for key, values in allowed.items())
