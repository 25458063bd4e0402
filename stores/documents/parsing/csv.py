"""CSV and TSV: the rows as written, one line each; the header line goes with every row."""

import csv
import re
from itertools import islice

from stores.documents.document import Block, Location, ParsedDocument
from stores.documents.parsing.encodings import read_text
from stores.documents.parsing.regions import Lines
from stores.documents.parsing.source import Source

_DELIMITERS = ",;\t|"
_SAMPLE = 50
_HEADER_WITHIN = 5
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_NUMBER = re.compile(r"[-+]?[\d.,]+%?")


def parse_csv(source: Source) -> ParsedDocument:
    """One block of kind table. A line break inside a quoted cell becomes a space, so that a row is one line;
    only then line numbers are not told.
    """
    written, encoding = read_text(source)
    text = _one_line_rows(written)
    header_line = _header_line(text)
    lines = Lines(text)
    start = lines.start(header_line) if header_line else len(text) - len(text.lstrip("\n\r "))
    end = len(text.rstrip())
    header = text[start : lines.start(header_line + 1)].rstrip("\n") if header_line else ""
    before = len(text[:start].strip()) > 0
    blocks = [_block(len(text) - len(text.lstrip()), len(text[:start].rstrip()), lines)] if before else []
    blocks.append(_block(start, end, lines, header if end > start + len(header) else ""))
    if text != written:
        blocks = [Block(start=b.start, end=b.end, kind=b.kind, location=Location(), header=b.header) for b in blocks]
    return ParsedDocument(
        text=text,
        blocks=tuple(blocks),
        title=source.path.stem,
        media_type="text/tab-separated-values" if source.suffix == ".tsv" else "text/csv",
        encoding=encoding,
    )


def _block(start: int, end: int, lines: Lines, header: str = "") -> Block:
    return Block(
        start=start,
        end=end,
        kind="table",
        location=Location(lines=lines.span(start, max(end, start + 1))),
        header=header,
    )


def _one_line_rows(text: str) -> str:
    """Rows without the line breaks that stand inside quotes; as it is where the quotes do not match up."""
    if text.count('"') % 2:
        return text
    return _QUOTED.sub(lambda cell: cell[0].replace("\n", " "), text)


def _header_line(text: str) -> int:
    """The line, from 1, of the column names: the first that fills most columns and holds no number; 0 if none does."""
    sample = list(islice((line for line in text.split("\n")), _SAMPLE))
    delimiter = _delimiter(sample)
    rows = [next(csv.reader([line], delimiter=delimiter), []) for line in sample]
    width = max((len(row) for row in rows), default=0)
    for number, row in enumerate(rows[:_HEADER_WITHIN], start=1):
        filled = [cell.strip() for cell in row if cell.strip()]
        if filled and 2 * len(filled) >= width:
            return 0 if all(_NUMBER.fullmatch(cell) for cell in filled) else number
    return 0


def _delimiter(lines: list[str]) -> str:
    """The one whose number per line varies least, among those that stand in most lines; else the comma."""
    best, least = ",", float("inf")
    written = [line for line in lines if line.strip()]
    for delimiter in _DELIMITERS:
        counts = [_QUOTED.sub("", line).count(delimiter) for line in written]
        present = [count for count in counts if count]
        if 2 * len(present) >= len(counts) > 0:
            mean = sum(counts) / len(counts)
            spread = sum(abs(count - mean) for count in counts) / len(counts) / mean
            if spread < least:
                best, least = delimiter, spread
    return best
