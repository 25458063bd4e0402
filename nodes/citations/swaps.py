"""What a sentence that nearly repeats one of the material's says differently: words put in the place of others."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from nodes.citations.identifiers import INDEFINITE
from nodes.citations.material import Material
from nodes.citations.polarity import is_negated, opposed, sides
from nodes.citations.replaced import changes_nothing
from nodes.citations.units import unit_named
from nodes.citations.words import FUNCTION_CHARACTERS, FUNCTION_WORDS, content_terms, coverage, stem
from stores.documents.sentences import split_sentences
from stores.documents.terms import CJK

Kind = Literal["opposite", "negation", "unit", "words"]

NEARLY = 0.7
"""So much of the sentence must stand in one of the material's, in order, before their difference is read."""
CANDIDATES = 3
LONGEST = 400
"""Tokens of a sentence that are compared; a longer one is no sentence."""
LONGEST_SWAP = 12
SHORT_SWAP = 4
"""In a longer one a negation may belong to other words than those in whose place they stand."""
_CLOSE = 0.5
_TOKEN = re.compile(rf"[{CJK}]|[^\W{CJK}]+(?:['’.-][^\W{CJK}]+)*")
_BOUNDARY = re.compile(rf"[^\w\s]|\n|(?<=[{CJK}])\s+(?=[{CJK}])")
_CHINESE = re.compile(f"[{CJK}]+")
_DIGIT = re.compile(r"[\d零〇一二两三四五六七八九十百千万亿半]")
_KEPT = frozenset({"not", "no", "over", "under", "before", "after", "more", "most", "all", "must", "may"})
"""Function words that change what is said."""
_NEGATING = re.compile(r"[不没未无非]|没有|并[不非无]|not|never|no|without|cannot|n't")
_ANTONYMS = """
以上/以下 以内/以外 之内/之外 最高/最低 最多/最少 至多/至少 前/后 多/少 大/小 高/低 长/短 早/晚 快/慢 增/减
加/扣 左/右 上/下 内/外 多于/少于 大于/小于 高于/低于 超过/不足 不满/超过 以前/以后 必须/不必 可以/不得
应当/不得 允许/禁止 书面/口头 公开/秘密 always/never must/may all/none before/after over/under above/below
more/less more/fewer most/least older/newer earlier/later increases/decreases open/closed within/after
higher/lower longer/shorter larger/smaller first/last minimum/maximum up/down
"""
_OPPOSITE = frozenset(frozenset(pair.split("/")) for pair in _ANTONYMS.split())


class Swap(NamedTuple):
    """`new` stands where the material has `old`; of a negation that came or went one is empty."""

    kind: Kind
    new: str
    old: str


def swaps(claim: Material, given: Sequence[Material]) -> list[Swap]:
    """How the sentence differs from the one it nearly repeats; nothing if it repeats none, or one without a change.

    Figures are compared elsewhere. Whether different words mean something different only a model can say.
    """
    told = [token for token, _ in _tokens(claim.folded)]
    if not told or len(told) > LONGEST:
        return []
    found: list[list[Swap]] = []
    for sentence in _candidates(claim, given):
        theirs = _tokens(sentence)[: 2 * LONGEST]
        keys = [stem(token) for token, _ in theirs]
        matcher = SequenceMatcher(None, [stem(token) for token in told], keys, autojunk=False)
        if sum(block.size for block in matcher.get_matching_blocks()) >= NEARLY * len(told):
            found.append(list(_read(matcher, told, theirs)))
    best = min(found, key=len, default=[])
    # Who puts several words in other ones' places tells it in other words; one alone is another fact.
    reworded = sum(one.kind == "words" for one in best) > 1
    return [one for one in best if not (reworded and one.kind == "words")]


def _candidates(claim: Material, given: Sequence[Material]) -> list[str]:
    scored: list[tuple[float, str]] = []
    for one in given:
        for start, end in split_sentences(one.folded):
            text = one.folded[start:end]
            share = coverage(claim.terms, content_terms(text))
            if share >= _CLOSE:
                scored.append((share, text))
    return [text for _, text in sorted(scored, key=lambda pair: -pair[0])[:CANDIDATES]]


def _read(matcher: SequenceMatcher[str], told: Sequence[str], theirs: Sequence[tuple[str, bool]]) -> Iterator[Swap]:
    for start, end, from_, to in _changes(matcher, told):
        if start == 0 and end > 0:
            # What begins the sentence stands for what begins a clause, not for all that is told before it.
            from_ = max((at for at in range(from_, to) if theirs[at][1]), default=to)  # noqa: PLW2901
        new, old = told[start:end], [token for token, _ in theirs[from_:to]]
        if not new or not old:
            added = "".join(new or old)
            if _NEGATING.fullmatch(added):
                yield Swap("negation", _text(new), _text(old))
            continue
        apart = any(begins for _, begins in theirs[from_ + 1 : to])
        if max(len(new), len(old)) <= LONGEST_SWAP and not apart:
            kind = _kind(_text(new), _text(old))
            if kind == "words" and min(len(new), len(old)) == 1 and _CHINESE.fullmatch(_text(new)):
                # One Chinese character is told with the one behind it, as a word has two: 商会 for 工会.
                behind = told[end : end + 1] if _CHINESE.fullmatch("".join(told[end : end + 1])) else []
                new, old = [*new, *behind], [*old, *behind]
                kind = kind if behind else None
            if kind is not None:
                yield Swap(kind, _text(new), _text(old))


def _changes(matcher: SequenceMatcher[str], told: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """Changed stretches; a single character in common does not part two of them: 税务机关, 海关部门."""
    merged: list[tuple[int, int, int, int]] = []
    last: tuple[int, int] | None = None
    for tag, start, end, from_, to in matcher.get_opcodes():
        if tag == "equal":
            last = (start, end)
            continue
        lone = last is not None and last[1] - last[0] == 1 and len(told[last[0]]) == 1
        if merged and lone and last is not None and merged[-1][1] == last[0]:
            merged[-1] = (merged[-1][0], end, merged[-1][2], to)
        else:
            merged.append((start, end, from_, to))
    return merged


def _kind(new: str, old: str) -> Kind | None:
    if frozenset((new, old)) in _OPPOSITE or opposed(sides(new), sides(old)):
        return "opposite"
    if is_negated(new) != is_negated(old) and max(len(_tokens(new)), len(_tokens(old))) <= SHORT_SWAP:
        return "negation"
    if unit_named(new) is not None and unit_named(old) is not None:
        return "unit" if unit_named(new) != unit_named(old) else None
    if _DIGIT.search(new) or _DIGIT.search(old) or changes_nothing(new) or changes_nothing(old):
        return None
    if new in INDEFINITE or not _tells(new) or not _tells(old):
        return None
    return None if content_terms(new) and content_terms(new) <= content_terms(old) else "words"


def _tells(words: str) -> bool:
    """Is there more than function words in this?"""
    return bool(content_terms(words)) or any(sign not in FUNCTION_CHARACTERS for sign in words)


def _tokens(text: str) -> list[tuple[str, bool]]:
    """Words and Chinese characters without function words, each with whether it begins a clause."""
    found: list[tuple[str, bool]] = []
    last, begins = 0, True
    for match in _TOKEN.finditer(text.casefold()):
        begins = begins or bool(_BOUNDARY.search(text, last, match.start()))
        last = match.end()
        if match[0] not in FUNCTION_WORDS or match[0] in _KEPT:
            found.append((match[0], begins))
            begins = False
    return found


def _text(tokens: Sequence[str]) -> str:
    text = " ".join(tokens)
    return re.sub(rf"(?<=[{CJK}]) (?=[{CJK}])", "", text)
