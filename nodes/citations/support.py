"""Does a sentence say no more than the passages it cites?

Figures, identifiers, names, quotations and negations of the sentence must stand in the material, figures with
what they belong to. Where they do, a support model says whether the rest is supported; without one the words must
overlap above a floor, and between languages, where they cannot, the figures and identifiers alone decide.
"""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from nodes.citations.calibrated import SUPPORTED
from nodes.citations.contradictions import contradiction
from nodes.citations.facts import missing_fact, swapped
from nodes.citations.features import Asked, has_facts, nearest
from nodes.citations.markers import without_markers
from nodes.citations.material import Material, crosses_languages, read_material, to_the_letter
from nodes.citations.opinions import Opinions
from nodes.citations.reasons import Reason as Reason  # noqa: PLC0414 - others look for it here
from nodes.citations.results import NO_TOOLS, ToolTexts, rests_on_results, wrong_weekday
from nodes.citations.words import content_terms, coverage
from stores.documents.sentences import split_sentences

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
    told = frozenset(units).union(*(one.units if free else one.headed for one in given))
    failed = (
        missing_fact(claim, given, ocr=ocr, units=told)
        or contradiction(claim, given)
        or swapped(claim, given, opinions, ocr=ocr)
    )
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
    if crosses_languages(claim, given):
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
    alike = [one for one in given if not crosses_languages(claim, [one])]
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


def _floor(given: Sequence[Material], *, ocr: bool) -> float:
    if ocr:
        return OCR_FLOOR
    return CODE_FLOOR if any(one.script == "code" for one in given) else FLOOR
