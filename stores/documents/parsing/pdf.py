"""PDF: text in reading order page by page, headings from the outline. No OCR."""

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from threading import Lock

import pypdfium2 as pdfium
from pypdf import PdfReader
from pypdf.errors import PyPdfError
from pypdf.generic import Destination

from stores.counting import counted
from stores.documents.document import Location, ParsedDocument
from stores.documents.parsing.assembly import Assembly
from stores.documents.parsing.source import MAX_PAGES, Source
from stores.errors import (
    DocumentDamagedError,
    DocumentEmptyError,
    DocumentEncryptedError,
    DocumentTooLargeError,
)

_PDFIUM = Lock()
"""pdfium keeps global state: one document at a time in a process."""

_END_MARK = b"%%EOF"
_END_MARK_WITHIN = 8192
# pdfium's sign for a hyphen at a line's end: the word goes on in the next line.
_HYPHENATED = re.compile("[\ufffe\x02][ \t]*\n?[ \t]*")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]")
_NO_TITLE = re.compile(r"^(?:untitled|microsoft \w+ ?-.*|.*\.\w{2,4}|\W*)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Heading:
    page: int
    level: int
    title: str


def parse_pdf(source: Source) -> ParsedDocument:
    """Every block stands on one page. Pages without text are left out; `pages` counts them too.

    Raises:
        DocumentEncryptedError: it asks for a password to be opened. Print and copy restrictions do not matter.
        DocumentDamagedError: truncated or not readable.
        DocumentTooLargeError: more than `MAX_PAGES` pages.
        DocumentEmptyError: no page has a text layer.
    """
    if _END_MARK not in source.data[-_END_MARK_WITHIN:]:
        raise DocumentDamagedError(f"{source.name} has no end mark: it is truncated. Give a complete copy.")
    title, headings = _outline(source)
    with _PDFIUM:
        pages = _page_texts(source)
    assembly = Assembly()
    for number, text in enumerate(pages, start=1):
        assembly.place = Location(page=number)
        _write_page(assembly, text, [heading for heading in headings if heading.page == number])
    text, blocks = assembly.finish()
    if not blocks:
        raise DocumentEmptyError(
            f"{source.name} has no text layer ({counted(len(pages), 'page')} of images). "
            "OCR is not part of this installation: run OCR on the file first."
        )
    return ParsedDocument(
        text=text,
        blocks=blocks,
        title=title or source.path.stem,
        media_type="application/pdf",
        pages=len(pages),
    )


def _page_texts(source: Source) -> list[str]:
    try:
        document = pdfium.PdfDocument(source.data)
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) == pdfium.raw.FPDF_ERR_PASSWORD:
            raise DocumentEncryptedError(
                f"{source.name} is password-protected. Save a copy without a password and give that."
            ) from error
        raise DocumentDamagedError(f"{source.name} cannot be read as a PDF ({error}). Give an intact copy.") from error
    try:
        if len(document) > MAX_PAGES:
            raise DocumentTooLargeError(
                f"{source.name} has {len(document)} pages; the limit is {MAX_PAGES}. Split the file."
            )
        if not len(document):
            raise DocumentDamagedError(f"{source.name} has no pages. Give an intact copy.")
        return [_page_text(document, index) for index in range(len(document))]
    finally:
        document.close()


def _page_text(document: pdfium.PdfDocument, index: int) -> str:
    try:
        page = document[index]
    except pdfium.PdfiumError:
        return ""  # one broken page does not lose the others
    try:
        text_page = page.get_textpage()
        raw = str(text_page.get_text_range(errors="ignore"))
        text_page.close()
    finally:
        page.close()
    text = raw.replace("\r\n", "\n").replace("\r", "\n")
    text = _UNPRINTABLE.sub("", _HYPHENATED.sub("", text))
    return "\n".join(line.rstrip() for line in text.split("\n")).strip()


def _write_page(assembly: Assembly, text: str, headings: Sequence[_Heading]) -> None:
    """The page's text; a heading of the outline begins a section where its words stand in a line of their own."""
    position = 0
    for heading in headings:
        start, end = _find_heading(text, heading.title, position)
        assembly.add(text[position:start])
        assembly.heading(heading.level, heading.title if start == end else text[start:end])
        position = end
    assembly.add(text[position:])


def _find_heading(text: str, title: str, position: int) -> tuple[int, int]:
    """Where the heading's line is from `position` on; an empty range at `position` when it is not on the page."""
    words = [re.escape(word) for word in title.split()]
    line = re.compile(r"^[ \t]*(?:[\w.]+[ \t]+)?" + r"\s+".join(words) + r"[ \t]*$", re.MULTILINE)
    found = line.search(text, position)
    return found.span() if found else (position, position)


def _outline(source: Source) -> tuple[str, list[_Heading]]:
    """Title and outline as the file states them; a file whose outline is broken has none."""
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(BytesIO(source.data))
        title = (reader.metadata.title if reader.metadata else None) or ""
        headings = list(_headings(reader, reader.outline, 1))
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OSError):
        return "", []
    title = " ".join(str(title).split())
    return ("" if _NO_TITLE.match(title) else title), headings


def _headings(reader: PdfReader, entries: Sequence[object], level: int) -> Iterator[_Heading]:
    for entry in entries:
        if isinstance(entry, Destination):
            page = reader.get_destination_page_number(entry)
            title = " ".join(str(entry.title or "").split())
            if page is not None and page >= 0 and title:
                yield _Heading(page + 1, level, title)
        elif isinstance(entry, list):
            yield from _headings(reader, entry, level + 1)
