"""The pages of a PDF: their text, and what stands on those that have none."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pypdfium2 as pdfium

from stores.counting import counted

# pdfium's sign for a hyphen at a line's end: the word goes on in the next line.
_HYPHENATED = re.compile("[\ufffe\x02][ \t]*\n?[ \t]*")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff\ud800-\udfff]")
_OBJECTS = 2_000
"""So many objects of a page without text are looked at to say what it shows."""
_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What one page holds. `shapes`: drawn outlines, as of text converted to curves; `ocr`: its text was recognised."""

    text: str = ""
    pictures: bool = False
    shapes: bool = False
    broken: bool = False
    ocr: bool = False


def read_page(document: Any, index: int) -> Page:
    """The page's text; pictures and shapes are looked for where there is little of it."""
    try:
        page = document[index]
    except pdfium.PdfiumError:
        return Page(broken=True)  # one broken page does not lose the others
    try:
        text = _text(page)
        kinds = set() if len(text) > _OBJECTS // 10 else {found.type for found in islice(_objects(page), _OBJECTS)}
    except pdfium.PdfiumError:
        return Page(broken=True)
    finally:
        page.close()
    return Page(
        text=text,
        pictures=pdfium.raw.FPDF_PAGEOBJ_IMAGE in kinds,
        shapes=bool(kinds & {pdfium.raw.FPDF_PAGEOBJ_PATH, pdfium.raw.FPDF_PAGEOBJ_SHADING}),
    )


def empty_reason(pages: Sequence[Page]) -> str:
    """Why a document gave no text at all, as the end of a sentence that begins with its name."""
    number = counted(len(pages), "page")
    if any(page.pictures for page in pages):
        return f"has no text layer ({number} of images)."
    if any(page.shapes for page in pages):
        return f"has no text layer: its letters are drawn as outlines ({number}). Export it again with fonts."
    if any(page.broken for page in pages):
        return f"has no readable page ({number}, broken). Give an intact copy."
    return f"has no text layer ({number}, all blank)."


def note_of(pages: Sequence[Page]) -> str | None:
    """Which pages gave no text, for a document that gave some; `None` if all did or the others are blank."""
    lost = [number for number, page in enumerate(pages, start=1) if not page.text and page != Page()]
    if not lost:
        return None
    named = ", ".join(map(str, lost[:_NAMED])) + (", …" if len(lost) > _NAMED else "")
    return f"{len(lost)} of {counted(len(pages), 'page')} gave no text ({named}): images, outlines or broken."


def _text(page: Any) -> str:
    text_page = page.get_textpage()
    try:
        raw = str(text_page.get_text_range(errors="ignore"))
    finally:
        text_page.close()
    text = raw.replace("\r\n", "\n").replace("\r", "\n")
    text = _UNPRINTABLE.sub("", _HYPHENATED.sub("", text))
    return "\n".join(line.rstrip() for line in text.split("\n")).strip()


def _objects(page: Any) -> Any:
    return page.get_objects(max_depth=2)
