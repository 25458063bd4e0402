"""Meter: the port that counters and times go to, and every name that may go there."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

Counter = Literal[
    "recite_search_total",
    "recite_search_below_threshold_total",
    "recite_search_degraded_total",
    "recite_retrieval_repeats_skipped_total",
]
Histogram = Literal["recite_search_stage_seconds", "recite_retrieval_rounds", "recite_first_words_seconds"]

SEARCHES: Counter = "recite_search_total"
BELOW_THRESHOLD: Counter = "recite_search_below_threshold_total"
DEGRADED: Counter = "recite_search_degraded_total"
REPEATS_SKIPPED: Counter = "recite_retrieval_repeats_skipped_total"
STAGE_SECONDS: Histogram = "recite_search_stage_seconds"
ROUNDS: Histogram = "recite_retrieval_rounds"
FIRST_WORDS_SECONDS: Histogram = "recite_first_words_seconds"

OTHER = "other"
"""What stands for a label's value that is none of its known ones, so that values cannot pile up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """What a name means. Labels are closed sets: never a query, a user or the id of a document."""

    meaning: str
    unit: str
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The values that each label may take."""
    buckets: tuple[float, ...] = ()
    """Upper bounds of a histogram, inclusive; a counter has none."""


METRICS: Mapping[Counter | Histogram, Metric] = {
    SEARCHES: Metric(
        meaning="Searches: with a passage at or above the threshold asked for, without one, or refused by an error.",
        unit="searches",
        labels={"outcome": ("hit", "miss", "failed")},
    ),
    BELOW_THRESHOLD: Metric(meaning="Passages that only the threshold kept out of a result.", unit="passages"),
    DEGRADED: Metric(
        meaning="Searches that went on without a part, because it failed or was late.",
        unit="searches",
        labels={"part": ("keyword", "vector", "reranker")},
    ),
    STAGE_SECONDS: Metric(
        meaning="How long each stage of a search took. The legs run side by side; total is the whole.",
        unit="seconds",
        labels={"stage": ("embed", "keyword", "vector", "engine", "across", "fuse", "rerank", "total")},
        buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
    ),
    ROUNDS: Metric(
        meaning="Rounds of search that an answered turn took; 0 where nothing had to be looked up.",
        unit="rounds",
        buckets=(0.0, 1.0, 2.0, 3.0, 5.0, 10.0),
    ),
    FIRST_WORDS_SECONDS: Metric(
        meaning="How long a reader waited for the first checked words of an answer or a refusal.",
        unit="seconds",
        buckets=(0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 60.0),
    ),
    REPEATS_SKIPPED: Metric(
        meaning="Queries that a planner proposed and that repeated another one of the same turn.",
        unit="queries",
    ),
}


class Meter(Protocol):
    """Takes counts and observations. It may be called from any thread, never raises for a label's value, and never
    waits.
    """

    def count(self, name: Counter, value: int = 1, **labels: str) -> None:
        """Add to a counter."""
        ...

    def observe(self, name: Histogram, value: float, **labels: str) -> None:
        """Note one value, in the unit of the histogram."""
        ...


class NoMeter:
    """A meter that keeps nothing."""

    def count(self, name: Counter, value: int = 1, **labels: str) -> None:
        """Keep nothing."""

    def observe(self, name: Histogram, value: float, **labels: str) -> None:
        """Keep nothing."""


NO_METER = NoMeter()
