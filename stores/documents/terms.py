"""Index terms: the keys under which a text is found, for Chinese, English and code alike.

Only keys are folded (width, case, traditional characters); the text itself is never changed.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache

import opencc

from stores.documents.function_words import FUNCTION_CHARACTERS, FUNCTION_WORDS, asking_characters

TOKENIZER_VERSION = "1"
"""Goes into the index's manifest. Raise it with any change to what `index_terms` returns."""

CJK = "\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_LETTER = rf"[^\W{CJK}]"
_TOKEN = re.compile(
    rf"(?P<cjk>[{CJK}]+)"
    r"|(?P<number>(?<![\w.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w,]))"
    rf"|(?P<word>@?{_LETTER}+(?:[.\-/:\\'’@]+{_LETTER}+)*(?:\+\+|\#(?!\w))?)"
)
_JOINT = re.compile(r"[.\-/:\\@]+")
_POSSESSIVE = re.compile(r"['’](?:s|S)\b")
_VERSION = re.compile(r"v?(\d+(?:\.\d+)+)")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^\W\d_A-Z]+|[A-Z]+|\d+")
_MODEL_NUMBER = re.compile(r"[^\W\d_]{1,2}\d+\w*|\d+\w*")
_SHORTEST_PLURAL = 4
_SHORT = 24
"""Characters of a piece between white space that may well come again."""
_LONGEST_TERM = 128
"""Bytes are bounded in the index; a longer run without any joint is no word anybody types."""


def index_terms(text: str) -> list[str]:
    """The terms of a text, in order, with repetitions; in time linear in its length.

    Chinese, Japanese and Korean runs give overlapping pairs of characters, a run of one character that character
    unless it is a function word. Words are lower-cased and lose the plural. An identifier gives itself and its
    parts: `getUserById` also get, user, by, id; `server.port` also server, port; `@GetMapping` also getmapping,
    get, mapping. Versions, model numbers and error codes stay whole (`1.2.3`, `x200`, `ora-00942`); thousands
    separators go (`1,577` is `1577`).
    """
    terms: list[str] = []
    for piece in fold(text).split():  # no term crosses white space
        terms += _known_terms(piece) if len(piece) <= _SHORT else _piece_terms(piece)
    return terms


def query_terms(text: str) -> list[str]:
    """The terms of a query: those of `index_terms`, each once, in order.

    Words that only ask (what, the; 什么, 的) are left out, so that a chunk is no hit for holding them; unless the
    query has no others.
    """
    every = list(dict.fromkeys(index_terms(text)))
    return [term for term in every if not only_asks(term)] or every


def only_asks(term: str) -> bool:
    """Whether a term says nothing about the subject."""
    return term in FUNCTION_WORDS or all(asking_characters(term))


def fold(text: str) -> str:
    """Width and traditional characters folded (NFKC, then character by character); case is kept.

    Character by character, so that the same character has the same key in every surrounding.
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text).translate(_simplified())


@cache
def _simplified() -> dict[int, int]:
    blocks = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00), (0x20000, 0x323B0))
    characters = [chr(code) for start, end in blocks for code in range(start, end)]
    converted = opencc.OpenCC("t2s").convert("\n".join(characters)).split("\n")
    return {ord(old): ord(new) for old, new in zip(characters, converted, strict=True) if old != new and len(new) == 1}


@lru_cache(maxsize=65_536)
def _known_terms(piece: str) -> tuple[str, ...]:
    """Texts are made of the same words again and again."""
    return tuple(_piece_terms(piece))


def _piece_terms(piece: str) -> Iterator[str]:
    for match in _TOKEN.finditer(piece):
        if match["cjk"]:
            yield from _pairs(match[0])
        elif match["number"]:
            yield match[0].replace(",", "")
        else:
            yield from (term[:_LONGEST_TERM] for term in word_terms(match[0]))


def _pairs(run: str) -> Iterator[str]:
    if len(run) > 1:
        yield from (run[i : i + 2] for i in range(len(run) - 1))
    elif run not in FUNCTION_CHARACTERS:
        yield run


def word_terms(word: str) -> list[str]:
    """A word or identifier as terms: itself first, then its parts, each once."""
    word = _POSSESSIVE.sub("", word)
    whole = word.lower()
    version = _VERSION.fullmatch(whole)
    if version:
        return [version[1]]
    terms = [plural_folded(whole)]
    for segment in _JOINT.split(word.lstrip("@")):
        if segment:
            terms.append(plural_folded(segment.lower()))
            terms += _parts(segment)
    return list(dict.fromkeys(terms))


def _parts(segment: str) -> list[str]:
    """Parts of a camel-case, snake-case or word-with-number identifier; none for a plain word or a model number."""
    if segment.isalpha() and (segment.islower() or segment.isupper() or segment[1:].islower()):
        return []
    if _MODEL_NUMBER.fullmatch(segment):
        return []
    return [plural_folded(part.lower()) for part in _PART.findall(segment)]


def plural_folded(word: str) -> str:
    """An English word without its plural ending (Harman 1991, "How effective is suffixing?", the S stemmer)."""
    if len(word) < _SHORTEST_PLURAL or word[-1] != "s" or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("ies"):
        return word if word[-4] in "ae" else word[:-3] + "y"
    if word.endswith("es"):
        return word if word[-3] in "aeo" else word[:-1]
    return word if word[-2] in "uis" else word[:-1]
