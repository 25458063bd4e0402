"""The offline model's SUMMARIZE task: the telling sentences of each turn, word for word, within a bound."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import BaseMessage

from graph.models.language import language_of
from nodes.fences import read_fences
from stores.documents.sentences import split_sentences

MAX_CHARACTERS = 2_400
"""About 400 words, or 1,200 Chinese characters and as much again for names and dates."""

_DATE = re.compile(
    r"\d{4}[-/.年]\d{1,2}(?:[-/.月]\d{1,2}日?)?|\d{1,2}月\d{1,2}[日号]"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}(?:,? \d{4})?"
    r"|\b\d{1,2} (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*(?: \d{4})?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d")
_NAME = re.compile(r"(?<=\s)[A-Z][a-z]+|[A-Za-z]+[A-Z_.]\w+|《[^》]+》|叫\w|@\w+")
_DECISION = re.compile(
    r"决定|确定|选择|采用|同意|待办|需要|计划|问题|[?？]|\b(?:decided?|agreed?|chose|will|plan|need|todo|open)\b",
    re.IGNORECASE,
)
_ROLES = {"zh": {"user": "用户", "assistant": "助手"}, "en": {"user": "User", "assistant": "Assistant"}}
_LONGEST_LINE = 240


@dataclass(frozen=True, slots=True)
class _Line:
    """One sentence of the conversation with how much a summary needs it."""

    order: int
    text: str
    weight: int


def summarize(messages: Sequence[BaseMessage]) -> str:
    """Who said what, in order. What holds dates goes last when space is short, then numbers, then names.

    If even the dates do not fit as sentences, those that were left out are listed at the end.
    """
    asked = messages[-1].text
    old = [line for frame in read_fences(asked, "summary") for line in frame.text.splitlines() if line.strip()]
    lines = [_Line(i, line.strip(), 3 * _weight(line)) for i, line in enumerate(old)]
    for frame in read_fences(asked, "turn"):
        lines += _told(frame.attributes.get("role", "user"), frame.text, start=len(lines))
    kept = _within(lines, MAX_CHARACTERS)
    return _with_lost_dates("\n".join(line.text for line in kept), lines)


def _told(role: str, text: str, *, start: int) -> list[_Line]:
    names = _ROLES[language_of(text)]
    colon = "：" if language_of(text) == "zh" else ": "
    sentences = [text[a:b].strip() for a, b in split_sentences(text)]
    favour = 2 if role == "user" else 1
    return [
        _Line(start + i, f"{names.get(role, role)}{colon}{_short(sentence)}", favour * _weight(sentence))
        for i, sentence in enumerate(sentences)
        if sentence
    ]


def _weight(sentence: str) -> int:
    """Dates before numbers before names before decisions; the rest as filling."""
    return (
        1
        + 40 * (_DATE.search(sentence) is not None)
        + 12 * (_NUMBER.search(sentence) is not None)
        + 6 * (_NAME.search(sentence) is not None)
        + 4 * (_DECISION.search(sentence) is not None)
    )


def _short(sentence: str) -> str:
    """A long sentence cut, but never before its last date."""
    flat = " ".join(sentence.split())
    if len(flat) <= _LONGEST_LINE:
        return flat
    ends = [match.end() for match in _DATE.finditer(flat)]
    return flat if ends and ends[-1] > _LONGEST_LINE else flat[:_LONGEST_LINE] + "…"


def _within(lines: Sequence[_Line], budget: int) -> list[_Line]:
    """The weightiest lines that fit, once each, in the order they were said."""
    unique = list({line.text: line for line in reversed(lines)}.values())
    kept: list[_Line] = []
    for line in sorted(unique, key=lambda line: (-line.weight, -line.order)):
        if len(line.text) + 1 <= budget:
            kept.append(line)
            budget -= len(line.text) + 1
    return sorted(kept, key=lambda line: line.order)


def _with_lost_dates(summary: str, lines: Sequence[_Line]) -> str:
    dates = dict.fromkeys(match[0] for line in lines for match in _DATE.finditer(line.text))
    lost = [date for date in dates if date not in summary]
    return f"{summary}\n{', '.join(lost)}".strip() if lost else summary
