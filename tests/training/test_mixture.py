"""The order of examples: by share, without end, the same from the same seed."""

from collections import Counter
from itertools import islice

import pytest

from training.examples import Example
from training.mixture import capped, order


def examples(source: str, count: int) -> list[Example]:
    return [
        Example(source=source, query=f"{source} {i}", positive="p", query_language="en", passage_language="en")
        for i in range(count)
    ]


SETS = [*examples("large", 900), *examples("small", 10), *examples("unwanted", 50)]
SHARES = {"large": 3.0, "small": 1.0}


def test_sets_are_met_by_their_share_and_not_by_their_size():
    met = Counter(one.source for one in islice(order(SETS, SHARES, seed=1), 4_000))
    assert met["small"] == pytest.approx(1_000, rel=0.15) and met["unwanted"] == 0


def test_no_example_is_met_again_before_the_others_of_its_set():
    met = [one.query for one in islice(order(SETS, SHARES, seed=1), 400) if one.source == "small"]
    assert all(len(set(met[i : i + 10])) == 10 for i in range(0, len(met) - 9, 10))


def test_the_same_seed_gives_the_same_order_and_another_one_another():
    first, again, other = ([one.query for one in islice(order(SETS, SHARES, seed=seed), 50)] for seed in (1, 1, 2))
    assert first == again != other


def test_what_a_run_cannot_meet_is_not_kept():
    kept = Counter(one.source for one in capped(SETS, SHARES, 40, seed=1))
    assert kept == {"large": 30, "small": 10}


def test_examples_of_no_wanted_set_are_refused():
    with pytest.raises(ValueError, match="None of the examples"):
        next(order(SETS, {"other": 1.0}, seed=1))
