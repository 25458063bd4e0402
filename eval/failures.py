"""Failures: the answerable questions that a pipeline failed, what came instead, and at which stage they were lost."""

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any, Literal

from eval.beir import Dataset, Query
from eval.pipelines import REWRITE, Ranked
from eval.refusal import passes
from eval.run import Run

Lost = Literal["not in any leg", "lost in fusion", "lost in rerank", "ranked too low", "below threshold"]

SHOWN = 10
"""A question has failed if nothing relevant is among so many, or if nothing of that passes the threshold."""
_INSTEAD = 3
_WORDS = 80
_RERANK = "+rerank"


def failures(dataset: Dataset, run: Run, runs: Sequence[Run], threshold: float) -> list[dict[str, Any]]:
    """One row per failed question; `lost` is left out where the runs at hand do not tell.

    `instead` tells what stands before the first relevant passage, `score` what that has if it is below the threshold.
    """
    by_name = {one.name: one for one in runs}
    rows: list[dict[str, Any]] = []
    for number, (query, ranked) in enumerate(run.asked(dataset.queries)):
        seen = bool(set(ranked.ids[:SHOWN]) & query.relevant.keys())
        if not query.relevant or (seen and (not run.calibrated or passes(query, ranked, threshold, SHOWN))):
            continue
        row: dict[str, Any] = {
            "query_id": query.query_id,
            "query": query.text,
            "relevant": sorted(query.relevant),
            "came": ranked.ids[:SHOWN],
            "instead": [_told(one, dataset) for one in _ahead(query, ranked)[:_INSTEAD]],
        }
        if seen:
            row["score"] = round(max(ranked.scores.get(one, 0.0) for one in query.relevant), 4)
        beside = {name: one.ranked[number] for name, one in by_name.items()}
        lost: Lost | None = "below threshold" if seen else _lost(run.name, query, ranked, beside)
        rows.append(row | ({"lost": lost} if lost else {}))
    return rows


def _lost(name: str, query: Query, ranked: Ranked, beside: Mapping[str, Ranked]) -> Lost | None:
    """Where the relevant passages went: `beside` are the other pipelines' rankings of this question."""
    before = beside.get(name.removesuffix(_RERANK)) if name.endswith(_RERANK) else None
    if before is not None and _finds(query, before.ids[:SHOWN]):
        return "lost in rerank"
    if _finds(query, ranked.ids):
        return "ranked too low"
    if not name.removeprefix(REWRITE).startswith("hybrid"):
        return "not in any leg"
    legs = [beside[leg] for leg in ("keyword", "vector") if leg in beside]
    if any(_finds(query, leg.ids) for leg in legs):
        return "lost in fusion"
    return "not in any leg" if len(legs) == 2 else None  # noqa: PLR2004 - both legs


def _ahead(query: Query, ranked: Ranked) -> list[str]:
    """What stands before the first relevant passage."""
    return list(takewhile(lambda one: one not in query.relevant, ranked.ids[:SHOWN]))


def _finds(query: Query, ids: Sequence[str]) -> bool:
    return bool(set(ids) & query.relevant.keys())


def _told(one: str, dataset: Dataset) -> dict[str, str]:
    """A passage by its title and its first words."""
    passage = dataset.passages[one]
    begins = " ".join(passage.text[: 4 * _WORDS].split())
    return {"passage": one, "title": " ".join(passage.title.split()), "begins": begins[:_WORDS]}
