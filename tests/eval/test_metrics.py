"""Metrics: hand-worked values, the edges of the cases E-01 to E-07, parity with trec_eval."""

import random
from math import isclose, log2

import pytest
import pytrec_eval

from eval.bootstrap import interval
from eval.metrics import METRICS, ndcg_at, precision_at, recall_at, reciprocal_rank_at
from nodes.citations.markers import find_markers

RANKING = ["a", "b", "c", "d"]
RELEVANT = {"b": 1.0, "d": 2.0, "x": 1.0}


def test_hand_worked_values() -> None:
    assert recall_at(2)(RANKING, RELEVANT) == pytest.approx(1 / 3)
    assert precision_at(4)(RANKING, RELEVANT) == pytest.approx(2 / 4)
    assert reciprocal_rank_at(10)(RANKING, RELEVANT) == pytest.approx(1 / 2)
    dcg = 1 / log2(3) + 2 / log2(5)
    ideal = 2 / log2(2) + 1 / log2(3) + 1 / log2(4)
    assert ndcg_at(10)(RANKING, RELEVANT) == pytest.approx(dcg / ideal)


def test_e02_nothing_returned_counts_as_zero() -> None:
    assert all(metric([], RELEVANT) == 0.0 for metric in METRICS.values())


def test_e03_the_ideal_comes_from_the_labels_not_from_what_came_back() -> None:
    assert ndcg_at(10)(["b"], {"b": 1.0, "gone": 1.0}) < 1.0


def test_e06_precision_is_divided_by_k_also_for_short_lists() -> None:
    assert precision_at(10)(["a", "b", "c"], {"a": 1.0, "b": 1.0, "c": 1.0}) == pytest.approx(0.3)


def test_an_id_that_came_twice_is_found_once() -> None:
    assert recall_at(5)(["a", "a"], {"a": 1.0, "b": 1.0}) == pytest.approx(0.5)


def test_e07_citations_are_parsed_by_the_products_parser_before_they_are_scored() -> None:
    cited = [str(number) for marker in find_markers("… [1, 2] and [0].") for number in marker.numbers]

    assert recall_at(5)(cited, {"1": 1.0, "2": 1.0}) == 1.0
    assert "-1" not in cited and "3" not in cited


@pytest.mark.parametrize("seed", range(5))
def test_e01_parity_with_trec_eval_on_random_runs_handed_over_as_ranks(seed: int) -> None:
    draw = random.Random(seed)
    names = {
        "ndcg@10": "ndcg_cut_10", "recall@1": "recall_1", "recall@5": "recall_5", "recall@10": "recall_10",
        "recall@50": "recall_50", "precision@10": "P_10",
    }  # fmt: skip
    pool = [f"p{number}" for number in range(80)]
    labels = {f"q{n}": {p: draw.randint(1, 3) for p in draw.sample(pool, draw.randint(1, 12))} for n in range(20)}
    rankings = {query: draw.sample(pool, draw.randint(1, 60)) for query in labels}
    ranks = {query: {p: float(-rank) for rank, p in enumerate(ranking)} for query, ranking in rankings.items()}
    theirs = pytrec_eval.RelevanceEvaluator(labels, {"ndcg_cut", "recall.1,5,10,50", "P", "recip_rank"}).evaluate(ranks)

    for query, ranking in rankings.items():
        relevant = {one: float(grade) for one, grade in labels[query].items()}
        for ours, name in names.items():
            assert isclose(METRICS[ours](ranking, relevant), theirs[query][name], abs_tol=1e-9)
        assert isclose(reciprocal_rank_at(60)(ranking, relevant), theirs[query]["recip_rank"], abs_tol=1e-9)


def test_the_bootstrap_sees_a_steady_gain_and_no_gain_in_noise() -> None:
    draw = random.Random(1)
    base = [draw.random() for _ in range(100)]

    _, low, _ = interval([value + 0.1 for value in base], base)
    assert low > 0
    noisy = [value + draw.choice([-0.2, 0.2]) for value in base]
    _, low, high = interval(noisy, base)
    assert low < 0 < high
