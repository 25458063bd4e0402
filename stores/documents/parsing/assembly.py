"""Text put together piece by piece, for formats that have no text of their own: blocks with exact offsets."""

from dataclasses import replace

from stores.documents.document import Block, Kind, Location


class HeadingPath:
    """The headings that stand above the current place."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    @property
    def path(self) -> tuple[str, ...]:
        """Titles from the outermost heading to the innermost."""
        return tuple(title for _, title in self._open)

    def enter(self, level: int, title: str) -> bool:
        """Go below a heading of `level`; says whether it is deeper than the heading before it."""
        deeper = bool(self._open) and level > self._open[-1][0]
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, title))
        return deeper


class Assembly:
    """Collects text and blocks in document order.

    Prose pieces of one place become one block. A heading without text of its own is written into the block of
    the deeper heading that follows, so that no block is a bare heading unless the document has nothing else to say.
    """

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._text: list[str] = []
        self._length = 0
        self._headings = HeadingPath()
        self._bare: list[str] = []
        self.place = Location()
        """Page or slide of the pieces that follow. The heading path is added by the assembly."""

    @property
    def text(self) -> str:
        """Everything written so far."""
        return "".join(self._text)

    def heading(self, level: int, title: str) -> None:
        """Begin a section; `level` counts from 1."""
        title = " ".join(title.split())
        if not title:
            return
        before = self._here()
        if not self._headings.enter(level, title):
            self._flush(before)
        self._bare.append(title)

    def leave_sections(self) -> None:
        """Close every open section: what follows has no heading yet."""
        self._flush(self._here())
        self._headings = HeadingPath()

    def add(self, text: str, kind: Kind = "prose", *, header: str = "", tight: bool = False) -> None:
        """Write a piece. `tight` sets it below the last line without a blank line, as in a list."""
        text = text.strip("\n").rstrip()
        if not text.strip():
            return
        if kind == "prose" and self._bare:
            text, self._bare, tight = "\n\n".join([*self._bare, text]), [], False
        self._flush(self._here())
        self._write(text, kind, header, self._here(), "\n" if tight else "\n\n")

    def finish(self) -> tuple[str, tuple[Block, ...]]:
        """Text and blocks; nothing may be added afterwards."""
        self._flush(self._here())
        return self.text, tuple(self.blocks)

    def _here(self) -> Location:
        return replace(self.place, heading=self._headings.path)

    def _flush(self, location: Location) -> None:
        if self._bare:
            text, self._bare = "\n\n".join(self._bare), []
            self._write(text, "prose", "", location, "\n\n")

    def _write(self, text: str, kind: Kind, header: str, location: Location, separator: str) -> None:
        if self._length:
            self._text.append(separator)
            self._length += len(separator)
        start, self._length = self._length, self._length + len(text)
        self._text.append(text)
        last = self.blocks[-1] if self.blocks else None
        if last and kind == last.kind == "prose" and (last.location, last.header) == (location, header):
            self.blocks[-1] = replace(last, end=self._length)
        else:
            block = Block(start=start, end=self._length, kind=kind, location=location, header=header)
            self.blocks.append(block)
