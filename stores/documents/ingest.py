"""Intake: a file becomes, or stays, a document; stamp, content hash and chunk ids tell, in this order, what changed."""

import asyncio
import hashlib
import mimetypes
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from stores.documents.archives import file_exists, open_file
from stores.documents.chunking import chunk_document
from stores.documents.document import Chunk, Document, FileResult, FileStatus, ParsedDocument
from stores.documents.manifest import UNKNOWN_STAMP, Entry, Manifest
from stores.documents.parsing import passed_over
from stores.documents.reading import Reader
from stores.documents.reading_rules import DEFAULT_RULES, ReadingRules
from stores.documents.revisions import Revisions
from stores.documents.stored_text import stored_text
from stores.documents.tables import ID_LENGTH
from stores.documents.walk import FileStamp, FoundFile, stamp_of
from stores.errors import DocumentError, StoreError

CLOCK_TICK_NS = 50_000_000
"""A file written less than this ago may be written again under the same modification time."""

TokenSpans = Callable[[str], list[tuple[int, int]]]
"""Where each token of the embedder stands in a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunking:
    """How documents are cut: tokens per chunk, overlap and window in tokens of the embedder."""

    token_spans: TokenSpans
    size: int
    overlap: int
    window: int


def settled(file: FoundFile, known: Entry | None, rules: ReadingRules = DEFAULT_RULES) -> FileResult | None:
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
class _Look:
    """A file's stamp before reading and the hash of its bytes, or why it cannot be read."""

    stamp: FileStamp
    sha256: str
    problem: str | None = None
    gone: bool = False
    fresh: bool = False
    """Written so lately that its stamp does not tell it from what may be written next."""

    @property
    def lasting(self) -> FileStamp:
        """The stamp to compare with next time."""
        return UNKNOWN_STAMP if self.fresh else self.stamp


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cut:
    parsed: ParsedDocument
    chunks: list[Chunk]


class Intake:
    """Takes single files in. Calls must not overlap; the caller holds a lock."""

    def __init__(
        self, *, manifest: Manifest, chunking: Chunking, clock: Callable[[], datetime], reader: Reader
    ) -> None:
        self._manifest = manifest
        self._reader = reader
        self._chunking = chunking
        self._clock = clock

    async def take_in(self, path: str, *, owner: str, collection: str, revisions: Revisions) -> FileResult:
        """Read the file and make its content the current revision, unless it is already.

        A file that cannot be taken in is a result; an earlier good revision of it stays.

        Raises:
            StoreError: embedder or index failed; nothing has changed.
        """
        known = await self._manifest.entry_at(path, owner=owner, collection=collection)
        look = await asyncio.to_thread(self._look, path)
        if known and known.document.revision and known.document.sha256 == look.sha256:
            same = Entry(document=replace(known.document, reason=None), stamp=look.lasting)
            await self._manifest.put(same)
            return result_of(same.document, "unchanged")
        before = known or await self._moved(look, owner=owner, collection=collection)
        id_ = before.document.document_id if before else await self._new_id(path, owner, collection)
        cut = await asyncio.to_thread(self._cut, path, id_, owner, look)
        if isinstance(cut, str):
            failed = await self._failed(path, known, look, cut, owner=owner, collection=collection)
            return result_of(failed.document, "failed")
        entry = self._entry(path, id_, before, look, cut.parsed, owner=owner, collection=collection)
        await revisions.write(entry, cut.chunks)
        moved = f"Moved from {before.document.path}." if before and before is not known else None
        new = before is None or not before.document.revision
        reason = " ".join(filter(None, (moved, cut.parsed.note))) or None
        return replace(result_of(entry.document, "added" if new else "updated", len(cut.chunks)), reason=reason)

    async def rebuild(self, entry: Entry, *, revisions: Revisions, recut: bool) -> FileResult:
        """Index the document anew from its file, into empty indexes.

        If the file is gone or cannot be read any more, the stored text is indexed again, with `recut` by today's
        rules: no document is lost because its file has moved.

        Raises:
            StoreError: embedder or index failed.
        """
        old = entry.document
        look = await asyncio.to_thread(self._look, old.path)
        cut = await asyncio.to_thread(self._cut, old.path, old.document_id, old.owner, look)
        if not isinstance(cut, str):
            new = self._entry(
                old.path, old.document_id, entry, look, cut.parsed, owner=old.owner, collection=old.collection
            )
            await revisions.write(new, cut.chunks, everything=True)
            return result_of(new.document, "updated" if old.revision else "added", len(cut.chunks))
        if not old.revision:
            return replace(result_of(old, "failed"), reason=cut)
        chunks = await self._manifest.chunks_of(old.document_id)
        if recut:
            chunks = await asyncio.to_thread(self._recut, old, chunks)
        kept = Entry(document=replace(old, reason=cut), stamp=look.lasting)
        await revisions.write(kept, chunks, everything=True)
        result = result_of(kept.document, "unchanged" if look.gone else "failed", len(chunks))
        return replace(result, reason=f"{cut} Its stored text was indexed again.")

    def _recut(self, document: Document, chunks: list[Chunk]) -> list[Chunk]:
        return self._chunks(stored_text(document, chunks), document.document_id, document.owner)

    def _chunks(self, parsed: ParsedDocument, document_id: str, owner: str) -> list[Chunk]:
        return chunk_document(
            parsed,
            document_id=document_id,
            owner=owner,
            token_spans=self._chunking.token_spans,
            size=self._chunking.size,
            overlap=self._chunking.overlap,
            window=self._chunking.window,
        )

    def _look(self, path: str) -> "_Look":
        try:
            stamp = stamp_of(path)
            with open_file(Path(path)) as file:
                sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        except FileNotFoundError:
            return _Look(stamp=UNKNOWN_STAMP, sha256="", problem="The file is not there any more.", gone=True)
        except OSError as error:
            return _Look(stamp=UNKNOWN_STAMP, sha256="", problem=f"The file cannot be read ({error.strerror}).")
        except DocumentError as error:  # the archive that holds it
            return _Look(stamp=UNKNOWN_STAMP, sha256="", problem=str(error))
        age_ns = int(self._clock().timestamp() * 1e9) - stamp.mtime_ns
        return _Look(stamp=stamp, sha256=sha256, fresh=0 <= age_ns < CLOCK_TICK_NS)

    def _cut(self, path: str, document_id: str, owner: str, look: "_Look") -> "_Cut | str":
        """The parsed document and its chunks, or why there are none."""
        if look.problem is not None:
            return look.problem
        try:
            parsed = self._reader.read(Path(path))
            chunks = self._chunks(parsed, document_id, owner)
            if stamp_of(path) != look.stamp:
                return "The file changed while it was being read. Take it in again."
        except DocumentError as error:
            return str(error)
        except StoreError:
            raise
        except OSError as error:
            return f"The file cannot be read ({error.strerror})."
        except Exception as error:
            # Parsers of other people meet files of other people here; one file must not end an ingest of thousands.
            return f"The file cannot be parsed ({type(error).__name__}: {error})."
        return _Cut(parsed=parsed, chunks=chunks) if chunks else "The file holds no text."

    def _entry(
        self,
        path: str,
        document_id: str,
        before: Entry | None,
        look: _Look,
        parsed: ParsedDocument,
        *,
        owner: str,
        collection: str,
    ) -> Entry:
        document = Document(
            document_id=document_id,
            owner=owner,
            collection=collection,
            path=path,
            title=parsed.title,
            media_type=parsed.media_type,
            encoding=parsed.encoding,
            pages=parsed.pages,
            chunks=0,
            sha256=look.sha256,
            revision=before.document.revision + 1 if before else 1,
            state="ready",
            reason=None,
            updated_at=self._now(),
        )
        return Entry(document=document, stamp=look.lasting)

    async def _failed(
        self, path: str, known: Entry | None, look: _Look, reason: str, *, owner: str, collection: str
    ) -> Entry:
        """Remember why the file failed: beside its last good revision, or as a document without one."""
        if known and known.document.revision:
            entry = Entry(document=replace(known.document, reason=reason), stamp=look.lasting)
        else:
            id_ = known.document.document_id if known else await self._new_id(path, owner, collection)
            entry = self._failure(id_, path, look, reason, owner=owner, collection=collection)
        await self._manifest.put(entry)
        return entry

    def _failure(self, document_id: str, path: str, look: _Look, reason: str, *, owner: str, collection: str) -> Entry:
        document = Document(
            document_id=document_id,
            owner=owner,
            collection=collection,
            path=path,
            title=Path(path).name,
            media_type=mimetypes.guess_type(path)[0] or "application/octet-stream",
            encoding=None,
            pages=None,
            chunks=0,
            sha256=look.sha256,
            revision=0,
            state="failed",
            reason=reason,
            updated_at=self._now(),
        )
        return Entry(document=document, stamp=look.lasting)

    async def _moved(self, look: _Look, *, owner: str, collection: str) -> Entry | None:
        """The document of the same content whose file is not where it was."""
        if look.problem is not None:
            return None
        for entry in await self._manifest.with_content(look.sha256, owner=owner, collection=collection):
            if not await asyncio.to_thread(file_exists, Path(entry.document.path)):
                return entry
        return None

    async def _new_id(self, path: str, owner: str, collection: str) -> str:
        """The hash of owner, collection and path; one more round if a document that moved away keeps that id."""
        key = "\0".join((owner, collection, path))
        while True:
            id_ = hashlib.sha256(key.encode()).hexdigest()[:ID_LENGTH]
            if not await self._manifest.with_id(id_):
                return id_
            key += "\0"

    def _now(self) -> str:
        return self._clock().astimezone(UTC).isoformat(timespec="seconds")


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
