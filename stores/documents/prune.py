"""Prune: which documents of a folder have lost their file."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from stores.documents.document import Document


def lost(documents: Iterable[Document], folders: Sequence[Path]) -> list[Document]:
    """The documents whose file was in one of these folders and is there no more.

    Only a plain "there is no such file" counts: a folder that is gone itself, or that may not be entered or read,
    says nothing about what was in it.
    """
    within = [real for folder in folders if _readable(real := folder.resolve())]
    return [one for one in documents if any(_below(one.path, folder) for folder in within) and _is_gone(one.path)]


def _readable(folder: Path) -> bool:
    try:
        next(folder.iterdir(), None)
    except OSError:
        return False
    return True


def _below(path: str, folder: Path) -> bool:
    return Path(path).is_relative_to(folder)


def _is_gone(path: str) -> bool:
    try:
        Path(path).lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False
