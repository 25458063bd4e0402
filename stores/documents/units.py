"""Units and packing: the least parts of a section that are kept whole, and runs of them that fit a budget of tokens."""

import hashlib
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from stores.documents.document import Block
from stores.documents.sentences import split_sentences

TokenSpans = Callable[[str], list[tuple[int, int]]]
"""Character spans of the embedder's tokens, in order, without its special tokens."""

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_SOFT_BREAK = re.compile(r"\n|[，,、：:；;]|\s")
_CLOSING_LINE = re.compile(r"[ \t]*(?:[}\])]+[;,)]*|</[^>]*>|end;?)[ \t]*\Z", re.IGNORECASE)

_AROUND = 80
_SENTENCE, _LINE, _PARAGRAPH, _BLOCK = range(4)


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, a line of code, a row. `border` says how strong a cut before it would be."""

    start: int
    end: int
    border: int
    block: int
    prose: bool
    indent: int = 0


def units_of(text: str, blocks: Sequence[Block]) -> Iterator[Unit]:
    """The units of the blocks, in order; `Unit.block` counts the blocks from 0."""
    for position, block in enumerate(blocks):
        part, border = text[block.start : block.end], _BLOCK
        is_prose = block.kind == "prose"
        found = _sentences(part) if is_prose else _lines(part, block.header if block.kind == "table" else "")
        for start, end, inner in found:
            indent = len(part[start:end]) - len(part[start:end].lstrip())
            yield Unit(block.start + start, block.start + end, max(border, inner), position, is_prose, indent)
            border = _SENTENCE


def _sentences(part: str) -> Iterator[tuple[int, int, int]]:
    before = 0
    for start, end in split_sentences(part):
        gap = part[before:start]
        yield start, end, _PARAGRAPH if _BLANK_LINE.search(gap) else _LINE if "\n" in gap else _SENTENCE
        before = end


def _lines(part: str, header: str) -> Iterator[tuple[int, int, int]]:
    """Lines of code, settings and tables. A table's header and its first row are one unit."""
    opened: int | None = None
    position = end = 0
    border = _SENTENCE
    header_end = len(header) if header and part.startswith(header) else 0
    for line in part.split("\n"):
        begin, position = position, position + len(line) + 1
        if not line.strip():
            border = _PARAGRAPH
            continue
        opened, end = begin if opened is None else opened, begin + len(line.rstrip())
        if end > header_end:
            yield opened, end, border
            opened, border = None, _LINE if _CLOSING_LINE.match(line) else _SENTENCE
    if opened is not None:
        yield opened, end, border


class Measure:
    """Counts the tokens of any stretch of a section from a single run of the tokenizer."""

    def __init__(self, text: str, start: int, end: int, spans: TokenSpans) -> None:
        self._text = text
        self._starts = sorted(start + first for first, _ in spans(text[start:end]))

    def count(self, start: int, end: int) -> int:
        """Tokens that begin in `text[start:end]`, and one for what a text that stands alone may need more."""
        return bisect_left(self._starts, end) - bisect_left(self._starts, start) + 1

    def pieces(self, unit: Unit, budget: int) -> Iterator[Unit]:
        """The unit where it fits, else parts that do: cut at a soft break if one is near, else at a token."""
        start, border = unit.start, unit.border
        while self.count(start, unit.end) > budget and unit.end - start > 1:
            last = min(bisect_left(self._starts, start) + max(1, budget - 1), len(self._starts) - 1)
            limit = min(max(self._starts[last], start + 1), unit.end - 1)
            soft = [match.end() for match in _SOFT_BREAK.finditer(self._text, (start + limit) // 2, limit)]
            end = soft[-1] if soft and soft[-1] > start else limit
            yield from self._trimmed(unit, start, end, border)
            start, border = end, _SENTENCE
        yield from self._trimmed(unit, start, unit.end, border)

    def halves(self, unit: Unit) -> list[Unit]:
        """The unit cut in the middle."""
        middle = (unit.start + unit.end) // 2
        return [
            *self._trimmed(unit, unit.start, middle, unit.border),
            *self._trimmed(unit, middle, unit.end, _SENTENCE),
        ]

    def _trimmed(self, unit: Unit, start: int, end: int, border: int) -> Iterator[Unit]:
        part = self._text[start:end]
        if part.strip():
            first = start if start == unit.start else end - len(part.lstrip())
            yield replace(unit, start=first, end=start + len(part.rstrip()), border=border)

    def mark(self, before: Unit, after: Unit) -> bytes:
        """A number for the border between two units that depends on their words only."""
        last = self._text[max(before.start, before.end - _AROUND) : before.end]
        first = self._text[after.start : min(after.end, after.start + _AROUND)]
        return hashlib.blake2b(f"{last}\0{first}".encode(errors="replace"), digest_size=8).digest()


def packed(units: Sequence[Unit], measure: Measure, budget: int, overlap: int) -> Iterator[Sequence[Unit]]:
    """Runs of units within the budget; a run may begin with the last sentences of the run before."""
    first = begin = 0
    while begin < len(units):
        stop = _stop(units, first, begin, measure, budget)
        yield units[first:stop]
        begin, first = stop, _overlap_start(units, stop, measure, budget, overlap)


def _stop(units: Sequence[Unit], first: int, begin: int, measure: Measure, budget: int) -> int:
    """Where the run ends: at the strongest border of its second half.

    Equal borders are told apart by a hash of the words around them, not by their distance from the start. So an
    insertion moves the cuts near it and leaves later ones alone.
    """
    origin, end = units[first].start, units[-1].end
    if measure.count(origin, end) <= budget:
        return len(units)
    candidates: list[int] = []
    stop = begin + 1
    while stop < len(units) and measure.count(origin, units[stop - 1].end) <= budget:
        if measure.count(origin, units[stop - 1].end) >= budget // 2:
            candidates.append(stop)
        stop += 1
    roomy = [stop for stop in candidates if measure.count(units[stop].start, end) >= budget // 8]
    if not candidates:
        return max(begin + 1, stop - 1)
    return max(roomy or candidates, key=lambda stop: _strength(units, stop, measure))


def _strength(units: Sequence[Unit], stop: int, measure: Measure) -> tuple[int, int, bytes]:
    unit = units[stop]
    return unit.border, -unit.indent, measure.mark(units[stop - 1], unit)


def _overlap_start(units: Sequence[Unit], stop: int, measure: Measure, budget: int, overlap: int) -> int:
    """The first unit of the next run: sentences of the same block before `stop` that fit into the overlap."""
    first = stop
    while (
        0 < first < len(units)
        and units[first - 1].block == units[stop].block
        and units[first - 1].prose
        and measure.count(units[first - 1].start, units[stop - 1].end) <= overlap
        and measure.count(units[first - 1].start, units[stop].end) <= budget
    ):
        first -= 1
    return first
