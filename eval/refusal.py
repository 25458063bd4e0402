"""Refusal: does the threshold let through what does not answer, or keep back what does?"""

from collections.abc import Sequence
from statistics import mean
from typing import Any

from eval.beir import Query
from eval.pipelines import Ranked
from eval.run import Run


def refusal(queries: Sequence[Query], run: Run, threshold: float, top_k: int) -> dict[str, Any]:
    """What a run tells about it, each a share in 0..1; rates only for a pipeline with calibrated scores.

    `false_answer_rate`: questions without an answer for which a passage passes. `false_refusal_rate`: questions with
    one for which no relevant passage among the first `top_k` passes. `reranker_fallbacks`: questions that the
    reranker failed or was late for. `degraded` counts the questions with any failed part.
    """
    figures: dict[str, Any] = {"degraded": sum(bool(ranked.degraded) for ranked in run.ranked)}
    if "+rerank" in run.name and run.ranked:
        figures["reranker_fallbacks"] = round(mean("reranker" in ranked.degraded for ranked in run.ranked), 4)
    if not run.calibrated:
        return figures
    asked = list(run.asked(queries))
    without = [
        any(score >= threshold for score in ranked.scores.values()) for query, ranked in asked if not query.relevant
    ]
    answerable = [not passes(query, ranked, threshold, top_k) for query, ranked in asked if query.relevant]
    if without:
        figures["false_answer_rate"] = round(mean(without), 4)
    if answerable:
        figures["false_refusal_rate"] = round(mean(answerable), 4)
    return figures


def passes(query: Query, ranked: Ranked, threshold: float, top_k: int) -> bool:
    """Whether a relevant passage among the first `top_k` reaches the threshold."""
    return any(one in query.relevant and ranked.scores.get(one, 0.0) >= threshold for one in ranked.ids[:top_k])
