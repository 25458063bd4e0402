"""Refusal and failures: what the threshold does, and at which stage a question was lost."""

from typing import Any

import pytest

from eval.beir import Dataset, Passage, Query
from eval.failures import failures
from eval.pipelines import Ranked
from eval.refusal import refusal
from eval.retrieval import report
from eval.run import Run


def dataset(*relevant: str) -> Dataset:
    """One question a passage id; `-`: without an answer."""
    queries = [Query(f"q{n}", f"问题 {n}?", {} if one == "-" else {one: 1.0}) for n, one in enumerate(relevant)]
    passages = {f"p{n}": Passage(f"Title {n}", f"Text | of\n{n}") for n in range(60)} | {"x": Passage("", "x")}
    return Dataset("set", passages, tuple(queries), "")


def ranked(*ids: str, degraded: tuple[str, ...] = (), scored: bool = True, best: float = 0.9) -> Ranked:
    scores = {one: best - 0.1 * place for place, one in enumerate(ids)} if scored else {}
    return Ranked(list(ids), {"total": 1.0}, scores, degraded)


def test_e05_questions_without_an_answer_are_scored_for_refusal_alone() -> None:
    data = dataset("p1", "-", "-", "-")
    run = Run("hybrid", [ranked("p1"), ranked("p2"), ranked("p3", best=0.6), Ranked([], {"total": 1.0})])

    index: Any = type("Index", (), {"seconds": None, "megabytes": 0.0})
    made = report(data, index, [run], threshold=0.7, top_k=5)

    figures = made["pipelines"]["hybrid"]
    assert (figures["ndcg@10"], figures["recall@10"]) == (1.0, 1.0)
    # Nothing found at all is a refusal too, and counts.
    assert figures["false_answer_rate"] == pytest.approx(1 / 3, abs=1e-4)
    assert figures["false_refusal_rate"] == 0.0
    assert (made["queries"], made["unanswerable"]) == (1, 3)


def test_a_question_is_refused_falsely_unless_a_relevant_passage_among_the_first_k_passes() -> None:
    data = dataset("p1", "p1", "p1", "p1")
    runs = [ranked("p1"), ranked("p2", "p3", "p1"), ranked("p1", best=0.69), ranked("p2")]

    assert refusal(data.queries, Run("hybrid", runs), 0.7, 5)["false_refusal_rate"] == 0.5
    assert refusal(data.queries, Run("hybrid", runs), 0.7, 2)["false_refusal_rate"] == 0.75


def test_rates_are_for_calibrated_scores_only_and_fallbacks_for_rerankers() -> None:
    data = dataset("p1", "-")
    plain = refusal(data.queries, Run("keyword", [ranked("p1", scored=False)] * 2), 0.7, 5)
    rerank = Run("rewrite+hybrid+rerank", [ranked("p1", degraded=("reranker",)), ranked("p1", degraded=("keyword",))])

    assert plain == {"degraded": 0}
    told = refusal(data.queries, rerank, 0.7, 5)
    assert (told["reranker_fallbacks"], told["degraded"]) == (0.5, 2)


LOW = [f"p{n}" for n in range(20, 32)]


@pytest.mark.parametrize(
    ("name", "here", "beside", "lost"),
    [
        ("hybrid", LOW, {"keyword": LOW, "vector": LOW}, "not in any leg"),
        ("hybrid", LOW, {"keyword": LOW, "vector": ["x"]}, "lost in fusion"),
        ("hybrid", [*LOW, "x"], {"keyword": LOW, "vector": ["x"]}, "ranked too low"),
        ("hybrid", LOW, {"keyword": LOW}, None),
        ("hybrid+rerank", [*LOW, "x"], {"hybrid": ["x"], "keyword": LOW, "vector": ["x"]}, "lost in rerank"),
        ("hybrid+rerank", [*LOW, "x"], {"hybrid": [*LOW, "x"]}, "ranked too low"),
        ("rewrite+hybrid", LOW, {"keyword": LOW, "vector": LOW}, "not in any leg"),
        ("keyword", LOW, {}, "not in any leg"),
        ("stock", [*LOW, "x"], {}, "ranked too low"),
        ("hybrid", ["p1", "p2", "x"], {}, "below threshold"),
    ],
)
def test_the_stage_that_lost_a_question_is_named(
    name: str, here: list[str], beside: dict[str, list[str]], lost: str | None
) -> None:
    data = dataset("x")
    run = Run(name, [ranked(*here, scored=name.startswith("hybrid"), best=0.8)])
    runs = [run, *(Run(other, [ranked(*ids, scored=False)]) for other, ids in beside.items())]

    (row,) = failures(data, run, runs, 0.7)

    assert row.get("lost") == lost
    assert row["instead"][0]["title"] == f"Title {here[0][1:]}"


def test_what_is_below_the_threshold_is_told_with_its_score_and_what_stood_before_it() -> None:
    data = dataset("p2", "p1")
    run = Run("hybrid", [ranked("p1", "p2", "p3", best=0.7), ranked("p1", best=0.75)])

    (row,) = failures(data, run, [run], 0.7)

    assert row["score"] == pytest.approx(0.6)
    assert [passage["passage"] for passage in row["instead"]] == ["p1"]
