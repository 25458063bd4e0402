"""Does a sentence say no more than the passages it cites?

Figures, identifiers, names, quotations and negations of the sentence must stand in the material, figures with
what they belong to. Where they do, a support model says whether the rest is supported; without one the words must
overlap above a floor, and between languages, where they cannot, the figures and identifiers alone decide.
"""

import re
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

from nodes.citations import identifiers as ids
from nodes.citations.binding import misbound_figure
from nodes.citations.calibrated import SUPPORTED
from nodes.citations.features import Asked, has_facts, nearest
from nodes.citations.markers import without_markers
from nodes.citations.material import Clause, Material, read_material, to_the_letter
from nodes.citations.numbers import missing_figure
from nodes.citations.opinions import Opinions
from nodes.citations.polarity import Side, opposed, permissions
from nodes.citations.replaced import replaced_word
from nodes.citations.results import NO_TOOLS, ToolTexts, rests_on_results, wrong_weekday
from nodes.citations.swaps import Kind, swaps
from nodes.citations.words import content_terms, coverage, script
from stores.documents.sentences import split_sentences

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
    "unsupported",
]

FLOOR = 0.5
"""Share of the sentence's content words that the material must hold."""
CODE_FLOOR = 0.25
"""The same over code, which names things but does not explain them."""
_FACTUAL_DISCOUNT = 0.1
"""So much less overlap is asked where figures or identifiers agree."""
OCR_FLOOR = 0.4
"""The same over scanned text, where one wrong character in twenty breaks two pairs in twenty."""
CROSS_LANGUAGE_CEILING = 0.5
"""Without a model, the score of a sentence in another language than its passage: the facts agree, more is not known."""
_LITERAL = 6
"""So many characters at least make a literal repetition."""
_FEW_WORDS = 3
_ABOUT_RESULTS = re.compile(
    r"星期[一二三四五六日天]?|\d+\s*[年月日号时点分秒]|结果|等于|答案|得出|得到|计算|一共|总共|合计|加上|减去|乘以|除以|加|减|今天|今日|现在|当前|日期|时间|距离|还有|之后|之前|天数|根据|工具|大约|约"
    r"|(?<![a-z])(?:times|plus|minus|divided|multiplied|equals?|results?|answer|sum|total|product|today|date|days?|left|until|now)(?![a-z])",
    re.IGNORECASE,
)
SAME_CHINESE, SAME_ENGLISH = 0.95, 0.92
"""From this likeness on, words in the place of others in a sentence that is repeated mean the same."""
_SWAPPED: dict[Kind, Reason] = {"opposite": "opposite", "negation": "negation", "unit": "number_missing"}
_COMPARABLE = 0.5
"""From this coverage on, a clause of the material says the same thing or its opposite."""
_ALIKE = 0.9
"""Clauses this close to the best one say as much about the sentence as the best."""
_MUTUAL = 0.4
"""So much of the material's clause the sentence must tell before the clause's negation counts against it."""
_CLAUSES = 40
"""A sentence of more clauses is no sentence; the rest is judged by its words and figures alone."""
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


def check_sentence(
    sentence: str,
    cited: Sequence[str],
    *,
    free: Sequence[str] = (),
    ocr: bool = False,
    units: AbstractSet[str] = frozenset(),
    opinions: Opinions | None = None,
) -> Support:
    """Check one sentence against the texts of the chunks it cites and those it may use without citing.

    `cited` are the chunks' texts with their context, `free` tool results and memories, `ocr` says that the cited
    text was read from an image, `units` are those in which a bare number of `free` may be told. `opinions` decide
    where the facts agree; without them the words do.
    """
    return check(
        sentence,
        [read_material(text) for text in cited],
        free=[read_material(text) for text in free],
        ocr=ocr,
        units=units,
        opinions=opinions,
    )


def check(
    sentence: str,
    cited: Sequence[Material],
    *,
    free: Sequence[Material] = (),
    ocr: bool = False,
    units: AbstractSet[str] = frozenset(),
    opinions: Opinions | None = None,
) -> Support:
    """As `check_sentence`, over material that was read before."""
    given = [*cited, *free]
    floor = _floor(given, ocr=ocr)
    if not given:
        return Support(0.0, "uncited", floor=floor)
    claim = read_material(without_markers(sentence), claims=True)
    if _repeats(claim, given):
        return Support(1.0, "ok", floor=floor)
    overlap = coverage(claim.terms, frozenset(term for one in given for term in one.terms))
    units = units.union(*(one.units if free else one.headed for one in given))
    failed = _facts(claim, given, ocr=ocr, units=units) or _polarity(claim, given)
    failed = failed or _swapped(claim, given, opinions, ocr=ocr)
    if failed is not None:
        return Support(min(overlap, CROSS_LANGUAGE_CEILING) / 2, failed[0], failed[1], floor)
    # A sum that a tool worked out is in no passage's meaning: there the words decide.
    score = (
        None
        if opinions is None or (free and cited)
        else opinions.score(Asked(claim.folded, tuple(one.folded for one in given)))
    )
    if score is None:
        return _by_words(claim, given, overlap, floor)
    return Support(round(score, 4), "ok" if score >= SUPPORTED else "unsupported", floor=floor)


def _by_words(claim: Material, given: Sequence[Material], overlap: float, floor: float) -> Support:
    """Without a model: enough of the sentence's words must stand in the material, if they are of one language."""
    if _crosses_languages(claim, given):
        return Support(CROSS_LANGUAGE_CEILING, "ok", floor=floor)
    asked = floor - _FACTUAL_DISCOUNT if has_facts(claim) else floor
    if overlap < asked:
        return Support(round(SUPPORTED * overlap / asked, 4), "low_overlap", floor=floor)
    share = ((overlap + nearest(claim, given)) / 2 - asked) / (1 - asked)
    return Support(round(SUPPORTED + (1 - SUPPORTED) * max(0.0, share), 4), "ok", floor=floor)


def rests_on(sentence: str, free: Sequence[str], tools: ToolTexts = NO_TOOLS) -> Support:
    """Check a sentence that cites nothing against what needs no citation: tool results and memories.

    Between languages only its figures can be compared, so beside them it may say no more than a few words.
    """
    claim = read_material(without_markers(sentence), claims=True)
    if tools and wrong_weekday(claim.folded, tools.results):
        return Support(0.0, "uncited")
    given = [read_material(text) for text in free]
    alike = [one for one in given if not _crosses_languages(claim, [one])]
    support = check(sentence, (), free=alike)
    if support.ok:
        return support
    remembered = [read_material(text) for text in free if text not in tools.results]
    support = check(sentence, (), free=remembered if tools else given)
    told = content_terms(_ABOUT_RESULTS.sub(" ", claim.folded))
    few = len(told) <= (_FEW_WORDS if support.ok else 0)
    if claim.figures and few and support.reason in {"ok", "low_overlap"}:
        return Support(CROSS_LANGUAGE_CEILING, "ok", floor=support.floor)
    if tools and rests_on_results(claim, tools):
        return Support(CROSS_LANGUAGE_CEILING, "ok", floor=support.floor)
    return Support(0.0, "uncited", support.detail, support.floor)


def _repeats(claim: Material, given: Sequence[Material]) -> bool:
    """Does the sentence, or every line of it, stand in the material to the letter?"""
    known = frozenset(sentence for one in given for sentence in one.sentences)
    whole = to_the_letter(claim.folded)
    if len(whole) < _LITERAL:
        return False
    sentences = [to_the_letter(claim.folded[start:end]) for start, end in split_sentences(claim.folded)]
    lines = [line for part in claim.folded.split("\n") if (line := to_the_letter(part))]
    return all(one in known for one in sentences) or all(line in known for line in lines)


Failure = tuple[Reason, str]


def _facts(
    claim: Material, given: Sequence[Material], *, ocr: bool, units: AbstractSet[str] = frozenset()
) -> Failure | None:
    figure = missing_figure(claim.figures, [one.figures for one in given], units)
    if figure is not None:
        return "number_missing", figure
    for wanted in ids.identifiers(claim.folded):
        if ids.introduced(claim.folded, wanted) or any(ids.spells_out(one.initials, wanted) for one in given):
            continue
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
    """Quotations and titles that the material could hold: what is translated cannot be found to the letter."""
    scripts = {one.script == "zh" for one in given if one.terms}
    titled = [] if _crosses_languages(claim, given) else ids.titles(claim.folded)
    return [one for one in (*ids.quotations(claim.folded), *titled) if (script(one) == "zh") in scripts]


def _names(claim: Material, given: Sequence[Material]) -> Iterable[str]:
    if claim.script == "zh":
        return ids.latin_words(claim.folded)
    # A name may be translated: 北京 is Beijing. Only material in Latin letters can lack one.
    return [] if any(one.script == "zh" for one in given) else ids.proper_names(claim.folded)


def _swapped(claim: Material, given: Sequence[Material], opinions: Opinions | None, *, ocr: bool) -> Failure | None:
    """Does the sentence repeat one of the material's with something else in the place of a word?"""
    if ocr or _crosses_languages(claim, given):
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


def _polarity(claim: Material, given: Sequence[Material]) -> Failure | None:
    if _crosses_languages(claim, given):
        return _polarity_by_facts(claim, given)
    return (
        _permission(claim, given)
        or next(filter(None, (_turned(clause, given) for clause in claim.clauses[:_CLAUSES])), None)
        or _turned_at_a_figure(claim, given)
    )


def _turned(clause: Clause, given: Sequence[Material]) -> Failure | None:
    """Is this clause the opposite of what the clause closest to it says?"""
    if len(clause.terms) < _TELLING and not (clause.negated or clause.sides):
        return None
    scored = [
        (coverage(clause.terms, other.terms), one, other) for one in given for other in one.clauses if other.terms
    ]
    if not scored:
        return None
    best = max(score for score, _, _ in scored)
    if best < _COMPARABLE or (best == _COMPARABLE and len(clause.terms) <= _TELLING):
        # In other words: what is said can be compared no more than by whether the passages deny anything.
        denied = any(other.negated or other.sides for one in given for other in one.clauses)
        return None if denied or not clause.negated else ("negation", clause.text.strip())
    nearest = [other for score, _, other in scored if score >= best * _ALIKE]
    if any(_agree(clause, other) for other in nearest):
        return None
    if clause.negated and best < _ALIKE and _denied_beside(nearest, given):
        return None
    closest = max(nearest, key=lambda other: coverage(other.terms, clause.terms))
    if not clause.negated and min(best, coverage(closest.terms, clause.terms)) < _MUTUAL:
        return None
    return "opposite" if opposed(clause.sides, closest.sides) else "negation", clause.text.strip()


def _denied_beside(nearest: Sequence[Clause], given: Sequence[Material]) -> bool:
    """Is a clause denied in the same sentence as one of these? In other words the two may be one."""
    return any(
        other.negated
        for one in given
        for other in one.clauses
        if any(other.sentence == clause.sentence for clause in nearest if clause in one.clauses)
    )


def _turned_at_a_figure(claim: Material, given: Sequence[Material]) -> Failure | None:
    """Is a bound or an order turned round at a figure? The figure finds its clause where the words do not."""
    for clause in claim.clauses[:_CLAUSES]:
        if not clause.figures.quantities or not clause.sides:
            continue
        located = [
            _bounds(other, one)
            for one in given
            for other in one.clauses
            if any(
                mine.stated_by(theirs, one.units)
                for mine in clause.figures.quantities
                for theirs in other.figures.quantities
            )
        ]
        if located and all(opposed(clause.sides, sides) for sides in located) and not clause.negated:
            return "opposite", clause.text.strip()
    return None


def _bounds(clause: Clause, material: Material) -> frozenset[Side]:
    """A clause's own sides, or those of its sentence if it has none: 最高限额为一线城市 650 元，二线城市 480 元."""
    if clause.sides or clause.negated:
        return clause.sides
    return frozenset(side for one in material.clauses if one.sentence == clause.sentence for side in one.sides)


def _permission(claim: Material, given: Sequence[Material]) -> Failure | None:
    """Does the sentence allow what the material forbids, or the reverse?"""
    told = [permissions(one.folded) for one in given]
    for what, verdicts in permissions(claim.folded).items():
        others = frozenset(verdict for one in told for verdict in one.get(what, ()))
        if others and not verdicts & others:
            return "negation", what
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


def _floor(given: Sequence[Material], *, ocr: bool) -> float:
    if ocr:
        return OCR_FLOOR
    return CODE_FLOOR if any(one.script == "code" for one in given) else FLOOR
