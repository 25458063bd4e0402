"""The parts of a text that comparing memories works on: folded text, units, clauses, numbers.

A unit is one CJK character, one stemmed word, one number or one identifier. Everything here is for comparing
only; what is stored is always the user's own form.
"""

import re
import unicodedata
from functools import cache
from typing import Any

import opencc

_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_UNIT = re.compile(
    rf"(?P<identifier>[a-z]+[0-9][a-z0-9]*|[0-9]+[a-z]+[a-z0-9]*)"
    rf"|(?P<number>[0-9]+(?:[.,:][0-9]+)*)"
    rf"|(?P<cjk>[{_CJK}])"
    rf"|(?P<word>[^\W\d_{_CJK}]+(?:['’][a-z]+)?)"
)
_SENTENCE_END = re.compile(r"(?<=[。！？!?；;\n…])|(?<=\.)(?=\s)")
_CLAUSE_BREAK = re.compile(
    r"[，,；;。\n]+|(?<=[\u4e00-\u9fff])(?:但是|但|不过|可是|却|而且|并且|然后)"
    r"|\s+(?:but|yet|although|though|while|whereas|however|because|since)\s+"
    r"|\s+and\s+(?=(?:i|i'm|i’m|my|we|they|he|she|love|like|hate|dislike|prefer|don't|don’t|do|can't"
    r"|can’t|cannot|never|not|no"
    r"|live|lives|loves|likes|hates|dislikes|prefers|doesn't|doesn’t|does|work|works|am|is|has|have|want"
    r"|wants|use)\b)",
    re.IGNORECASE,
)
_SPELLED_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)
_NUMBER_WORDS = {word: str(value) for value, word in enumerate(_SPELLED_NUMBERS.split())}
_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "幺": 1}
_SCALES = {"十": 10, "百": 100, "千": 1000}
_CHINESE_NUMBER = re.compile(r"[零〇一二两三四五六七八九十百千]+")


@cache
def _simplifier() -> Any:
    return opencc.OpenCC("t2s")


SHORTEST_STEM = 3
FAMILY = 5
"""Letters that two words must begin with in common to be forms of one: allergic, allergy."""
MAX_ENDING = 3


def fold(text: str) -> str:
    """Compatibility form, lower case, simplified characters: for comparing, never for storing."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return str(_simplifier().convert(folded))


def cjk_share(text: str) -> float:
    """Share of CJK characters among the letters, a Latin word counting as two characters; 0.0 without letters."""
    cjk = len(re.findall(f"[{_CJK}]", text))
    words = len(re.findall(r"[A-Za-z]+", text))
    return cjk / (cjk + 2 * words) if cjk or words else 0.0


def stem(word: str) -> str:
    """A light English stem: possessive, plural, -ing and -ed are dropped."""
    word = re.sub(r"['’]s?$", "", word)
    if len(word) > SHORTEST_STEM + 1 and word.endswith("ies"):
        return word[:-3] + "y"
    for suffix in ("ing", "ed", "es", "s"):
        if word.endswith(suffix) and len(word) - len(suffix) >= SHORTEST_STEM and not word.endswith("ss"):
            return word[: -len(suffix)].rstrip("e")
    return word.rstrip("e") if len(word) > SHORTEST_STEM else word


def units(text: str) -> list[str]:
    """The units of a text in order, folded."""
    return [stem(match[0]) if match.lastgroup == "word" else match[0] for match in _UNIT.finditer(fold(text))]


def same_unit(one: str, other: str) -> bool:
    """Whether two units are forms of one word: equal, or long words with a long common beginning."""
    if one == other:
        return True
    if not (one.isascii() and other.isascii() and one.isalpha() and other.isalpha()):
        return False
    long = min(len(one), len(other)) >= FAMILY
    return long and one[:FAMILY] == other[:FAMILY] and abs(len(one) - len(other)) <= MAX_ENDING


def sentences(text: str) -> list[str]:
    """The sentences of a text with their closing marks, blank ones left out."""
    return [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]


def clauses(sentence: str) -> list[str]:
    """The clauses of a sentence, in order, without the marks and conjunctions between them."""
    return [part.strip() for part in _CLAUSE_BREAK.split(sentence) if part.strip(" .。!！\t")]


def chinese_value(run: str) -> str:
    """A number in Chinese characters as digits: 十二 is 12, 二零二六 is 2026."""
    if not any(char in _SCALES for char in run):
        return "".join(str(_DIGITS[char]) for char in run)
    total, digit = 0, 0
    for char in run:
        if char in _SCALES:
            total += (digit or 1) * _SCALES[char]
            digit = 0
        else:
            digit = _DIGITS[char]
    return str(total + digit)


def numbers(text: str) -> set[str]:
    """Every number written in digits, thousands separators dropped."""
    folded = unicodedata.normalize("NFKC", text)
    return {
        re.sub(r",(?=[0-9]{3})", "", found).rstrip(".,:") for found in re.findall(r"[0-9]+(?:[.,:][0-9]+)*", folded)
    }


def spoken_numbers(text: str) -> set[str]:
    """Every number of a text however it is written: `5`, `五`, `five`."""
    folded = fold(text)
    found = numbers(text)
    found |= {chinese_value(run) for run in _CHINESE_NUMBER.findall(folded)}
    return found | {_NUMBER_WORDS[word] for word in re.findall("[a-z]+", folded) if word in _NUMBER_WORDS}
