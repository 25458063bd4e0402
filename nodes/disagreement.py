"""Disagreements of the evidence on what the answer states: found by the application, told in one checked line each."""

from collections.abc import Sequence
from dataclasses import dataclass

from nodes.citations.conflicts import Conflict, Source, Told, conflicts
from nodes.citations.inert import inert_line
from nodes.citations.support import Support
from nodes.citations.verdicts import SentenceVerdict
from nodes.prompting import Passages
from nodes.spoken import is_chinese
from nodes.state import State
from nodes.turn import question_of

LONGEST = 120
"""So many characters of each side are quoted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """One line for the reader, the numbers shown so far with its own, and what the citations of both sides rest on."""

    line: str
    shown: Sequence[int]
    verdicts: Sequence[SentenceVerdict]


def disagreements(state: State, passages: Passages) -> list[Disagreement]:
    """Each disagreement on a value that the answer states and cites from one side only."""
    found = conflicts(_stated(state), _sources(state, passages), question_of(state)) if state.released else []
    told: list[Disagreement] = []
    shown = list(state.shown)
    for conflict in found:
        sides = (conflict.one, conflict.other)
        shown += [side.number for side in sides if side.number not in shown]
        numbers = [shown.index(side.number) + 1 for side in sides]
        told.append(
            Disagreement(
                line=_line(conflict, numbers, sources=passages, state=state),
                shown=tuple(shown),
                verdicts=[_verdict(side, number) for side, number in zip(sides, numbers, strict=True)],
            )
        )
    return told


def _stated(state: State) -> list[tuple[str, list[int]]]:
    """The sentences of the answer, each with the internal numbers of the passages that it cites."""
    return [
        (one["text"], [state.shown[number - 1] for number in one["numbers"] if number <= len(state.shown)])
        for one in state.sentences
        if one["verdict"] in {"pass", "repaired"} and one["numbers"]
    ]


def _sources(state: State, passages: Passages) -> dict[int, Source]:
    found = {item.number: passages[item.chunk_id] for item in state.evidence if item.chunk_id in passages}
    return {
        number: Source(number, document.document_id, document.title, document.path, chunk.text, chunk.context)
        for number, (chunk, document) in found.items()
    }


def _line(conflict: Conflict, numbers: Sequence[int], *, sources: Passages, state: State) -> str:
    chinese = is_chinese(question_of(state))
    titles = {item.number: sources[item.chunk_id][1].title for item in state.evidence if item.chunk_id in sources}
    one, other = conflict.one, conflict.other
    told = [
        _side(side, titles[side.number], number, newer=side.age.newer_than(against.age), chinese=chinese)
        for side, against, number in ((one, other, numbers[0]), (other, one, numbers[1]))
    ]
    return f"资料之间不一致：{told[0]}；{told[1]}。" if chinese else f"The sources disagree: {told[0]}; {told[1]}."


def _side(side: Told, title: str, number: int, *, newer: bool, chinese: bool) -> str:
    clause = inert_line(side.clause).rstrip("。.；;,，")
    quoted = clause if len(clause) <= LONGEST else clause[:LONGEST] + "…"
    dated = [str(side.age), ("较新" if chinese else "newer") if newer else ""]
    when = ("，" if chinese else ", ").join(filter(None, dated))
    if chinese:
        return f"《{inert_line(title)}》{f'（{when}）' if when else ''}写“{quoted}”[{number}]"
    return f"“{inert_line(title)}”{f' ({when})' if when else ''} says “{quoted}” [{number}]"


def _verdict(side: Told, number: int) -> SentenceVerdict:
    """What the citation of one side rests on: the sentence as it stands in the passage."""
    return SentenceVerdict(
        text=side.sentence,
        source=side.sentence,
        before="",
        kind="prose",
        cited=(number,),
        named=(number,),
        support=Support(1.0, "ok"),
        ok=True,
    )
