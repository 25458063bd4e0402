"""Files to parsed documents: the table of formats and the one way in."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from stores.documents.document import ParsedDocument
from stores.documents.parsing.configuration import parse_configuration
from stores.documents.parsing.docx import parse_docx
from stores.documents.parsing.html import parse_html
from stores.documents.parsing.java import parse_java
from stores.documents.parsing.javascript import parse_javascript
from stores.documents.parsing.markdown import parse_markdown
from stores.documents.parsing.pdf import parse_pdf
from stores.documents.parsing.plain import parse_plain
from stores.documents.parsing.pptx import parse_pptx
from stores.documents.parsing.python import parse_python
from stores.documents.parsing.script import parse_lines, parse_sql
from stores.documents.parsing.signatures import check_signature
from stores.documents.parsing.source import Parser, read_source
from stores.documents.parsing.xml import parse_xml
from stores.errors import DocumentUnsupportedError

PARSER_VERSION = "1"
"""Raised whenever a parser gives other text or blocks for the same file; an index of another version is rebuilt."""

PARSERS: Mapping[str, Parser] = MappingProxyType(
    {
        ".md": parse_markdown,
        ".markdown": parse_markdown,
        ".txt": parse_plain,
        ".text": parse_plain,
        ".html": parse_html,
        ".htm": parse_html,
        ".xhtml": parse_html,
        ".pdf": parse_pdf,
        ".docx": parse_docx,
        ".pptx": parse_pptx,
        ".java": parse_java,
        ".py": parse_python,
        ".js": parse_javascript,
        ".mjs": parse_javascript,
        ".jsx": parse_javascript,
        ".ts": parse_javascript,
        ".sql": parse_sql,
        ".sh": parse_lines,
        ".jsp": parse_lines,
        ".jspf": parse_lines,
        ".tag": parse_lines,
        ".xml": parse_xml,
        ".tld": parse_xml,
        ".jspx": parse_xml,
        ".yml": parse_configuration,
        ".yaml": parse_configuration,
        ".properties": parse_configuration,
        ".json": parse_configuration,
        ".toml": parse_configuration,
        ".ini": parse_configuration,
    }
)
"""Suffix, in lower case and with its dot, to parser."""

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
    parser = PARSERS.get(path.suffix.lower())
    if parser is None:
        raise DocumentUnsupportedError(
            f"{path.name} is of a kind that is not read ({path.suffix or 'no suffix'}). "
            f"Supported: {' '.join(sorted(SUPPORTED))}."
        )
    source = read_source(path)
    check_signature(source)
    return parser(source)
