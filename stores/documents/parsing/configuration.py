"""Settings files (YAML, properties, JSON, TOML, INI): blocks by top-level key or section, text as written."""

import re

from stores.documents.document import ParsedDocument
from stores.documents.parsing.encodings import read_text
from stores.documents.parsing.regions import Cut, blocks_between
from stores.documents.parsing.source import Source

_SECTION = re.compile(r"^[ \t]*\[[^\n]*\][ \t]*(?:[#;][^\n]*)?$", re.MULTILINE)
_YAML_KEY = re.compile(r"^(?:[^\s#\-%&*!|>'\"{}\[\]][^\n]*?:(?=\s)|---)", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n[ \t]*\n[ \t]*(?=\S)")
_JSON_KEY = re.compile(r"^([ \t]+)(?=[\"\[{])", re.MULTILINE)
_COMMENT_LINE = re.compile(r"[ \t]*[#;!]")

_MEDIA_TYPES = {
    ".yml": "application/yaml",
    ".yaml": "application/yaml",
    ".json": "application/json",
    ".toml": "application/toml",
    ".properties": "text/x-java-properties",
    ".ini": "text/x-ini",
}


def parse_configuration(source: Source) -> ParsedDocument:
    """Escapes such as `\\u4f60` in properties stay as written."""
    text, encoding = read_text(source)
    starts = [_with_comments(text, start) for start in _starts(text, source.suffix)]
    cuts = [Cut(start, "configuration", header=_key(text, start)) for start in sorted({0, *starts})]
    return ParsedDocument(
        text=text,
        blocks=blocks_between(text, cuts),
        title=source.name,
        media_type=_MEDIA_TYPES[source.suffix],
        encoding=encoding,
    )


def _starts(text: str, suffix: str) -> list[int]:
    if suffix in {".yml", ".yaml"}:
        return [match.start() for match in _YAML_KEY.finditer(text)]
    if suffix in {".toml", ".ini"}:
        return [match.start() for match in _SECTION.finditer(text)]
    if suffix == ".json":
        keys = list(_JSON_KEY.finditer(text))
        outermost = min((len(key[1]) for key in keys), default=0)
        return [key.start() for key in keys if len(key[1]) == outermost]
    return [match.end() for match in _BLANK_LINES.finditer(text)]


def _with_comments(text: str, start: int) -> int:
    """Start of a key with the comment lines straight above it."""
    while start:
        line = text.rfind("\n", 0, start - 1) + 1
        if not _COMMENT_LINE.match(text, line, start):
            break
        start = line
    return start


def _key(text: str, start: int) -> str:
    """The first line that is no comment: what a later part of a long section is about."""
    for line in text[start : start + 2000].split("\n"):
        if line.strip() and not _COMMENT_LINE.match(line):
            return line.rstrip() if line.rstrip().endswith((":", "]", "{", "[")) else ""
    return ""
