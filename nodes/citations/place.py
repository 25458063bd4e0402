"""Where in its document a quotation stands: its parts in order, their lines, and the headings above all of them."""

import re
from collections.abc import Sequence
from dataclasses import replace

from stores.documents.document import Chunk, Location
from stores.documents.sentences import code_spans

Span = tuple[int, int]

_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_MARKUP = re.compile(r"[*_`]")


def joined_spans(spans: Sequence[Span], text: str) -> tuple[Span, ...]:
    """The spans in document order; those that overlap, or have only white space between them, become one."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and (start <= joined[-1][1] or not text[joined[-1][1] : start].strip()):
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return tuple(joined)


def quoted_location(chunk: Chunk, parts: Sequence[Span], *, headed: bool) -> Location:
    """Where the quotation's parts stand: of the chunk's lines only theirs, and the headings that they share.

    `headed` says that lines of the chunk's text that begin with `#` are headings.
    """
    location = chunk.location
    if headed:
        paths = [_path(chunk, start) for start, _ in parts]
        shared = next((at for at, names in enumerate(zip(*paths, strict=False)) if len(set(names)) > 1), None)
        location = replace(location, heading=min(paths, key=len)[:shared])
    if location.lines is None:
        return location
    first = location.lines[0] + chunk.text.count("\n", 0, parts[0][0])
    quoted = chunk.text[parts[0][0] : parts[-1][1]].rstrip()
    return replace(location, lines=(first, first + quoted.count("\n")))


def _path(chunk: Chunk, position: int) -> tuple[str, ...]:
    """The headings above a position: the chunk's own, changed by those that its text holds before it."""
    path = [(level, title) for level, title in enumerate(chunk.location.heading, 1)]
    code = code_spans(chunk.text)
    for match in _HEADING.finditer(chunk.text):
        if match.start() > position:
            break
        if any(start <= match.start() < end for start, end in code):
            continue
        level, title = len(match[1]), _MARKUP.sub("", match[2]).strip()
        own = next((at for at, (_, known) in enumerate(path) if _MARKUP.sub("", known).strip() == title), None)
        if own is not None:
            path[own] = (level, path[own][1])
        else:
            path = [*((above, known) for above, known in path if above < level), (level, title)]
    return tuple(title for _, title in path)
