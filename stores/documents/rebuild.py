"""Rebuild: both indexes made anew from the files of all documents, without losing one."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import UTC, datetime
from time import perf_counter

from stores.documents.access import IndexAccess
from stores.documents.document import FileResult
from stores.documents.ingest import read, result_of
from stores.documents.look import look_at
from stores.documents.making import Chunking, Place, ready
from stores.documents.manifest import Entry, Manifest
from stores.documents.reading import Parse, reading
from stores.documents.reading_rules import ReadingRules
from stores.documents.revisions import Revision, Revisions
from stores.documents.stored_text import stored_text

Progress = tuple[FileResult, int, int]


class Rebuild:
    """Rebuilds the indexes, one document after the other."""

    def __init__(
        self,
        *,
        manifest: Manifest,
        access: IndexAccess,
        chunking: Chunking,
        rules: ReadingRules,
        clock: Callable[[], datetime],
    ) -> None:
        self._manifest = manifest
        self._access = access
        self._chunking = chunking
        self._rules = rules
        self._clock = clock

    async def run(self) -> AsyncIterator[Progress]:
        """As `DocumentStore.reindex`."""
        async with self._access.rebuilding() as recut, reading(self._rules) as parse:
            entries = await self._manifest.entries()
            for done, entry in enumerate(entries, start=1):
                started = perf_counter()
                result = await self._document(entry, parse, recut=recut)
                yield replace(result, ms=round((perf_counter() - started) * 1000, 1)), done, len(entries)

    async def _document(self, entry: Entry, parse: Parse, *, recut: bool) -> FileResult:
        of = entry.document
        async with self._access.removing() as use:
            now = await self._manifest.entry_at(of.path, owner=of.owner, collection=of.collection)
            if now is None:
                return FileResult(path=of.path, status="skipped", reason="It was deleted in the meantime.")
            return await self._anew(now, parse, use.revisions, recut=recut)

    async def _anew(self, entry: Entry, parse: Parse, revisions: Revisions, *, recut: bool) -> FileResult:
        """Index the document from its file, else from its stored text, with `recut` cut by today's rules.

        Raises:
            StoreError: embedder or index failed.
        """
        old = entry.document
        look = await asyncio.to_thread(look_at, old.path, now=self._clock())
        parsed = look.problem or await read(old.path, look, parse)
        cut = await asyncio.to_thread(self._chunking.chunks_or_reason, parsed, old.document_id, old.owner)
        if not isinstance(parsed, str) and not isinstance(cut, str):
            place = Place(document_id=old.document_id, owner=old.owner, collection=old.collection, path=old.path)
            now = self._clock().astimezone(UTC).isoformat(timespec="seconds")
            new = ready(place, parsed, look, revision=old.revision + 1, now=now)
            await revisions.write([Revision(entry=new, chunks=cut)], everything=True)
            return result_of(new.document, "updated" if old.revision else "added", len(cut))
        reason = str(cut)
        if not old.revision:
            return replace(result_of(old, "failed"), reason=reason)
        chunks = await self._manifest.chunks_of(old.document_id)
        if recut:
            whole = stored_text(old, chunks)
            chunks = await asyncio.to_thread(self._chunking.chunks, whole, old.document_id, old.owner)
        kept = Entry(document=replace(old, reason=reason), stamp=look.lasting)
        await revisions.write([Revision(entry=kept, chunks=chunks)], everything=True)
        result = result_of(kept.document, "unchanged" if look.gone else "failed", len(chunks))
        return replace(result, reason=f"{reason} Its stored text was indexed again.")
