"""Whether the facts of a sentence are the material's: figures, identifiers, quotations, names, swapped words."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from nodes.citations import identifiers as ids
from nodes.citations.binding import misbound_figure
from nodes.citations.material import Material, crosses_languages
from nodes.citations.numbers import missing_figure
from nodes.citations.opinions import Opinions
from nodes.citations.reasons import Failure, Reason
from nodes.citations.replaced import replaced_word
from nodes.citations.swaps import Kind, swaps
from nodes.citations.words import content_terms, script

SAME_CHINESE, SAME_ENGLISH = 0.95, 0.92
"""From this likeness on, words in the place of others in a sentence that is repeated mean the same."""
_SWAPPED: dict[Kind, Reason] = {"opposite": "opposite", "negation": "negation", "unit": "number_missing"}


def missing_fact(
    claim: Material, given: Sequence[Material], *, ocr: bool, units: AbstractSet[str] = frozenset()
) -> Failure | None:
    """The first figure, identifier, quotation or name that the material lacks or gives to something else.

    `units` are those in which a number that stands there without one may be told.
    """
    figure = missing_figure(claim.figures, [one.figures for one in given], units)
    if figure is not None:
        return "number_missing", figure
    for wanted in ids.identifiers(claim.folded):
        if not ids.introduced(claim.folded, wanted) and not any(_holds(one, wanted, ocr=ocr) for one in given):
            return "identifier_missing", wanted
    for wanted in _quoted(claim, given):
        if not any(ids.holds_quotation(one.squashed, wanted, ocr=ocr) for one in given):
            return "quote_missing", wanted
    for wanted in _names(claim, given):
        spelled_out = wanted.isupper() and len(wanted) > 1 and wanted.casefold() in claim.initials
        if not spelled_out and not any(ids.holds_name(one.folded, one.words, one.initials, wanted) for one in given):
            return "name_missing", wanted
    if claim.script == "zh" and not crosses_languages(claim, given):
        other = replaced_word(claim.folded, [one.folded for one in given])
        if other is not None and not ocr:
            return "name_missing", other
    misbound = misbound_figure(claim, given)
    return None if misbound is None else ("number_elsewhere", misbound)


def _holds(one: Material, wanted: str, *, ocr: bool) -> bool:
    return ids.spells_out(one.initials, wanted) or ids.holds_identifier(one.folded, wanted, ocr=ocr)


def _quoted(claim: Material, given: Sequence[Material]) -> Iterable[str]:
    """Quotations and titles that the material could hold: what is translated cannot be found to the letter."""
    scripts = {one.script == "zh" for one in given if one.terms}
    titled = [] if crosses_languages(claim, given) else ids.titles(claim.folded)
    return [one for one in (*ids.quotations(claim.folded), *titled) if (script(one) == "zh") in scripts]


def _names(claim: Material, given: Sequence[Material]) -> Iterable[str]:
    if claim.script == "zh":
        return ids.latin_words(claim.folded)
    # A name may be translated: 北京 is Beijing. Only material in Latin letters can lack one.
    return [] if any(one.script == "zh" for one in given) else ids.proper_names(claim.folded)


def swapped(claim: Material, given: Sequence[Material], opinions: Opinions | None, *, ocr: bool) -> Failure | None:
    """Does the sentence repeat one of the material's with something else in the place of a word?"""
    if ocr or crosses_languages(claim, given):
        return None
    for swap in swaps(claim, given):
        if swap.kind != "words":
            return _SWAPPED[swap.kind], swap.new or swap.old
        alike = None if opinions is None else opinions.alike(swap.new, swap.old)
        least = SAME_CHINESE if claim.script == "zh" else SAME_ENGLISH
        if not _known(swap.new, given) if alike is None else alike < least:
            return "name_missing", swap.new
    return None


def _known(words: str, given: Sequence[Material]) -> bool:
    return any(content_terms(words) & one.terms for one in given)
