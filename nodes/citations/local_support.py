"""LocalSupport: how likely a sentence is supported by its passages, from models that Recite brings along."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from nodes.citations.calibrated import LOCAL_WEIGHTS, probability
from nodes.citations.features import Asked, claim_parts, opposition, passage_sentences, wording
from nodes.citations.words import Script, script

TAKEN = 0.75
"""So much of its language's mean is taken out of a vector: chosen on the calibration's other half."""
KEPT_PASSAGES = 64
KEPT_PAIRS = 4_096
Embed = Callable[[list[str]], list[list[float]]]
"""Vectors of length 1, of sentences and passages alike. Blocks; the model is read at first use."""


class Compared(NamedTuple):
    """A sentence beside one passage: how close the closest sentence or two come, to all of it and to its parts."""

    cosine: float
    closest: str
    parts: tuple[float, ...]


class LocalSupport:
    """A logistic regression over local features; see docs/support.md for what it was fitted on.

    Vectors of passages and what was compared are kept, so a draft that grows is not computed again. May be asked by
    several threads at once. What it says depends on nothing but the question.
    """

    def __init__(self, embed: Embed, means: Mapping[Script, np.ndarray]) -> None:
        """`means`: the mean vector of sentences of each language, which is taken out of theirs."""
        self._embed = embed
        self._means = means
        self._passages: OrderedDict[str, np.ndarray] = OrderedDict()
        self._compared: OrderedDict[tuple[str, str], Compared] = OrderedDict()
        self._lock = Lock()

    def score(self, asked: Sequence[Asked]) -> list[float]:
        """See `SupportModel`."""
        return [probability(LOCAL_WEIGHTS, found) for found in self.features(asked)]

    def likeness(self, one: str, other: str) -> float:
        """The cosine of two words or short phrases."""
        first, second = np.asarray(self._embed([one, other]), np.float32)
        return float(first @ second)

    def features(self, asked: Sequence[Asked]) -> list[dict[str, float]]:
        """The features of each question, by name."""
        compared = self._all({(one.sentence, text) for one in asked for text in one.passages})
        return [row(one, [compared[one.sentence, text] for text in one.passages]) for one in asked]

    def _all(self, wanted: AbstractSet[tuple[str, str]]) -> dict[tuple[str, str], Compared]:
        with self._lock:
            known = {pair: self._compared[pair] for pair in wanted if pair in self._compared}
        missing = sorted(wanted - known.keys())
        if missing:
            known |= zip(missing, self._compare(missing), strict=True)
            with self._lock:
                self._compared.update(known)
                _drop(self._compared, KEPT_PAIRS)
        return known

    def _compare(self, pairs: Sequence[tuple[str, str]]) -> list[Compared]:
        claims = list(dict.fromkeys(one for sentence, _ in pairs for one in (sentence, *claim_parts(sentence))))
        told = dict(zip(claims, self._embedded(claims), strict=True))
        vectors = self._vectors({text for _, text in pairs})
        return [
            Compared(
                *_closest(told[sentence], vectors[text], passage_sentences(text)),
                tuple(float((vectors[text] @ told[part]).max()) for part in claim_parts(sentence)),
            )
            for sentence, text in pairs
        ]

    def _vectors(self, texts: AbstractSet[str]) -> dict[str, np.ndarray]:
        with self._lock:
            known = {text: self._passages[text] for text in texts if text in self._passages}
        for text in sorted(texts - known.keys()):
            known[text] = self._embedded(passage_sentences(text))
        with self._lock:
            self._passages.update(known)
            _drop(self._passages, KEPT_PASSAGES)
        return known

    def _embedded(self, texts: Sequence[str]) -> np.ndarray:
        """Vectors of length 1 in which the language counts less: it is what most of a raw cosine says."""
        vectors = np.asarray(self._embed(list(texts)), np.float32)
        vectors = vectors - TAKEN * np.array([self._means[script(text)] for text in texts], np.float32)
        lengths: np.ndarray = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.maximum(1e-6, lengths), np.float32)


def row(asked: Asked, compared: Sequence[Compared]) -> dict[str, float]:
    """The features of a question, once its meaning was compared with that of each passage."""
    words = wording(asked)
    closest = max(compared, key=lambda one: one.cosine)
    cosine = closest.cosine
    chinese = words.chinese * (1 - words.across)
    weakest = min(max(of) for of in zip(*(one.parts for one in compared), strict=True))
    return {
        "cosine": cosine,
        "cosine across": cosine * words.across,
        "weakest part": weakest,
        "weakest part across": weakest * words.across,
        "opposed": opposition(asked.sentence, closest.closest),
        "cosine Chinese": cosine * chinese,
        "Chinese": chinese,
        "overlap": words.overlap * (1 - words.across),
        "across": words.across,
        "code": words.code,
        "figures": words.figures,
    }


def _closest(claim: np.ndarray, vectors: np.ndarray, sentences: Sequence[str]) -> tuple[float, str]:
    """How close the closest sentence of a passage, or two neighbours together, come; and that sentence."""
    cosines = vectors @ claim
    best = int(cosines.argmax())
    near = float(cosines[best])
    if len(vectors) > 1:
        both = vectors[:-1] + vectors[1:]
        near = max(near, float((both @ claim / np.linalg.norm(both, axis=1)).max()))
    return near, sentences[best]


def _drop(kept: OrderedDict[Any, Any], most: int) -> None:
    while len(kept) > most:
        kept.popitem(last=False)
