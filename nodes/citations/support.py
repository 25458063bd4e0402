"""Does a sentence say no more than the passages it cites? The check that needs no model.

Figures, identifiers, names, quotations and negations of the sentence must stand in the material, figures with
what they belong to; the words must overlap above a floor. Between languages words cannot overlap: there the
figures and identifiers decide, and the score says that less is known.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from nodes.citations import identifiers as ids
from nodes.citations.binding import misbound_figure
from nodes.citations.markers import without_markers
from nodes.citations.material import Clause, Material, read_material
from nodes.citations.numbers import missing_figure
from nodes.citations.polarity import opposed
from nodes.citations.replaced import replaced_word
from nodes.citations.words import coverage

Reason = Literal[
    "ok",
    "uncited",
    "unknown_number",
    "number_missing",
    "number_elsewhere",
    "identifier_missing",
    "name_missing",
    "quote_missing",
    "negation",
    "opposite",
    "low_overlap",
]

FLOOR = 0.5
"""Share of the sentence's content words that the material must hold."""
CODE_FLOOR = 0.25
"""The same over code, which names things but does not explain them."""
OCR_FLOOR = 0.4
"""The same over scanned text, where one wrong character in twenty breaks two pairs in twenty."""
CROSS_LANGUAGE_CEILING = 0.5
"""The score of a sentence in another language than its passage is never higher."""
_CROSS_LANGUAGE_BARE = 0.3
"""Its score when it holds nothing that can be compared."""
_COMPARABLE = 0.5
"""From this coverage on, a clause of the material says the same thing or its opposite."""
_ALIKE = 0.9
"""Clauses this close to the best one say as much about the sentence as the best."""
_MUTUAL = 0.4
"""So much of the material's clause the sentence must tell before the clause's negation counts against it."""
_TELLING = 2
"""A clause of fewer words says too little to be compared."""


@dataclass(frozen=True, slots=True)
class Support:
    """How well a sentence rests on its material.

    `score` is 0..1. `detail` names what is missing, for the repair prompt. `floor` is the overlap that was asked.
    """

    score: float
    reason: Reason
    detail: str = ""
    floor: float = FLOOR

    @property
    def ok(self) -> bool:
        """Is the sentence supported?"""
        return self.reason == "ok"


def check_sentence(sentence: str, cited: Sequence[str], *, free: Sequence[str] = (), ocr: bool = False) -> Support:
    """Check one sentence against the texts of the chunks it cites and those it may use without citing.

    `cited` are the chunks' texts with their context, `free` tool results and memories, `ocr` says that the cited
    text was read from an image.
    """
    return check(
        sentence,
        [read_material(text) for text in cited],
        free=[read_material(text) for text in free],
        ocr=ocr,
    )


def check(sentence: str, cited: Sequence[Material], *, free: Sequence[Material] = (), ocr: bool = False) -> Support:
    """As `check_sentence`, over material that was read before."""
    given = [*cited, *free]
    floor = _floor(given, ocr=ocr)
    if not given:
        return Support(0.0, "uncited", floor=floor)
    claim = read_material(without_markers(sentence), claims=True)
    overlap = coverage(claim.terms, frozenset(term for one in given for term in one.terms))
    failed = _facts(claim, given, ocr=ocr) or _polarity(claim, given)
    if failed is not None:
        return Support(min(overlap, CROSS_LANGUAGE_CEILING) / 2, failed[0], failed[1], floor)
    if _crosses_languages(claim, given):
        return Support(_cross_language_score(claim, overlap), "ok", floor=floor)
    if overlap < floor:
        return Support(overlap, "low_overlap", floor=floor)
    return Support(round(_score(claim, given, overlap), 4), "ok", floor=floor)


def has_facts(claim: Material) -> bool:
    """Does the sentence hold figures, identifiers or quotations that can be compared across languages?"""
    return bool(claim.figures or ids.identifiers(claim.folded) or ids.quotations(claim.folded))


Failure = tuple[Reason, str]


def _facts(claim: Material, given: Sequence[Material], *, ocr: bool) -> Failure | None:
    units = frozenset(unit for one in given for unit in one.units)
    figure = missing_figure(claim.figures, [one.figures for one in given], units)
    if figure is not None:
        return "number_missing", figure
    for wanted in ids.identifiers(claim.folded):
        if not any(ids.holds_identifier(one.folded, wanted, ocr=ocr) for one in given):
            return "identifier_missing", wanted
    for wanted in _quoted(claim, given):
        if not any(ids.holds_quotation(one.squashed, wanted, ocr=ocr) for one in given):
            return "quote_missing", wanted
    for wanted in _names(claim, given):
        spelled_out = wanted.isupper() and len(wanted) > 1 and wanted.casefold() in claim.initials
        if not spelled_out and not any(ids.holds_name(one.folded, one.words, one.initials, wanted) for one in given):
            return "name_missing", wanted
    if claim.script == "zh" and not _crosses_languages(claim, given):
        other = replaced_word(claim.folded, [one.folded for one in given])
        if other is not None and not ocr:
            return "name_missing", other
    misbound = misbound_figure(claim, given)
    return None if misbound is None else ("number_elsewhere", misbound)


def _quoted(claim: Material, given: Sequence[Material]) -> Iterable[str]:
    titled = [] if _crosses_languages(claim, given) else ids.titles(claim.folded)
    return [*ids.quotations(claim.folded), *titled]


def _names(claim: Material, given: Sequence[Material]) -> Iterable[str]:
    if claim.script == "zh":
        return ids.latin_words(claim.folded)
    # A name may be translated: 北京 is Beijing. Only material in Latin letters can lack one.
    return [] if any(one.script == "zh" for one in given) else ids.proper_names(claim.folded)


def _polarity(claim: Material, given: Sequence[Material]) -> Failure | None:
    material = [clause for one in given for clause in one.clauses]
    if _crosses_languages(claim, given):
        return _polarity_by_facts(claim, given)
    for clause in claim.clauses:
        if len(clause.terms) < _TELLING and not clause.negated:
            continue
        scored = [(coverage(clause.terms, other.terms), other) for other in material if other.terms]
        best = max((score for score, _ in scored), default=0.0)
        if best < _COMPARABLE:
            if clause.negated and not any(other.negated for other in material):
                return "negation", clause.text.strip()
            continue
        nearest = [other for score, other in scored if score >= best * _ALIKE]
        closest = max(nearest, key=lambda other: coverage(other.terms, clause.terms))
        told = clause.negated or min(best, coverage(closest.terms, clause.terms)) >= _MUTUAL
        if told and not any(_agree(clause, other) for other in nearest):
            return ("opposite" if opposed(clause.sides, closest.sides) else "negation"), clause.text.strip()
    return None


def _agree(clause: Clause, other: Clause) -> bool:
    """Same polarity; a negation and an opposite together cancel ("not allowed" and "forbidden")."""
    return (clause.negated != other.negated) == opposed(clause.sides, other.sides)


def _polarity_by_facts(claim: Material, given: Sequence[Material]) -> Failure | None:
    """Between languages: compare with the sentences that hold the same figures or identifiers."""
    negated = [clause for clause in claim.clauses if clause.negated]
    everywhere = [clause for one in given for clause in one.clauses]
    if negated and not any(clause.negated for clause in everywhere):
        return "negation", negated[0].text.strip()
    for clause in claim.clauses:
        located = [other for other in everywhere if _shares_fact(clause, other)]
        if located and not any(_agree(clause, other) or clause.negated for other in located):
            return "negation", clause.text.strip()
    return None


def _shares_fact(clause: Clause, other: Clause) -> bool:
    values = {quantity.value for quantity in clause.figures.quantities}
    if values & {quantity.value for quantity in other.figures.quantities}:
        return True
    return any(ids.holds_identifier(other.text, wanted) for wanted in ids.identifiers(clause.text))


def _crosses_languages(claim: Material, given: Sequence[Material]) -> bool:
    """Is some of the material in another language than the sentence?"""
    chinese = claim.script == "zh"
    return any((one.script == "zh") != chinese for one in given if one.terms)


def _cross_language_score(claim: Material, overlap: float) -> float:
    return (
        CROSS_LANGUAGE_CEILING if has_facts(claim) else max(_CROSS_LANGUAGE_BARE, min(overlap, CROSS_LANGUAGE_CEILING))
    )


def _score(claim: Material, given: Sequence[Material], overlap: float) -> float:
    """Mean of the overlap with everything and with the closest two neighbouring sentences."""
    by_sentence: list[frozenset[str]] = []
    for one in given:
        joined: dict[int, frozenset[str]] = {}
        for clause in one.clauses:
            joined[clause.sentence] = joined.get(clause.sentence, frozenset()) | clause.terms
        by_sentence += joined.values()
    pairs = [a | b for a, b in zip(by_sentence, [*by_sentence[1:], frozenset[str]()], strict=True)]
    closest = max((coverage(claim.terms, pair) for pair in pairs), default=0.0)
    return (overlap + closest) / 2


def _floor(given: Sequence[Material], *, ocr: bool) -> float:
    if ocr:
        return OCR_FLOOR
    return CODE_FLOOR if any(one.script == "code" for one in given) else FLOOR
