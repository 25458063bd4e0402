"""What a quoted unit brings along: the list it announces, the comment that says what a definition is for."""

import re

from graph.models.holding import Holding
from graph.models.units import Unit

MAX_LISTED = 20
"""A list that was asked for is quoted whole, a table's definition with its columns."""
_MOST_OF_COMMENT = 4
_CREATES = re.compile(r"CREATE\b", re.IGNORECASE)
_CREATES_TABLE = re.compile(r"CREATE\s+(?:TEMP(?:ORARY)?\s+)?TABLE\b", re.IGNORECASE)
_DEFINITION = re.compile(r"(?:@\w+|public|private|protected|static|def|class|async|function|export|interface|CREATE)\b")


def with_companions(holding: Holding, index: int, *, listing: bool) -> list[Unit]:
    """A unit with what it brings along: what it announces, and a definition's comment before it.

    `listing`: a list was asked for. Then all of it comes, also where the sentence that announces it only follows.
    """
    unit = holding.units[index]
    before = _documentation_of(holding, index) if unit.kind == "code" else []
    if unit.introduces or announces(unit):
        return [*before, unit, *_announced_by(holding, index)]
    return [*before, unit, *(_list_of(holding, index) if listing else [])]


def announces(unit: Unit) -> bool:
    """A table's definition says what it holds in the lines after it."""
    return unit.kind == "code" and _CREATES_TABLE.match(unit.text) is not None


def _list_of(holding: Holding, index: int) -> list[Unit]:
    """The list right after a unit, or after the sentence behind it that announces one."""
    unit = holding.units[index]
    for other in holding.neighbours(index):
        following = holding.units[other]
        if other > index and following.heading == unit.heading and following.introduces:
            return [following, *_announced_by(holding, other)]
    return _announced_by(holding, index) if unit.kind == "sentence" and not unit.listed else []


def _documentation_of(holding: Holding, index: int) -> list[Unit]:
    """What the comment before a definition says, or the one right after it, where documentation stands inside."""
    if not _DEFINITION.match(holding.units[index].text):
        return []
    before = _comment_from(holding, index, -1)
    return before[::-1][:_MOST_OF_COMMENT] if before else _comment_from(holding, index, 1)[:_MOST_OF_COMMENT]


def _comment_from(holding: Holding, index: int, step: int) -> list[Unit]:
    """The comment's units next to a definition, from it outwards; annotations stand between."""
    found: list[Unit] = []
    units, place = holding.units, index + step
    while 0 <= place < len(units) and units[place].passage is units[index].passage:
        if units[place].comment:
            found.append(units[place])
        elif found or step > 0 or not units[place].text.startswith("@"):
            break
        place += step
    return found


def _announced_by(holding: Holding, index: int) -> list[Unit]:
    """What a unit announces: the list, rows or code right after it, whole; behind a colon one sentence will do."""
    announced: list[Unit] = []
    first = holding.units[index]
    table = announces(first)
    for unit in holding.units[index + 1 : index + 1 + MAX_LISTED]:
        same = unit.passage is first.passage and unit.heading == first.heading
        listed = unit.listed or unit.kind != "sentence" or (first.introduces and not announced)
        alike = not announced or table or (unit.kind, unit.listed) == (announced[-1].kind, announced[-1].listed)
        if not same or not alike or (_CREATES.match(unit.text) if table else not listed):
            break
        announced.append(unit)
    return announced
