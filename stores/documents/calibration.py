"""Calibration: from what both legs saw of a passage to the probability that it is relevant.

A logistic regression over a handful of features that mean the same in a corpus of ten chunks and of a hundred
thousand. Its constants are fitted by `python benchmarks/calibrate.py DATA_DIR` on labelled questions, on questions
asked of the wrong corpus, and on gibberish; that script prints the measured operating points too.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO
from math import exp, log

import numpy as np

from stores.documents.coverage import Coverage, Unit, coverage, informativeness, units
from stores.documents.document import Language
from stores.documents.terms import CJK, query_terms
from stores.embeddings.local import LOCAL_MODEL

Frequencies = Callable[[Iterable[str]], tuple[dict[str, int], int]]
"""In how many chunks each term stands, and how many chunks there are."""

K1 = 1.2
"""tantivy's BM25: no term adds more than its IDF times (1 + K1)."""
BACKGROUND_LANGUAGES: tuple[Language, ...] = ("zh", "en", "code")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A passage as the legs saw it. `bm25` is `None` when the keyword leg is down, 0 when no term matched."""

    passage: str
    language: Language
    bm25: float | None
    cosine: float | None


def features(query: str, candidates: Sequence[Candidate], frequencies: Frequencies, vector: Sequence[float] | None) -> np.ndarray:
    raise NotImplementedError


@cache
def background() -> dict[Language, np.ndarray]:
    """The mean passage vector of each language, of the local model.

    Its cosines lie in a narrow band whose place depends on the language; how much nearer a passage is to the query
    than an average passage of its language is a number that can be compared.
    """
    data = (files("stores.embeddings") / "e5_small_zh_en" / "background.npy").read_bytes()
    return dict(zip(BACKGROUND_LANGUAGES, np.load(BytesIO(data)), strict=True))
