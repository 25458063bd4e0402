"""Files to parsed documents: the table of formats and the one way in."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from pkgutil import resolve_name
from types import MappingProxyType

from stores.documents.archives import is_archive
from stores.documents.document import ParsedDocument
from stores.documents.parsing.signatures import check_signature
from stores.documents.parsing.source import Parser, Source, read_source
from stores.documents.reading_rules import DEFAULT_RULES, ReadingRules
from stores.errors import DocumentUnsupportedError

PARSER_VERSION = "3"
"""Raised whenever a parser gives other text or blocks for the same file; an index of another version is rebuilt."""

PARSERS: Mapping[str, str] = MappingProxyType(
    {
        ".md": "markdown:parse_markdown",
        ".markdown": "markdown:parse_markdown",
        ".txt": "plain:parse_plain",
        ".text": "plain:parse_plain",
        ".html": "html:parse_html",
        ".htm": "html:parse_html",
        ".xhtml": "html:parse_html",
        ".pdf": "pdf:parse_pdf",
        ".docx": "docx:parse_docx",
        ".pptx": "pptx:parse_pptx",
        ".xlsx": "xlsx:parse_xlsx",
        ".xlsm": "xlsx:parse_xlsx",
        ".csv": "csv:parse_csv",
        ".tsv": "csv:parse_csv",
        ".eml": "eml:parse_eml",
        ".ipynb": "ipynb:parse_ipynb",
        ".java": "java:parse_java",
        ".py": "python:parse_python",
        ".js": "javascript:parse_javascript",
        ".mjs": "javascript:parse_javascript",
        ".jsx": "javascript:parse_javascript",
        ".cjs": "javascript:parse_javascript",
        ".ts": "typescript:parse_typescript",
        ".mts": "typescript:parse_typescript",
        ".tsx": "typescript:parse_tsx",
        ".sql": "script:parse_sql",
        ".sh": "script:parse_lines",
        ".bash": "script:parse_lines",
        ".jsp": "script:parse_lines",
        ".jspf": "script:parse_lines",
        ".tag": "script:parse_lines",
        ".xml": "xml:parse_xml",
        ".tld": "xml:parse_xml",
        ".jspx": "xml:parse_xml",
        ".yml": "configuration:parse_configuration",
        ".yaml": "configuration:parse_configuration",
        ".properties": "configuration:parse_configuration",
        ".json": "configuration:parse_configuration",
        ".toml": "configuration:parse_configuration",
        ".ini": "configuration:parse_configuration",
        ".png": "image:parse_image",
        ".jpg": "image:parse_image",
        ".jpeg": "image:parse_image",
        ".webp": "image:parse_image",
        ".bmp": "image:parse_image",
        ".tif": "image:parse_image",
        ".tiff": "image:parse_image",
        ".doc": "legacy:parse_legacy",
        ".ppt": "legacy:parse_legacy",
        ".xls": "legacy:parse_legacy",
        ".rtf": "legacy:parse_legacy",
        ".msg": "legacy:parse_legacy",
    }
)
"""Suffix, in lower case and with its dot, to module and parser. A module is imported when its first file comes: the
libraries behind them take most of a second, which a question need not wait for."""

SUPPORTED = frozenset(PARSERS)

_SURROGATE = re.compile("[\ud800-\udfff]")
_REFUSING = "legacy:parse_legacy"
_PICTURES = "image:parse_image"


def passed_over(path: Path, rules: ReadingRules = DEFAULT_RULES) -> str | None:
    """Why a file met in a folder is not even tried: no parser, or a picture while OCR is off; else `None`."""
    suffix = path.suffix.lower()
    if suffix not in PARSERS:
        return f"Recite does not read {path.suffix or 'files without a suffix'}."
    if PARSERS[suffix] == _PICTURES and not rules.ocr:
        return "A picture: its text is read by OCR, which is off (RECITE_OCR)."
    return None


def parse(path: Path, rules: ReadingRules = DEFAULT_RULES) -> ParsedDocument:
    """Read one file, which may lie in an archive.

    Raises:
        DocumentUnsupportedError: no parser for the suffix.
        DocumentTooLargeError: over the size or page limit; judged before anything is read.
        DocumentEmptyError: zero bytes, only white space, or no text layer.
        DocumentEncryptedError: it asks for a password.
        DocumentEncodingError: text in no encoding that can be told.
        DocumentDamagedError: truncated, binary under a text name, or another kind of file than its suffix says.
        DocumentError: the file system refuses to give the file.
    """
    _parser_for(path)
    return parse_source(read_source(path, rules))


def parse_source(source: Source) -> ParsedDocument:
    """Read a file that is in memory already; raises what `parse` raises."""
    parser = _parser_for(source.path)
    check_signature(source)
    return _encodable(parser_of(parser)(source))


def _encodable(document: ParsedDocument) -> ParsedDocument:
    """The same without halves of surrogate pairs, which escapes in a file can write and no store can hold."""
    text, title = (_SURROGATE.sub("\ufffd", words) for words in (document.text, document.title))
    if text == document.text and title == document.title:
        return document
    blocks = tuple(
        replace(
            block,
            header=_SURROGATE.sub("\ufffd", block.header),
            location=replace(
                block.location, heading=tuple(_SURROGATE.sub("\ufffd", part) for part in block.location.heading)
            ),
        )
        for block in document.blocks
    )
    return replace(document, text=text, title=title, blocks=blocks)


def _parser_for(path: Path) -> str:
    suffix = path.suffix.lower()
    if is_archive(path):
        raise DocumentUnsupportedError(f"{path.name} is an archive: take it in whole, and each file in it is read.")
    if suffix not in PARSERS:
        read = sorted(suffix for suffix, name in PARSERS.items() if name != _REFUSING)
        raise DocumentUnsupportedError(
            f"{path.name} is of a kind that is not read ({path.suffix or 'no suffix'}). Supported: {' '.join(read)}."
        )
    return PARSERS[suffix]


def parser_of(name: str) -> Parser:
    """The parser that an entry of `PARSERS` names."""
    parser: Parser = resolve_name(f"{__name__}.{name}")
    return parser
