"""Calibration: from what both legs saw of a passage to the probability that it is relevant.

A logistic regression over a handful of features that mean the same in a corpus of ten chunks and of a hundred
thousand. Its constants are fitted by `python benchmarks/calibrate.py DATA_DIR` on labelled questions, on questions
asked of the wrong corpus, and on gibberish; that script prints the measured operating points too.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log, log1p

import numpy as np

from stores.documents.across import Background, crossed, means_of
from stores.documents.coverage import (
    Frequencies,
    Unit,
    best_statement,
    coverage,
    distinct_terms,
    informativeness,
    units,
)
from stores.documents.document import Language
from stores.documents.terms import query_terms

K1 = 1.2
"""tantivy's BM25: no term adds more than its IDF times (1 + K1)."""
BM25_PER_COVERAGE = 0.6
"""What the keyword leg would have said, roughly, when it is down and only the passage's text can be looked at."""
LEAST_SPREAD = 0.02
"""Cosines of a few like passages lie so close together that their spread says nothing."""
FEW = 10
"""With as many other candidates, a margin over their average counts half."""
BRIEF = 40
"""A passage of as many different terms is not brief at all."""
EXACT_ACROSS = 3.0
"""What a rare identifier of the query adds to the logit in a passage of another language: of a Chinese question about
code it is the one word that can stand there. In the same language coverage and BM25 say so already. Not fitted: the
labelled sets hold too few such questions."""

FEATURES = (
    "closeness",
    "coverage",
    "statement",
    "bm25",
    "hard_missing",
    "unknown",
    "margin",
    "cross",
    "closeness_cross",
    "margin_cross",
    "brief_cross",
    "length",
    "one",
)
LOCAL_WEIGHTS: Mapping[str, float] = {
    "closeness": 6.596,
    "coverage": -0.361,
    "statement": 5.028,
    "bm25": 6.163,
    "hard_missing": -0.176,
    "unknown": 0.775,
    "margin": 2.233,
    "cross": 2.771,
    "closeness_cross": 1.519,
    "margin_cross": -4.185,
    "brief_cross": -2.552,
    "length": 0.174,
    "one": -6.887,
}
"""For the local model, whose cosines have a known background. `cross`, `closeness_cross` and `margin_cross` are fitted
apart, by `python benchmarks/calibrate_across.py DATA_DIR`, on other questions than the rest."""
ANY_WEIGHTS: Mapping[str, float] = {
    "closeness": 1.493,
    "coverage": -0.057,
    "statement": 3.823,
    "bm25": 9.76,
    "hard_missing": -0.223,
    "unknown": -1.549,
    "margin": 0.0,
    "cross": -0.679,
    "closeness_cross": 0.523,
    "margin_cross": 0.0,
    "brief_cross": -2.927,
    "length": 0.382,
    "one": -4.704,
}
"""For every other model: its cosines only tell candidates of one query apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A passage as the legs saw it."""

    passage: str
    """Context and text."""
    language: Language
    bm25: float | None
    """`None` when the keyword leg is down, 0 when no term matched."""
    cosine: float | None
    """`None` when the vector leg is down."""
    across: float | None = None
    """Product with the query's vector as moved to the other language; for a passage of that."""
    exact: bool = False
    """It holds a rare identifier that the query names."""


def relevance(
    query: str,
    candidates: Sequence[Candidate],
    *,
    frequencies: Frequencies | None,
    embedding: Sequence[float] | None,
    model: str,
) -> list[float]:
    """The probability, 0..1, that each candidate is relevant to the query.

    `frequencies` is `None` when the keyword leg is down, `embedding` (the query's) when the vector leg is;
    `model` is the embedder's name.
    """
    if not candidates:
        return []
    means = means_of(model)
    background = Background.of(query, embedding, means) if embedding is not None and means else None
    weights = ANY_WEIGHTS if background is None else LOCAL_WEIGHTS
    values = np.array([weights[name] for name in FEATURES])
    # A Chinese question may hold an English identifier: across languages the better of both views counts.
    apart, met = features(query, candidates, frequencies=frequencies, background=background)
    logits = np.maximum(apart @ values, met @ values)
    logits += EXACT_ACROSS * np.array([one.exact and crossed(query, one.language) for one in candidates])
    return [float(one) for one in 1.0 / (1.0 + np.exp(-logits))]


def features(
    query: str,
    candidates: Sequence[Candidate],
    *,
    frequencies: Frequencies | None,
    background: Background | None,
) -> tuple[np.ndarray, np.ndarray]:
    """One row per candidate, one column per name in `FEATURES`: as the languages are, and as if words met everywhere.

    `background` is what an average passage of each language has, for a model where that is known.

    closeness: how much nearer than an average passage of its language (x 10), across languages to the moved query;
    without a background, z-score among the candidates, and no margin. margin: how far its closeness is before the
    average of the others, less if they are few.
    coverage, hard_missing: see `Coverage`. statement: the coverage of the one line or sentence that covers most.
    bm25: as a share of the most that the query can score. unknown: share of the query's weight of which the corpus
    knows no word. cross: query and passage are in different languages, where words do not meet; there the word
    features are 0, and a passage of few words, near to everything and about nothing, is brief. In the second view
    every passage is taken to be in the query's language.
    """
    asked = units(query)
    weights = informativeness(asked, frequencies or _nothing_known)
    highest = _highest_bm25(query, frequencies)
    unknown = _unknown(weights, frequencies)
    length = log1p(len(asked))
    apart: list[tuple[float, ...]] = []
    met: list[tuple[float, ...]] = []
    for one, (close, margin) in zip(candidates, _nearness(query, candidates, background), strict=True):
        covered = coverage(weights, one.passage)
        bm25 = BM25_PER_COVERAGE * covered.share if one.bm25 is None else min(1.5, one.bm25 / highest)
        words = (covered.share, best_statement(weights, one.passage), bm25, covered.hard_missing, unknown)
        crosses = crossed(query, one.language)
        brief = max(0.0, 1.0 - distinct_terms(one.passage) / BRIEF) if crosses else 0.0
        for rows, across in ((apart, crosses), (met, False)):
            told = (float(not across) * word for word in words)
            crossing = (float(across) * feature for feature in (1.0, close, margin, brief))
            rows.append((close, *told, margin, *crossing, length, 1.0))
    return np.array(apart), np.array(met)


def _nearness(query: str, candidates: Sequence[Candidate], background: Background | None) -> np.ndarray:
    """Closeness and margin of each candidate; all 0 when the vector leg is down."""
    known = [one.cosine for one in candidates if one.cosine is not None]
    if not known:
        return np.zeros((len(candidates), 2))
    cosines = np.array([min(known) if one.cosine is None else one.cosine for one in candidates])
    if background is None:  # another model's cosines may be spread in any way: only scale-free figures count
        score = np.clip((cosines - cosines.mean()) / max(LEAST_SPREAD, float(cosines.std())), -5, 5)
        return np.column_stack([score, 0 * score])
    pairs = zip(candidates, cosines, strict=True)
    closeness = np.array([_closeness(one, float(cosine), query, background) for one, cosine in pairs])
    others = len(closeness) - 1
    average = (closeness.sum() - closeness) / max(1, others)
    return 10 * np.column_stack([closeness, (closeness - average) * others / (others + FEW)])


def _closeness(one: Candidate, cosine: float, query: str, background: Background) -> float:
    near = cosine - background.near[one.language]
    if not crossed(query, one.language):
        return near
    # Not measured with the moved query: no reason to take it for nearer than average.
    return min(0.0, near) if one.across is None else one.across - background.across[one.language]


def _highest_bm25(query: str, frequencies: Frequencies | None) -> float:
    if frequencies is None:
        return 1.0
    known, total = frequencies(query_terms(query))
    idf = (log(1 + (total - min(total, count) + 0.5) / (count + 0.5)) for count in known.values())
    return max(1e-6, (1 + K1) * sum(idf))


def _unknown(weights: Mapping[Unit, float], frequencies: Frequencies | None) -> float:
    total = sum(weights.values())
    if frequencies is None or not total:
        return 0.0
    known, _ = frequencies({term for unit in weights for term in unit.wholes})
    return sum(weight for unit, weight in weights.items() if not any(known[one] for one in unit.wholes)) / total


def _nothing_known(terms: Iterable[str]) -> tuple[dict[str, int], int]:
    return dict.fromkeys(terms, 0), 0
