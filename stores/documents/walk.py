"""Walk: which files an ingest is about, in a fixed order, with the stat that tells whether they changed."""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from stores.documents.archives import containing, file_size, is_archive, unfold
from stores.documents.parsing import SUPPORTED
from stores.documents.reading_rules import DEFAULT_RULES, ReadingRules
from stores.errors import DocumentError, StoreError

NEVER_WALKED = frozenset({"node_modules", "__pycache__"})
"""Folders nobody means; hidden ones (`.git`, `.venv`, ...) are left out by their dot."""


class PathNotFoundError(StoreError):
    """The path to take in does not exist."""


class EmptyFolderError(StoreError):
    """The folder to take in holds no file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileStamp:
    """Size in bytes and modification time in nanoseconds: equal stamps mean that nobody wrote to the file."""

    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFile:
    """A file of an ingest, or what stands in its place."""

    path: str
    """Absolute, symbolic links resolved, always printable."""
    stamp: FileStamp | None = None
    named: bool = False
    """The user wrote this very path, it was not met inside a folder."""
    problem: str | None = None
    """Why this is no file to be read: a pipe, a broken link, a folder without permission."""
    missed: bool = False
    """It would have been read, could it be: with a problem it is a failure and not merely passed over."""


def find_files(
    paths: Sequence[Path],
    *,
    leave_out: Path | None = None,
    may_be_empty: bool = False,
    rules: ReadingRules = DEFAULT_RULES,
) -> list[FoundFile]:
    """The files under `paths`, each once: in the given order, folders recursively by name, archives by their files.

    Hidden files and folders inside a folder are passed over, as are `node_modules`, `__pycache__` and the folder
    `leave_out`. Links to files are followed; links to folders are not (so loops cannot happen) and are reported.

    Raises:
        PathNotFoundError: one of the paths does not exist. Nothing has been taken in then.
        EmptyFolderError: a folder without any file to look at, unless it `may_be_empty`.
    """
    found: dict[str, FoundFile] = {}
    for path in paths:
        if not _exists(path):
            raise PathNotFoundError(f"There is no file or folder {str(path)!r} within reach. Check the path.")
    for path in paths:
        real = path.resolve()
        if real.is_dir():
            files = list(_walk(real, leave_out.resolve() if leave_out else None))
            if not files and not may_be_empty:
                raise EmptyFolderError(f"The folder {str(path)!r} holds no files. Name another one.")
        else:
            files = [_look_at(real, named=True)]
        for file in files:
            for one in _unfolded(file, rules):
                found.setdefault(one.path, one)
    return list(found.values())


def stamp_of(path: str) -> FileStamp:
    """The file's present stamp.

    Raises:
        OSError: the file is gone or out of reach.
    """
    archive = containing(Path(path))
    size, status = file_size(Path(path)), (archive or Path(path)).stat()
    return FileStamp(size=size, mtime_ns=status.st_mtime_ns)


def _unfolded(file: FoundFile, rules: ReadingRules) -> Iterator[FoundFile]:
    """The file itself; an archive is passed over in favour of the files in it, which carry its time."""
    if file.stamp is None or not is_archive(Path(file.path)):
        yield file
        return
    try:
        members = unfold(Path(file.path), rules)
    except (DocumentError, OSError) as error:
        yield replace(file, problem=str(error), missed=True)
        return
    yield replace(file, problem=f"An archive; its files ({len(members)}) are taken in each by itself.")
    for member in members:
        yield FoundFile(
            path=_printable(f"{file.path}/{member.name}"),
            stamp=FileStamp(size=member.size, mtime_ns=file.stamp.mtime_ns),
            problem=member.problem,
            missed=True,
        )


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a folder on the way that may not be entered
        return False


def _walk(folder: Path, leave_out: Path | None) -> Iterator[FoundFile]:
    """The folder's files, depth first by name; an own stack, because folders may be nested deeper than calls."""
    stack = [folder]
    while stack:
        path = stack.pop()
        try:
            is_folder = path.is_dir()
            if is_folder and path.is_symlink():
                yield FoundFile(
                    path=_printable(str(path)),
                    problem="A link to a folder is not followed; name it directly.",
                )
            elif is_folder and path != leave_out:
                stack += sorted((child for child in path.iterdir() if _wanted(child)), reverse=True)
            elif not is_folder:
                yield _look_at(path, named=False)
        except OSError as error:
            problem = f"The folder cannot be read ({error.strerror})."
            yield FoundFile(path=_printable(str(path)), problem=problem, missed=True)


def _wanted(path: Path) -> bool:
    return not path.name.startswith(".") and path.name not in NEVER_WALKED


def _look_at(path: Path, *, named: bool) -> FoundFile:
    missed = named or is_archive(path) or path.suffix.lower() in SUPPORTED
    try:
        real = str(path.resolve())
        status = os.stat(real)  # noqa: PTH116 - `Path.stat` would parse the path a second time, for every file
    except (OSError, RuntimeError) as error:  # RuntimeError: how Python 3.11 and 3.12 report a loop of links
        reason = getattr(error, "strerror", None) or "a loop of links"
        problem = f"The file cannot be read ({reason})."
        return FoundFile(path=_printable(str(path)), named=named, problem=problem, missed=missed)
    if not _is_text(real):
        problem = "The file name is not valid UTF-8. Rename it."
        return FoundFile(path=_printable(real), named=named, problem=problem, missed=missed)
    if not stat.S_ISREG(status.st_mode):
        return FoundFile(path=real, named=named, problem="This is not a regular file.", missed=named)
    stamp = FileStamp(size=status.st_size, mtime_ns=status.st_mtime_ns)
    return FoundFile(path=real, stamp=stamp, named=named)


def _is_text(path: str) -> bool:
    return _printable(path) == path


def _printable(path: str) -> str:
    """The path with bytes that are no UTF-8 (lone surrogates here) replaced, so that it can be shown and stored."""
    return path.encode("utf-8", "replace").decode("utf-8")
