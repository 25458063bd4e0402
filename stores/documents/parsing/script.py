"""SQL by statements; shell scripts and JSP pages by lines."""

import re

from stores.documents.document import ParsedDocument
from stores.documents.parsing.encodings import read_text
from stores.documents.parsing.regions import Cut, blocks_between
from stores.documents.parsing.source import Source

# Everything that may hide a semicolon, then the semicolon that ends a statement.
_SQL = re.compile(
    r"--[^\n]*|/\*.*?(?:\*/|\Z)|'[^']*(?:'|\Z)|\"[^\"]*(?:\"|\Z)|`[^`]*(?:`|\Z)|(\$\w*\$).*?(?:\1|\Z)|(?P<stop>;)",
    re.DOTALL,
)


def parse_sql(source: Source) -> ParsedDocument:
    """One block a statement, the comment before it included."""
    text, encoding = read_text(source)
    ends = [match.end() for match in _SQL.finditer(text) if match["stop"]]
    cuts = [Cut(start, "code") for start in (0, *(_after_line(text, end) for end in ends))]
    return ParsedDocument(
        text=text,
        blocks=blocks_between(text, cuts),
        title=source.name,
        media_type="application/sql",
        encoding=encoding,
    )


def _after_line(text: str, end: int) -> int:
    """Past the rest of the line, when that is white space or a comment."""
    line_end = text.find("\n", end)
    rest = text[end : line_end if line_end >= 0 else len(text)].strip()
    return end if rest and not rest.startswith("--") else (line_end if line_end >= 0 else len(text))


def parse_lines(source: Source) -> ParsedDocument:
    """The file as one block of code, cut later at blank lines and indentation."""
    text, encoding = read_text(source)
    return ParsedDocument(
        text=text,
        blocks=blocks_between(text, [Cut(0, "code")]),
        title=source.name,
        media_type="text/x-shellscript" if source.suffix == ".sh" else "text/x-jsp",
        encoding=encoding,
    )
