"""Sensing: what is known of each unit of some passages beside a question, for the rule that decides."""

from collections.abc import Sequence

from graph.models.answer_kinds import typed
from graph.models.holding import Holding, is_foreign
from graph.models.sufficiency import Judge, Signals, agreement, margins
from graph.models.units import Unit
from graph.models.values import values_of
from graph.models.wording import Question

_ABOUT_THE_SAME = 0.4
"""The coverage from which two sentences are taken to speak of what the question asks."""
_READ = 24
"""At most so many units are shown to the cross-encoder: one costs about 10 ms."""


def signals_of(holding: Holding, question: Question, judge: Judge | None) -> list[Signals]:
    """What is known of each unit beside the question, in the order of the units.

    Raises:
        RerankFailedError: the cross-encoder cannot be read.
    """
    units = holding.units
    covered = [holding.share(question, index) for index in range(len(units))]
    lines = _judged(holding, question, covered, judge)
    shared = _shared(holding, question, covered)
    best = _best(holding, question, covered)
    breadth = agreement(list(best.values()))
    about = {number for number, share in best.items() if share >= _ABOUT_THE_SAME}
    together = agreement(list(lines.values()))
    ahead = dict(zip(lines, margins(list(lines.values())), strict=True))
    # What the cross-encoder was not shown is the least promising: it counts as the last of those it was.
    least, behind = min(lines.values(), default=0.0), min(ahead.values(), default=0.0)
    return [
        Signals(
            score=unit.passage.score,
            line=lines.get(index, least),
            margin=ahead.get(index, behind),
            agreement=together,
            covered=covered[index],
            breadth=breadth,
            absent=holding.absent(question, unit.passage.number),
            weakest=holding.weakest(question, index),
            shared=shared[index],
            others=len(about - {unit.passage.number}),
            typed=typed(question, unit.text),
            foreign=is_foreign(question, unit),
        )
        for index, unit in enumerate(units)
    ]


def _judged(holding: Holding, question: Question, covered: Sequence[float], judge: Judge | None) -> dict[int, float]:
    """What the cross-encoder says of the most promising units, by index."""
    if judge is None or not holding.units:
        return {}
    picked = sorted(range(len(holding.units)), key=lambda i: (-covered[i], i))[:_READ]
    said = judge([(question.text, told_alone(holding.units[index])) for index in picked])
    return dict(zip(picked, said, strict=True))


def told_alone(unit: Unit) -> str:
    """A unit as it can be understood alone: a row with its columns' names, a sentence under its heading."""
    text = unit.text
    if unit.header:
        text = "; ".join(f"{name}: {cell}" for name, cell in zip(unit.header, unit.cells, strict=True))
    about = unit.heading or unit.passage.context.rpartition("\n")[2]
    return f"{about}\n{text}" if about else text


def _best(holding: Holding, question: Question, covered: Sequence[float]) -> dict[int, float]:
    """By passage number: what its best sentence covers; sentences in the other language are left out."""
    best: dict[int, float] = {}
    for unit, share in zip(holding.units, covered, strict=True):
        if not is_foreign(question, unit):
            best[unit.passage.number] = max(share, best.get(unit.passage.number, 0.0))
    return best


def _shared(holding: Holding, question: Question, covered: Sequence[float]) -> list[int]:
    """For each unit: in how many other passages a sentence about the same says one of its values."""
    values = [values_of(unit.text, question) for unit in holding.units]
    said: dict[str, set[int]] = {}
    for unit, own, share in zip(holding.units, values, covered, strict=True):
        for value in own if share >= _ABOUT_THE_SAME else ():
            said.setdefault(value, set()).add(unit.passage.number)
    return [
        max((len(said.get(value, set()) - {unit.passage.number}) for value in own), default=0)
        for unit, own in zip(holding.units, values, strict=True)
    ]
