"""Content words: what is left of a text for comparing once function words and numbers are gone."""

import re
from collections.abc import Set as AbstractSet
from typing import Literal

from stores.documents.terms import CJK, index_terms

Script = Literal["zh", "en", "code"]

_CHINESE = re.compile(f"[{CJK}]")
_LATIN = re.compile(r"[A-Za-z]{2,}")
_CODE_SIGNS = re.compile(r"[{}();=<>]")
_NUMERIC = re.compile(r"[\d.,:/-]+")
_SUFFIXES = (
    "ations",
    "ation",
    "ating",
    "ated",
    "ates",
    "ingly",
    "ments",
    "ment",
    "ings",
    "ing",
    "edly",
    "ied",
)
_SHORT_SUFFIXES = ("ions", "ion", "ies", "ers", "ed", "er", "es", "ly", "e", "y", "s")
_SHORTEST_STEM = 3

FUNCTION_WORDS = frozenset(
    "a an the this that these those it its they them their there here he she his her him we us our you your i my me "  # noqa: SIM905 - a list of so many literals reads worse
    "is are was were be been being am do does did done have has had having will would shall should can could may "
    "might must of in on at to for from by with about into onto over under as than then so such if or and but nor "
    "not no also both each either which who whom whose what when where why how up out off per via between among "
    "during through while because since only just very more most some any all other own same too s t re ve ll d "
    "however therefore thus".split()
)
FUNCTION_CHARACTERS = frozenset("的了是在和与及或而也都就还又被把对从向于以为这那其之吗呢吧啊呀么着过得地所个并且则")
_LINKING = frozenset(
    "可以 需要 应该 应当 必须 以及 因为 所以 如果 但是 由于 其中 这个 那个 通过 进行 根据 对于 就是".split()  # noqa: SIM905 - a list of so many literals reads worse
)


def content_terms(text: str) -> frozenset[str]:
    """Pairs of Chinese characters and stemmed words that carry meaning; numbers are compared elsewhere."""
    return frozenset(stem(term) for term in index_terms(text) if _carries_meaning(term))


def coverage(wanted: AbstractSet[str], found: AbstractSet[str]) -> float:
    """Which share of `wanted` is in `found`, 0..1; a pair of characters counts half if both stand there apart."""
    if not wanted:
        return 1.0
    characters = {sign for term in found if is_chinese(term) for sign in term}
    credit = 0.0
    for term in wanted:
        if term in found:
            credit += 1
        elif is_chinese(term) and all(sign in characters for sign in term):
            credit += 0.5
    return credit / len(wanted)


def is_chinese(term: str) -> bool:
    """Does this term begin with a Chinese character?"""
    return bool(_CHINESE.match(term))


def script(text: str) -> Script:
    """What a text is written in: Chinese, a Latin script, or code (which also has Latin letters)."""
    chinese, latin = len(_CHINESE.findall(text)), len(_LATIN.findall(text))
    if chinese and chinese >= latin:
        return "zh"
    if len(_CODE_SIGNS.findall(text)) * 4 > latin and latin:
        return "code"
    return "en"


def _carries_meaning(term: str) -> bool:
    if _NUMERIC.fullmatch(term):
        return False
    if is_chinese(term):
        return term not in _LINKING and not any(sign in FUNCTION_CHARACTERS for sign in term)
    return term not in FUNCTION_WORDS


def stem(term: str) -> str:
    """An English word without its inflection: crude, but the same on both sides."""
    if not (term.isascii() and term.isalpha()):
        return term
    for suffix in _SUFFIXES:
        if term.endswith(suffix) and len(term) - len(suffix) >= _SHORTEST_STEM:
            term = term[: -len(suffix)]
            break
    for suffix in _SHORT_SUFFIXES:
        if term.endswith(suffix) and len(term) - len(suffix) >= _SHORTEST_STEM:
            term = term[: -len(suffix)]
            break
    doubled = len(term) > _SHORTEST_STEM and term[-1] == term[-2] and term[-1] not in "ls"
    return term[:-1] if doubled else term
