"""Archives: the files inside a ZIP as files of their own, at paths like `docs.zip/inner/a.md`. Nothing is unpacked.

Every limit is judged by the archive's directory, before a member is read; a member that turns out longer than the
directory says is damaged.
"""

import errno
import lzma
import stat
import struct
import sys
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from io import BufferedReader, BytesIO
from pathlib import Path, PurePosixPath
from typing import IO
from zipfile import BadZipFile, ZipFile, ZipInfo

from stores.documents.reading_rules import DEFAULT_RULES, ReadingRules
from stores.errors import DocumentDamagedError, DocumentError, DocumentTooLargeError

ARCHIVES = frozenset({".zip"})
"""Suffixes of files that are looked into."""

MAX_DEPTH = 3
"""Archives within archives, the outermost counted."""

MAX_RATIO, RATIO_FROM = 200, 10_000_000
"""A member that unpacks to more than so many times its packed size is refused, from this size on."""

MAX_MEMBER = 1_000_000_000
"""A longer member is never unpacked, whatever the rules say: it would have to fit into memory."""

_UTF8_NAMES, _ENCRYPTED = 0x800, 0x1
_LEFT_OUT = frozenset({"__MACOSX", "node_modules", "__pycache__"})
BROKEN = (
    *(BadZipFile, EOFError, ValueError, NotImplementedError, RuntimeError, OverflowError),
    *(struct.error, zlib.error, lzma.LZMAError),
)
"""What the standard library raises for archives that are damaged or made by hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A file in an archive. `problem` says why it cannot be read, `name` never leads out of the archive."""

    name: str
    size: int
    problem: str | None = None


def unfold(path: Path, rules: ReadingRules = DEFAULT_RULES) -> list[Member]:
    """The files of an archive and of the archives in it, in the archive's order; hidden ones are left out.

    Raises:
        DocumentDamagedError: this is no ZIP archive, or a broken one.
        DocumentTooLargeError: too many files, or too many bytes when unpacked.
        OSError: the file system refuses.
    """
    budget = _Budget(path.name, rules)
    with path.open("rb") as file, _opened(file, path.name) as archive:
        return list(_members(archive, budget, prefix="", depth=1))


def is_archive(path: Path) -> bool:
    """Whether the path names a file that is looked into."""
    return path.suffix.lower() in ARCHIVES


@contextmanager
def open_file(path: Path) -> Iterator[BufferedReader | BytesIO]:
    """The bytes of a file, which may lie in an archive.

    Raises:
        OSError: there is no such file, or it is out of reach.
        DocumentDamagedError: the archive is broken, or the member is not what its directory says.
    """
    try:
        file: BufferedReader | BytesIO = path.open("rb")
    except NotADirectoryError:
        file = BytesIO(_member_data(path))
    with file:
        yield file


def file_size(path: Path) -> int:
    """Size in bytes, of a member as its archive's directory has it.

    Raises:
        OSError, DocumentDamagedError: see `open_file`.
    """
    try:
        return path.stat().st_size
    except NotADirectoryError:
        archive = containing(path)
        if archive is None:
            raise _gone(path) from None
        status = archive.stat()
        sizes = _sizes(archive, status.st_size, status.st_mtime_ns)
        if (name := path.relative_to(archive).as_posix()) not in sizes:
            raise _gone(path) from None
        return sizes[name]


def containing(path: Path) -> Path | None:
    """The archive in the file system that the path leads into; `None` for ordinary paths."""
    return next((parent for parent in path.parents if is_archive(parent) and parent.is_file()), None)


def is_gone(path: Path) -> bool:
    """Whether there is plainly no such file now, also within an archive; out of reach or broken is not gone."""
    try:
        file_size(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, DocumentError):
        return False
    return False


@dataclass(slots=True)
class _Budget:
    """What is left of the limits of one archive and all archives in it."""

    name: str
    rules: ReadingRules
    files: int = 0
    unpacked: int = 0

    def spend(self, entries: list[ZipInfo]) -> None:
        """Count the entries of one directory."""
        self.files += len(entries)
        self.unpacked += sum(entry.file_size for entry in entries)
        if self.files > self.rules.archive_files:
            raise DocumentTooLargeError(
                f"{self.name} holds more than {self.rules.archive_files} files. "
                "Split it, or raise RECITE_MAX_ARCHIVE_FILES."
            )
        if self.unpacked > self.rules.archive_bytes:
            raise DocumentTooLargeError(
                f"{self.name} unpacks to more than {self.rules.archive_bytes / 1e6:.0f} MB. Split it."
            )


@contextmanager
def _opened(file: IO[bytes], name: str) -> Iterator[ZipFile]:
    try:
        archive = ZipFile(file)
    except BROKEN as error:
        raise DocumentDamagedError(
            f"{name} is not a ZIP archive, or a broken one ({error}). Give an intact copy."
        ) from error
    with archive:
        yield archive


def _members(archive: ZipFile, budget: _Budget, *, prefix: str, depth: int) -> Iterator[Member]:
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    budget.spend(entries)
    seen: set[str] = set()
    for entry in entries:
        name = shown_name(entry)
        if _is_hidden(name):
            continue
        problem = _problem(entry, name, seen, budget.rules)
        seen.add(name)
        if problem is None and is_archive(Path(name)):
            yield from _inner(archive, entry, budget, name=prefix + name, depth=depth)
        else:
            yield Member(name=prefix + _harmless(name), size=entry.file_size, problem=problem)


def _inner(archive: ZipFile, entry: ZipInfo, budget: _Budget, *, name: str, depth: int) -> Iterator[Member]:
    """The members of an archive in the archive; one that cannot be opened is itself a member, with the reason."""
    if depth >= MAX_DEPTH:
        yield Member(name=name, size=entry.file_size, problem=f"Archives are opened {MAX_DEPTH} deep, no further.")
        return
    try:
        with _opened(BytesIO(_data(archive, entry)), name) as inner:
            yield from _members(inner, budget, prefix=f"{name}/", depth=depth + 1)
    except DocumentDamagedError as error:
        yield Member(name=name, size=entry.file_size, problem=str(error))


def shown_name(entry: ZipInfo) -> str:
    """The member's path. Names without the UTF-8 mark are UTF-8 or GB18030 in practice, not the standard's cp437."""
    name = entry.filename
    if not entry.flag_bits & _UTF8_NAMES:
        raw = name.encode("cp437", "replace")
        for encoding in ("utf-8", "gb18030"):
            try:
                name = raw.decode(encoding)
                break
            except UnicodeDecodeError:
                continue
    return name.replace("\\", "/")


def _problem(entry: ZipInfo, name: str, seen: set[str], rules: ReadingRules) -> str | None:
    if name != _harmless(name):
        return "Its name leads out of the archive. It is not read."
    if name in seen:
        return "The archive holds two files of this name. Only the first is read."
    if stat.S_ISLNK(entry.external_attr >> 16):
        return "A link in an archive is not followed."
    if entry.flag_bits & _ENCRYPTED:
        return "It is password-protected. Pack it again without a password."
    if entry.file_size > rules.file_bytes:
        return f"It unpacks to {entry.file_size / 1e6:.0f} MB; the limit is {rules.file_bytes / 1e6:.0f} MB."
    if entry.file_size > RATIO_FROM and entry.file_size > MAX_RATIO * entry.compress_size:
        return f"It unpacks to more than {MAX_RATIO} times its packed size, as no document does. It is not read."
    return None


def _harmless(name: str) -> str:
    """The name without what could lead out: root, drive, parent folders, characters no path may hold."""
    parts = (part.replace("\0", "") for part in PurePosixPath(name.replace("\\", "/")).parts)
    return (
        "/".join(part for part in parts if part not in {"/", "//", "..", "."} and not part.endswith(":")) or "unnamed"
    )


def _is_hidden(name: str) -> bool:
    return any(part in _LEFT_OUT or (part.startswith(".") and part != "..") for part in name.split("/") if part != ".")


def _data(archive: ZipFile, entry: ZipInfo) -> bytes:
    if entry.file_size > MAX_MEMBER:
        raise DocumentTooLargeError(f"{shown_name(entry)} unpacks to {entry.file_size / 1e6:.0f} MB. Split it.")
    try:
        with archive.open(entry) as file:
            data = file.read(entry.file_size + 1)
    except (*BROKEN, OSError) as error:
        raise DocumentDamagedError(f"{shown_name(entry)} is broken in its archive ({error}).") from error
    if len(data) != entry.file_size:
        raise DocumentDamagedError(f"{shown_name(entry)} is not of the size that its archive says.")
    return data


@lru_cache(maxsize=8)
def _sizes(archive: Path, size: int, mtime_ns: int) -> Mapping[str, int]:
    """The sizes of all members by name, read once for each state of the archive; what it may cost was judged before."""
    del size, mtime_ns
    every = replace(DEFAULT_RULES, archive_files=sys.maxsize, archive_bytes=sys.maxsize)
    return {member.name: member.size for member in unfold(archive, every)}


def _member_data(path: Path) -> bytes:
    with _located(path) as (archive, entry):
        return _data(archive, entry)


@contextmanager
def _located(path: Path) -> Iterator[tuple[ZipFile, ZipInfo]]:
    """The innermost archive that the path leads into, and its entry for the rest of the path."""
    outermost = containing(path)
    if outermost is None:
        raise _gone(path)
    with outermost.open("rb") as file, _within(file, outermost.name, path.relative_to(outermost).parts, path) as found:
        yield found


@contextmanager
def _within(file: IO[bytes], name: str, parts: tuple[str, ...], path: Path) -> Iterator[tuple[ZipFile, ZipInfo]]:
    with _opened(file, name) as archive:
        entries: dict[str, ZipInfo] = {}
        for entry in archive.infolist():
            entries.setdefault(shown_name(entry), entry)
        whole = entries.get("/".join(parts))
        if whole is not None:
            yield archive, whole
            return
        for length in range(1, len(parts)):
            outer = entries.get("/".join(parts[:length]))
            if outer is not None and is_archive(Path(parts[length - 1])):
                inner = BytesIO(_data(archive, outer))
                with _within(inner, parts[length - 1], parts[length:], path) as found:
                    yield found
                return
    raise _gone(path)


def _gone(path: Path) -> FileNotFoundError:
    return FileNotFoundError(errno.ENOENT, "No such file in the archive", str(path))
