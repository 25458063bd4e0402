"""Labelling: `python -m eval new`, a dialogue that builds an own set while searching."""

import re
import sys
import unicodedata
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from eval.labels import stands_in
from eval.material import Material, Tell, open_material
from eval.own_set import Label, Row, read_rows, same_question_key
from graph.commands.typed import Typed
from graph.settings import Settings
from nodes.citations.quote import best_quote
from stores.counting import counted
from stores.documents.document import DEFAULT_USER, Hit

HITS = 10
SHORT = 160
"""A passage of at most so many characters is quoted whole."""
_SHOWN = 200
_HELP = "numbers of what answers it; s: other words; none: nothing does; blank: skip or go on; q: end"


class _EndedError(Exception):
    """The input has ended, or `q` was typed."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """What was typed under a list of hits."""

    numbers: tuple[int, ...] = ()
    again: bool = False
    none: bool = False

    @classmethod
    def of(cls, typed: str, count: int) -> Self | None:
        """`None` if it is none of what may be typed."""
        words = re.split(r"[\s,，、;；]+", unicodedata.normalize("NFKC", typed).casefold().strip())
        words = [word for word in words if word]
        again, none = "s" in words, "none" in words
        numbers = [int(word) for word in words if word.isdecimal()]
        known = len(numbers) + words.count("s") + words.count("none") == len(words)
        if not known or not all(0 < number <= count for number in numbers) or (none and len(words) > 1):
            return None
        return cls(tuple(dict.fromkeys(numbers)), again, none)


class Labelling:
    """One run over one file; a row is on disk as soon as it is finished."""

    def __init__(self, file: Path) -> None:
        """Read what is there.

        Raises:
            DatasetError: the file is there and is no own set.
        """
        self._file = file
        rows = read_rows(file) if file.exists() else []
        self._lines = {same_question_key(row.question): row.line for row in rows}
        self._known, self._added = len(rows), 0
        self._typed = Typed()

    def told(self) -> str:
        """What became of the file."""
        total = self._known + self._added
        return f"{counted(self._added, 'question')} added to {self._file}, {total} in all."

    async def run(
        self,
        settings: Settings,
        documents: Sequence[Path],
        cache: Path,
        stage: Callable[[], AbstractContextManager[Tell]],
    ) -> None:
        """Ask for questions until the input ends. `stage` shows how the documents are being opened.

        Raises:
            StoreError: the documents cannot be opened.
        """
        async with AsyncExitStack() as stack:
            with stage() as tell:
                material = await stack.enter_async_context(open_material(settings, documents, cache, tell))
            for path, reason in material.unread.items():
                print(f"not taken in: {path} ({reason})")
            print(f"{self._file} holds {counted(self._known, 'question')}. Type a question; q ends.")
            try:
                while True:
                    await self._question(material)
            except _EndedError:
                print()

    async def _question(self, material: Material) -> None:
        question = await self._read("\nquestion> ")
        if line := self._lines.get(same_question_key(question)):
            print(f"  line {line} of {self._file} asks this already")
        elif question:
            picked, none = await self._picked(material, question)
            labels = [await self._label(material, question, hit) for hit in picked]
            if labels or none:
                await self._keep(question, labels)
            else:
                print("  skipped")

    async def _picked(self, material: Material, question: str) -> tuple[list[Hit], bool]:
        """The hits that answer, and whether nothing does; neither: the question is skipped."""
        query, picked = question, dict[str, Hit]()
        while True:
            hits = await _found(material, query)
            while (choice := _Choice.of(await self._read(f"  {_HELP}\n  relevant> "), len(hits))) is None:
                print(f"  Not understood: {f'numbers up to {len(hits)}, ' if hits else ''}s, none, q or a blank line.")
            picked |= {hits[number - 1].chunk.chunk_id: hits[number - 1] for number in choice.numbers}
            if not choice.again:
                return list(picked.values()), choice.none and not picked
            query = await self._read("  search for> ") or query

    async def _label(self, material: Material, question: str, hit: Hit) -> Label:
        """The quotation that is kept: the one proposed, or another one of the same passage."""
        text = hit.chunk.text
        start, end = (0, len(text)) if len(text) <= SHORT else best_quote(question, text)
        quote = text[start:end].strip()
        while True:
            print(f"  quote from {_name(hit.path, material.bases)}: {_line(quote)}")
            typed = await self._read("  Enter keeps it; w: the whole passage; or type another part> ")
            if not typed:
                return Label(_name(hit.path, material.bases), quote)
            if typed == "w":
                return Label(_name(hit.path, material.bases), text.strip())
            if stands_in(typed, text):
                return Label(_name(hit.path, material.bases), typed)
            print("  That does not stand in the passage. Copy it as it is written there.")

    async def _keep(self, question: str, labels: Sequence[Label]) -> None:
        """Append the row, also if the input ends where its type is asked for."""
        try:
            kind = await self._read("  type (blank: none)> ")
        except _EndedError:
            self._append(question, labels, "")
            raise
        self._append(question, labels, kind)

    def _append(self, question: str, labels: Sequence[Label], kind: str) -> None:
        """On disk before anything else is asked: a kill loses nothing that was told as kept."""
        written = self._file.read_bytes() if self._file.exists() else b""
        ahead = "" if not written or written.endswith(b"\n") else "\n"
        row = Row(written.count(b"\n") + bool(ahead) + 1, question, tuple(labels), kind)
        with self._file.open("ab") as file:
            file.write(f"{ahead}{row.as_json()}\n".encode())
        self._added += 1
        self._lines[same_question_key(question)] = row.line
        told = counted(len(labels), "quotation") if labels else "without an answer"
        print(f"  kept as line {row.line}: {told}")

    async def _read(self, prompt: str) -> str:
        """What is typed, without white space around it.

        Raises:
            _EndedError: it is `q`, or there is nothing more.
        """
        while True:
            sys.stdout.write(prompt)
            sys.stdout.flush()
            try:
                line = await self._typed.line()
            except UnicodeDecodeError:
                print("  That line is not valid UTF-8. Set the terminal to UTF-8.")
                continue
            if line is None or line.strip() == "q":
                raise _EndedError
            return line.strip()


async def _found(material: Material, query: str) -> tuple[Hit, ...]:
    """What the product's own search finds, shown with numbers."""
    result = await material.documents.search(query, reader=DEFAULT_USER, k=HITS)
    if not result.hits:
        print("  Nothing was found.")
    for number, hit in enumerate(result.hits, start=1):
        place = str(hit.chunk.location)
        print(f"  {number:2}. {_line(hit.title)}{f' · {place}' if place else ''}  ({hit.score:.2f})")
        print(f"      {_line(hit.chunk.text)}")
    return result.hits


def _name(path: str, bases: Sequence[Path]) -> str:
    """The document as the row names it: from the folder that was given, else in full."""
    base = next((base for base in bases if Path(path).is_relative_to(base)), None)
    return path if base is None else Path(path).relative_to(base).as_posix()


def _line(text: str) -> str:
    """On one line, shortened, without what a terminal would obey."""
    line = "".join(one if one.isprintable() else " " for one in " ".join(text.split()))
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
