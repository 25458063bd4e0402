"""Sentences of Chinese and English text, for cutting documents and for checking answers.

Code stays whole, citation markers stay with the sentence before them, and every search is linear in the text.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator

_FENCE = re.compile(r"^[ \t>]*(`{3,}(?=[^`\n]*$)|~{3,})[^\n]*$", re.MULTILINE)
_BACKTICKS = re.compile(r"`+")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")

_CJK_STOPS = "。！？；…｡؟।॥"
_STOPS = re.compile(rf"[{_CJK_STOPS}．.!?;]+|\n")
_CLOSING_OR_STOP = re.compile(rf"[”’」』）)】］\]》〉»›｣}}{_CJK_STOPS}.!?;]+")
# One and the same sign opens and closes.
_PAIRED = re.compile(r"([\"'*_~])\1{0,2}")
_MARKER = re.compile(
    r"[ \t\u3000]*(?:[\[［【〔](?:ID)?[ :：]*\d+(?:[ ]*[,，、;；~～–—-][ ]*(?:ID)?[ :：]*\d+)*[ ]*[\]］】〕]"
    r"|\[\[\d+\]\]"
    r"|[(（][ ]?(?i:sources?|citations?|refs?|passages?|来源|出处|引用|引自|來源|出處)[ :：#.]*\d+"
    r"(?:[ ]*[,，、;；～~–—-][ ]*\d+)*[ ]?[)）])(?!\()"
)
_MARKER_ENDS = "]］】〕"
_MARKER_LINE = re.compile(rf"\n(?:{_MARKER.pattern})+[ \t]*(?=\n|\Z)")
# What a line begins with when it is an item, a heading, a row or a quotation of its own.
_LINE_OPENING = re.compile(
    r"[^\S\n]*(?:[-*+•●▪◦‣·][ \t]|\d{1,3}[.)、．](?!\d)|[（(]\d{1,3}[)）]|#{1,6}[ ]|\||>"
    r"|[一二三四五六七八九十]{1,3}、|[（(][一二三四五六七八九十]{1,3}[)）]"
    r"|第[〇零一二三四五六七八九十百千\d]{1,7}[编章节條条款])"
)
_LINE_ALONE = re.compile(r"[^\S\n]*(?:#{1,6}[ ]|\|)")

_NEVER_LAST = frozenset(
    {
        "dr", "mr", "mrs", "ms", "prof", "e.g", "i.e", "eg", "ie", "vs", "cf", "approx", "st", "gen", "rep",
        "sen", "hon", "rev", "capt", "lt", "col", "resp", "incl", "viz", "ca"
    }
)  # fmt: skip
_BEFORE_NUMBERS = frozenset(
    {
        "no", "nos", "nr", "fig", "figs", "eq", "eqs", "sec", "secs", "art", "arts", "p", "pp", "ch",
        "chap", "vol", "tab", "par", "ver", "v", "item", "jan", "feb", "mar", "apr", "jun", "jul", "aug",
        "sep", "sept", "oct", "nov", "dec"
    }
)  # fmt: skip
_SELDOM_LAST = frozenset(
    {
        "inc", "ltd", "co", "corp", "llc", "plc", "jr", "sr", "etc", "al", "a.m", "p.m", "u.s", "u.k",
        "u.n", "e.u", "ph.d", "b.c", "a.d", "bros", "dept", "est"
    }
)  # fmt: skip
# Words that open a sentence more often than they follow an abbreviation.
_OPENERS = frozenset(
    {
        "The", "This", "That", "These", "Those", "It", "In", "On", "At", "We", "He", "She", "They", "I",
        "You", "If", "When", "While", "As", "A", "An", "However", "And", "But", "So", "For", "To", "Its",
        "Our", "Their", "His", "Her", "There", "Here", "What", "Why", "How", "Who", "Each", "All", "No",
        "Not"
    }
)  # fmt: skip
_LAST_WORD = re.compile(r"[A-Za-z](?:[A-Za-z]|\.(?=[A-Za-z]))*\Z")
_ACRONYM = re.compile(r"[a-z](?:\.[a-z])+\Z")
_NEXT_WORD = re.compile(r"[\"'“‘(\[]*([^\W_][\w-]*)")
_ENUMERATOR = re.compile(r"(?:\A|[^\w.,])(\d{1,2}|[A-Za-z])\Z")
_ENTITY = re.compile(r"&#?\w{1,10}\Z")
_LOOK_BACK = 24
_REACH = 2_000


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Spans `(start, end)` of the sentences, in order, without white space at their ends.

    Together they hold every character that is not white space. A fenced code block is a span of its own.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for end in _boundaries(text):
        first, last = _trimmed(text, start, end)
        if first < last:
            spans.append((first, last))
        start = end
    return spans


def code_spans(text: str) -> list[tuple[int, int]]:
    """Spans of fenced code blocks and inline code, in order, marks included. An unclosed fence runs to the end."""
    fences = list(_fences(text))
    spans = fences + list(_inline_code(text, fences))
    return sorted(spans)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    return end - len(part.lstrip()), start + len(part.rstrip())


def _fences(text: str) -> Iterator[tuple[int, int]]:
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif fence[1].startswith(opened[1]) and fence[0].strip(" \t>") == fence[1]:
            yield opened.start(), fence.end()
            opened = None
    if opened is not None:
        yield opened.start(), len(text)


def _inline_code(text: str, fences: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """A run of backticks closes at the next run of the same length within the paragraph."""
    borders = sorted([blank.start() for blank in _BLANK_LINE.finditer(text)] + [side for f in fences for side in f])
    runs = [run.span() for run in _BACKTICKS.finditer(text) if not _inside(fences, run.start())]
    later: dict[tuple[int, int], list[int]] = defaultdict(list)
    for start, end in reversed(runs):
        later[bisect_right(borders, start), end - start].append(start)
    done = 0
    for start, end in runs:
        same = later[bisect_right(borders, start), end - start]
        same.pop()
        if start >= done and same:
            done = same[-1] + end - start
            yield start, done


def _inside(spans: list[tuple[int, int]], position: int) -> bool:
    found = bisect_right(spans, (position, len(spans) and spans[-1][1] + 1)) - 1
    return found >= 0 and position < spans[found][1]


def _boundaries(text: str) -> Iterator[int]:
    """Where sentences end, in order; the last one is the end of the text."""
    code, fenced = code_spans(text), dict(_fences(text))
    start = position = coded = 0
    while stop := _STOPS.search(text, position):
        while coded < len(code) and code[coded][1] <= stop.start():
            coded += 1
        # Fences first: they break a sentence without any stop.
        if coded < len(code) and code[coded][0] <= stop.start():
            begin, position = code[coded]
            if begin in fenced:
                yield begin
                start = position = _with_marker_line(text, position)
                yield position
            continue
        end = _end_of_sentence(text, start, stop)
        position = stop.end() if end is None else max(end, stop.end())
        if end is not None:
            yield end
            start = end
    yield len(text)


def _with_marker_line(text: str, end: int) -> int:
    """Past a line that holds only citation markers: they cite the code block above."""
    marker = _MARKER_LINE.match(text, end)
    return marker.end() if marker else end


def _end_of_sentence(text: str, start: int, stop: re.Match[str]) -> int | None:
    """Where the sentence ends that `stop` may end, closing marks and citations included; `None` if it goes on."""
    if stop[0] == "\n":
        return stop.end() if _line_breaks(text, start, stop.start()) else None
    end = _with_followers(text, start, stop.end())
    if any(sign in _CJK_STOPS for sign in stop[0]):
        return end
    return end if _ends_here(text, start, stop, end) else None


def _line_breaks(text: str, start: int, newline: int) -> bool:
    """Whether the line break at `newline` ends a sentence: a blank line, or an item, heading or row beside it."""
    line = text.rfind("\n", start, newline) + 1 or start
    following = newline + 1
    return bool(
        _BLANK_LINE.match(text, newline)
        or _LINE_OPENING.match(text, following)
        or _LINE_ALONE.match(text, line, newline)
    )


def _with_followers(text: str, start: int, end: int) -> int:
    """Past closing quotes and brackets, citation markers and further stops."""
    while end < len(text):
        found = _MARKER.match(text, end) or _CLOSING_OR_STOP.match(text, end) or _PAIRED.match(text, end)
        if found is None or (found.re is _PAIRED and not _closes(text, start, found)):
            break
        end = found.end()
    return end


def _closes(text: str, start: int, sign: re.Match[str]) -> bool:
    """Whether the same sign stands an odd number of times before, within reach."""
    if sign[0] == "'" and text[sign.end() : sign.end() + 1].isalnum():
        return False
    return text.count(sign[0], max(start, sign.start() - _REACH), sign.start()) % 2 == 1


def _ends_here(text: str, start: int, stop: re.Match[str], end: int) -> bool:
    """Whether ASCII stops end a sentence: not within names, numbers and abbreviations."""
    following = text[end : end + 1]
    signs, before = stop[0], text[max(start, stop.start() - _LOOK_BACK) : stop.start()]
    if following and not (following.isspace() or _is_wide(following) or text[end - 1] in _MARKER_ENDS):
        return False
    if signs == ";":
        return not _ENTITY.search(before)
    if signs not in {".", "．"}:
        return not signs.startswith("..") or _opens_upper(text, end)
    return not (_is_enumerator(text, start, stop, before, following) or _is_abbreviation(text, before, end))


def _is_wide(character: str) -> bool:
    return character >= "\u2e80"


def _opens_upper(text: str, end: int) -> bool:
    """Whether a new sentence seems to open after three dots."""
    following = _NEXT_WORD.match(text, _skip_space(text, end))
    return following is None or not following[1][0].islower()


def _skip_space(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _is_enumerator(text: str, start: int, stop: re.Match[str], before: str, following: str) -> bool:
    """`1.` or `a.` before an item: at the start of the sentence, or glued to wide characters (`2.保存`)."""
    found = _ENUMERATOR.search(before)
    if found is None:
        return False
    ahead = text[max(start, stop.start() - _LOOK_BACK) : stop.start() - len(found[1])]
    if not ahead.rpartition("\n")[2].strip(" \t*_#>"):
        return stop.start() - start < _LOOK_BACK or "\n" in ahead
    return found[1].isdigit() and bool(following) and _is_wide(following)


def _is_abbreviation(text: str, before: str, end: int) -> bool:
    word = _LAST_WORD.search(before)
    if word is None:
        return False
    here, following = word[0].lower(), _NEXT_WORD.match(text, _skip_space(text, end))
    if following is None or _BLANK_LINE.match(text, end):
        return False
    if here in _NEVER_LAST:
        return True
    if here in _BEFORE_NUMBERS:
        return following[1][0].isdigit()
    initial = len(here) == 1 and word[0].isupper() and not before[: word.start()].rstrip().endswith((")", "]"))
    if here in _SELDOM_LAST or initial or _ACRONYM.match(here):
        return following[1][0].islower() or (following[1] not in _OPENERS and following[1][0].isascii())
    return False
