"""Regions: cutting a text at given places into blocks, so that nothing but white space falls between them."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace

from stores.documents.document import Block, Kind, Location


class Lines:
    """Where the lines of a text begin."""

    def __init__(self, text: str) -> None:
        self.starts = [0]
        position = text.find("\n")
        while position >= 0:
            self.starts.append(position + 1)
            position = text.find("\n", position + 1)
        self._end = len(text)

    def number(self, offset: int) -> int:
        """The line, from 1, that holds the character at `offset`."""
        return bisect_right(self.starts, offset)

    def start(self, number: int) -> int:
        """Where line `number` begins; the end of the text for lines after the last."""
        return self.starts[number - 1] if number <= len(self.starts) else self._end

    def span(self, start: int, end: int) -> tuple[int, int]:
        """First and last line of `text[start:end]`, which must not be empty."""
        return self.number(start), self.number(end - 1)


@dataclass(frozen=True, slots=True)
class Cut:
    """From `start` on, up to the next cut, the text is of this kind and place."""

    start: int
    kind: Kind
    location: Location = Location()  # noqa: RUF009 - a frozen value, shared on purpose
    header: str = ""


def blocks_between(text: str, cuts: Iterable[Cut]) -> tuple[Block, ...]:
    """Blocks from cut to cut, in lines. A region with no letter or digit (a closing brace) joins the one before."""
    lines, ordered = Lines(text), sorted(cuts, key=lambda cut: cut.start)
    blocks: list[Block] = []
    for position, cut in enumerate(ordered):
        stop = ordered[position + 1].start if position + 1 < len(ordered) else len(text)
        region = text[cut.start : stop]
        if not region.strip():
            continue
        end = cut.start + len(region.rstrip())
        if blocks and not any(c.isalnum() for c in region):
            blocks[-1] = _extended(blocks[-1], end, lines)
            continue
        start = _first_written(text, cut.start)
        location = replace(cut.location, lines=lines.span(start, end))
        blocks.append(Block(start=start, end=end, kind=cut.kind, location=location, header=cut.header))
    return tuple(blocks)


def _extended(block: Block, end: int, lines: Lines) -> Block:
    return replace(block, end=end, location=replace(block.location, lines=lines.span(block.start, end)))


def _first_written(text: str, start: int) -> int:
    """The first character that is not white space, or the indentation before it where the region holds that."""
    written = start
    while text[written].isspace():
        written += 1
    line_start = text.rfind("\n", start, written) + 1
    return max(start, line_start) if line_start else start
