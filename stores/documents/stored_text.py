"""Stored text: a document put together from its chunks again, for when its file is gone and it has to be cut anew."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from stores.documents.document import Block, Chunk, Document, Kind, Location, ParsedDocument


def stored_text(document: Document, chunks: Sequence[Chunk]) -> ParsedDocument:
    """What the parser once made of the file, from the chunks in their order.

    Every character but white space stands in a chunk, at the place the chunk names. White space between chunks is
    filled in so that line numbers stay right.
    """
    text = ""
    line = 1
    for chunk in chunks:
        first = chunk.location.lines[0] if chunk.location.lines else line + 1
        gap = chunk.start - len(text)
        if gap > 0:
            text += "\n" * min(gap, max(0, first - line)) + " " * (gap - max(0, first - line))
        text += chunk.text[len(text) - chunk.start :]
        line = chunk.location.lines[1] if chunk.location.lines else line
    return ParsedDocument(
        text=text,
        blocks=tuple(_blocks(chunks)),
        title=document.title,
        media_type=document.media_type,
        encoding=document.encoding,
        pages=document.pages,
    )


def _blocks(chunks: Sequence[Chunk]) -> list[Block]:
    """One block per stretch of chunks of one kind and place; chunks overlap, blocks do not."""
    blocks: list[Block] = []
    for (kind, location), stretch in groupby(chunks, key=_place):
        members = list(stretch)
        start = max(members[0].start, blocks[-1].end if blocks else 0)
        if start < members[-1].end:
            header = max((_header(chunk) for chunk in members), key=len)
            blocks.append(Block(start=start, end=members[-1].end, kind=kind, location=location, header=header))
    return blocks


def _place(chunk: Chunk) -> tuple[Kind, Location]:
    lines = chunk.location.lines and (1, 1)  # that lines are told at all; which ones, the cutting finds out
    return chunk.kind, replace(chunk.location, lines=lines)


def _header(chunk: Chunk) -> str:
    """What follows title and headings in the context."""
    return chunk.context.partition("\n")[2]
