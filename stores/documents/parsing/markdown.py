"""Markdown: sections by heading, code blocks and tables by themselves, line ranges from the token map."""

import re
from collections.abc import Iterator
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from stores.documents.document import Location, ParsedDocument
from stores.documents.parsing.assembly import HeadingPath
from stores.documents.parsing.encodings import read_text
from stores.documents.parsing.regions import Cut, Lines, blocks_between
from stores.documents.parsing.source import Source

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_FRONT_TITLE = re.compile(r"""^title[ \t]*:[ \t]*(["']?)(.+?)\1[ \t]*$""", re.MULTILINE)


def parse_markdown(source: Source) -> ParsedDocument:
    """Blocks are a section's prose, a fenced or indented code block, a table (header: its first two lines)."""
    text, encoding = read_text(source)
    front = _FRONT_MATTER.match(text)
    body = front.end() if front else 0
    lines = Lines(text)
    tokens = MarkdownIt("commonmark").enable("table").parse(text[body:])
    cuts = [Cut(0, "configuration")] if front else []
    cuts += _cuts(text, tokens, lines, lines.number(body) if body < len(text) else len(lines.starts))
    return ParsedDocument(
        text=text,
        blocks=blocks_between(text, cuts),
        title=_title(tokens, front[1] if front else "") or source.path.stem,
        media_type="text/markdown",
        encoding=encoding,
    )


def _title(tokens: list[Token], front_matter: str) -> str:
    """The first heading of level 1, else the front matter's title."""
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and token.tag == "h1":
            return _plain(inline)
    named = _FRONT_TITLE.search(front_matter)
    return named[2] if named else ""


def _plain(inline: Token) -> str:
    """A heading's words without their markup."""
    parts = (token.content for token in inline.children or () if token.type in {"text", "code_inline", "softbreak"})
    return " ".join("".join(parts).split())


def _cuts(text: str, tokens: list[Token], lines: Lines, first_line: int) -> Iterator[Cut]:
    """A cut wherever the kind or the section changes. `first_line` is the line of the tokens' line 0."""
    headings = HeadingPath()
    bare_from: int | None = None
    yield Cut(lines.start(first_line), "prose")
    for position, token in enumerate(tokens):
        if token.level or not token.map:
            continue
        start, end = (lines.start(first_line + line) for line in token.map)
        if token.type == "heading_open":
            deeper = headings.enter(int(token.tag[1]), _plain(tokens[position + 1]))
            # A heading straight under another one: both belong to the deeper section's block.
            start = bare_from if deeper and bare_from is not None else start
            yield Cut(start, "prose", Location(heading=headings.path))
            bare_from = start
            continue
        bare_from = None
        here = Location(heading=headings.path)
        if token.type in {"fence", "code_block"}:
            yield Cut(start, "code", here)
            yield Cut(end, "prose", here)
        elif token.type == "table_open":
            header = lines.start(first_line + token.map[0] + 2)
            yield Cut(start, "table", here, text[start:header].strip("\n"))
            yield Cut(end, "prose", here)
