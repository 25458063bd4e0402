"""Build the PDF, DOCX and PPTX of the examples from their text sources: `python examples/build.py`.

`sources/` mirrors `examples/`: `sources/a/b.pdf.source` becomes `a/b.pdf`. A source is a few lines of
Markdown: `#` and `##` headings, `|` table rows (the first is the header), `-` bullets, `===` between pages or
slides, and `>` for what stands beside the text (a text box in DOCX, the speaker's notes in PPTX). Equal
sources give equal bytes.
"""

import datetime as dt
import re
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, assert_never

import docx
import docx.oxml
import pptx
from docx.oxml.ns import nsdecls
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]
from fpdf import FPDF
from fpdf.enums import Align, WrapMode
from pptx.util import Cm

HERE = Path(__file__).parent
FONT = HERE / "fonts" / "WenQuanYiMicroHei-GB2312.ttf"
SUFFIX = ".source"
_BUILT_AT = dt.datetime(2025, 1, 1, tzinfo=dt.UTC)
_BREAK = "==="

BlockKind = Literal["title", "heading", "bullet", "aside", "paragraph", "table"]
_MARKS: dict[str, BlockKind] = {"# ": "title", "## ": "heading", "- ": "bullet", "> ": "aside"}


@dataclass(frozen=True, slots=True)
class SourceBlock:
    """One line of a source, or all the adjacent rows of one table."""

    kind: BlockKind
    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()


def build(sources: Path, target: Path) -> list[Path]:
    """Build every source below `sources` into the same place below `target`; returns the files written.

    Raises:
        ValueError: a source asks for a format that is not built here, or for a character the font lacks.
    """
    built = []
    for source in sorted(sources.rglob(f"*{SUFFIX}")):
        path = target / source.relative_to(sources).with_suffix("")
        writer = WRITERS.get(path.suffix)
        if writer is None:
            raise ValueError(f"{source}: no writer for {path.suffix!r}; there are {', '.join(WRITERS)}")
        path.parent.mkdir(parents=True, exist_ok=True)
        writer(pages_of(source.read_text(encoding="utf-8")), path)
        built.append(path)
    return built


def pages_of(source: str) -> list[list[SourceBlock]]:
    """The blocks of each page or slide, in order."""
    pages: list[list[SourceBlock]] = [[]]
    for line in source.splitlines():
        if line == _BREAK:
            pages.append([])
        elif line.startswith("|"):
            _add_row(pages[-1], line)
        elif line.strip():
            pages[-1].append(_block(line))
        else:
            pages[-1].append(SourceBlock("paragraph"))  # a blank line ends a table
    return [[block for block in page if block.text or block.rows] for page in pages]


def _block(line: str) -> SourceBlock:
    for mark, kind in _MARKS.items():
        if line.startswith(mark):
            return SourceBlock(kind, line.removeprefix(mark))
    return SourceBlock("paragraph", line)


def _add_row(page: list[SourceBlock], line: str) -> None:
    row = tuple(cell.strip() for cell in line.strip("|").split("|"))
    earlier = page.pop().rows if page and page[-1].kind == "table" else ()
    page.append(SourceBlock("table", rows=(*earlier, row)))


def write_pdf(pages: list[list[SourceBlock]], path: Path) -> None:
    """A4 pages with page numbers. Only the used characters of the font are embedded.

    Raises:
        ValueError: the font lacks a character.
    """
    _require_glyphs(pages, path)
    pdf = _NumberedPages()
    pdf.set_creation_date(_BUILT_AT)
    pdf.set_title(next(block.text for page in pages for block in page if block.kind == "title"))
    pdf.add_font("body", fname=FONT)
    for page in pages:
        pdf.add_page()
        for block in page:
            _write_pdf_block(pdf, block)
    pdf.output(str(path))


class _NumberedPages(FPDF):
    def footer(self) -> None:
        self.set_y(-15)
        self.set_font("body", size=9)
        self.cell(0, 8, f"第 {self.page_no()} 页", align="C")


def _write_pdf_block(pdf: FPDF, block: SourceBlock) -> None:
    def line(text: str, size: int, height: float) -> None:
        pdf.set_font("body", size=size)
        lines = _lines(text, width=pdf.epw - 3 * pdf.c_margin, measure=pdf.get_string_width)
        pdf.multi_cell(0, height, "\n".join(lines), align=Align.L, new_x="LMARGIN", new_y="NEXT")
        pdf.ln(2)

    match block.kind:
        case "title":
            line(block.text, 18, 11)
        case "heading":
            line(block.text, 14, 9)
        case "bullet":
            line(f"· {block.text}", 11, 7)
        case "paragraph" | "aside":
            line(block.text, 11, 7)
        case "table":
            pdf.set_font("body", size=10)
            with pdf.table(block.rows, first_row_as_headings=False, wrapmode=WrapMode.CHAR, line_height=7):
                pass
            pdf.ln(3)
        case _:
            assert_never(block.kind)


def _lines(text: str, *, width: float, measure: Callable[[str], float]) -> list[str]:
    """Break between Chinese characters, never inside a word; no line begins with a closing mark."""
    lines = [""]
    for piece in re.findall(r"(?:[!-~]+|.)[，。；：、）》？！]* ?", text):
        if lines[-1] and measure(lines[-1] + piece) > width:
            lines.append("")
        lines[-1] += piece
    return lines


def _require_glyphs(pages: list[list[SourceBlock]], path: Path) -> None:
    with TTFont(FONT, lazy=True) as font:
        known = font.getBestCmap()
    text = "".join(block.text + "".join(map("".join, block.rows)) for page in pages for block in page)
    missing = sorted({character for character in text if ord(character) not in known})
    if missing:
        raise ValueError(f"{path.name}: {FONT.name} has no glyph for {''.join(missing)}; choose other words")


def write_docx(pages: list[list[SourceBlock]], path: Path) -> None:
    """One document with real heading styles, tables and text boxes."""
    document = docx.Document()
    _freeze_properties(document.core_properties)
    for block in (block for page in pages for block in page):
        match block.kind:
            case "title":
                document.add_heading(block.text, level=1)
            case "heading":
                document.add_heading(block.text, level=2)
            case "bullet":
                document.add_paragraph(block.text, style="List Bullet")
            case "paragraph":
                document.add_paragraph(block.text)
            case "aside":
                document.add_paragraph().add_run()._r.append(_text_box(block.text))  # noqa: SLF001 — python-docx has no text boxes
            case "table":
                table = document.add_table(0, len(block.rows[0]), style="Table Grid")
                for row in block.rows:
                    _fill(table.add_row().cells, row)
            case _:
                assert_never(block.kind)
    document.save(str(path))
    _freeze_archive(path)


def _text_box(text: str) -> Any:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    return docx.oxml.parse_xml(
        f'<w:pict {nsdecls("w")} xmlns:v="urn:schemas-microsoft-com:vml">'
        '<v:shape style="width:420pt;height:60pt"><v:textbox><w:txbxContent>'
        f"<w:p><w:r><w:t>{escaped}</w:t></w:r></w:p>"
        "</w:txbxContent></v:textbox></v:shape></w:pict>"
    )


def write_pptx(pages: list[list[SourceBlock]], path: Path) -> None:
    """One slide a page: title, bullets, tables; asides become the speaker's notes."""
    deck = pptx.Presentation()
    _freeze_properties(deck.core_properties)
    for page in pages:
        bullets = [block.text for block in page if block.kind in {"bullet", "paragraph"}]
        slide = deck.slides.add_slide(deck.slide_layouts[1 if bullets else 5])
        slide.shapes.title.text = next(block.text for block in page if block.kind == "title")
        if bullets:
            slide.placeholders[1].text = "\n".join(bullets)
        for block in page:
            if block.kind == "table":
                _add_slide_table(slide, block.rows)
            if block.kind == "aside":
                slide.notes_slide.notes_text_frame.text = block.text
    deck.save(str(path))
    _freeze_archive(path)


def _add_slide_table(slide: Any, rows: tuple[tuple[str, ...], ...]) -> None:
    shape = slide.shapes.add_table(len(rows), len(rows[0]), Cm(1.5), Cm(5), Cm(22), Cm(1.2 * len(rows)))
    for written, row in zip(shape.table.rows, rows, strict=True):
        _fill(written.cells, row)


def _fill(cells: Iterable[Any], row: tuple[str, ...]) -> None:
    for cell, text in zip(cells, row, strict=True):
        cell.text = text


def _freeze_properties(properties: Any) -> None:
    properties.author = "Recite"
    properties.created = properties.modified = _BUILT_AT.replace(tzinfo=None)


def _freeze_archive(path: Path) -> None:
    """Write the members anew with one date, so that equal sources give equal bytes."""
    with zipfile.ZipFile(path) as archive:
        members = [(item.filename, archive.read(item)) for item in archive.infolist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name, _BUILT_AT.timetuple()[:6]), data, zipfile.ZIP_DEFLATED)


WRITERS: Mapping[str, Callable[[list[list[SourceBlock]], Path], None]] = {
    ".pdf": write_pdf,
    ".docx": write_docx,
    ".pptx": write_pptx,
}


if __name__ == "__main__":
    for written in build(HERE / "sources", HERE):
        print(f"{written.relative_to(HERE)}: {written.stat().st_size} bytes")
