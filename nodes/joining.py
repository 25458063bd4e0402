"""Joining: evidence that continues one another in its document is read as one text, each part under its own number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from nodes.state import Evidence
from stores.documents.document import Chunk, Document


@dataclass(frozen=True, slots=True)
class Part:
    """One passage as it is read: its text from `start` on, which goes on where the passage `follows` ends.

    What stands before `start` is the end of that passage and is not shown twice.
    """

    item: Evidence
    start: int = 0
    follows: int | None = None


def joined(evidence: Sequence[Evidence], passages: Mapping[str, tuple[Chunk, Document]]) -> list[Part]:
    """The readable evidence in order of its numbers; what continues one another stands together, in document order.

    Passages continue one another that lie side by side in the same section. All of them keep their numbers.
    """
    readable = [item for item in evidence if item.chunk_id in passages]
    in_order = sorted(readable, key=lambda item: _place(passages[item.chunk_id][0]))
    stretches: list[list[Part]] = [[Part(item)] for item in in_order[:1]]
    for one, other in pairwise(in_order):
        before, after = passages[one.chunk_id][0], passages[other.chunk_id][0]
        if _continues(before, after):
            overlap = max(0, before.end - after.start)
            stretches[-1].append(Part(other, start=_skipped(after.text, overlap), follows=one.number))
        else:
            stretches.append([Part(other)])
    stretches.sort(key=lambda parts: min(part.item.number for part in parts))
    return [part for parts in stretches for part in parts]


def _place(chunk: Chunk) -> tuple[str, int]:
    return chunk.document_id, chunk.position


def _continues(before: Chunk, after: Chunk) -> bool:
    one, other = before.location, after.location
    same_section = (one.page, one.slide, one.heading, one.symbol) == (
        other.page, other.slide, other.heading, other.symbol
    )  # fmt: skip
    beside = before.document_id == after.document_id and after.position == before.position + 1
    return beside and same_section and before.end < after.end


def _skipped(text: str, overlap: int) -> int:
    """Behind the overlap and the line break or blanks after it; a line's indent is part of the line."""
    rest = text[overlap:]
    blank = len(rest) - len(rest.lstrip())
    return overlap + (rest.rfind("\n", 0, blank) + 1 or blank) if overlap else 0
