"""Table cells to rows of text, one line a row: `| cell | cell |`, below a separator after the header rows."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell with the columns and rows that it covers."""

    text: str
    columns: int = 1
    rows: int = 1


@dataclass(frozen=True, slots=True)
class TableText:
    """A table in lines; `header` is its beginning, to be repeated with later rows."""

    text: str
    header: str


_MAX_SPAN = 200


def table_text(rows: Sequence[Sequence[Cell]], *, header_rows: int = 1) -> TableText | None:
    """Rows as lines. A cell over several rows is written in each of them, so that every row can be read alone.

    `None` when no cell holds text. A single row has no header.
    """
    grid = [row for row in _grid(rows) if any(row)]
    if not grid:
        return None
    lines = [_line(row) for row in grid]
    if len(lines) <= header_rows or not header_rows:
        return TableText("\n".join(lines), "")
    header = "\n".join([*lines[:header_rows], "|" + " --- |" * len(grid[0])])
    return TableText("\n".join([header, *lines[header_rows:]]), header)


def _grid(rows: Sequence[Sequence[Cell]]) -> list[list[str]]:
    grid: list[list[str]] = []
    hanging: dict[int, tuple[str, int]] = {}
    for row in rows:
        line: list[str] = []
        for cell in row:
            _take_hanging(line, hanging)
            text = " ".join(cell.text.split())
            for column in range(min(cell.columns, _MAX_SPAN)):
                written = text if column == 0 else ""
                if cell.rows > 1:
                    hanging[len(line)] = (written, min(cell.rows, _MAX_SPAN) - 1)
                line.append(written)
        _take_hanging(line, hanging)
        grid.append(line)
    return grid


def _take_hanging(line: list[str], hanging: dict[int, tuple[str, int]]) -> None:
    """Write the cells that reach down from above into the places they cover."""
    while len(line) in hanging:
        text, left = hanging.pop(len(line))
        if left > 1:
            hanging[len(line)] = (text, left - 1)
        line.append(text)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
