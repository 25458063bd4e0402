"""What a support model looks at: how a sentence and the passages it cites compare in meaning and in words."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from nodes.citations.identifiers import identifiers, quotations
from nodes.citations.material import Material, read_material
from nodes.citations.polarity import opposed, sides
from nodes.citations.words import content_terms, coverage
from stores.documents.sentences import split_sentences

SHORTEST = 12
"""A sentence of a passage with fewer characters is read together with the one behind it."""
MOST_SENTENCES = 80
"""Of a longer passage the first ones are compared; a chunk of Recite's own has fewer."""


TELLING = 3
"""A part of a sentence with fewer content words says too little alone."""
MOST_PARTS = 12
MOST_FIGURES = 2
"""More figures that agree prove no more."""

_PART = re.compile(r"(?<=[,，;；。!！?？])(?!\d)|(?<=\.)\s")


class Asked(NamedTuple):
    """A sentence, markers aside, and the texts it must rest on, each with its context."""

    sentence: str
    passages: tuple[str, ...]


class Wording(NamedTuple):
    """How the words compare. Shares are 0..1, flags 0 or 1."""

    overlap: float
    """Share of the sentence's content words that stand anywhere in the passages."""
    across: float
    """Is no passage in the language of the sentence?"""
    code: float
    """Is some passage code?"""
    chinese: float
    """Is the sentence Chinese?"""
    figures: float
    """0 without figures, 0.5 with one, 1 with more. They agree, or the model were not asked: that speaks for it."""


def wording(asked: Asked) -> Wording:
    """Compare the words; needs no model."""
    claim = read_material(asked.sentence, claims=True)
    given = [read_material(text) for text in asked.passages]
    told = sum(map(len, (claim.figures.quantities, claim.figures.dates, claim.figures.times)))
    return Wording(
        overlap=coverage(claim.terms, frozenset(term for one in given for term in one.terms)),
        across=float(bool(given) and all((one.script == "zh") != (claim.script == "zh") for one in given)),
        code=float(any(one.script == "code" for one in given)),
        chinese=float(claim.script == "zh"),
        figures=min(MOST_FIGURES, told) / MOST_FIGURES,
    )


def opposition(sentence: str, other: str) -> float:
    """1 if two sentences take opposite sides somewhere: more and less, before and after."""
    return float(opposed(sides(sentence.casefold()), sides(other.casefold())))


def has_facts(claim: Material) -> bool:
    """Does the sentence hold figures, identifiers or quotations that can be compared across languages?"""
    return bool(claim.figures or identifiers(claim.folded) or quotations(claim.folded))


def nearest(claim: Material, given: Sequence[Material]) -> float:
    """The overlap with the closest two neighbouring sentences."""
    by_sentence: list[frozenset[str]] = []
    for one in given:
        joined: dict[int, frozenset[str]] = {}
        for clause in one.clauses:
            joined[clause.sentence] = joined.get(clause.sentence, frozenset()) | clause.terms
        by_sentence += joined.values()
    pairs = [a | b for a, b in pairwise([*by_sentence, frozenset[str]()])]
    return max((coverage(claim.terms, pair) for pair in pairs), default=0.0)


@lru_cache(maxsize=256)
def passage_sentences(text: str) -> tuple[str, ...]:
    """The sentences of a passage that meanings are compared with; very short ones join the next."""
    joined: list[str] = []
    waiting = ""
    for start, end in split_sentences(text):
        waiting = f"{waiting} {text[start:end]}".strip()
        if len(waiting) >= SHORTEST:
            joined.append(waiting)
            waiting = ""
    if waiting:
        joined.append(waiting)
    return tuple(joined[:MOST_SENTENCES]) or (text,)


@lru_cache(maxsize=1024)
def claim_parts(sentence: str) -> tuple[str, ...]:
    """The parts of a sentence between commas that each say something; a short one joins the next."""
    parts: list[str] = []
    waiting = ""
    for piece in _PART.split(sentence):
        waiting = f"{waiting}{piece}"
        if len(content_terms(waiting)) >= TELLING:
            parts.append(waiting.strip())
            waiting = ""
    if waiting.strip() and parts:
        parts[-1] = f"{parts[-1]}{waiting}".strip()
    return tuple(parts[:MOST_PARTS]) or (sentence,)
