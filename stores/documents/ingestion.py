"""Ingestion: folders become documents: files are read side by side and taken in in groups, in order."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import perf_counter

from stores.documents.access import IndexAccess
from stores.documents.ahead import ahead
from stores.documents.archives import is_gone
from stores.documents.document import FileResult
from stores.documents.ingest import Intake, Prepared, result_of, settled
from stores.documents.look import GONE, Look
from stores.documents.manifest import Entry, Manifest
from stores.documents.prune import lost
from stores.documents.reading import Parse, reading
from stores.documents.reading_rules import ReadingRules
from stores.documents.underway import Queue, Underway
from stores.documents.walk import FoundFile, find_files

Progress = tuple[FileResult, int, int]
"""A result, the files done, the files in all."""

LOOK_AHEAD_FILES = 64
LOOK_AHEAD_BYTES = 32_000_000
"""What is read and not yet taken in, at most; a single larger file is read alone."""
GROUP_CHARACTERS = 40_000
"""Files are taken in together up to so much text: small ones share their transactions, none waits long for a line."""
PRUNED_AT_ONCE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class _Target:
    owner: str
    collection: str


class Ingestion:
    """Takes paths in, and prunes."""

    def __init__(
        self,
        home: Path,
        *,
        manifest: Manifest,
        access: IndexAccess,
        intake: Intake,
        rules: ReadingRules,
        underway: Underway,
    ) -> None:
        self._home = home
        self._manifest = manifest
        self._access = access
        self._intake = intake
        self._rules = rules
        self._underway = underway

    async def run(self, paths: Sequence[Path], *, owner: str, collection: str, prune: bool) -> AsyncIterator[Progress]:
        """As `DocumentStore.ingest`."""
        await self._access.reach()
        self._access.usable()
        files = await asyncio.to_thread(find_files, paths, leave_out=self._home, may_be_empty=prune, rules=self._rules)
        target = _Target(owner=owner, collection=collection)
        entries = await self._manifest.entries(owners=[owner], collection=collection)
        known = {entry.document.path: entry for entry in entries}
        todo = [file.path for file in files if settled(file, known.get(file.path), self._rules) is None]
        done, purge = 0, False
        try:
            with self._underway.queue(todo, owner=owner, collection=collection) as queue:
                async with aclosing(self._files(files, known, target, queue)) as results:
                    async for result in results:
                        done += 1
                        purge = purge or result.status == "updated"
                        yield result, done, len(files)
            if prune:
                async for result in self._pruned(paths, target, {file.path for file in files}):
                    done += 1
                    yield result, done, max(done, len(files))
        finally:
            if purge:
                await self._purge()

    async def _files(
        self, files: Sequence[FoundFile], known: dict[str, Entry], target: _Target, queue: Queue
    ) -> AsyncGenerator[FileResult]:
        due = partial(_due, known, await asyncio.to_thread(_homeless_contents, known))
        async with reading(self._rules) as parse:

            async def prepare(file: FoundFile) -> FileResult | Prepared:
                result = settled(file, known.get(file.path), self._rules)
                return result or await self._intake.prepare(file.path, parse, due=due)

            started = perf_counter()
            async with aclosing(ahead(files, prepare, limit=_enough_ahead, full=_full)) as groups:
                async for group in groups:
                    results = await self._take_in(group, parse, target, queue)
                    each_ms = round((perf_counter() - started) * 1000 / len(results), 1)
                    for result in results:
                        yield replace(result, ms=each_ms)
                    started = perf_counter()

    async def _take_in(
        self, group: Sequence[FileResult | Prepared], parse: Parse, target: _Target, queue: Queue
    ) -> list[FileResult]:
        prepared = [one for one in group if isinstance(one, Prepared)]
        results = {one.path: one for one in group if isinstance(one, FileResult)}
        if prepared:
            paths = [one.path for one in prepared]
            queue.indexing(paths)
            async with self._access.changing() as use:
                taken = await self._intake.take_in(
                    prepared, parse, owner=target.owner, collection=target.collection, revisions=use.revisions
                )
            queue.done(paths)
            results |= {one.path: one for one in taken}
        return [results[one.path] for one in group]

    async def _pruned(
        self, paths: Sequence[Path], target: _Target, walked: Collection[str]
    ) -> AsyncIterator[FileResult]:
        """Delete what these folders have lost; after everything was taken in, so that a moved file is not lost.

        A file that was `walked` and has gone since may have moved to where the walk had been: the next ingest tells.
        """
        known = await self._manifest.documents(owners=[target.owner], collection=target.collection)
        gone = await asyncio.to_thread(lost, [one for one in known if one.path not in walked], paths)
        for start in range(0, len(gone), PRUNED_AT_ONCE):
            part = gone[start : start + PRUNED_AT_ONCE]
            async with self._access.removing() as use:
                await use.revisions.remove(*(document.document_id for document in part))
            for document in part:
                yield replace(result_of(document, "deleted"), reason=GONE)

    async def _purge(self) -> None:
        async with self._access.removing() as use:
            await use.revisions.finish()


def _due(known: dict[str, Entry], homeless: frozenset[str], path: str, look: Look) -> bool:
    """Whether the file has to be read: not if its document has this content, or one whose file has moved has."""
    at = known.get(path)
    if at is None:
        return look.sha256 not in homeless
    return not at.document.revision or at.document.sha256 != look.sha256


def _homeless_contents(known: dict[str, Entry]) -> frozenset[str]:
    """The contents of documents whose file is not where it was."""
    return frozenset(
        entry.document.sha256 for path, entry in known.items() if entry.document.revision and is_gone(Path(path))
    )


def _enough_ahead(files: Sequence[FoundFile]) -> bool:
    size = sum(file.stamp.size for file in files if file.stamp is not None)
    return len(files) >= LOOK_AHEAD_FILES or size >= LOOK_AHEAD_BYTES


def _full(group: Sequence[FileResult | Prepared]) -> bool:
    texts = (one.parsed for one in group if isinstance(one, Prepared))
    return sum(len(parsed.text) for parsed in texts if parsed is not None and not isinstance(parsed, str)) >= (
        GROUP_CHARACTERS
    )
