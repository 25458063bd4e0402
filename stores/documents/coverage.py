"""Coverage: how much of what a query asks about stands in a passage, in a number that no corpus size bends."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import log

from stores.documents.function_words import FUNCTION_WORDS, asking_characters
from stores.documents.terms import CJK, fold, index_terms

Frequencies = Callable[[Iterable[str]], tuple[dict[str, int], int]]
"""In how many chunks each term stands, and how many chunks there are."""

_TOKEN = re.compile(rf"(?P<cjk>[{CJK}]+)|(?P<word>[^\s{CJK}]+)")
_HARD = re.compile(r"\d|[a-z][A-Z]|\w[._/\\:@-]\w|^@\w|_")
_STOP = re.compile(r"\n+|(?<=[。！？；])|(?<=[.!?]) ")
_LONE_CHARACTER = 0.3
"""A single character stands in many texts by chance, so it weighs less than one that belongs to a word."""
_LEAST_WEIGHT = 0.2


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing a query asks about: a word, an identifier, or a character within its word.

    Any one of `wholes` covers it. Failing that, each of `parts` covers its share.
    """

    wholes: tuple[str, ...]
    parts: tuple[str, ...]
    weight: float
    hard: bool
    """A number or identifier: it stands in the passage or it does not, there are no other words for it."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """`share` of the query's weight found in a passage; `hard_missing` the share of its numbers and identifiers not."""

    share: float
    hard_missing: float


def units(query: str) -> list[Unit]:
    """What a query asks about, without the words that only ask. All of its words if nothing else is left."""
    found = list(_units(query, skip=True))
    return found or list(_units(query, skip=False))


def informativeness(asked: Iterable[Unit], frequencies: Frequencies) -> dict[Unit, float]:
    """The weight of each unit: its own, times an IDF brought to 0.2..1, so that one corpus compares with another.

    A unit that the corpus does not know weighs most: a passage without it does not answer.
    """
    asked = list(dict.fromkeys(asked))
    known, total = frequencies({term for unit in asked for term in (*unit.wholes, *unit.parts)})
    highest = log((total + 1) / 0.5)

    def rarity(unit: Unit) -> float:
        count = max((known.get(term, 0) for term in (*unit.wholes, *unit.parts)), default=0)
        idf = log((total + 1) / (min(count, total) + 0.5)) / highest
        return unit.weight * max(_LEAST_WEIGHT, min(1.0, idf))

    return {unit: rarity(unit) for unit in asked}


def coverage(weights: Mapping[Unit, float], passage: str) -> Coverage:
    """How much of the weighted units stands in the passage."""
    terms, characters = _keys(passage)
    total = hit = hard = missing = 0.0
    for unit, weight in weights.items():
        found = _found(unit, terms, characters)
        total += weight
        hit += weight * found
        if unit.hard:
            hard += 1
            missing += found < 1
    return Coverage(hit / total if total else 0.0, missing / hard if hard else 0.0)


def best_statement(weights: Mapping[Unit, float], passage: str) -> float:
    """The most of the weighted units, 0..1, that one line or sentence of the passage holds.

    A long passage may touch a subject in one row of a table only: as a whole it is far from the question.
    """
    total = sum(weights.values())
    if not total:
        return 0.0
    wanted = frozenset(term for unit in weights for term in (*unit.wholes, *unit.parts))
    return max(
        sum(weight * _found(unit, terms, characters) for unit, weight in weights.items()) / total
        if not (wanted.isdisjoint(terms) and wanted.isdisjoint(characters))
        else 0.0
        for terms, characters in _statements(passage)
    )


def holds(passage: str, term: str) -> bool:
    """Whether a passage has an index term."""
    return term in _keys(passage)[0]


def distinct_terms(passage: str) -> int:
    """How many different index terms a passage has."""
    return len(_keys(passage)[0])


def passage_terms(passage: str) -> frozenset[str]:
    """The different index terms of a passage."""
    return _keys(passage)[0]


@lru_cache(maxsize=1024)
def _keys(passage: str) -> tuple[frozenset[str], frozenset[str]]:
    """A passage's terms and characters, those of its statements: no term crosses the end of one.

    The queries of one turn meet the same passages again and again.
    """
    read = _statements(passage)
    return frozenset().union(*(terms for terms, _ in read)), frozenset().union(*(seen for _, seen in read))


@lru_cache(maxsize=1024)
def _statements(passage: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """The terms and characters of each line or sentence; a table's row says what its columns' names say too."""
    pieces = [piece for piece in _STOP.split(passage) if piece.strip()] or [passage]
    header = ""
    read: list[str] = []
    for piece in pieces:
        row = piece.lstrip().startswith("|")
        header = (header or piece) if row else ""
        read.append(f"{header}\n{piece}" if row else piece)
    return tuple((frozenset(index_terms(piece)), frozenset(fold(piece))) for piece in read)


def _found(unit: Unit, terms: frozenset[str], characters: frozenset[str]) -> float:
    if any(whole in terms or whole in characters for whole in unit.wholes):
        return 1.0
    if unit.parts:
        return sum(part in terms for part in unit.parts) / len(unit.parts)
    return 0.0


def _units(query: str, *, skip: bool) -> Iterable[Unit]:
    for match in _TOKEN.finditer(fold(query)):
        if match["cjk"]:
            yield from _characters(match[0], skip=skip)
        else:
            yield from _words(match[0], skip=skip)


def _words(token: str, *, skip: bool) -> Iterable[Unit]:
    terms = index_terms(token)
    if not terms:
        return
    hard = bool(_HARD.search(token.strip(".,;:!?'\"()[]{}")))
    if not hard:
        yield from (Unit((term,), (), 1.0, hard=False) for term in terms if not (skip and term in FUNCTION_WORDS))
        return
    parts = tuple(dict.fromkeys(terms[1:]))
    yield Unit((terms[0],), parts, 1.0 + 0.5 * min(2, len(parts)), hard=True)


def _characters(run: str, *, skip: bool) -> Iterable[Unit]:
    asks = asking_characters(run) if skip else [False] * len(run)
    for i, character in enumerate(run):
        if asks[i]:
            continue
        pairs = tuple(run[j : j + 2] for j in (i - 1, i) if 0 <= j <= len(run) - 2)
        alone = (i == 0 or asks[i - 1]) and (i + 1 == len(run) or asks[i + 1])
        if alone:
            yield Unit((*pairs, character), (), _LONE_CHARACTER, hard=False)
        else:
            yield Unit(pairs, (), 0.5, hard=False)
