"""Lines that state nothing, such as headings and greetings, must not carry in what nobody has said before."""

import re
from collections.abc import Iterable

from nodes.citations.identifiers import holds_identifier, identifiers
from nodes.citations.material import read_material
from stores.documents.terms import fold

_DIGIT = re.compile(r"\d")
_FIGURE = re.compile(r"\d[\d.,:/-]{2,}")
"""Shorter ones number a step or a chapter."""


def names_unheard(line: str, known: Iterable[str]) -> bool:
    """Whether a line holds an identifier with a digit, or a longer figure, that stands in none of the `known` texts."""
    folded = fold(line)
    wanted = [one for one in identifiers(folded) if _DIGIT.search(one)]
    figures = [match[0].rstrip(".,:/-") for match in _FIGURE.finditer(folded)]
    if not wanted and not figures:
        return False
    texts = [read_material(text).folded for text in known]
    held = all(any(holds_identifier(text, one) for text in texts) for one in wanted)
    return not held or not all(any(figure in text for text in texts) for figure in figures)
