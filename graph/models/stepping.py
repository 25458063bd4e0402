"""The offline model's steps: where the answer stands in a list, the whole list in its order."""

from collections.abc import Sequence

from graph.models.citing import cited
from graph.models.questions import asked
from graph.models.quoting import Material
from graph.models.units import Unit

MOST_STEPS = 12


def stepped(question: str, earlier: Sequence[str], material: Material) -> tuple[str, list[str]] | None:
    """The list that holds the answer, one numbered line a step; `None` where the answer stands in no list."""
    found = material.answers(asked(question, earlier))
    if not found:
        return None
    start = next((unit for unit in found if unit.introduces or unit.listed), None)
    if start is None:
        return None
    lead, steps = _list_around(start, material.units)
    if len(steps) < 2:  # noqa: PLR2004 - one line is no list
        return None
    lines = [f"{number}. {cited(unit)}" for number, unit in enumerate(steps[:MOST_STEPS], start=1)]
    return "\n".join([*([cited(lead), ""] if lead is not None else []), *lines]), []


def _list_around(unit: Unit, units: Sequence[Unit]) -> tuple[Unit | None, list[Unit]]:
    """The items of the list that a unit announces or stands in, and the sentence that announces them."""
    same = [one for one in units if one.passage is unit.passage and one.heading == unit.heading]
    place = same.index(unit)
    first = place + 1 if unit.introduces and not unit.listed else place
    while first > 0 and same[first - 1].listed and same[first].listed if first < len(same) else False:
        first -= 1
    last = first
    while last < len(same) and same[last].listed:
        last += 1
    lead = same[first - 1] if first > 0 and same[first - 1].introduces and not same[first - 1].listed else None
    return lead, same[first:last]
