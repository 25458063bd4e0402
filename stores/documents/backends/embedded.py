"""Embedded: both indexes in folders of the data directory, tantivy and embedded Chroma. The default."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from stores.documents.backends.two_indexes import TwoIndexes
from stores.documents.indexes import KEYWORDS, VECTORS, WHAT_TO_DO
from stores.documents.keywords import KeywordIndex
from stores.documents.vectors import VectorIndex
from stores.errors import IndexDamagedError, StoreError

_R = TypeVar("_R")

EMBEDDED = "chroma"
"""Its kind; also that of every index from before there were others."""


class Embedded:
    """Generations as folders `index/<number>`, each with a folder per index."""

    kind = EMBEDDED

    def __init__(self, home: Path, library: str = "") -> None:
        del library  # the data directory is the library's own
        self._folder = home / "index"

    def generations(self) -> list[int]:
        """The numbers of the folders."""
        return numbered_folders(self._folder)

    def open(self, number: str, *, expected: bool) -> TwoIndexes:
        """Open or create the folder's indexes."""
        folder = self._folder / number
        keywords = open_keywords(folder, expected=expected)
        try:
            made = part_of(folder, VECTORS, expected=expected)
            vectors = told(folder, lambda: VectorIndex.open(made))
        except IndexDamagedError:
            keywords.close()
            raise
        return TwoIndexes(keywords, vectors, place=f"in {folder}", explain=lambda error: damaged(folder, error))

    def drop_others(self, number: str) -> None:
        """Remove the other folders."""
        drop_folders(self._folder, keep=number)


def open_keywords(folder: Path, *, expected: bool) -> KeywordIndex:
    """The tantivy index of a generation's folder."""
    made = part_of(folder, KEYWORDS, expected=expected)
    return told(folder, lambda: KeywordIndex.open(made))


def part_of(folder: Path, name: str, *, expected: bool) -> Path:
    """The folder of one index, made unless it is expected.

    Raises:
        IndexDamagedError: it is expected and missing or empty.
    """
    part = folder / name
    if expected and not (part.is_dir() and any(part.iterdir())):
        raise IndexDamagedError(f"The index folder {part} is missing or empty. {WHAT_TO_DO}")
    part.mkdir(parents=True, exist_ok=True)
    return part


def told(folder: Path, call: Callable[[], _R]) -> _R:
    """The call, with whatever the engine raises told as damage of this folder."""
    try:
        return call()
    except StoreError:
        raise
    except Exception as error:
        raise damaged(folder, error) from error


def damaged(folder: Path, error: Exception) -> IndexDamagedError:
    """An engine's error as ours."""
    what = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return IndexDamagedError(f"The index in {folder} cannot be used ({what}). {WHAT_TO_DO}")


def numbered_folders(folder: Path) -> list[int]:
    """The generations that have a folder."""
    folders = folder.iterdir() if folder.is_dir() else ()
    return [int(one.name) for one in folders if one.name.isdigit()]


def drop_folders(folder: Path, *, keep: str | None) -> None:
    """Remove the folders of all generations but one."""
    for number in numbered_folders(folder):
        if str(number) != keep:
            shutil.rmtree(folder / str(number))
