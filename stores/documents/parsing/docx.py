"""Word documents: the body in order, with tables, text boxes and notes at the place that holds them."""

import re
from collections.abc import Iterator

import docx
from docx.document import Document as WordDocument
from docx.oxml.ns import qn
from docx.oxml.parser import parse_xml
from docx.oxml.xmlchemy import BaseOxmlElement

from stores.documents.document import ParsedDocument
from stores.documents.parsing.assembly import Assembly
from stores.documents.parsing.office import open_package
from stores.documents.parsing.source import Source
from stores.documents.parsing.tables import Cell, table_text
from stores.errors import DocumentEmptyError

_P, _TBL, _TR, _TC, _SDT = qn("w:p"), qn("w:tbl"), qn("w:tr"), qn("w:tc"), qn("w:sdt")
_VALUE = qn("w:val")
_TEXT_BOX = qn("w:txbxContent")
_MATH_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
# Shown elsewhere (boxes, fallbacks repeat them), taken back (deleted, moved away), or instructions to Word.
_NOT_RUNNING_TEXT = frozenset({_TEXT_BOX, _FALLBACK, qn("w:del"), qn("w:moveFrom"), qn("w:instrText"), qn("w:rPr")})
_MARKS = {qn("w:tab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"}
_NOTES = {qn("w:footnoteReference"): "footnotes", qn("w:endnoteReference"): "endnotes"}
_HEADING = re.compile(r"(?:heading|标题|標題)\s*([1-9])\b", re.IGNORECASE)
_CONTENTS = re.compile(r"(?:toc|目录|目錄)\s*\d", re.IGNORECASE)


def parse_docx(source: Source) -> ParsedDocument:
    """Blocks by heading. The title is the paragraph of style Title, else the first heading, else the stem.

    Raises:
        DocumentError: see `open_package`.
        DocumentEmptyError: no text anywhere.
    """
    document = open_package(source, "word/document.xml", "Word", docx.Document)
    reading = _Reading(document)
    reading.body(document.element.body)
    text, blocks = reading.assembly.finish()
    if not blocks:
        raise DocumentEmptyError(f"{source.name} holds no text, perhaps only pictures. Export it as PDF and give that.")
    return ParsedDocument(
        text=text,
        blocks=blocks,
        title=reading.title or next((b.location.heading[0] for b in blocks if b.location.heading), source.path.stem),
        media_type="application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    )


class _Reading:
    """One walk through a document."""

    def __init__(self, document: WordDocument) -> None:
        self.assembly = Assembly()
        self.title = ""
        self._styles = {style.style_id: style for style in document.styles}
        self._notes = dict(_notes(document))
        self._in_list = False

    def body(self, container: BaseOxmlElement) -> None:
        """Write paragraphs and tables of the container in order; content controls are looked through."""
        for element in container:
            if element.tag == _P:
                self._paragraph(element)
            elif element.tag == _TBL:
                self._table(element)
            elif element.tag == _SDT:
                content = element.find(qn("w:sdtContent"))
                if content is not None:
                    self.body(content)

    def _paragraph(self, paragraph: BaseOxmlElement) -> None:
        text, style = running_text(paragraph).strip(), self._style_name(paragraph)
        level = self._heading_level(paragraph, style)
        if _CONTENTS.match(style):
            return
        if level and text:
            self.assembly.heading(level, text)
        elif text:
            if style.lower() in {"title", "标题"} and not self.title:
                self.title = " ".join(text.split())
            is_item = paragraph.find(f"{qn('w:pPr')}/{qn('w:numPr')}") is not None or style.startswith("List ")
            self.assembly.add(f"- {text}" if is_item else text, tight=is_item and self._in_list)
            self._in_list = is_item
        self._side_text(paragraph)

    def _side_text(self, container: BaseOxmlElement) -> None:
        """Text boxes and notes that hang on the container's paragraphs."""
        for box in _text_boxes(container):
            self.body(box)
        for reference, part in _NOTES.items():
            for element in container.iter(reference):
                number = str(element.get(qn("w:id")))
                note = self._notes.get((part, number), "")
                self.assembly.add(f"[^{number}]: {note}" if note else "")

    def _table(self, table: BaseOxmlElement) -> None:
        written = table_text(list(_rows(table)))
        if written:
            self.assembly.add(written.text, "table", header=written.header)
        self._side_text(table)

    def _style_name(self, paragraph: BaseOxmlElement) -> str:
        found = paragraph.find(f"{qn('w:pPr')}/{qn('w:pStyle')}")
        style = self._styles.get(found.get(_VALUE)) if found is not None else None
        return str(style.name or "") if style is not None else ""

    def _heading_level(self, paragraph: BaseOxmlElement, style_name: str) -> int:
        """1 to 9 by the style's name, by an outline level of paragraph or style, else 0."""
        named = _HEADING.match(style_name)
        if named:
            return int(named[1])
        outline = paragraph.find(f"{qn('w:pPr')}/{qn('w:outlineLvl')}")
        found = paragraph.find(f"{qn('w:pPr')}/{qn('w:pStyle')}")
        style = self._styles.get(found.get(_VALUE)) if found is not None else None
        for _ in range(10):  # styles are based on styles; a damaged file may have a circle
            if outline is not None or style is None:
                break
            outline = style.element.find(f"{qn('w:pPr')}/{qn('w:outlineLvl')}")
            style = getattr(style, "base_style", None)
        level = str(outline.get(_VALUE)) if outline is not None else ""
        return int(level) + 1 if level in set("012345678") else 0


def running_text(element: BaseOxmlElement) -> str:
    """The visible text of a paragraph, without its text boxes."""
    parts: list[str] = []
    for child in element:
        if child.tag in _NOT_RUNNING_TEXT or not isinstance(child.tag, str):
            continue
        if child.tag in {qn("w:t"), _MATH_TEXT}:
            parts.append(child.text or "")
        elif child.tag in _MARKS:
            parts.append(_MARKS[child.tag])
        elif child.tag in _NOTES:
            parts.append(f"[^{child.get(qn('w:id'))}]")
        elif not _is_hidden(child):
            parts.append(running_text(child))
    return "".join(parts)


def _is_hidden(element: BaseOxmlElement) -> bool:
    vanish = element.find(f"{qn('w:rPr')}/{qn('w:vanish')}") if element.tag == qn("w:r") else None
    return vanish is not None and vanish.get(_VALUE, "true") not in {"0", "false"}


def _text_boxes(container: BaseOxmlElement) -> Iterator[BaseOxmlElement]:
    """Outermost text boxes, without the copies that are kept for old programs."""
    for child in container:
        if child.tag == _FALLBACK:
            continue
        if child.tag == _TEXT_BOX:
            yield child
        else:
            yield from _text_boxes(child)


def _rows(table: BaseOxmlElement) -> Iterator[list[Cell]]:
    """Rows by XML, because real files have rows that are shorter than the grid."""
    above: dict[int, str] = {}
    for row in _through_controls(table, _TR):
        cells: list[Cell] = []
        column = 0
        for cell in _through_controls(row, _TC):
            properties = cell.find(qn("w:tcPr"))
            span = _number(properties, "w:gridSpan")
            merged = properties.find(qn("w:vMerge")) if properties is not None else None
            continued = merged is not None and merged.get(_VALUE, "continue") == "continue"
            text = above.get(column, "") if continued else _cell_text(cell)
            above[column] = text
            cells.append(Cell(text, span))
            column += span
        yield cells


def _through_controls(parent: BaseOxmlElement, tag: str) -> Iterator[BaseOxmlElement]:
    for child in parent:
        if child.tag == tag:
            yield child
        elif child.tag in {_SDT, qn("w:sdtContent"), qn("w:ins")}:
            yield from _through_controls(child, tag)


def _number(properties: BaseOxmlElement | None, name: str) -> int:
    found = properties.find(qn(name)) if properties is not None else None
    value = str(found.get(_VALUE)) if found is not None else "1"
    return max(1, int(value)) if value.isdigit() else 1


def _cell_text(cell: BaseOxmlElement) -> str:
    """Paragraphs on one line; a table in a cell is written row by row."""
    parts: list[str] = []
    for child in cell.iterchildren(_P, _TBL, _SDT):
        if child.tag == _P:
            parts.append(running_text(child).strip())
        elif child.tag == _TBL:
            parts.extend(" ".join(inner.text for inner in row if inner.text) for row in _rows(child))
        else:
            parts.extend(running_text(paragraph).strip() for paragraph in child.iter(_P))
    return " ".join(part for part in parts if part)


def _notes(document: WordDocument) -> Iterator[tuple[tuple[str, str], str]]:
    """Text of footnotes and endnotes by kind and number; separators have a type and are none."""
    for relation in document.part.rels.values():
        kind = relation.reltype.rsplit("/", 1)[-1]
        if kind not in _NOTES.values() or relation.is_external:
            continue
        for note in parse_xml(relation.target_part.blob):
            if note.get(qn("w:type")) is None:
                paragraphs = (running_text(paragraph).strip() for paragraph in note.iter(_P))
                yield (kind, str(note.get(qn("w:id")))), " ".join(filter(None, paragraphs))
