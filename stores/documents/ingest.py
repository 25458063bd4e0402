"""Intake: a file becomes, or stays, a document; stamp, content hash and chunk ids tell, in this order, what changed."""

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from stores.documents.archives import is_gone
from stores.documents.document import Document, FileResult, FileStatus, ParsedDocument
from stores.documents.look import GONE, Look, look_at
from stores.documents.making import Chunking, Place, failed, ready
from stores.documents.manifest import Entry, Manifest
from stores.documents.parsing import passed_over
from stores.documents.reading import Parse
from stores.documents.reading_rules import ReadingRules
from stores.documents.revisions import Revision, Revisions
from stores.documents.tables import ID_LENGTH
from stores.documents.walk import FoundFile, stamp_of
from stores.errors import DocumentError

CHANGED_MEANWHILE = "The file changed while it was being read. Take it in again."

Due = Callable[[str, Look], bool]
"""Whether the file at a path, after this look, has to be read."""


def settled(file: FoundFile, known: Entry | None, rules: ReadingRules) -> FileResult | None:
    """What is known about the file without reading it: nothing to do, or that it failed as it is; else `None`."""
    if file.problem is not None:
        return FileResult(path=file.path, status="failed" if file.missed else "skipped", reason=file.problem)
    passed = None if file.named else passed_over(Path(file.path), rules)
    if passed is not None:
        return FileResult(path=file.path, status="skipped", reason=passed)
    if known is None or file.stamp != known.stamp:
        return None
    return result_of(known.document, "unchanged" if known.document.reason is None else "failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A file that was looked at, and read if that seemed due."""

    path: str
    look: Look
    parsed: ParsedDocument | str | None = None
    """What a parser made of it, or why there is nothing; `None` if it was not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """What is to be done about a file, and what it will be told as."""

    result: FileResult
    written: Revision | None = None
    kept: Entry | None = None


class Intake:
    """Takes files in. Preparing may overlap with anything; calls of `take_in` must not: the caller holds a lock."""

    def __init__(self, *, manifest: Manifest, chunking: Chunking, clock: Callable[[], datetime]) -> None:
        self._manifest = manifest
        self._chunking = chunking
        self._clock = clock

    async def prepare(self, path: str, parse: Parse, *, due: Due) -> Prepared:
        """Look at the file and, if it is due, read it. Changes nothing."""
        look = await asyncio.to_thread(look_at, path, now=self._clock())
        if look.problem is not None or not due(path, look):
            return Prepared(path=path, look=look)
        return Prepared(path=path, look=look, parsed=await read(path, look, parse))

    async def take_in(
        self, files: Sequence[Prepared], parse: Parse, *, owner: str, collection: str, revisions: Revisions
    ) -> list[FileResult]:
        """Make the files' content the current revisions, unless it is already; one result each.

        A file that cannot be taken in is a result; an earlier good revision of it stays.

        Raises:
            StoreError: embedder or index failed; nothing has changed.
        """
        known = await self._manifest.entries_at([file.path for file in files], owner=owner, collection=collection)
        new = [file for file in files if file.path not in known]
        moved = await self._moved(new, owner=owner, collection=collection)
        ids = await self._new_ids([file.path for file in new], owner, collection)
        steps: list[_Step] = []
        for file in files:
            before = known.get(file.path)
            id_ = before.document.document_id if before else ids[file.path]
            place = Place(document_id=id_, owner=owner, collection=collection, path=file.path)
            steps.append(await self._step(file, parse, place, before, moved.get(file.path)))
        await revisions.write([step.written for step in steps if step.written is not None])
        await revisions.keep([step.kept for step in steps if step.kept is not None])
        return [step.result for step in steps]

    async def _step(
        self, file: Prepared, parse: Parse, place: Place, known: Entry | None, moved: Entry | None
    ) -> _Step:
        look = file.look
        if look.gone:
            return _Step(result=FileResult(path=file.path, status="skipped", reason=GONE))
        if known and known.document.revision and known.document.sha256 == look.sha256:
            same = Entry(document=replace(known.document, reason=None), stamp=look.lasting)
            return _Step(result=result_of(same.document, "unchanged"), kept=same)
        if moved and _suffix(moved.document.path) == _suffix(file.path):
            return self._relocated(file, moved)
        before = known or moved
        if moved:
            place = replace(place, document_id=moved.document.document_id)
        parsed = look.problem or file.parsed or await read(file.path, look, parse)
        cut = await asyncio.to_thread(self._chunking.chunks_or_reason, parsed, place.document_id, place.owner)
        if isinstance(parsed, str) or isinstance(cut, str):
            return self._failed(place, known, look, str(cut))
        revision = before.document.revision + 1 if before else 1
        entry = ready(place, parsed, look, revision=revision, now=self._now())
        new = before is None or not before.document.revision
        result = result_of(entry.document, "added" if new else "updated", len(cut))
        told = (_moved_from(moved) if moved else None, parsed.note)
        return _Step(
            result=replace(result, reason=" ".join(filter(None, told)) or None),
            written=Revision(entry=entry, chunks=cut),
        )

    def _relocated(self, file: Prepared, moved: Entry) -> _Step:
        """The same content at another place: only the row changes, nothing is embedded anew.

        Titles that were the file's name follow it; chunks keep the context they were embedded with.
        """
        old, new = Path(moved.document.path), Path(file.path)
        names = {old.name: new.name, old.stem: new.stem}
        document = replace(
            moved.document,
            path=file.path,
            title=names.get(moved.document.title, moved.document.title),
            reason=None,
            updated_at=self._now(),
        )
        result = replace(result_of(document, "updated"), reason=_moved_from(moved))
        return _Step(result=result, kept=Entry(document=document, stamp=file.look.lasting))

    def _failed(self, place: Place, known: Entry | None, look: Look, reason: str) -> _Step:
        """Remember why the file failed: beside its last good revision, or as a document without one."""
        if known and known.document.revision:
            entry = Entry(document=replace(known.document, reason=reason), stamp=look.lasting)
        else:
            entry = failed(place, look, reason, now=self._now())
        return _Step(result=result_of(entry.document, "failed"), kept=entry)

    async def _moved(self, files: Sequence[Prepared], *, owner: str, collection: str) -> dict[str, Entry]:
        """For each new file the document of the same content whose file is not where it was, if there is one."""
        contents = {file.look.sha256 for file in files if file.look.problem is None}
        candidates = await self._manifest.with_contents(sorted(contents), owner=owner, collection=collection)
        homeless = await asyncio.to_thread(_homeless, candidates)
        moved: dict[str, Entry] = {}
        for file in files:
            if homeless.get(file.look.sha256):
                moved[file.path] = homeless[file.look.sha256].pop(0)
        return moved

    async def _new_ids(self, paths: Sequence[str], owner: str, collection: str) -> dict[str, str]:
        """An id for each path; one more round for those whose id a document that moved away keeps."""
        ids: dict[str, str] = {}
        rounds = 0
        missing = list(paths)
        while missing:
            made = {path: document_id_of(path, owner, collection, rounds) for path in missing}
            taken = await self._manifest.taken_ids(list(made.values()))
            ids |= {path: id_ for path, id_ in made.items() if id_ not in taken}
            missing = [path for path in missing if path not in ids]
            rounds += 1
        return ids

    def _now(self) -> str:
        return self._clock().astimezone(UTC).isoformat(timespec="seconds")


def document_id_of(path: str, owner: str, collection: str, rounds: int = 0) -> str:
    """The hash of owner, collection and path: the id of a new document, unless `rounds` others were taken."""
    key = "\0".join((owner, collection, path)) + "\0" * rounds
    return hashlib.sha256(key.encode()).hexdigest()[:ID_LENGTH]


async def read(path: str, look: Look, parse: Parse) -> ParsedDocument | str:
    """What a parser makes of the file that was looked at, or why there is nothing."""
    parsed = await parse(Path(path))
    try:
        same = await asyncio.to_thread(stamp_of, path) == look.stamp
    except OSError as error:
        return f"The file cannot be read ({error.strerror})."
    except DocumentError as error:  # the archive that holds it
        return str(error)
    return parsed if same or isinstance(parsed, str) else CHANGED_MEANWHILE


def result_of(document: Document, status: FileStatus, chunks: int | None = None) -> FileResult:
    """A document as the result of taking in its file."""
    return FileResult(
        path=document.path,
        status=status,
        reason=document.reason if status == "failed" else None,
        document_id=document.document_id,
        chunks=document.chunks if chunks is None else chunks,
        pages=document.pages,
        encoding=document.encoding,
    )


def _homeless(candidates: Sequence[Entry]) -> dict[str, list[Entry]]:
    """By content hash, the documents whose file is not there any more."""
    found: dict[str, list[Entry]] = {}
    for entry in candidates:
        if is_gone(Path(entry.document.path)):
            found.setdefault(entry.document.sha256, []).append(entry)
    return found


def _suffix(path: str) -> str:
    return Path(path).suffix.lower()


def _moved_from(moved: Entry) -> str:
    return f"Moved from {moved.document.path}."
