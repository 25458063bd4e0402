"""Sameness: whether two chunks say the same to the letter, whatever their spaces, case, width and script."""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

import numpy as np

from stores.documents.document import Chunk
from stores.documents.terms import CJK, fold

MOST_EXTRA = 0.1
"""The part of the longer text that the shorter one may lack, at the beginning or the end: a heading, a caption."""

_PROSE = frozenset({"prose", "question"})
_RAISED = str.maketrans({sign: f"^{digit}" for digit, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")})
_LOWERED = str.maketrans({sign: f"_{digit}" for digit, sign in enumerate("₀₁₂₃₄₅₆₇₈₉")})
_SHIFTED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉]")
_QUOTES = str.maketrans(dict.fromkeys("“”„«»「」『』《》〈〉", '"'))
_BULLET = re.compile(r"^[ \t]*(?:[-*+•·]|#{1,6}|>)[ \t]+", re.MULTILINE)
_WORDLY = "A-Za-z0-9_"
_THOUSANDS = re.compile(rf"(?<![{_WORDLY}.,])\d{{1,3}}(?:,\d{{3}})+(?![{_WORDLY},])")
_LETTER = rf"[^\W\d_{CJK}]"
_DROPPED = r"\s.,;:?!'’‘()\[\]{}*#`\\\-−–—…·•。、_@/\u00ad\u200b-\u200f\u2060\ufeff"
_TOKEN = re.compile(
    rf"(?P<cjk>[{CJK}])"
    rf"|(?P<number>(?<![{_WORDLY}.])[-−+]?\.?\d+(?:[.,:/−–-]\d+)*(?![{_WORDLY}]))"
    rf"|(?P<word>(?<!\S)--?(?={_LETTER})[\w-]+|[@$]?[^\W{CJK}]+(?:(?:[./\\:@#'’-]|::)[^\W{CJK}]+)*)"
    rf"|(?P<sign>[^\w{_DROPPED}]|!(?=[\w=(])|[-−–*/](?=\s*\d))"
)
_CASED = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]|[_./\\:@#$]")
_PLAIN = re.compile(rf"[{CJK}]|{_LETTER}+(?:['’-]{_LETTER}+)*")
_TELLING = re.compile(
    r"[不没未无勿非禁必须仅只除外若如果可应得准许免停废旧新前后上下内超至起止零〇一二两三四五六七八九十百千万亿半全每各均否]"
    r"|\b(?:no|not|never|none|neither|nor|without|cannot|must|may|might|shall|should|can|will|only|except|unless|if|until"
    r"|before|after|from|since|all|any|every|each|some|most|more|less|least|over|under|above|below|old|new|former"
    r"|current|draft|obsolete|deprecated|void|repealed|optional|required|allowed|forbidden|prohibited|valid|invalid"
    r"|one|two|three|four|five|six|seven|eight|nine|ten|half|first|second|third|\w+n['’]t)\b"
)
"""In what one text has more, each of these may turn the sense of the rest: then the two are not the same."""
_BINS = 256
_PER_CODE = np.uint32(31)
_LAST = 0xFFFF
"""Signs beyond this code point are left to the reading word by word."""


def duplicates(chunks: Sequence[Chunk]) -> list[tuple[int, int]]:
    """The pairs `(i, j)`, i < j, of chunks that say the same."""
    if len(chunks) < 2:  # noqa: PLR2004 - nothing to compare with
        return []
    return [(i, j) for i, j in _alike([chunk.text for chunk in chunks]) if same_passage(chunks[i], chunks[j])]


def same_passage(one: Chunk, other: Chunk) -> bool:
    """Whether two chunks say the same.

    Their words, numbers, identifiers and quotation marks must be the same in the same order; width, case, spaces,
    punctuation and traditional characters do not count. In code and tables every sign counts. Of prose, one may have
    a few words more at its beginning or end, none of them a number, an identifier, a negation or a condition. A word
    in place of another is never the same: 5 or 10 days, must or may, versions, names are left for the reader to see.
    """
    prose = one.kind in _PROSE and other.kind in _PROSE
    if not prose:
        return one.kind == other.kind and one.text.split() == other.text.split()
    return _same_words(_words(one.text), _words(other.text))


def _same_words(one: str, other: str) -> bool:
    if one == other:
        return bool(one.strip())
    short, long = sorted((one, other), key=len)
    if len(short) < (1 - MOST_EXTRA) * len(long) or short not in long:
        return False
    before, _, after = long.partition(short)
    extra = [*before.split(), *after.split()]
    return all(map(_PLAIN.fullmatch, extra)) and not _TELLING.search(" ".join(extra))


@lru_cache(maxsize=1024)
def _words(text: str) -> str:
    """A prose text as its tokens, one blank before and after each; the queries of a turn meet the same texts."""
    if _SHIFTED.search(text):
        text = text.translate(_RAISED).translate(_LOWERED)
    return f" {' '.join(_tokens(_BULLET.sub('', fold(text).translate(_QUOTES))))} "


def _tokens(text: str) -> Iterator[str]:
    text = _THOUSANDS.sub(lambda match: match[0].replace(",", ""), text)
    for match in _TOKEN.finditer(text):
        word = match["word"]
        yield match[0] if word is None or _CASED.search(word) else word.casefold()


def _alike(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pairs of texts that may say the same, from how often they have which two neighbouring letters.

    A first sieve: reading 50 texts word by word would cost more than the rest of the selection.
    """
    signs = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    codes = _codes()[np.minimum(signs, _LAST)]
    letters = codes > 0
    row = np.repeat(np.arange(len(texts)) * _BINS, [len(text) for text in texts])[letters]
    codes = codes[letters]
    pairs = row[1:] + (codes[:-1] * _PER_CODE + codes[1:]) % _BINS
    counts = np.bincount(pairs, minlength=len(texts) * _BINS).reshape(len(texts), _BINS).astype(np.int32)
    sizes = counts.sum(axis=1)
    first, second = np.triu_indices(len(texts), k=1)
    longest = np.maximum(sizes[first], sizes[second])
    near = np.abs(sizes[first] - sizes[second]) <= _slack(longest)
    first, second, longest = first[near], second[near], longest[near]
    apart = np.abs(counts[first] - counts[second]).sum(axis=1)
    alike = apart <= _slack(longest)
    return zip(first[alike].tolist(), second[alike].tolist(), strict=True)


def _slack(longest: np.ndarray) -> np.ndarray:
    """How many pairs of letters may differ: what one text has more, and a few where it begins and ends."""
    return 2 * MOST_EXTRA * longest + 4


@cache
def _codes() -> np.ndarray:
    """By code point, a number for the letter or digit it is when width, case and script do not count; 0 for others."""
    codes = np.zeros(_LAST + 1, dtype=np.uint32)
    for point in range(_LAST):
        sign = chr(point)
        if sign.isalnum():
            codes[point] = ord(fold(sign).casefold()[:1] or sign)
    return codes
