"""LocalSupport: how likely a sentence is supported by its passages, from models that Recite brings along."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from threading import Lock
from typing import Protocol

import numpy as np

from nodes.citations.calibrated import LOCAL_WEIGHTS, probability
from nodes.citations.features import Asked, passage_sentences, wording

KEPT_PASSAGES = 64
KEPT_SCORES = 4_096
SCORE_RANGE = (-12.0, 12.0)


class LocalModels(Protocol):
    """What the model is made of; both are read at first use and block."""

    def embed(self, texts: list[str]) -> list[list[float]]:
        """Vectors of length 1, sentences and passages alike."""
        ...

    def pairs(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The cross-encoder's score of each (sentence, stretch of a passage)."""
        ...


class LocalSupport:
    """A logistic regression over local features; see docs/support.md for what it was fitted on.

    Vectors of passages and scores are kept, so a draft that grows is not computed again. May be asked by several
    threads at once. What it says depends on nothing but the question.
    """

    def __init__(self, models: LocalModels) -> None:
        self._models = models
        self._passages: OrderedDict[str, np.ndarray] = OrderedDict()
        self._scores: OrderedDict[Asked, float] = OrderedDict()
        self._lock = Lock()

    def score(self, asked: Sequence[Asked]) -> list[float]:
        """See `SupportModel`."""
        with self._lock:
            known = {one: self._scores[one] for one in asked if one in self._scores}
        missing = [one for one in dict.fromkeys(asked) if one not in known]
        if missing:
            rows = self.features(missing)
            known |= {one: probability(LOCAL_WEIGHTS, row) for one, row in zip(missing, rows, strict=True)}
            with self._lock:
                self._scores.update((one, known[one]) for one in missing)
                _drop(self._scores, KEPT_SCORES)
        return [known[one] for one in asked]

    def features(self, asked: Sequence[Asked]) -> list[dict[str, float]]:
        """The features of each question, by name."""
        vectors = self._vectors({text for one in asked for text in one.passages})
        claims = list(dict.fromkeys(one.sentence for one in asked))
        told = dict(zip(claims, np.asarray(self._models.embed(claims), np.float32), strict=True))
        closest = [[_closest(told[one.sentence], text, vectors[text]) for text in one.passages] for one in asked]
        pairs = [
            (one.sentence, stretch) for one, found in zip(asked, closest, strict=True) for _, stretch in found
        ]
        judged = iter(self._models.pairs(pairs))
        return [
            row(one, max(cosine for cosine, _ in found), max(islice(judged, len(found))))
            for one, found in zip(asked, closest, strict=True)
        ]

    def _vectors(self, texts: Iterable[str]) -> dict[str, np.ndarray]:
        with self._lock:
            known = {text: self._passages[text] for text in texts if text in self._passages}
        for text in sorted(set(texts) - set(known)):
            known[text] = np.asarray(self._models.embed(list(passage_sentences(text))), np.float32)
        with self._lock:
            self._passages.update(known)
            _drop(self._passages, KEPT_PASSAGES)
        return known


def row(asked: Asked, cosine: float, judged: float) -> dict[str, float]:
    """The features of a question whose meaning was compared."""
    words = wording(asked)
    here = 1 - words.across
    score = min(SCORE_RANGE[1], max(SCORE_RANGE[0], judged)) / SCORE_RANGE[1]
    return {
        "cosine": cosine,
        "cosine across": cosine * words.across,
        "cross-encoder": score,
        "cross-encoder across": score * words.across,
        "overlap": words.overlap * here,
        "nearest": words.nearest * here,
        "facts": words.facts,
        "across": words.across,
        "code": words.code,
        "brevity": words.brevity,
    }


def _closest(claim: np.ndarray, text: str, vectors: np.ndarray) -> tuple[float, str]:
    """How close the closest sentence or two of a passage come, and the stretch around them."""
    cosines = vectors @ claim
    best = int(cosines.argmax())
    near = float(cosines[best])
    if len(vectors) > 1:
        both = vectors[:-1] + vectors[1:]
        near = max(near, float((both @ claim / np.linalg.norm(both, axis=1)).max()))
    return near, " ".join(passage_sentences(text)[max(0, best - 1) : best + 2])


def _drop(kept: OrderedDict[str, np.ndarray] | OrderedDict[Asked, float], most: int) -> None:
    while len(kept) > most:
        kept.popitem(last=False)
