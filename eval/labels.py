"""Where quotations stand: a label's document and quote become the ids of today's chunks, so re-chunking costs none."""

import os
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from types import MappingProxyType

from eval.errors import StaleLabelsError
from eval.own_set import Label, Row
from stores.documents.document import Chunk, Document

GOOD_PART = 1 / 3
"""A chunk with so much of the quotation answers the question, as does one of which the quotation covers a half."""
_HALF = 1 / 2
_SHOWN = 60


class NotFoundError(Exception):
    """A label that points to nothing, or not to one thing: why."""


class Library:
    """The documents that labels point into, as they are chunked now.

    `bases` are the folders that relative names of documents start from; `unread` says why which file is missing.
    """

    def __init__(
        self,
        passages: Sequence[tuple[Chunk, Document]],
        bases: Sequence[Path] = (),
        unread: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._bases = [str(base) for base in bases]
        self._unread = {_same_name(path): reason for path, reason in unread.items()}
        self._texts: dict[str, list[_Text]] = {}
        by_document = groupby(passages, key=lambda one: (one[1].path, one[1].document_id))
        for (path, _), group in by_document:
            self._texts.setdefault(_same_name(path), []).append(_Text([chunk for chunk, _ in group]))

    def chunks(self, label: Label) -> list[str]:
        """The ids of the chunks that hold a good part of the quotation, at each place where it stands.

        Raises:
            NotFoundError: there is no such document, or the quotation is not in it.
        """
        found = [one for text in self._texts[self._path(label.document)] for one in text.holding(label.quote)]
        if not found:
            raise NotFoundError(f"«{_short(label.quote)}» does not stand in {label.document}")
        return list(dict.fromkeys(found))

    def _path(self, name: str) -> str:
        wanted = [_same_name(os.path.normpath(Path(base, name))) for base in (*self._bases, "")]
        for path in wanted:
            if path in self._texts:
                return path
            if path in self._unread:
                raise NotFoundError(f"{name} could not be taken in: {self._unread[path]}")
        ends = [path for path in self._texts if path.endswith(f"{os.sep}{wanted[-1]}")]
        if len(ends) > 1:
            raise NotFoundError(f"{len(ends)} documents are called {name}: write more of the path")
        if not ends:
            raise NotFoundError(f"{name} is not among the documents")
        return ends[0]


def mapped(rows: Sequence[Row], library: Library, *, named: str) -> dict[int, dict[str, float]]:
    """Each row's line to the grades of its chunks. `named` says in errors which set this is.

    Raises:
        StaleLabelsError: with all the labels that point to nothing.
    """
    stale: list[str] = []
    relevant: dict[int, dict[str, float]] = {}
    for row in rows:
        grades = relevant.setdefault(row.line, {})
        for label in row.labels:
            try:
                grades |= dict.fromkeys(library.chunks(label), 1.0)
            except NotFoundError as error:
                stale.append(f"  line {row.line}: {error}")
    if stale:
        raise StaleLabelsError(
            "\n".join([f"{len(stale)} labels of {named} no longer fit the documents. Mend or remove them:", *stale])
        )
    return relevant


def stands_in(quote: str, text: str) -> bool:
    """Whether the text holds the quotation, as labels are compared."""
    wanted = _folded(quote)
    return bool(wanted) and wanted in _folded(text)


@dataclass(frozen=True)
class _Text:
    """A document's chunks, and its text put together from them."""

    chunks: Sequence[Chunk]

    @cached_property
    def _whole(self) -> tuple[str, list[int]]:
        text = ""
        base = self.chunks[0].start
        for chunk in self.chunks:
            # Chunks may overlap, and white space may be in none of them.
            behind = base + len(text) - chunk.start
            text += " " * -behind + chunk.text[max(behind, 0) :]
        characters = [(one, base + at) for one, at in _comparable(text)]
        return "".join(one for one, _ in characters), [at for _, at in characters]

    def holding(self, quote: str) -> Iterator[str]:
        """The chunks that hold a good part of the quotation, for each place where it stands."""
        folded, places = self._whole
        wanted = _folded(quote)
        at = folded.find(wanted) if wanted else -1
        while at >= 0:
            yield from self._around(at, at + len(wanted), places)
            at = folded.find(wanted, at + 1)

    def _around(self, start: int, end: int, places: Sequence[int]) -> Iterator[str]:
        parts: dict[str, tuple[int, int]] = {}
        for chunk in self.chunks:
            first, last = bisect_left(places, chunk.start), bisect_left(places, chunk.end)
            if (shared := min(end, last) - max(start, first)) > 0:
                parts[chunk.chunk_id] = shared, last - first
        most = max(shared for shared, _ in parts.values())
        for chunk_id, (shared, length) in parts.items():
            if shared == most or shared >= GOOD_PART * (end - start) or shared >= _HALF * length:
                yield chunk_id


def _folded(text: str) -> str:
    return "".join(one for one, _ in _comparable(text))


def _comparable(text: str) -> Iterator[tuple[str, int]]:
    """The characters that count, each with where it stands: NFKC, no white space, nothing invisible."""
    start = 0
    while start < len(text):
        end = start + 1
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1
        for one in unicodedata.normalize("NFKC", text[start:end]):
            if not one.isspace() and unicodedata.category(one) != "Cf":
                yield one, start
        start = end


def _same_name(path: str) -> str:
    """Some systems keep names decomposed."""
    return unicodedata.normalize("NFC", path)


def _short(quote: str) -> str:
    line = " ".join(quote.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
