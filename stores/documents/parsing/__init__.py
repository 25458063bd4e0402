"""Files to parsed documents: the table of formats and the one way in."""

from collections.abc import Mapping
from pathlib import Path
from pkgutil import resolve_name
from types import MappingProxyType

from stores.documents.document import ParsedDocument
from stores.documents.parsing.signatures import check_signature
from stores.documents.parsing.source import Parser, read_source
from stores.errors import DocumentUnsupportedError

PARSER_VERSION = "2"
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
        ".java": "java:parse_java",
        ".py": "python:parse_python",
        ".js": "javascript:parse_javascript",
        ".mjs": "javascript:parse_javascript",
        ".jsx": "javascript:parse_javascript",
        ".ts": "javascript:parse_javascript",
        ".sql": "script:parse_sql",
        ".sh": "script:parse_lines",
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
    }
)
"""Suffix, in lower case and with its dot, to module and parser. A module is imported when its first file comes: the
libraries behind them take most of a second, which a question need not wait for."""

SUPPORTED = frozenset(PARSERS)


def parse(path: Path) -> ParsedDocument:
    """Read one file.

    Raises:
        DocumentUnsupportedError: no parser for the suffix.
        DocumentTooLargeError: over the size or page limit; judged before anything is read.
        DocumentEmptyError: zero bytes, only white space, or no text layer.
        DocumentEncryptedError: it asks for a password.
        DocumentEncodingError: text in no encoding that can be told.
        DocumentDamagedError: truncated, binary under a text name, or another kind of file than its suffix says.
        DocumentError: the file system refuses to give the file.
    """
    name = PARSERS.get(path.suffix.lower())
    if name is None:
        raise DocumentUnsupportedError(
            f"{path.name} is of a kind that is not read ({path.suffix or 'no suffix'}). "
            f"Supported: {' '.join(sorted(SUPPORTED))}."
        )
    source = read_source(path)
    check_signature(source)
    return parser_of(name)(source)


def parser_of(name: str) -> Parser:
    """The parser that an entry of `PARSERS` names."""
    parser: Parser = resolve_name(f"{__name__}.{name}")
    return parser
