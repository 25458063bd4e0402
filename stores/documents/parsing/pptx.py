"""PowerPoint decks: each slide's title, shapes (also grouped), tables, charts and notes."""

from collections.abc import Iterable, Iterator

import pptx
from pptx.chart.chart import Chart
from pptx.oxml import parse_xml
from pptx.oxml.xmlchemy import BaseOxmlElement
from pptx.shapes.autoshape import Shape
from pptx.shapes.base import BaseShape
from pptx.shapes.graphfrm import GraphicFrame
from pptx.shapes.group import GroupShape
from pptx.slide import Slide
from pptx.table import Table

from stores.documents.document import Location, ParsedDocument
from stores.documents.parsing.assembly import Assembly
from stores.documents.parsing.office import open_package
from stores.documents.parsing.source import Source
from stores.documents.parsing.tables import Cell, table_text
from stores.errors import DocumentDamagedError, DocumentEmptyError, DocumentTooLargeError

_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_DIAGRAM = "/diagramData"
_DRAWING_TEXT = "{http://schemas.openxmlformats.org/drawingml/2006/main}t"


def parse_pptx(source: Source) -> ParsedDocument:
    """Every block stands on one slide, under the slide's title. Notes follow with the header `notes`.

    Raises:
        DocumentError: see `open_package`.
        DocumentEmptyError: no slide holds text.
    """
    deck = open_package(source, "ppt/presentation.xml", "PowerPoint", pptx.Presentation)
    assembly, first_title = Assembly(), ""
    try:
        slides = list(deck.slides)
        if len(slides) > source.rules.pages:
            raise DocumentTooLargeError(
                f"{source.name} has {len(slides)} slides; the limit is {source.rules.pages}. "
                "Split the file, or raise RECITE_MAX_PAGES."
            )
        for number, slide in enumerate(slides, start=1):
            title = _write_slide(assembly, number, slide)
            first_title = first_title or title
    except (KeyError, AttributeError, ValueError, SyntaxError) as error:
        raise DocumentDamagedError(f"{source.name} has a broken slide ({error}). Give an intact copy.") from error
    text, blocks = assembly.finish()
    if not blocks:
        raise DocumentEmptyError(f"{source.name} holds no text, perhaps only pictures. Export it as PDF and give that.")
    return ParsedDocument(
        text=text,
        blocks=blocks,
        title=first_title or source.path.stem,
        media_type="application/vnd.openxmlformats-officedocument.presentationml.presentation",
        pages=len(slides),
    )


def _write_slide(assembly: Assembly, number: int, slide: Slide) -> str:
    """Write one slide and say its title."""
    title_shape = slide.shapes.title
    title = " ".join(title_shape.text_frame.text.split()) if title_shape is not None else ""
    assembly.leave_sections()
    assembly.place = Location(slide=number)
    assembly.heading(1, title)
    for shape in _shapes(slide.shapes):
        if title_shape is None or shape.shape_id != title_shape.shape_id:
            _write_shape(assembly, shape)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        assembly.add(_clean(slide.notes_slide.notes_text_frame.text), header="notes")
    return title


def _shapes(shapes: Iterable[BaseShape]) -> Iterator[BaseShape]:
    """Shapes in order, groups opened."""
    for shape in shapes:
        if isinstance(shape, GroupShape):
            yield from _shapes(shape.shapes)
        else:
            yield shape


def _write_shape(assembly: Assembly, shape: BaseShape) -> None:
    if isinstance(shape, Shape):
        assembly.add(_clean(shape.text_frame.text))
    elif isinstance(shape, GraphicFrame) and shape.has_table:
        _write_rows(assembly, list(_table_rows(shape.table)))
    elif isinstance(shape, GraphicFrame) and shape.has_chart:
        _write_rows(assembly, list(_chart_rows(shape.chart)))
    else:
        assembly.add(_diagram_text(shape))


def _write_rows(assembly: Assembly, rows: list[list[Cell]]) -> None:
    table = table_text(rows)
    if table:
        assembly.add(table.text, "table", header=table.header)


def _table_rows(table: Table) -> Iterator[list[Cell]]:
    for row in table.rows:
        yield [
            Cell(cell.text, cell.span_width if cell.is_merge_origin else 1, cell.span_height)
            if cell.is_merge_origin
            else Cell(cell.text)
            for cell in row.cells
            if not cell.is_spanned
        ]


def _chart_rows(chart: Chart) -> Iterator[list[Cell]]:
    """Categories down, series across, under the chart's title."""
    title = chart.chart_title.text_frame.text if chart.has_title and chart.chart_title.has_text_frame else ""
    # By XML: python-pptx refuses the kinds of plot that it does not know.
    series = list(chart.element.iter(f"{_CHART}ser"))
    columns = [_points(one, "val") or _points(one, "yVal") for one in series]
    labels = _points(series[0], "cat") or _points(series[0], "xVal") if series else []
    yield [Cell(title), *(Cell(" ".join(_points(one, "tx"))) for one in series)]
    for position, label in enumerate(labels):
        yield [Cell(label), *(Cell(column[position] if position < len(column) else "") for column in columns)]


def _points(series: BaseOxmlElement, part: str) -> list[str]:
    """The cached values of one part of a series, as written."""
    return [
        value.text or ""
        for holder in series.iterchildren(f"{_CHART}{part}")
        for point in holder.iter(f"{_CHART}pt")
        for value in point.iterchildren(f"{_CHART}v")
    ]


def _diagram_text(shape: BaseShape) -> str:
    """The words of a SmartArt diagram, which lie in a part of their own."""
    parts: list[str] = []
    for element in shape.element.iter("{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"):
        key = element.get("{http://schemas.openxmlformats.org/officeDocument/2006/relationships}dm")
        relation = shape.part.rels.get(key)
        if relation is not None and relation.reltype.endswith(_DIAGRAM):
            parts.extend(_words(relation.target_part.blob))
    return "\n".join(parts)


def _words(diagram: bytes) -> Iterator[str]:
    for text in parse_xml(diagram).iter(_DRAWING_TEXT):
        if text.text:
            yield text.text


def _clean(text: str) -> str:
    """Vertical tabs are line breaks within a paragraph."""
    return text.replace("\v", "\n")
