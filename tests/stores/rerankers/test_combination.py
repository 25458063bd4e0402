"""The combination: what moves a candidate, and what leaves it alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stores.rerankers.combination import Weights, combined, missing_exact

WEIGHTS = Weights(cross_encoder=0.5, missing=1.0)


def test_a_candidate_that_the_cross_encoder_prefers_comes_first():
    near, far = combined([0.6, 0.6], [3.0, -3.0], [0.0, 0.0], WEIGHTS)
    assert near > 0.6 > far


def test_equal_scores_change_nothing_whatever_they_are():
    assert combined([0.9, 0.2], [7.0, 7.0], [0.0, 0.0], WEIGHTS) == pytest.approx([0.9, 0.2])


def test_a_candidate_alone_keeps_its_probability():
    assert combined([0.4], [-9.0], [0.0], WEIGHTS) == pytest.approx([0.4])


def test_no_candidates_are_no_error():
    assert combined([], [], [], WEIGHTS) == []


def test_a_missing_number_counts_against_a_passage():
    missing = missing_exact("HTTP error 504 in v2.3", ["error 504 came with v2.3", "error 502 came with v2.3", "none"])
    assert missing[0] == 0 and missing[0] < missing[1] < missing[2]
    scores = combined([0.5] * 3, [0.0] * 3, missing, WEIGHTS)
    assert scores == sorted(scores, reverse=True) and scores[0] > scores[1] > scores[2]


def test_a_query_without_numbers_or_identifiers_misses_none():
    assert missing_exact("年假怎么算", ["今天下雨"]) == [0.0]


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(-1e6, 1e6), st.floats(0, 1)), min_size=1, max_size=20))
def test_every_result_is_a_probability(rows):
    calibrated, scores, missing = zip(*rows, strict=True)
    assert all(0 <= one <= 1 for one in combined(calibrated, scores, missing, WEIGHTS))
