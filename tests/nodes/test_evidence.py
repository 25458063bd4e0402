"""Evidence: what an older version kept of it can still be read."""

import copyreg
import pickle
from typing import Any

from nodes.state import Evidence

KNOWN = Evidence(number=3, chunk_id="c", revision=2, score=0.8, source="both", worth=0.9)


class Older:
    """Pickles as evidence did when it had one field less."""

    def __reduce__(self) -> tuple[Any, ...]:
        return copyreg.__newobj__, (Evidence,), [3, "c", 2, 0.8, "both"]  # type: ignore[attr-defined]


def test_evidence_comes_back_as_it_was_pickled() -> None:
    assert pickle.loads(pickle.dumps(KNOWN)) == KNOWN


def test_evidence_of_an_older_version_takes_the_defaults_of_what_came_later() -> None:
    old = pickle.loads(pickle.dumps(Older()))
    assert old == Evidence(number=3, chunk_id="c", revision=2, score=0.8, source="both")
    assert pickle.loads(pickle.dumps(old)) == old
