"""Jupyter notebooks: text cells by their headings, code cells as code, printed results after their cell."""

import json
import re
from typing import Any

from stores.documents.document import ParsedDocument
from stores.documents.parsing.assembly import Assembly
from stores.documents.parsing.encodings import read_text
from stores.documents.parsing.source import Source
from stores.errors import DocumentDamagedError, DocumentEmptyError

_HEADING = re.compile(r"(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*")
_FENCE = re.compile(r"[ \t]*(```+|~~~+)")
_MAX_OUTPUT = 4_000
"""Characters of one cell's results: a log says nothing more after its first screens."""


def parse_ipynb(source: Source) -> ParsedDocument:
    """Pictures and rich results are left out where they have no plain text.

    Raises:
        DocumentDamagedError: no notebook.
        DocumentEmptyError: no cell holds text.
    """
    text, encoding = read_text(source)
    cells = _cells(text, source.name)
    assembly = Assembly()
    for cell in cells:
        body = _joined(cell.get("source", cell.get("input", "")))
        if cell.get("cell_type") in {"markdown", "heading"}:
            _write_markdown(assembly, body)
        elif cell.get("cell_type") == "code":
            assembly.add(body, "code")
            assembly.add(_results(cell), "code")
        else:
            assembly.add(body)
    written, blocks = assembly.finish()
    if not blocks:
        raise DocumentEmptyError(f"{source.name} holds no cell with text.")
    title = next((block.location.heading[0] for block in blocks if block.location.heading), source.path.stem)
    return ParsedDocument(
        text=written, blocks=blocks, title=title, media_type="application/x-ipynb+json", encoding=encoding
    )


def _cells(text: str, name: str) -> list[dict[str, Any]]:
    try:
        notebook = json.loads(text)
        sheets = [notebook] if "cells" in notebook else notebook["worksheets"]
        return [cell for sheet in sheets for cell in sheet["cells"] if isinstance(cell, dict)]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DocumentDamagedError(f"{name} cannot be read as a notebook ({error}). Give an intact copy.") from error


def _joined(lines: object) -> str:
    return "".join(map(str, lines)) if isinstance(lines, list) else str(lines)


def _write_markdown(assembly: Assembly, body: str) -> None:
    """Paragraphs as written; a line of `#` begins a section, except in fenced code."""
    paragraph: list[str] = []
    fence = ""
    for line in [*body.split("\n"), ""]:
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        heading = None if fence else _HEADING.fullmatch(line)
        if heading:
            assembly.add("\n".join(paragraph))
            paragraph = []
            assembly.heading(len(heading[1]), heading[2])
        else:
            paragraph.append(line)
    assembly.add("\n".join(paragraph))


def _results(cell: dict[str, Any]) -> str:
    outputs = cell.get("outputs")
    if not isinstance(outputs, list):
        return ""
    texts: list[str] = []
    for output in outputs:
        if not isinstance(output, dict):
            continue
        data = output.get("data")
        plain = data.get("text/plain", "") if isinstance(data, dict) else output.get("text", "")
        texts.append(_joined(plain))
    return "\n".join(text for text in texts if text.strip())[:_MAX_OUTPUT]
