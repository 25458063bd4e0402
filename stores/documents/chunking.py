"""Chunks: passages that fit the embedder's window, cut along structure first, then sentences, then tokens."""

import hashlib
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, zip_longest

from stores.documents.document import Block, Chunk, Kind, Language, Location, ParsedDocument
from stores.documents.sentences import split_sentences
from stores.documents.units import Measure, TokenSpans, Unit, packed, units_of

CHUNKER_VERSION = "4"
"""Raised whenever the same document is cut in other places; an index of another version is rebuilt."""

_SPECIAL_TOKENS = 8
"""Room in the window for the embedder's own marks and prefixes."""

_TITLE_AND_LAST = 2
_SMALL = 8
"""A passage below this part of the budget is merged with a neighbour of its own kind of place."""
_MERGED, _MERGED_CODE = 0.125, 0.75
"""The part of the budget that merged neighbours may fill. A passage about several subjects is near to a question about
none of them, and its heading is that of none; the members of a class are read together."""
_SHORT = 4
"""An introduction below this part of the budget is merged with the first of its subsections."""

_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_LATIN_WORD = re.compile(r"[A-Za-z]+")
_WORD = re.compile(r"[^\W\d_]")
_ASIDE = re.compile(r"\s*(?:#|[(（]?[A-Ha-h]\s*[.．、:：)）]\s*\S)")
_QUESTION = re.compile(r"[?？][\"'”’）)*_~\]】」』\s]*$")


@dataclass(frozen=True, slots=True)
class _Passage:
    """A stretch of the text on its way to be a chunk. `whole`: it holds all of its section."""

    start: int
    end: int
    blocks: tuple[Block, ...]
    tokens: int
    whole: bool


def chunk_document(
    document: ParsedDocument,
    *,
    document_id: str,
    owner: str,
    token_spans: TokenSpans,
    size: int = 500,
    overlap: int = 50,
    window: int = 512,
) -> list[Chunk]:
    """Cut a document. Sizes are in the embedder's tokens.

    For every chunk `document.text[chunk.start:chunk.end] == chunk.text`, the text holds `size` tokens at most,
    and context and text together leave 8 tokens of the window free. White space is all that no chunk holds.
    The same text under the same headings gets the same id, wherever in the document it stands.

    Raises:
        ValueError: `window` leaves no room for text, or `size` or `overlap` is out of range.
    """
    if window < 4 * _SPECIAL_TOKENS or size < 1 or not 0 <= overlap < size:
        raise ValueError(f"window {window}, size {size}, overlap {overlap}: need window >= 32, 0 <= overlap < size")
    cutter = _Cutter(document, token_spans, size, overlap, window)
    chunks: list[Chunk] = []
    seen: Counter[str] = Counter()
    for position, passage in enumerate(cutter.passages()):
        chunk = _chunk(document, passage, position, cutter)
        identity = _identity(chunk, document_id, owner)
        seen[identity] += 1
        chunk_id = hashlib.sha256(f"{identity}\0{seen[identity]}".encode()).hexdigest()[:24]
        chunks.append(replace(chunk, chunk_id=chunk_id, document_id=document_id))
    return chunks


def _identity(chunk: Chunk, document_id: str, owner: str) -> str:
    """Everything about a chunk but its position; the context too, because it is embedded with the text."""
    place = chunk.location
    path = (place.page, place.slide, place.heading, place.symbol)
    return "\0".join((owner, document_id, repr(path), chunk.context, chunk.text))


def _chunk(document: ParsedDocument, passage: _Passage, position: int, cutter: "_Cutter") -> Chunk:
    text = document.text[passage.start : passage.end]
    kind = _main_kind(passage)
    if kind == "prose" and _asks(text):
        kind = "question"
    location = _common_location(passage.blocks)
    if location.lines:
        location = replace(location, lines=cutter.lines(passage.start, passage.end))
    return Chunk(
        chunk_id="",
        document_id="",
        position=position,
        text=text,
        start=passage.start,
        end=passage.end,
        kind=kind,
        language=language_of(text, kind),
        location=location,
        context=cutter.context(passage, location, text),
    )


def _main_kind(passage: _Passage) -> Kind:
    """The kind of most of the passage's characters."""
    shares: Counter[Kind] = Counter()
    for block in passage.blocks:
        shares[block.kind] += min(block.end, passage.end) - max(block.start, passage.start)
    return shares.most_common(1)[0][0]


def _asks(text: str) -> bool:
    """Whether at least half of the sentences are questions; headings and options (`A. …`) say nothing about it."""
    lines = [line for line in text.split("\n") if not _ASIDE.match(line)]
    said = [text[start:end] for text in lines for start, end in split_sentences(text) if _WORD.search(text[start:end])]
    return 2 * sum(bool(_QUESTION.search(sentence)) for sentence in said) >= len(said) > 0


def language_of(text: str, kind: Kind) -> Language:
    """The language that a passage is written in; code is a language of its own."""
    if kind == "code":
        return "code"
    # A Chinese character says about as much as half a word.
    return "zh" if len(_CJK.findall(text)) > len(_LATIN_WORD.findall(text)) else "en"


def _path(location: Location) -> tuple[str, ...]:
    return location.heading + tuple(location.symbol.split(".") if location.symbol else ())


def _common_location(blocks: Sequence[Block]) -> Location:
    first = blocks[0].location
    heading, symbol = first.heading, (first.symbol or "").split(".")
    for block in blocks[1:]:
        heading = _common(heading, block.location.heading)
        symbol = list(_common(symbol, (block.location.symbol or "").split(".")))
    return replace(first, heading=heading, symbol=".".join(symbol) or None)


def _common(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    length = 0
    while length < min(len(one), len(other)) and one[length] == other[length]:
        length += 1
    return tuple(one[:length])


class _Cutter:
    """One document with its limits."""

    def __init__(self, document: ParsedDocument, spans: TokenSpans, size: int, overlap: int, window: int) -> None:
        self._document = document
        self._text = document.text
        self._spans = spans
        self._counts: dict[str, int] = {}
        self._size = size
        self._overlap = overlap
        self._window = window - _SPECIAL_TOKENS
        self._newlines = [match.start() for match in re.finditer("\n", document.text)]

    def lines(self, start: int, end: int) -> tuple[int, int]:
        """First and last line, from 1, of `text[start:end]`."""
        return bisect_left(self._newlines, start) + 1, bisect_left(self._newlines, end - 1) + 1

    def context(self, passage: _Passage, location: Location, text: str) -> str:
        """Title, headings and header, without header lines that the text shows itself."""
        shown = " ".join(text.split())
        header = [line for line in _header(passage).split("\n") if " ".join(line.split()) not in shown]
        return self._context(location.heading, header)

    def _context(self, heading: tuple[str, ...], header: Sequence[str]) -> str:
        title, room = self._document.title, self._window // 6
        rest = self._shortened("\n".join(header), room)
        path = (title, *(heading[1:] if heading and title.startswith(heading[0]) else heading))
        room = max(self._window // 16, room - self._count(rest))
        # The title and the innermost heading say most: those between go first when the line is too long.
        while len(path) > 1 and self._count(" > ".join(path)) > room:
            path = (*path[:-2], path[-1]) if len(path) > _TITLE_AND_LAST else path[1:]
        return "\n".join(part for part in (self._shortened(" > ".join(path), room), rest) if part)

    def _shortened(self, text: str, tokens: int) -> str:
        spans = self._spans(text)
        return text if len(spans) <= tokens else text[: spans[tokens - 1][1]].rstrip()

    def _count(self, text: str) -> int:
        """Tokens of a text alone; remembered, because contexts recur and the tokenizer is the slowest part."""
        if text not in self._counts:
            self._counts[text] = len(self._spans(text))
        return self._counts[text]

    def passages(self) -> Iterator[_Passage]:
        """The passages in order, small neighbours merged; what introduces a section goes with the section."""
        sections = groupby(self._document.blocks, key=lambda block: replace(block.location, lines=None))
        parts = [passage for _, blocks in sections for passage in self._section(tuple(blocks))]
        waiting: _Passage | None = None
        for passage, following in zip_longest(parts, parts[1:]):
            joined = waiting and (self._belong_together(waiting, passage) or self._introduces(waiting, passage))
            if waiting and joined and not self._introduces(passage, following):
                waiting = self._merged(waiting, passage)
                continue
            if waiting:
                yield waiting
            waiting = passage
        if waiting:
            yield waiting

    def _introduces(self, one: _Passage, other: _Passage | None) -> bool:
        """The other is the first subsection of the one, which is short: it says what the subsections are about."""
        if other is None:
            return False
        above, below = (_path(_common_location(passage.blocks)) for passage in (one, other))
        within = len(below) > len(above) and below[: len(above)] == above
        return within and self._belong_together(one, other, small=_SHORT)

    def _belong_together(self, one: _Passage, other: _Passage, *, small: int = _SMALL) -> bool:
        """Whole sections, one of them tiny, side by side under one heading or in one class."""
        if not (one.whole and other.whole):
            return False
        a, b = _common_location(one.blocks), _common_location(other.blocks)
        if (a.page, a.slide) != (b.page, b.slide) or len({_main_kind(p) == "configuration" for p in (one, other)}) > 1:
            return False
        if len(_common(_path(a), _path(b))) < max(len(_path(a)), len(_path(b))) - 1:
            return False
        budget = min(self._budget(one.blocks), self._budget(other.blocks))
        is_tiny = min(one.tokens, other.tokens) < budget // small
        most = _MERGED_CODE if _main_kind(one) == _main_kind(other) == "code" else _MERGED
        return is_tiny and self._count(self._text[one.start : other.end]) <= budget * most

    def _merged(self, one: _Passage, other: _Passage) -> _Passage:
        tokens = self._count(self._text[one.start : other.end])
        return _Passage(one.start, other.end, one.blocks + other.blocks, tokens, whole=True)

    def _budget(self, blocks: Sequence[Block]) -> int:
        """Tokens that the text of a chunk of these blocks may hold, beside the longest context it may get."""
        longest = max(
            self._count(self._context(block.location.heading, block.header.split("\n")))
            for block in {block.header: block for block in blocks}.values()
        )
        return max(1, min(self._size, self._window - longest))

    def _section(self, blocks: tuple[Block, ...]) -> Iterator[_Passage]:
        """Passages of one section: all of it where it fits, else packed from its units."""
        budget, measure = (
            self._budget(blocks),
            Measure(self._text, blocks[0].start, blocks[-1].end, self._spans),
        )
        units = [piece for unit in units_of(self._text, blocks) for piece in measure.pieces(unit, budget)]
        runs = packed(units, measure, budget, min(self._overlap, budget // 4))
        fitting = [part for run in runs for part in self._fitting(run, measure, budget)]
        for chosen in fitting:
            start, end = chosen[0].start, chosen[-1].end
            inside = tuple(block for block in blocks if block.start < end and block.end > start)
            yield _Passage(start, end, inside, self._count(self._text[start:end]), whole=len(fitting) == 1)

    def _fitting(self, units: Sequence[Unit], measure: Measure, budget: int) -> Iterator[Sequence[Unit]]:
        """A text alone may make more tokens than it made within its section: then it is cut once more."""
        start, end = units[0].start, units[-1].end
        if self._count(self._text[start:end]) <= budget or end - start == 1:
            yield units
            return
        parts = [units[: len(units) // 2], units[len(units) // 2 :]]
        if len(units) == 1:
            parts = [[half] for half in measure.halves(units[0])]
        for part in parts:
            yield from self._fitting(part, measure, budget)


def _header(passage: _Passage) -> str:
    """The header of the first block; of merged blocks, the lines that all of them share."""
    lines = passage.blocks[0].header.split("\n")
    if passage.whole and len({_path(block.location) for block in passage.blocks}) > 1:
        for block in passage.blocks[1:]:
            lines = list(_common(lines, block.header.split("\n")))
    return "\n".join(lines)
