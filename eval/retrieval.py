"""Measure retrieval: every pipeline asked the same questions of the same corpus, and what each one missed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from eval.beir import Dataset, Query
from eval.bootstrap import interval
from eval.corpus_index import CorpusIndex
from eval.metrics import METRICS
from eval.pipelines import Pipeline, PipelineName, Ranked

BASELINE: PipelineName = "stock"
SHOWN = 10


@dataclass(frozen=True)
class Run:
    """One pipeline's rankings, in the order of the dataset's queries."""

    name: PipelineName
    ranked: list[Ranked]

    def values(self, metric: str, queries: Sequence[Query]) -> list[float]:
        """The metric of each query that has an answer."""
        of = METRICS[metric]
        pairs = zip(self.ranked, queries, strict=True)
        return [of(ranked.ids, query.relevant) for ranked, query in pairs if query.relevant]


async def measure(dataset: Dataset, name: PipelineName, pipeline: Pipeline, asked: Callable[[int, int], None]) -> Run:
    """Ask all queries, one after another. The first one is asked twice: opening files is not searching."""
    if dataset.queries:
        await pipeline(dataset.queries[0].text)
    ranked: list[Ranked] = []
    for number, query in enumerate(dataset.queries, start=1):
        ranked.append(await pipeline(query.text))
        asked(number, len(dataset.queries))
    return Run(name, ranked)


def report(dataset: Dataset, index: CorpusIndex, runs: Sequence[Run], *, threshold: float) -> dict[str, Any]:
    """Everything that was measured, as `contracts` fixes it for `--json`."""
    answerable = sum(bool(query.relevant) for query in dataset.queries)
    return {
        "dataset": dataset.name,
        "passages": len(dataset.passages),
        "queries": answerable,
        "unanswerable": len(dataset.queries) - answerable,
        "index_megabytes": index.megabytes,
        "pipelines": {run.name: _figures(dataset, index, run, runs, threshold) for run in runs},
        "failures": {run.name: _failures(dataset, run, runs) for run in runs},
    }


def _figures(dataset: Dataset, index: CorpusIndex, run: Run, runs: Sequence[Run], threshold: float) -> dict[str, Any]:
    figures: dict[str, Any] = {
        name: round(mean(values), 4) for name in METRICS if (values := run.values(name, dataset.queries))
    }
    stages = sorted({stage for ranked in run.ranked for stage in ranked.ms})
    figures["latency_ms"] = _percentiles([ranked.ms["total"] for ranked in run.ranked])
    figures["stages_ms"] = {
        stage: _percentiles([ranked.ms[stage] for ranked in run.ranked if stage in ranked.ms]) for stage in stages
    }
    if by_type := _by_type(dataset, run):
        figures["by_type"] = by_type
    figures["index_seconds"] = index.seconds
    figures["model_calls"] = 0
    figures["degraded"] = sum(bool(ranked.degraded) for ranked in run.ranked)
    unanswerable = [r for r, query in zip(run.ranked, dataset.queries, strict=True) if not query.relevant and r.scores]
    if unanswerable:
        passed = [max(ranked.scores.values()) >= threshold for ranked in unanswerable]
        figures["false_answer_rate"] = round(mean(passed), 4)
    baseline = next((one for one in runs if one.name == BASELINE and one is not run), None)
    if baseline is not None and figures.get("ndcg@10") is not None:
        ours, theirs = (one.values("ndcg@10", dataset.queries) for one in (run, baseline))
        figures["ndcg@10_over_stock"] = [round(value, 4) for value in interval(ours, theirs)]
    return figures


def _by_type(dataset: Dataset, run: Run) -> dict[str, dict[str, float]]:
    """The metrics of each kind of question that has an answer; nothing for a set that names no kinds."""
    groups: dict[str, list[int]] = {}
    for number, query in enumerate(dataset.queries):
        if query.relevant and query.kind:
            groups.setdefault(query.kind, []).append(number)
    figures: dict[str, dict[str, float]] = {}
    for kind, numbers in sorted(groups.items()):
        part = Run(run.name, [run.ranked[number] for number in numbers])
        queries = [dataset.queries[number] for number in numbers]
        figures[kind] = {"queries": len(numbers)} | {
            metric: round(mean(part.values(metric, queries)), 4) for metric in METRICS
        }
    return figures


def _percentiles(values: Sequence[float]) -> dict[str, float]:
    """p50 and p95 by the nearest rank; 0 of nothing."""
    ordered = sorted(values)
    if not ordered:
        return {"p50": 0.0, "p95": 0.0}
    return {f"p{share}": round(ordered[max(0, -(-share * len(ordered) // 100) - 1)], 2) for share in (50, 95)}


def _failures(dataset: Dataset, run: Run, runs: Sequence[Run]) -> list[dict[str, Any]]:
    """The answerable queries with nothing relevant among the first ten: what came instead, and where it was lost."""
    legs = {one.name: one for one in runs if one.name in {"keyword", "vector"}}
    failed: list[dict[str, Any]] = []
    for number, (query, ranked) in enumerate(zip(dataset.queries, run.ranked, strict=True)):
        if not query.relevant or set(ranked.ids[:SHOWN]) & query.relevant.keys():
            continue
        row: dict[str, Any] = {
            "query_id": query.query_id,
            "query": query.text,
            "relevant": sorted(query.relevant),
            "came": ranked.ids[:SHOWN],
        }
        if run.name.startswith("hybrid") and len(legs) == 2:  # noqa: PLR2004 - both legs
            row["lost"] = _lost(query, ranked, [leg.ranked[number] for leg in legs.values()])
        failed.append(row)
    return failed


def _lost(query: Query, ranked: Ranked, legs: Sequence[Ranked]) -> str:
    if not any(set(leg.ids) & query.relevant.keys() for leg in legs):
        return "not in any leg"
    if not set(ranked.ids) & query.relevant.keys():
        return "lost in fusion"
    return "ranked too low"
