"""Cut a passage into what can be quoted: sentences, table rows, lines of code; each with its surroundings."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from graph.models.language import Language, language_of
from stores.documents.sentences import split_sentences

UnitKind = Literal["sentence", "row", "code"]

_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.+?)\s*#*$")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_RULE = re.compile(r"[\s|:=\-—_*+]{3,}$")
_BULLET = re.compile(
    r"\s*(?:[-*+•·▪◦]|\(?\d{1,2}[.)、](?!\d)|[（(][一二三四五六七八九十\d]+[)）]|[一二三四五六七八九十]+、)\s*"
)
_COMMENT = re.compile(r"\s*(?:///?|/\*+|\*+/?|#+(?!\w+[:=])|--|<!--|;;|\"\"\")\s*")
_CODE_LINE = re.compile(
    r".*[;{}]\s*(?:(?://|#|/\*).*)?$"
    r"|\s*(?:@\w+|import\s+[\w.*]+|from\s+[\w.]+\s+import|package\s|public\s|private\s|protected\s|static\s|def\s|class\s"
    r"|async\s|function\s|const\s|let\s|var\s|return\b|if\s*\(|for\s*\(|while\s*\(|elif\s|else:|try:|except\b"
    r"|CREATE\s|SELECT\s|INSERT\s|UPDATE\s|DELETE\s|ALTER\s|DROP\s|<[/?!]?[\w:%-]+[^>]*>|\$\s).*"
    r"|\s*[\w.\-\[\]]+\s*(?:=|:(?!//))\s*[^，。！？]*$"
    r"|\s*(?:if|for|while|with|elif|def|class|switch|catch)\b.*[:{]\s*"
    r"|\s*[`\"\w]+\s.*\b(?:NOT NULL|DEFAULT|PRIMARY KEY|COMMENT|REFERENCES|UNIQUE|VARCHAR|BIGINT|INTEGER)\b.*"
    r"|\s*[\w.]+\([^，。]*\)[,;]?$"
)
_SAYS_SOMETHING = re.compile(r"\w")
_LINK = re.compile(r"!?\[[^\]\n]*\]\([^)\s]*\)|<?(?:https?|ftp)://[^\s<>）)\]]+>?", re.IGNORECASE)
_FRONT_MATTER = re.compile(r"---\n.*?\n---(?:\n|$)", re.DOTALL)
_TAGS = re.compile(r"</?(?:p|li|ul|ol|br|b|i|em|pre)\s*/?>", re.IGNORECASE)
_COMMENT_TAIL = re.compile(r"\s*(?:\*/|-->|\"\"\"|''')\s*$")
_OPENS_COMMENT = re.compile(r"\s*/\*")
_CLOSES_COMMENT = re.compile(r"\*/\s*$")
_DECORATION = re.compile(r"^\s*(?:/\*+|\*+(?!/))?\s?|\s*\*+/\s*$")
_ITEM_OF_COMMENT = re.compile(r"\s*(?:<li>|<p>|@\w+\b)", re.IGNORECASE)
_ANY_TAG = re.compile(r"</?[A-Za-z][^>\n]{0,80}>|\{@\w+\s+([^}]*)\}")
_LONGEST_CELL = 80
_STOP_INSIDE = re.compile(r"[。！？]|[.!?] ")


@dataclass(frozen=True)
class PassageText:
    """A passage as it was handed to the model."""

    number: int
    text: str
    title: str = ""
    place: str = ""
    context: str = ""
    score: float | None = None


@dataclass(frozen=True)
class Unit:
    """Something that can be quoted. `text` stands in the passage word for word, white space aside."""

    text: str
    kind: UnitKind
    passage: PassageText = field(repr=False)
    position: int
    heading: str = ""
    header: tuple[str, ...] = ()
    """For a row: the names of its columns, if the passage holds them."""
    introduces: bool = False
    """Ends in a colon: what it says is in the units after it."""
    listed: bool = False
    """Stands in a list."""
    comment: bool = False
    """Says in code what the code is for."""

    @property
    def language(self) -> Language:
        """The language of the text itself."""
        return language_of(self.text)

    @property
    def cells(self) -> list[str]:
        """The cells of a row."""
        return _cells(self.text)


def units_of(passage: PassageText) -> list[Unit]:
    """What can be quoted from a passage, in order. Headings are surroundings, not units."""
    return list(_Reader(passage).units())


class _Reader:
    """Walks the lines of one passage, remembering heading, table header and open code fence."""

    def __init__(self, passage: PassageText) -> None:
        self._passage = passage
        self._heading = ""
        self._header: tuple[str, ...] = ()
        self._fenced = False
        self._paragraph: list[str] = []
        self._listed = False
        self._commented = False
        self._in_comment = False
        self._position = 0
        self._full = 0.6 * max((len(line.strip()) for line in passage.text.split("\n")), default=0)

    def units(self) -> Iterator[Unit]:
        lines = _without_front_matter(self._passage).split("\n")
        for index, line in enumerate(lines):
            following = lines[index + 1] if index + 1 < len(lines) else ""
            yield from self._line(line, following)
        yield from self._sentences()

    def _line(self, line: str, following: str) -> Iterator[Unit]:
        if _FENCE.match(line):
            yield from self._sentences()
            self._fenced = not self._fenced
        elif self._in_comment or (_OPENS_COMMENT.match(line) and not self._paragraph):
            yield from self._commentary(line)
        elif self._fenced or (_CODE_LINE.fullmatch(line) and not _is_row(line) and not _BULLET.match(line)):
            yield from self._code(line)
        elif _is_row(line):
            yield from self._row(line, following)
        elif not line.strip() or _RULE.fullmatch(line):
            yield from self._sentences()
        elif heading := _HEADING.match(line):
            yield from self._sentences()
            self._heading, self._header = heading[1], ()
        else:
            yield from self._prose(line)

    def _prose(self, line: str) -> Iterator[Unit]:
        bullet = _BULLET.match(line)
        if bullet and bullet.end() < len(line):
            yield from self._sentences()
            self._listed = True
            line = _TAGS.sub("", line[bullet.end() :])
        elif _COMMENT.match(line):
            self._comment(line)
            return
        elif self._paragraph and self._ended_early(self._paragraph[-1]):
            yield from self._sentences()
        self._header = ()
        self._paragraph.append(line.strip())

    def _ended_early(self, line: str) -> bool:
        """A line that stops short of the others, without a comma, was not wrapped: it ends what it says.

        So are the lines of a slide and of a table in a PDF, which carry no full stops.
        """
        return len(line) < self._full and not line.endswith(tuple("，、,（(“"))

    def _commentary(self, line: str) -> Iterator[Unit]:
        """A line of a `/* … */`: its stars are decoration, its paragraphs, items and tags begin a sentence."""
        if not self._in_comment:
            yield from self._sentences()
        self._in_comment = not _CLOSES_COMMENT.search(line)
        told = _DECORATION.sub("", line)
        if not told.strip() or _ITEM_OF_COMMENT.match(told):
            yield from self._sentences()
        self._paragraph.append(_ANY_TAG.sub(lambda tag: tag[1] or "", told).strip())
        self._commented = True
        if not self._in_comment:
            yield from self._sentences()

    def _comment(self, line: str) -> None:
        """What a comment says is prose."""
        told = _COMMENT_TAIL.sub("", line[_comment_end(line) :])
        self._paragraph.append(_TAGS.sub("", told).strip())
        self._commented = True

    def _code(self, line: str) -> Iterator[Unit]:
        if _COMMENT.match(line):
            self._comment(line)
            return
        yield from self._sentences()
        if _SAYS_SOMETHING.search(line):
            yield self._unit(line.strip(), "code")

    def _row(self, line: str, following: str) -> Iterator[Unit]:
        yield from self._sentences()
        if _RULE.fullmatch(line):
            return
        cells = tuple(_cells(line))
        if not self._header and _RULE.fullmatch(following) and "-" in following:
            self._header = cells
        elif any(cells):
            yield self._unit(line.strip(), "row", header=self._header if len(self._header) == len(cells) else ())

    def _sentences(self) -> Iterator[Unit]:
        text, self._paragraph = _joined(self._paragraph), []
        for start, end in split_sentences(text):
            sentence = text[start:end].strip()
            if _SAYS_SOMETHING.search(without_links(sentence)):
                yield self._unit(sentence, "sentence", introduces=sentence.endswith(("：", ":")))
        self._listed = self._commented = False

    def _unit(self, text: str, kind: UnitKind, *, header: tuple[str, ...] = (), introduces: bool = False) -> Unit:
        self._position += 1
        return Unit(
            text,
            kind,
            self._passage,
            self._position - 1,
            heading=self._heading,
            header=header,
            introduces=introduces,
            listed=self._listed,
            comment=self._commented,
        )


def _without_front_matter(passage: PassageText) -> str:
    """A page's front matter is about the page and answers nothing. In YAML itself the dashes only part documents."""
    if passage.title.endswith((".yml", ".yaml")):
        return passage.text
    return _FRONT_MATTER.sub("", passage.text, count=1) if passage.text.startswith("---\n") else passage.text


def without_links(text: str) -> str:
    """What a text says itself: pictures, links with their words, and addresses point elsewhere."""
    return _LINK.sub(" ", text)


def _comment_end(line: str) -> int:
    match = _COMMENT.match(line)
    return match.end() if match else 0


def _is_row(line: str) -> bool:
    """A line of a table: in pipes, or short cells between bars or tabs. Running text with a bar in it is none."""
    stripped = line.strip()
    if stripped.startswith("|") and stripped.rfind("|") > 0:
        return True
    if stripped.endswith((";", "{")) or not (" | " in stripped or "\t" in stripped):
        return False
    return not any(len(cell) > _LONGEST_CELL or _STOP_INSIDE.search(cell) for cell in _cells(stripped))


def _cells(line: str) -> list[str]:
    separator = "|" if "|" in line else "\t"
    return [cell.strip() for cell in line.strip().strip(separator).split(separator)]


def _joined(lines: list[str]) -> str:
    """Lines of one paragraph as running text: a break inside Chinese text is nothing, elsewhere a space."""
    text = ""
    for line in lines:
        glue = "" if not text or (_is_han(text[-1]) and line and _is_han(line[0])) else " "
        text += glue + line
    return text


def _is_han(character: str) -> bool:
    return "\u2e80" <= character <= "\u9fff" or "\uff00" <= character <= "\uffef"
