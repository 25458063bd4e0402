"""XML configuration (`web.xml`, `pom.xml`): a block for each element directly below the root."""

import re
from xml.parsers import expat

from stores.documents.document import ParsedDocument
from stores.documents.parsing.encodings import read_text
from stores.documents.parsing.regions import Cut, blocks_between
from stores.documents.parsing.source import Source

_COMMENT_BEFORE = re.compile(r"<!--(?:(?!-->).)*-->\s*\Z", re.DOTALL)


def parse_xml(source: Source) -> ParsedDocument:
    """The text as written. A file that is not well-formed is one block of lines."""
    text, encoding = read_text(source)
    root, starts = _children(text)
    cuts = [Cut(0, "configuration"), *(Cut(start, "configuration", header=root) for start in starts)]
    return ParsedDocument(
        text=text,
        blocks=blocks_between(text, cuts),
        title=source.name,
        media_type="application/xml",
        encoding=encoding,
    )


class _Outline:
    """Where elements of the first two levels below the root begin, in bytes of UTF-8."""

    def __init__(self) -> None:
        self.root = ""
        self.starts: dict[int, list[int]] = {1: [], 2: []}
        self._depth = 0
        # The file may declare another encoding than the UTF-8 it is handed over in.
        self._expat = expat.ParserCreate("UTF-8")
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._end

    def read(self, data: bytes) -> None:
        """Walk the document; the outline so far stays when it breaks off."""
        try:
            self._expat.Parse(data, True)
        except expat.ExpatError:
            return

    def _start(self, name: str, _: dict[str, str]) -> None:
        if self._depth == 0:
            self.root = f"<{name}>"
        elif self._depth in self.starts:
            self.starts[self._depth].append(self._expat.CurrentByteIndex)
        self._depth += 1

    def _end(self, _: str) -> None:
        self._depth -= 1


def _children(text: str) -> tuple[str, list[int]]:
    """The root's tag and where its children begin; of an only child (`<channel>`), where that one's begin."""
    outline, data = _Outline(), text.encode()
    outline.read(data)
    starts = outline.starts[1] if len(outline.starts[1]) != 1 else outline.starts[2]
    characters: list[int] = []
    byte = character = 0
    for start in starts:
        character += len(data[byte:start].decode())
        byte = start
        characters.append(_with_comment(text, character, characters[-1] if characters else 0))
    return outline.root, characters


def _with_comment(text: str, start: int, after: int) -> int:
    """Start of the element with the comments just before it."""
    opening = text.rfind("<!--", after, start)
    while opening >= 0 and _COMMENT_BEFORE.match(text[opening:start]):
        start = opening
        opening = text.rfind("<!--", after, start)
    line = text.rfind("\n", 0, start) + 1
    return line if not text[line:start].strip() else start
