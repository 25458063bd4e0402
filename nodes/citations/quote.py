"""The stretch of a chunk that supports a sentence best: what a reader sees as the quotation."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from nodes.citations.identifiers import identifiers
from nodes.citations.markers import without_markers
from nodes.citations.numbers import Figures, figures, missing_figure
from nodes.citations.words import content_terms, coverage
from stores.documents.sentences import split_sentences
from stores.documents.terms import fold

LONGEST = 3
"""A quotation has at most so many sentences or lines."""
_FACT_WEIGHT = 0.5
_LENGTH_COST = 0.03
"""What a further sentence must add before it is quoted too."""
_LINES = re.compile(r"[^\n]+")


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    end: int
    terms: frozenset[str]
    facts: frozenset[str]


def best_quote(sentence: str, chunk_text: str) -> tuple[int, int]:
    """Span of the one to three neighbouring sentences or lines of `chunk_text` that support `sentence` best.

    An empty chunk gives (0, 0). Where nothing compares, as between two languages, it is the chunk's beginning.
    """
    claim = fold(without_markers(sentence))
    terms, wanted = content_terms(claim), _facts(claim)
    pieces = [_read(chunk_text, start, end, wanted) for start, end in _segments(chunk_text)]
    if not pieces:
        return 0, 0
    best, span = -1.0, (pieces[0].start, pieces[min(len(pieces), LONGEST) - 1].end)
    for first in range(len(pieces)):
        for last in range(first, min(first + LONGEST, len(pieces))):
            window = pieces[first : last + 1]
            score = _score(terms, wanted, window)
            if score > max(best, 0.0):
                best, span = score, (window[0].start, window[-1].end)
    return span


def _score(terms: frozenset[str], wanted: frozenset[str], window: list[_Piece]) -> float:
    held = frozenset(term for piece in window for term in piece.terms)
    facts = frozenset(fact for piece in window for fact in piece.facts)
    words = coverage(terms, held) if terms else 0.0
    figures_held = len(facts) / len(wanted) if wanted else 0.0
    score = words + _FACT_WEIGHT * figures_held
    return score - _LENGTH_COST * (len(window) - 1) if score else 0.0


def _segments(text: str) -> Iterator[tuple[int, int]]:
    for start, end in split_sentences(text):
        for line in _LINES.finditer(text, start, end):
            written = line[0].strip()
            if written:
                first = line.start() + line[0].index(written[0])
                yield first, first + len(written)


def _facts(claim: str) -> frozenset[str]:
    read = figures(claim, claims=True)
    told = [Figures((quantity,), (), ()) for quantity in read.quantities]
    told += [Figures((), (date,), ()) for date in read.dates] + [Figures((), (), (time,)) for time in read.times]
    return frozenset(str(missing_figure(one, [], ())) for one in told) | frozenset(identifiers(claim))


def _read(text: str, start: int, end: int, wanted: frozenset[str]) -> _Piece:
    folded = fold(text[start:end])
    held = figures(folded, claims=False)
    written = {str(one) for one in (*held.quantities, *held.dates)} | set(held.times)
    bare = {quantity.value for quantity in held.quantities}
    low = folded.casefold()
    facts = {fact for fact in wanted if fact in written or fact.casefold() in low or fact.split(" ")[0] in bare}
    return _Piece(start, end, content_terms(folded), frozenset(facts))
