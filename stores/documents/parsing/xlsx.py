"""Excel workbooks: each visible sheet a section, its rows a table whose header goes with every row."""

from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta
from io import BytesIO
from itertools import chain, islice
from typing import Any

from openpyxl import load_workbook
from openpyxl.workbook import Workbook

from stores.documents.archives import BROKEN
from stores.documents.document import ParsedDocument
from stores.documents.parsing.assembly import Assembly
from stores.documents.parsing.office import open_package
from stores.documents.parsing.source import Source
from stores.documents.parsing.tables import Cell, table_text
from stores.errors import DocumentDamagedError, DocumentEmptyError, DocumentTooLargeError

_HEADER_WITHIN = 10
_MAX_COLUMNS = 16_384
_EXACT = 1e15
"""Whole numbers below this are written without a decimal point, as Excel shows them."""


def parse_xlsx(source: Source) -> ParsedDocument:
    """Values as the file holds them (formulas by their last result), dates in ISO form. `pages` counts the sheets.

    Rows above the column names are a section's prose: a title, a date of issue. Hidden sheets and charts are left
    out.

    Raises:
        DocumentError: see `open_package`.
        DocumentTooLargeError: more written cells than the rules allow.
        DocumentEmptyError: no cell holds anything.
    """
    workbook = open_package(source, "xl/workbook.xml", "Excel", _open)
    assembly, budget = Assembly(), _Budget(source)
    try:
        sheets = [sheet for sheet in workbook.worksheets if sheet.sheet_state == "visible"]
        for sheet in sheets:
            sheet.reset_dimensions()  # they may claim a million columns
            assembly.leave_sections()
            _write_sheet(assembly, sheet.title, budget.counted(sheet.iter_rows(values_only=True)))
    except (*BROKEN, KeyError, TypeError, AttributeError, SyntaxError, IndexError) as error:
        raise DocumentDamagedError(f"{source.name} has a broken sheet ({error}). Give an intact copy.") from error
    finally:
        workbook.close()
    text, blocks = assembly.finish()
    if not any(block.kind == "table" for block in blocks):
        raise DocumentEmptyError(f"{source.name} holds no cell with text in its visible sheets.")
    return ParsedDocument(
        text=text,
        blocks=blocks,
        title=source.path.stem,
        media_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        pages=len(sheets),
    )


def _open(file: BytesIO) -> Workbook:
    return load_workbook(file, read_only=True, data_only=True, keep_links=False)


class _Budget:
    """Counts the written cells of all sheets."""

    def __init__(self, source: Source) -> None:
        self._name, self._limit, self._cells = source.name, source.rules.cells, 0

    def counted(self, rows: Iterable[tuple[Any, ...]]) -> Iterator[list[str]]:
        """The rows that hold something, as words."""
        for row in rows:
            cells = [_words(value) for value in row[:_MAX_COLUMNS]]
            while cells and not cells[-1]:
                cells.pop()
            self._cells += len(cells)
            if self._cells > self._limit:
                raise DocumentTooLargeError(f"{self._name} has more than {self._limit} cells. Split the workbook.")
            if cells:
                yield cells


def _write_sheet(assembly: Assembly, title: str, rows: Iterator[list[str]]) -> None:
    first = list(islice(rows, _HEADER_WITHIN))
    if not first:
        return
    assembly.heading(1, title)
    header = _header_row(first)
    for row in first[:header]:
        assembly.add(" ".join(cell for cell in row if cell), tight=True)
    body = list(chain(first[header:], rows))
    columns = [place for place in range(max(map(len, body))) if any(place < len(row) and row[place] for row in body)]
    cells = [[Cell(row[place] if place < len(row) else "") for place in columns] for row in body]
    table = table_text(cells)
    if table:
        assembly.add(table.text, "table", header=table.header)


def _header_row(rows: list[list[str]]) -> int:
    """Where the column names stand: the first row that fills half of the columns."""
    width = max(sum(map(bool, row)) for row in rows)
    return next((place for place, row in enumerate(rows) if 2 * sum(map(bool, row)) > width), 0)


def _words(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case float():
            return str(int(value)) if value.is_integer() and abs(value) < _EXACT else repr(value)
        case datetime():
            return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
        case date() | time():
            return value.isoformat()
        case timedelta():
            return str(value)
        case _:
            return " ".join(str(value).split())
