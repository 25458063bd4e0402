"""Measure retrieval: every pipeline asked the same questions of the same corpus, and what each one missed."""

from collections.abc import Callable, Sequence
from statistics import mean
from typing import Any

from eval.beir import Dataset
from eval.bootstrap import interval
from eval.corpus_index import CorpusIndex
from eval.failures import failures
from eval.metrics import METRICS, percentiles
from eval.pipelines import Pipeline, Ranked
from eval.refusal import refusal
from eval.run import Run

BASELINE = "stock"
CHARTED = ("ndcg@10", "recall@10")
"""The metrics that come with the interval of their mean."""


async def measure(dataset: Dataset, name: str, pipeline: Pipeline, asked: Callable[[int, int], None]) -> Run:
    """Ask all queries, one after another. The first one is asked twice: opening files is not searching."""
    if dataset.queries:
        await pipeline(dataset.queries[0].text)
    ranked: list[Ranked] = []
    for number, query in enumerate(dataset.queries, start=1):
        ranked.append(await pipeline(query.text))
        asked(number, len(dataset.queries))
    return Run(name, ranked)


def report(
    dataset: Dataset, index: CorpusIndex, runs: Sequence[Run], *, threshold: float, top_k: int
) -> dict[str, Any]:
    """Everything that was measured, as `contracts` fixes it for `--json`.

    `threshold` and `top_k` are those of the settings: an answer is made of the first `top_k` passages that pass.
    """
    answerable = sum(bool(query.relevant) for query in dataset.queries)
    return {
        "dataset": dataset.name,
        "passages": len(dataset.passages),
        "queries": answerable,
        "unanswerable": len(dataset.queries) - answerable,
        "index_seconds": index.seconds,
        "index_megabytes": index.megabytes,
        "min_score": threshold,
        "top_k": top_k,
        "pipelines": {
            run.name: _figures(dataset, index, run, runs) | refusal(dataset.queries, run, threshold, top_k)
            for run in runs
        },
        "failures": {run.name: failures(dataset, run, runs, threshold) for run in runs},
    }


def _figures(dataset: Dataset, index: CorpusIndex, run: Run, runs: Sequence[Run]) -> dict[str, Any]:
    figures: dict[str, Any] = {
        name: round(mean(values), 4) for name in METRICS if (values := run.values(name, dataset.queries))
    }
    if by_type := _by_type(dataset, run):
        figures["by_type"] = by_type
    if any(query.relevant for query in dataset.queries):
        figures["intervals"] = {name: _spread(run.values(name, dataset.queries)) for name in CHARTED}
    baseline = next((one for one in runs if one.name == BASELINE and one is not run), None)
    if baseline is not None and figures.get("ndcg@10") is not None:
        ours, theirs = (one.values("ndcg@10", dataset.queries) for one in (run, baseline))
        figures["ndcg@10_over_stock"] = [round(value, 4) for value in interval(ours, theirs)]
    return figures | {"index_seconds": index.seconds} | _latency(run.ranked) | _used(run.ranked)


def _spread(values: Sequence[float]) -> list[float]:
    """The 95 % interval of the mean over resampled questions."""
    _, low, high = interval(values, [0.0] * len(values))
    return [round(low, 4), round(high, 4)]


def _latency(ranked: Sequence[Ranked]) -> dict[str, Any]:
    stages = list(dict.fromkeys(stage for one in ranked for stage in one.ms))
    return {
        "latency_ms": percentiles([one.ms["total"] for one in ranked]),
        "stages_ms": {stage: percentiles([one.ms[stage] for one in ranked if stage in one.ms]) for stage in stages},
    }


def _used(ranked: Sequence[Ranked]) -> dict[str, Any]:
    """Calls of the chat model and the tokens that it reported."""
    calls = sum(one.usage.model_calls for one in ranked)
    figures: dict[str, Any] = {"model_calls": calls}
    if calls:
        figures["model_calls_per_question"] = round(calls / len(ranked), 2)
        figures["input_tokens"] = sum(one.usage.input_tokens for one in ranked)
        figures["output_tokens"] = sum(one.usage.output_tokens for one in ranked)
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
