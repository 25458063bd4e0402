"""Run: what one pipeline answered to every question of a dataset."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from eval.beir import Query
from eval.metrics import METRICS
from eval.pipelines import Ranked


@dataclass(frozen=True)
class Run:
    """One pipeline's rankings, in the order of the dataset's queries."""

    name: str
    ranked: list[Ranked]

    def values(self, metric: str, queries: Sequence[Query]) -> list[float]:
        """The metric of each query that has an answer."""
        of = METRICS[metric]
        return [of(ranked.ids, query.relevant) for query, ranked in self.asked(queries) if query.relevant]

    def asked(self, queries: Sequence[Query]) -> Iterator[tuple[Query, Ranked]]:
        """Each query with its ranking."""
        return zip(queries, self.ranked, strict=True)

    @property
    def calibrated(self) -> bool:
        """Whether its scores mean something, so that a threshold applies to them."""
        return any(ranked.scores for ranked in self.ranked)
