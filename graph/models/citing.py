"""Write quotations as an answer: each with its number, as text, list or table."""

import re
from collections.abc import Sequence
from typing import assert_never

from graph.models.language import Language
from graph.models.phrases import phrase
from graph.models.preferences import Form
from graph.models.units import Unit

_CLOSED = re.compile(r"[。！？；…!?;.][”’」』）)\]\"']*$")
_MARKERS = re.compile(r"\[(?=\s*\d[\d\s,，、\-]*\])|【(?=\s*\d+\s*】)")


def cited(unit: Unit) -> str:
    """A unit as one sentence with its number: `…。[2]`; a row as its cells, `… | … [2]`."""
    match unit.kind:
        case "sentence":
            return f"{_closed(_without_markers(unit.text), unit.language)}[{unit.passage.number}]"
        case "row":
            return f"{' | '.join(_cells(unit))} [{unit.passage.number}]"
        case "code":
            return f"{_code_span(unit.text)} [{unit.passage.number}]"
        case _:
            assert_never(unit.kind)


def laid_out(units: Sequence[Unit], form: Form, language: Language) -> str:
    """All quotations in the wanted form. Rows whose columns' names are known are a table in every form but the list."""
    match form:
        case "text":
            return _as_text(units)
        case "list":
            return "\n".join(f"- {cited(unit)}" for unit in units)
        case "table":
            return _as_tables(units, language)
        case _:
            assert_never(form)


def _as_text(units: Sequence[Unit]) -> str:
    """Sentences one after the other; tables, code and list items on lines of their own."""
    text, previous = "", None
    for block in _blocks(units):
        unit = block[0]
        alone = any(other.kind != "sentence" or other.listed for other in (unit, previous) if other is not None)
        glue = "\n\n" if alone else ("" if unit.language == "zh" else " ")
        text += (glue if previous else "") + (_table(block) if unit.header else cited(unit))
        previous = unit
    return text


def _as_tables(units: Sequence[Unit], language: Language) -> str:
    """Rows under their own columns' names, everything else in a table of one column."""
    blocks = _blocks(units)
    tables = [_table(block) for block in blocks if block[0].header]
    others = [f"| {cited(block[0])} |" for block in blocks if not block[0].header]
    if others:
        tables.append("\n".join([f"| {phrase('statement_column', language)} |", "| --- |", *others]))
    return "\n\n".join(tables)


def _blocks(units: Sequence[Unit]) -> list[list[Unit]]:
    """The units one by one, rows of one table together where the first of them stands."""
    blocks: list[list[Unit]] = []
    for unit in units:
        table = next((block for block in blocks if unit.header and _same_table(block[0], unit)), None)
        if table is None:
            blocks.append([unit])
        else:
            table.append(unit)
    return blocks


def _same_table(one: Unit, other: Unit) -> bool:
    return one.passage is other.passage and one.header == other.header


def _table(rows: Sequence[Unit]) -> str:
    """Rows as they stand in the document, under their columns' names; the number closes the last cell."""
    names = rows[0].header
    lines = [f"| {' | '.join(names)} |", f"|{' --- |' * len(names)}"]
    lines += [f"| {' | '.join(_cells(row))} [{row.passage.number}] |" for row in rows]
    return "\n".join(lines)


def _cells(unit: Unit) -> list[str]:
    return [_without_markers(cell) for cell in unit.cells]


def _without_markers(text: str) -> str:
    """Brackets around numbers in the document itself must not read as citations."""
    return _MARKERS.sub(
        "(", re.sub(r"(?<=\d)\s*[\]】](?!\()", lambda m: ")" if _opened(text, m.start()) else m[0], text)
    )


def _opened(text: str, position: int) -> bool:
    return re.search(r"[\[【]\s*\d[\d\s,，、\-]*$", text[:position]) is not None


def _closed(text: str, language: Language) -> str:
    stripped = text.rstrip()
    if stripped.endswith(("：", ":")) or _CLOSED.search(stripped):
        return stripped
    return stripped + ("。" if language == "zh" else ".")


def _code_span(code: str) -> str:
    longest = max((len(run) for run in re.findall("`+", code)), default=0)
    fence = "`" * (longest + 1)
    padded = f" {code} " if "`" in (code[:1], code[-1:]) else code
    return f"{fence}{padded}{fence}"
