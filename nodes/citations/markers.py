"""Citation markers in a text: every bracket shape models write, as one list of numbers.

The written rules: `[1]`, `[1, 2]`, `[1-3]`, `【1】`, `［１］`, `[[1]]`, `[^1]`, `[ID: 3]` and the like are
markers; a range is expanded if it ascends and holds at most 50 numbers, else it stands for its two ends. Round
brackets are a marker if they hold a label or a marker: `（来源 1）`, `(sources 1 and 2)`, `(see [1])`; so is `ID:1`
behind a stop at the end of a line. `(1)`, code, decimals, array indices, definitions of footnotes (`[^1]: …`), and
what stands inside a link are no markers. A link target behind a marker belongs to the marker. `[0]`, `[-1]` and
`[2024]` are markers too: whether a number exists is the caller's knowledge.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from nodes.citations.code import open_code
from stores.documents.sentences import code_spans, split_sentences

OPENING = "[［【〔〖⟦〚﹝❲⁅"
CLOSING = "]］】〕〗⟧〛﹞❳⁆"
MAX_RANGE = 50
UNREADABLE = 10**9
"""What a number of more than nine digits reads as: no passage ever has it."""

_SOURCE_LABELS = (
    r"citations?|cites?|refs?|references?|sources?|passages?|chunks?|evidence"
    r"|来源|出处|引用|参考|段落|片段|证据|來源|出處|參考|證據"
)
_OTHER_LABELS = r"ids?|docs?|documents?|资料|文档|文献|資料|文檔|文獻"
"""In round brackets they may be prose: only with a number that could be a passage's."""
_LABELS = rf"{_SOURCE_LABELS}|{_OTHER_LABELS}|notes?|n|编号|編號"
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
_SQUARES = rf"(?:{_GROUP}|{_ONE}(?:(?:[-–—~～]|{_SPACE}[,，、;；]{_SPACE}){_ONE})*+)"
_LEAD = r"(?:(?i:see(?:\s+also)?|cf\.?|from|according\s+to)|详?见|参见|参看|參見|引自)"
_SEP = rf"{_SPACE}[:：=#.]?+{_SPACE}"
_LISTED = rf"{_ITEM}(?:{_BETWEEN}{_ITEM})*+"
_FEW = r"[\d¹²³⁰⁴-⁹①-⑳]{1,3}+"
_ROUND = (
    rf"[(（]{_SPACE}(?:{_LEAD}{_SPACE})?+(?:(?i:{_SOURCE_LABELS}){_SEP}{_LISTED}"
    rf"|(?i:{_OTHER_LABELS}){_SEP}{_FEW}(?:{_BETWEEN}{_FEW})*+"
    rf"|(?:(?i:{_LABELS}){_SEP})?+{_SQUARES}){_SPACE}[)）]"
)
_BARE = rf"(?:(?<=[。．.!！?？;；…”」])|(?<=^))[ \t]?(?i:id){_SPACE}[:：]{_SPACE}{_FEW}(?=[ \t]*$)"
_MARKER = re.compile(rf"(?:{_SQUARES}(?P<target>{_TARGET})|{_ROUND}|{_BARE})", re.MULTILINE)
_NUMBER = re.compile(rf"(?P<number>{_DIGITS})(?P<part>:\d+)?(?P<range>{_CLOSE}?{_SPACE}(?:[-–—－~～至到]|to\b))?")
_UNFINISHED = re.compile(
    rf"!?{_OPEN}{{1,2}}[^\n{re.escape(OPENING + CLOSING)}]{{0,120}}(?:{_CLOSE}(?:\([^()\s]{{0,500}})?)?\Z"
)

_MAY_START = re.compile(rf"{_OPEN}|[(（]|id?(?:\Z|{_SPACE}(?:[:：]|\Z))", re.IGNORECASE)
_LONGEST_START = 60
"""What begins like a marker and is not closed within so many characters is none."""
_DEFINES = re.compile(r"[ \t]{0,3}[:：](?=\s)")
_BEFORE_DEFINITION = re.compile(r"(?:^|\n)[ \t>*+-]{0,8}\Z")
_DEFINITION = re.compile(rf"^[ \t>*+-]{{0,8}}\[\^?{_DIGITS}\][ \t]{{0,3}}[:：][ \t][^\n]*(?:\n|\Z)", re.MULTILINE)
_IN_TARGET = re.compile(r"\]\(<?[^\s()<>]*\Z|(?:https?|ftp)://[^\s<>\"'“”，。；！？、（）】》]*\Z", re.IGNORECASE)
_IN_ADDRESS_AFTER = re.compile(r"[\w/=&#%?.-]*[\w/=&#%]")
_LINK_LOOK = 300

_NUMBERED_PAPER = re.compile(rf"{_OPEN}(?:19|20)\d\d{_CLOSE}\s?第?\s?\d{{1,6}}\s?号")
"""国发〔2023〕12号: the year of an official paper."""
_INDEXED = re.compile(r"(?:[A-Za-z_$][\w$]*|[)\]])\Z", re.ASCII)
_INDEXED_TWICE = re.compile(r"[A-Za-z_$][\w$]*(?:\[[A-Za-z_]\w{0,30}\]){1,3}\Z", re.ASCII)
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
    """Every citation marker of `text` outside code, links and definitions, in order, in linear time."""
    return [marker for marker, cites in _scan(text) if cites]


def without_markers(text: str) -> str:
    """`text` with its markers removed, and the blanks they leave before a stop or at the end.

    What only reads like a marker to a person, in a definition or a link, goes too.
    """
    for _ in range(4):
        markers = [marker for marker, _ in _scan(text)]
        if not markers:
            return text
        text = _cut(text, markers)
    # Only a text made to defeat this nests markers that deep: its brackets stop being brackets.
    return text.translate(str.maketrans(OPENING + CLOSING, "(" * len(OPENING) + ")" * len(CLOSING)))


def without_definitions(text: str) -> str:
    """`text` without lines that define a footnote (`[^1]: …`): the application writes the list of sources."""
    return _DEFINITION.sub("", text) if "]:" in text or "]：" in text or "] :" in text else text


def cited_spans(text: str) -> list[tuple[int, int]]:
    """The sentences of `text` as `split_sentences` gives them, with every marker behind a stop in its sentence."""
    if not text:
        return []
    ends = {marker.start: marker.end for marker in find_markers(text)}
    spans: list[tuple[int, int]] = []
    for start, end in split_sentences(text):
        at = start
        while spans and at in ends and "\n" not in text[spans[-1][1] : at]:
            spans[-1] = (spans[-1][0], ends[at])
            at = _next_word(text, ends[at], end)
        if at < end:
            spans.append((at, end))
    return spans


def complete_prefix(text: str) -> int:
    """How much of a growing text can be judged: whole sentences, with every marker that may still belong to them.

    A sentence is whole when the next one has begun with something that cannot be its marker, or when its
    paragraph has ended. An open code fence, code span, marker or link holds back the sentence it stands in.
    """
    limit = min((at for at in (open_code(text), _unfinished_marker(text)) if at is not None), default=len(text))
    complete = 0
    spans = cited_spans(text)
    for at, (_, end) in enumerate(spans):
        following = spans[at + 1][0] if at + 1 < len(spans) else None
        begun = following is not None and not _may_be_marker(text, following)
        ended = begun or "\n\n" in text[end:following]
        if end > limit or not ended:
            break
        complete = end
    return complete


def _scan(text: str) -> Iterator[tuple[Marker, bool]]:
    """Every marker outside code, and whether it cites: those in definitions and links only look as if they did."""
    code = code_spans(text)
    starts = [start for start, _ in code]
    last, indexed = -1, -1
    for match in _MARKER.finditer(text):
        near = bisect_right(starts, match.start()) - 1
        if near >= 0 and match.start() < code[near][1]:
            continue
        if last != match.start() and (indexed == match.start() or _is_index(text, match)):
            indexed = match.end()
            continue
        if _NUMBERED_PAPER.match(text, match.start()):
            continue
        last = match.end()
        body = match[0][: len(match[0]) - len(match["target"] or "")]
        yield Marker(match.start(), match.end(), _numbers(body)), not (_defines(text, match) or _in_link(text, match))


def _defines(text: str, match: re.Match[str]) -> bool:
    """Is this `[^1]:` at the beginning of a line?"""
    return bool(
        _DEFINES.match(text, match.end()) and _BEFORE_DEFINITION.search(text, max(0, match.start() - 9), match.start())
    )


def _in_link(text: str, match: re.Match[str]) -> bool:
    """Does it stand in an address, in a link's target, or in the words of a link or image?"""
    start, end = match.span()
    if start and text[start - 1] == "!" and match["target"]:
        return True
    written = match[0][: len(match[0]) - len(match["target"] or "")]
    if match["target"] and sum(sign in CLOSING for sign in written) > sum(sign in OPENING for sign in written):
        return True
    if start and not text[start - 1].isspace() and _IN_TARGET.search(text, max(0, start - _LINK_LOOK), start):
        target = text.rfind("](", max(0, start - _LINK_LOOK), start) >= 0
        if target or _IN_ADDRESS_AFTER.match(text, end):
            return True
    closing = text.find("](", end, end + _LINK_LOOK)
    if closing < 0 or "\n" in text[end:closing] or text.count("[", end, closing) > text.count("]", end, closing):
        return False
    before = text[max(0, start - _LINK_LOOK, text.rfind("\n", 0, start) + 1) : start]
    return before.count("[") > before.count("]")


def _next_word(text: str, at: int, end: int) -> int:
    while at < end and text[at].isspace():
        at += 1
    return at


def _may_be_marker(text: str, at: int) -> bool:
    """May what begins at `at` be, or still become, a marker?"""
    if not _MAY_START.match(text, at):
        return False
    seen = text[at : at + _LONGEST_START]
    if seen[0] in "(（":
        closed = next((place for place, sign in enumerate(seen) if sign in ")）"), None)
    else:
        closed = next((place for place, sign in enumerate(seen) if sign in CLOSING), None)
    if closed is not None:
        # A second bracket may close behind a square one.
        doubled = seen[closed] in CLOSING and at + closed + 2 >= len(text)
        return doubled or bool(_MARKER.match(text, at))
    if seen[0] in OPENING + "(（":
        return "\n" not in seen and len(seen) < _LONGEST_START
    return bool(_MARKER.match(text, at)) or at + len(seen) == len(text)


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
        return bool(_INDEXED_TWICE.search(before))
    after = text[match.end() : match.end() + 64]
    if _ONE_LETTER.search(before) or match[0] == "[0]" or _CODE_AFTER.match(after):
        return True
    return bool(_ASSIGNED.search(before) and _STATEMENT_END.match(after))
