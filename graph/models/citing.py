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
    """A unit as one sentence with its number: `…。[2]`."""
    return f"{_sentence(unit)}[{unit.passage.number}]"


def laid_out(units: Sequence[Unit], form: Form, language: Language) -> str:
    """All quotations in the wanted form."""
    match form:
        case "text":
            return _as_text(units)
        case "list":
            return "\n".join(f"- {cited(unit)}" for unit in units)
        case "table":
            return _as_table(units, language)
        case _:
            assert_never(form)


def _as_text(units: Sequence[Unit]) -> str:
    """Sentences one after the other; rows, code and list items on lines of their own."""
    text = ""
    for index, unit in enumerate(units):
        own_line = unit.kind != "sentence" or unit.listed
        after_line = index > 0 and (units[index - 1].kind != "sentence" or units[index - 1].listed)
        glue = "\n\n" if own_line or after_line else ("" if unit.language == "zh" else " ")
        text += (glue if index else "") + cited(unit)
    return text


def _as_table(units: Sequence[Unit], language: Language) -> str:
    head = f"| {phrase('statement_column', language)} | {phrase('source', language)} |\n| --- | --- |"
    rows = [f"| {_sentence(unit).replace('|', '/')} | [{unit.passage.number}] |" for unit in units]
    return "\n".join([head, *rows])


def _sentence(unit: Unit) -> str:
    match unit.kind:
        case "sentence":
            return _closed(_without_markers(unit.text), unit.language)
        case "row":
            return _closed(_without_markers(_row(unit)), unit.language)
        case "code":
            return _code_span(unit.text) + " "
        case _:
            assert_never(unit.kind)


def _row(unit: Unit) -> str:
    """A row read out: with its columns' names where the passage holds them."""
    colon, comma = ("：", "，") if unit.language == "zh" else (": ", ", ")
    if not unit.header:
        return comma.join(cell for cell in unit.cells if cell)
    pairs = zip(unit.header, unit.cells, strict=True)
    return comma.join(f"{name}{colon}{cell}" if name else cell for name, cell in pairs if cell)


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
