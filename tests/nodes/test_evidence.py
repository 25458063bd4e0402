"""Evidence: what an older version kept of it can still be read."""

import pickle

from nodes.state import Evidence

KNOWN = Evidence(number=3, chunk_id="c", revision=2, score=0.8, source="both", worth=0.9)


def test_evidence_comes_back_as_it_was_pickled() -> None:
    assert pickle.loads(pickle.dumps(KNOWN)) == KNOWN


def test_evidence_of_an_older_version_takes_the_defaults_of_what_came_later() -> None:
    old = object.__new__(Evidence)
    old.__setstate__([3, "c", 2, 0.8, "both"])
    assert old == Evidence(number=3, chunk_id="c", revision=2, score=0.8, source="both")
    assert pickle.loads(pickle.dumps(old)) == old
