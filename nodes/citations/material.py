"""A text read for comparison: its clauses with their words, figures and polarity."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from nodes.citations.identifiers import initials, squashed, squeezed
from nodes.citations.numbers import Figures, figures
from nodes.citations.polarity import Side, is_negated, neutral, sides
from nodes.citations.units import units_apart, units_in
from nodes.citations.words import Script, content_terms, script
from stores.documents.sentences import split_sentences
from stores.documents.terms import fold

_CLAUSE = re.compile(
    r"[,，](?!\d{3})|[;；：、]|\n|\s[–—-]{1,2}\s|——|但是?|然而|而不是|而非|不过(?=[,，])"
    r"|(?<=批准|许可|同意|授权|审批|允许)(?=不|可|才|方)"
    r"|(?<!nothing)(?<!none)\s(?=(?:but|however|while|whereas|although|though|unless|except|because|if|when|which|who|that|and|or)\s)"
)
_WORD = re.compile(r"[a-z][a-z0-9'_-]*", re.ASCII)
_DOTTED = re.compile(r"(?<![a-z])(?:[a-z]\.){2,}")
_RULE = re.compile(r"^\s*\|?\s*:?-{2,}[\s:|-]*$")


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch between commas, or one cell of a table with its row's and its column's names."""

    text: str
    terms: frozenset[str]
    figures: Figures
    negated: bool
    sides: frozenset[Side]
    sentence: int
    """Ordinal of the sentence or line it belongs to."""


@dataclass(frozen=True, slots=True)
class Material:
    """A text with everything a check looks up in it, read once."""

    folded: str
    squashed: str
    words: frozenset[str]
    initials: str
    terms: frozenset[str]
    figures: Figures
    units: frozenset[str]
    headed: frozenset[str]
    """Those of its units that stand away from numbers, as in the header of a table."""
    clauses: tuple[Clause, ...]
    script: Script
    sentences: frozenset[str]
    """Its sentences and lines without blanks and final stops: what is repeated to the letter is found here."""


@lru_cache(maxsize=256)
def read_material(text: str, *, claims: bool = False) -> Material:
    """Read a passage, or with `claims` a sentence that wants proof; linear in the length of the text.

    The last ones are kept: while an answer streams in, the same passages are looked at for every sentence.
    """
    folded = fold(text)
    low = folded.casefold()
    return Material(
        folded=folded,
        squashed=squashed(folded),
        words=frozenset(word.strip("'-") for word in _WORD.findall(_DOTTED.sub(_undotted, low))),
        initials=initials(folded),
        terms=content_terms(folded),
        figures=figures(folded, claims=claims),
        units=units_in(low),
        headed=units_apart(low),
        clauses=tuple(_clauses(folded, claims=claims)),
        script=script(folded),
        sentences=frozenset(_lines(folded)),
    )


def crosses_languages(claim: Material, given: Sequence[Material]) -> bool:
    """Is some of the material in another language than the sentence?"""
    chinese = claim.script == "zh"
    return any((one.script == "zh") != chinese for one in given if one.terms)


def to_the_letter(text: str) -> str:
    """A folded sentence or line as `Material.sentences` keeps it."""
    return squeezed(text).strip("。.!！;；,，|-*• ")


def _lines(folded: str) -> Iterator[str]:
    for start, end in split_sentences(folded):
        yield to_the_letter(folded[start:end])
        if "\n" in folded[start:end]:
            yield from map(to_the_letter, folded[start:end].split("\n"))


def _undotted(match: re.Match[str]) -> str:
    return match[0].replace(".", "") + " "


def _clauses(folded: str, *, claims: bool) -> Iterator[Clause]:
    sentence = 0
    header: list[str] = []
    for start, end in split_sentences(folded):
        for line in folded[start:end].split("\n"):
            if not line.strip() or _RULE.match(line):
                continue
            cells = _cells(line)
            if cells and not claims:
                header = header if header and len(header) == len(cells) and _has_figures(cells) else cells
                yield from _row(cells, header, sentence)
            else:
                header = []
                yield from (_clause(piece, sentence, claims=claims) for piece in _pieces(line))
            sentence += 1


def _pieces(line: str) -> list[str]:
    return [piece for piece in _CLAUSE.split(line) if piece.strip()]


def _cells(line: str) -> list[str]:
    if line.count("|") >= 2 and line.lstrip().startswith("|"):  # noqa: PLR2004 - a row has two bars at least
        return [cell.strip() for cell in line.strip().strip("|").split("|")]
    return line.split("\t") if "\t" in line.strip() else []


def _has_figures(cells: list[str]) -> bool:
    return any(any(sign.isdigit() for sign in cell) for cell in cells)


def _row(cells: list[str], header: list[str], sentence: int) -> Iterator[Clause]:
    """Each cell of a row as a clause of its own: the row's first cell, the column's head and the value."""
    if header is cells or len(cells) == 1:
        yield _clause(" ".join(cells), sentence, claims=False)
        return
    for at, cell in enumerate(cells[1:], 1):
        yield _clause(f"{cells[0]} {header[at]} {cell}", sentence, claims=False)


def _clause(text: str, sentence: int, *, claims: bool) -> Clause:
    low = text.casefold()
    return Clause(
        text, content_terms(neutral(low)), figures(text, claims=claims), is_negated(low), sides(low), sentence
    )
