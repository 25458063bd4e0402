"""PDF: text in reading order page by page, headings from the outline; pages without text by OCR where that is on."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import pypdfium2 as pdfium

from stores.documents.document import Location, ParsedDocument
from stores.documents.parsing.assembly import Assembly
from stores.documents.parsing.ocr import advice, text_of
from stores.documents.parsing.pdf_pages import Page, empty_reason, note_of, read_page
from stores.documents.parsing.source import Source
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
_NO_TITLE = re.compile(r"^(?:untitled|\(anonymous\)|microsoft \w+ ?-.*|.*\.\w{2,4}|\W*)$", re.IGNORECASE)
_MAX_HEADINGS = 10_000
_OCR_SCALE = 200 / 72
"""Pictures of pages are made with 200 dots per inch, as the recognition models were trained on."""
_OCR_BELOW = 20
"""A page with a picture and fewer letters than this is taken for a scan."""
_OCR_SIDE = 4_000
"""Longest side in pixels of a page's picture: a page may claim to be kilometres wide."""


@dataclass(frozen=True, slots=True)
class _Heading:
    page: int
    level: int
    title: str


def parse_pdf(source: Source) -> ParsedDocument:
    """Every block stands on one page. Pages without text are left out; `pages` counts them too, `note` names them.

    Raises:
        DocumentEncryptedError: it asks for a password to be opened. Print and copy restrictions do not matter.
        DocumentDamagedError: truncated or not readable.
        DocumentTooLargeError: more pages than the rules allow.
        DocumentEmptyError: no page has a text layer; the message says what the pages hold instead.
    """
    if _END_MARK not in source.data[-_END_MARK_WITHIN:]:
        raise DocumentDamagedError(f"{source.name} has no end mark: it is truncated. Give a complete copy.")
    with _PDFIUM:
        document = _opened(source)
        try:
            title, headings = _title(document), list(_headings(document))
            pages = [_page(document, index, source) for index in range(len(document))]
        finally:
            document.close()
    assembly = Assembly()
    for number, page in enumerate(pages, start=1):
        assembly.place = Location(page=number, ocr=page.ocr)
        _write_page(assembly, page.text, [heading for heading in headings if heading.page == number])
    text, blocks = assembly.finish()
    if not any(page.text for page in pages):
        raise DocumentEmptyError(f"{source.name} {empty_reason(pages)} {advice(source)}")
    return ParsedDocument(
        text=text,
        blocks=blocks,
        title=title or source.path.stem,
        media_type="application/pdf",
        pages=len(pages),
        note=note_of(pages),
    )


def _opened(source: Source) -> Any:
    try:
        document = pdfium.PdfDocument(source.data)
        pages = len(document)
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) == pdfium.raw.FPDF_ERR_PASSWORD:
            raise DocumentEncryptedError(
                f"{source.name} is password-protected. Save a copy without a password and give that."
            ) from error
        raise DocumentDamagedError(f"{source.name} cannot be read as a PDF ({error}). Give an intact copy.") from error
    if 0 < pages <= source.rules.pages:
        return document
    document.close()
    if pages:
        raise DocumentTooLargeError(
            f"{source.name} has {pages} pages; the limit is {source.rules.pages}. "
            "Split the file, or raise RECITE_MAX_PAGES."
        )
    raise DocumentDamagedError(f"{source.name} has no pages. Give an intact copy.")


def _page(document: Any, index: int, source: Source) -> Page:
    page = read_page(document, index)
    if source.rules.ocr and page.pictures and sum(map(str.isalnum, page.text)) < _OCR_BELOW:
        recognised = _recognised(document, index, source)
        return Page(text=recognised or page.text, pictures=True, ocr=bool(recognised))
    return page


def _recognised(document: Any, index: int, source: Source) -> str:
    page = document[index]
    try:
        scale = min(_OCR_SCALE, _OCR_SIDE / max(1.0, *page.get_size()))
        return text_of(page.render(scale=scale).to_numpy(), name=source.name)
    except pdfium.PdfiumError:
        return ""
    finally:
        page.close()


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


def _title(document: Any) -> str:
    try:
        title = " ".join(document.get_metadata_dict().get("Title", "").replace("\0", "").split())
    except (pdfium.PdfiumError, UnicodeDecodeError):
        return ""
    return "" if _NO_TITLE.match(title) else title


def _headings(document: Any) -> Iterator[_Heading]:
    """The outline as the file states it, as far as it can be read."""
    try:
        for count, bookmark in enumerate(document.get_toc()):
            destination = bookmark.get_dest()
            page = destination.get_index() if destination else None
            title = " ".join((bookmark.get_title() or "").replace("\0", "").split())
            if page is not None and page >= 0 and title:
                yield _Heading(page + 1, bookmark.level + 1, title)
            if count >= _MAX_HEADINGS:
                return
    except (pdfium.PdfiumError, UnicodeDecodeError):
        return
