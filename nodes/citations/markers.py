"""Citation markers in a text: every bracket shape models write, as one list of numbers.

The written rules: `[1]`, `[1, 2]`, `[1-3]`, `【1】`, `［１］`, `[[1]]`, `[^1]`, `[ID: 3]` and the like are
markers, and so is a round bracket that says what it is: `(来源1)`, `(source 2)`; a range is expanded if it
ascends and holds at most 50 numbers, else it stands for its two ends; other round brackets, code, decimals and
array indices are not markers. A link target behind a marker belongs to the marker. `[0]`,
`[-1]` and `[2024]` are markers too: whether a number exists is the caller's knowledge.
"""

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass

from nodes.citations.code import open_code
from stores.documents.sentences import code_spans, split_sentences

OPENING = "[［【〔〖⟦〚﹝❲⁅"
CLOSING = "]］】〕〗⟧〛﹞❳⁆"
MAX_RANGE = 50
UNREADABLE = 10**9
"""What a number of more than nine digits reads as: no passage ever has it."""

_LABELS = (
    r"ids?|citations?|cites?|refs?|references?|sources?|docs?|documents?|passages?|chunks?|notes?|evidence|n"
    r"|来源|出处|引用|参考|资料|文档|文献|段落|片段|证据|编号|來源|出處|參考|資料|文檔|文獻|證據|編號"
)
_SPACE = r"[ \t\u00a0\u3000]{0,3}+"
_DIGITS = r"[-−]?+[\d¹²³⁰⁴-⁹①-⑳]++"
_BETWEEN = rf"(?:{_SPACE}(?:[,，、;；/|&+~～\-–—－至和与及到]|(?:and|to)\b){_SPACE}|[ \t]{{1,3}}+)"
_LABEL = rf"(?:(?:(?i:{_LABELS}){_SPACE}[:：=#.]?+|[#^§]){_SPACE})?+"
_ITEM = rf"{_LABEL}{_DIGITS}(?::\d++)?+"
_SOURCE = rf"(?:†[^\n{re.escape(CLOSING)}]{{0,80}}+)?+"
_OPEN, _CLOSE = f"[{re.escape(OPENING)}]", f"[{re.escape(CLOSING)}]"
_BODY = rf"{_SPACE}{_ITEM}(?:{_BETWEEN}{_ITEM})*+{_SPACE}{_SOURCE}"
_ONE = rf"{_OPEN}{{1,2}}+{_BODY}{_CLOSE}{{1,2}}+"
_INNER = rf"{_OPEN}{_BODY}{_CLOSE}"
_GROUP = rf"{_OPEN}{_INNER}(?:{_SPACE}[,，、;；]?+{_SPACE}{_INNER})++{_CLOSE}"
_SAID_TO_BE = rf"(?i:sources?|citations?|refs?|passages?|来源|出处|引用|引自|來源|出處){_SPACE}[:：#.]?+{_SPACE}"
_ROUND = rf"[(（]{_SPACE}{_SAID_TO_BE}{_ITEM}(?:{_BETWEEN}{_ITEM})*+{_SPACE}[)）]"
_TARGET = r"(?:\((?:<[^>\n]{0,500}>|[^()\s]{0,500})(?:[ \t]+\"[^\"\n]{0,200}\")?\))?+"
_MARKER = re.compile(rf"(?:{_GROUP}|{_ROUND}|{_ONE}(?:[-–—~～]{_ONE})?+)(?P<target>{_TARGET})")
_NUMBER = re.compile(rf"(?P<number>{_DIGITS})(?P<part>:\d+)?(?P<range>{_CLOSE}?{_SPACE}(?:[-–—－~～至到]|to\b))?")
_UNFINISHED = re.compile(
    rf"!?{_OPEN}{{1,2}}[^\n{re.escape(OPENING + CLOSING)}]{{0,120}}(?:{_CLOSE}(?:\([^()\s]{{0,500}})?)?\Z"
)

_MARKER_START = re.compile(rf"{_OPEN}|[(（]{_SPACE}(?:{_SAID_TO_BE}\d|[^\s()（）]{{0,9}}{_SPACE}\Z)")
"""Begins a marker, or may: a round bracket of which too little is there yet."""

_INDEXED = re.compile(r"(?:[A-Za-z_$][\w$]*|[)\]])\Z", re.ASCII)
_ONE_LETTER = re.compile(r"(?<![A-Za-z0-9_$])[a-z]\Z", re.ASCII)
_ASSIGNED = re.compile(r"(?:[=+*/%<>&|,-]\s?|\breturn\s|\w\()[A-Za-z_$][\w$.]*\Z", re.ASCII)
_CODE_AFTER = re.compile(
    r"(?:\[\w{1,9}\]){0,3}+(?:\s{0,2}(?:[+\-*/%]?=[^>]|\+\+|--|[<>*/%]\s|&&|\|\|)|\.[A-Za-z_]|\()", re.ASCII
)
_STATEMENT_END = re.compile(r"\s{0,2}[;)\],+*/%-]")


@dataclass(frozen=True, slots=True)
class Marker:
    """One marker: `text[start:end]`, and the numbers it names in order, each once."""

    start: int
    end: int
    numbers: tuple[int, ...]


def find_markers(text: str) -> list[Marker]:
    """Every citation marker of `text` outside code, in order, in linear time."""
    code = code_spans(text)
    starts = [start for start, _ in code]
    found: list[Marker] = []
    indexed = -1
    for match in _MARKER.finditer(text):
        near = bisect_right(starts, match.start()) - 1
        if near >= 0 and match.start() < code[near][1]:
            continue
        chained = bool(found) and found[-1].end == match.start()
        if not chained and (indexed == match.start() or _is_index(text, match)):
            indexed = match.end()
            continue
        body = match[0][: len(match[0]) - len(match["target"])]
        found.append(Marker(match.start(), match.end(), _numbers(body)))
    return found


def without_markers(text: str) -> str:
    """`text` with its markers removed, and the blanks they leave before a stop or at the end."""
    for _ in range(4):
        markers = find_markers(text)
        if not markers:
            return text
        text = _cut(text, markers)
    # Only a text made to defeat this nests markers that deep: its brackets stop being brackets.
    return text.translate(str.maketrans(OPENING + CLOSING, "(" * len(OPENING) + ")" * len(CLOSING)))


def complete_prefix(text: str) -> int:
    """How much of a growing text can be judged: whole sentences, with every marker that may still belong to them.

    A sentence is whole when the next one has begun with something that cannot be its marker, or when its
    paragraph has ended. An open code fence, code span, marker or link holds back the sentence it stands in.
    """
    limit = min((at for at in (open_code(text), _unfinished_marker(text)) if at is not None), default=len(text))
    complete = 0
    spans = split_sentences(text)
    for at, (_, end) in enumerate(spans):
        following = spans[at + 1][0] if at + 1 < len(spans) else None
        begun = following is not None and not _MARKER_START.match(text, following)
        ended = begun or "\n\n" in text[end:following]
        if end > limit or not ended:
            break
        complete = end
    return complete


def _unfinished_marker(text: str) -> int | None:
    """Where a marker, link or image begins that may still be growing at the end of `text`."""
    match = _UNFINISHED.search(text, max(0, len(text) - 640))
    return None if match is None else match.start()


def _cut(text: str, markers: list[Marker]) -> str:
    pieces: list[str] = []
    at = 0
    for marker in markers:
        pieces.append(text[at : marker.start])
        at = marker.end
    pieces.append(text[at:])
    kept = pieces[0]
    for piece in pieces[1:]:
        joined_before_stop = not piece.strip() or piece.lstrip(" ")[:1] in ".,;:!?。，；：！？、)）|\n"
        doubled = kept.endswith((" ", "\n")) and piece.startswith(" ")
        ends_cell = piece.lstrip(" ").startswith("|")
        if ends_cell:
            kept = kept.rstrip(" ") + " "
            piece = piece.lstrip(" ")  # noqa: PLW2901 - the piece is read once
        elif joined_before_stop:
            kept = kept.rstrip(" ")
        elif doubled:
            piece = piece.lstrip(" ")  # noqa: PLW2901 - the piece is read once
        kept += piece
    return kept


def _numbers(body: str) -> tuple[int, ...]:
    numbers: dict[int, None] = {}
    ranged: int | None = None
    for match in _NUMBER.finditer(body):
        # 【4:0†source】 counts messages and files, not passages: it names nothing that exists here.
        number = UNREADABLE if match["part"] else _value(match["number"])
        if ranged is not None:
            span = range(ranged, number + 1) if 0 < number - ranged < MAX_RANGE else (ranged, number)
            numbers |= dict.fromkeys(span)
        elif match["range"] is None:
            numbers[number] = None
        ranged = number if match["range"] else None
    if ranged is not None:
        numbers[ranged] = None
    return tuple(numbers)


def _value(written: str) -> int:
    digits = "".join(str(unicodedata.digit(sign, 0)) for sign in written.lstrip("-−"))
    if len(written) == 1 and "①" <= written <= "⑳":
        return ord(written) - ord("①") + 1
    value = int(digits) if len(digits) <= 9 else UNREADABLE  # noqa: PLR2004 - see UNREADABLE
    return -value if written[0] in "-−" else value


def _is_index(text: str, match: re.Match[str]) -> bool:
    """Is this `b[10]` in unmarked code? What stands right before and behind decides, on 64 characters."""
    if match[0][0] != "[" or match.start() == 0:
        return False
    before = text[max(0, match.start() - 64) : match.start()]
    if not _INDEXED.search(before) or before[-1] == "]":
        return False
    after = text[match.end() : match.end() + 64]
    if _ONE_LETTER.search(before) or match[0] == "[0]" or _CODE_AFTER.match(after):
        return True
    return bool(_ASSIGNED.search(before) and _STATEMENT_END.match(after))
