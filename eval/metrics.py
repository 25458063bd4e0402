"""Ranking metrics: each a function of one query's ranking and labels, with its formula and source.

A ranking is a list of ids, best first: ties are settled before, by rank, so a figure is the same in every run.
`relevant` maps ids to grades above 0. All values lie in 0..1. An empty ranking scores 0; a query without labels has no
value here and is scored for refusal instead.
"""

from collections.abc import Callable, Mapping, Sequence
from math import log2

Metric = Callable[[Sequence[str], Mapping[str, float]], float]


def recall_at(k: int) -> Metric:
    """The share of the relevant ids among the first `k`: |relevant ∩ top k| / |relevant| (trec_eval `recall.k`)."""
    return lambda ranking, relevant: _hits(ranking[:k], relevant) / len(relevant)


def precision_at(k: int) -> Metric:
    """|relevant ∩ top k| / k, also when fewer than `k` came back (trec_eval `P.k`)."""
    return lambda ranking, relevant: _hits(ranking[:k], relevant) / k


def reciprocal_rank_at(k: int) -> Metric:
    """1 / rank of the first relevant id among the first `k`, else 0 (trec_eval `recip_rank`, cut at `k`)."""

    def value(ranking: Sequence[str], relevant: Mapping[str, float]) -> float:
        return next((1 / rank for rank, one in enumerate(ranking[:k], start=1) if one in relevant), 0.0)

    return value


def ndcg_at(k: int) -> Metric:
    """DCG of the first `k` over that of the best order of the *labels*, with gain = grade and discount log2(rank + 1).

    Järvelin and Kekäläinen 2002 as in trec_eval's `ndcg_cut.k`.
    """

    def value(ranking: Sequence[str], relevant: Mapping[str, float]) -> float:
        found = _dcg([relevant.get(one, 0.0) for one in ranking[:k]])
        return found / _dcg(sorted(relevant.values(), reverse=True)[:k])

    return value


METRICS: Mapping[str, Metric] = {
    "ndcg@10": ndcg_at(10),
    "recall@1": recall_at(1),
    "recall@5": recall_at(5),
    "recall@10": recall_at(10),
    "recall@50": recall_at(50),
    "precision@10": precision_at(10),
    "mrr@10": reciprocal_rank_at(10),
}


def _hits(ids: Sequence[str], relevant: Mapping[str, float]) -> int:
    return sum(one in relevant for one in dict.fromkeys(ids))


def _dcg(gains: Sequence[float]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """p50 and p95 by the nearest rank; 0 of nothing."""
    ordered = sorted(values)
    if not ordered:
        return {"p50": 0.0, "p95": 0.0}
    return {f"p{share}": round(ordered[max(0, -(-share * len(ordered) // 100) - 1)], 2) for share in (50, 95)}
