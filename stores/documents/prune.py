"""Prune: which documents of a folder have lost their file."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from stores.documents.archives import is_archive, is_gone
from stores.documents.document import Document


def lost(documents: Iterable[Document], folders: Sequence[Path]) -> list[Document]:
    """The documents whose file was in one of these folders or archives and is there no more.

    Only a plain "there is no such file" counts: a folder that is gone itself, or that may not be entered or read,
    says nothing about what was in it.
    """
    within = [real for folder in folders if _readable(real := folder.resolve())]
    return [one for one in documents if any(_below(one.path, folder) for folder in within) and is_gone(Path(one.path))]


def _readable(folder: Path) -> bool:
    try:
        if is_archive(folder):
            folder.open("rb").close()
        else:
            next(folder.iterdir(), None)
    except OSError:
        return False
    return True


def _below(path: str, folder: Path) -> bool:
    return Path(path).is_relative_to(folder)
