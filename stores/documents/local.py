"""LocalDocuments: the document store of the one process that owns the data directory."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Self
from uuid import uuid4

from sqlalchemy.ext.asyncio import AsyncEngine

from stores.documents.backends.embedded import Embedded
from stores.documents.document import Chunk, Document, FileResult, SearchResult
from stores.documents.generations import CHUNK_MAKERS, INTERRUPTED, LIBRARY, Generations, versions
from stores.documents.health import health_of
from stores.documents.index_pair import IndexPair
from stores.documents.indexes import BackendFactory
from stores.documents.ingest import Chunking, Intake, settled
from stores.documents.manifest import Entry, Manifest
from stores.documents.rerank import Reranker
from stores.documents.retrieval import HybridSearch
from stores.documents.revisions import Checkpoint, Revisions
from stores.documents.rights import only, readable
from stores.documents.walk import find_files
from stores.embeddings.cache import CachedEmbeddings
from stores.embeddings.embedder import Embedder
from stores.errors import IndexMismatchError, IndexUnreachableError, StoreError

Progress = tuple[FileResult, int, int]

CHUNK_SIZE, CHUNK_OVERLAP = 500, 50
REBUILDING = "The index is being rebuilt. Try again when `recite documents reindex` has finished."


def utc_now() -> datetime:
    """The present moment."""
    return datetime.now(UTC)


class LocalDocuments:
    """Documents of this process: manifest in the database, indexes under `home` or on a server.

    Changes (a file of an ingest, a deletion, a file of a rebuild) happen one at a time; searches run beside them
    and see each document either as it was or as it is, never in between. A call may be cancelled anywhere.
    """

    def __init__(
        self,
        home: Path,
        *,
        manifest: Manifest,
        generations: Generations,
        intake: Intake,
        embeddings: CachedEmbeddings,
        reranker: Reranker | None,
        checkpoint: Checkpoint,
    ) -> None:
        self._home = home
        self._manifest = manifest
        self._generations = generations
        self._intake = intake
        self._embeddings = embeddings
        self._reranker = reranker
        self._checkpoint = checkpoint
        self._lock = asyncio.Lock()
        self._use: _InUse | None = None
        self._problem: StoreError | None = None
        self._rebuilding = False

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        home: Path,
        *,
        engine: AsyncEngine,
        embeddings: Embedder,
        reranker: Reranker | None = None,
        backend: BackendFactory = Embedded,
        chunk_size: int = CHUNK_SIZE,
        chunk_overlap: int = CHUNK_OVERLAP,
        clock: Callable[[], datetime] = utc_now,
        checkpoint: Checkpoint = lambda _: None,
    ) -> AsyncIterator[Self]:
        """Open the store, ending whatever a crash left half-way.

        A damaged index, or one built by another version or model, does not keep the store from opening: documents
        can be listed and the index rebuilt; searching and ingesting raise what `reindex` mends.

        Args:
            home: the data directory. The caller owns it: no other process may have it open.
            engine: the database of the manifest, its tables in place.
            embeddings: the embedding model itself; vectors are cached here.
            backend: where the indexes live; by default in the data directory.
            chunk_size: tokens of a chunk, as `chunk_overlap` a part of what the index was built with.
            clock: the time, for `updated_at`.
            checkpoint: is told the name of each step that has become durable (tests crash there).
        """
        manifest = Manifest(engine)
        library = (await manifest.meta()).get(LIBRARY) or uuid4().hex
        built = await versions(embeddings, size=chunk_size, overlap=chunk_overlap)
        chunking = Chunking(
            token_spans=embeddings.token_spans,
            size=chunk_size,
            overlap=chunk_overlap,
            window=embeddings.window,
        )
        store = cls(
            home,
            manifest=manifest,
            generations=Generations(backend(home, library), manifest=manifest, versions=built, library=library),
            intake=Intake(manifest=manifest, chunking=chunking, clock=clock),
            embeddings=CachedEmbeddings(embeddings, engine),
            reranker=reranker,
            checkpoint=checkpoint,
        )
        # SQLite cleans up whenever the last connection closes; one that stays open saves that for every statement.
        async with engine.connect():
            try:
                await store._start()
                yield store
            finally:
                await store._stop()

    async def ingest(self, paths: Sequence[Path], *, owner: str, collection: str) -> AsyncIterator[Progress]:
        """Take in files and folders; yields (result, files done, files in all), one per file.

        Folders are walked recursively in the order of names. A file that has moved keeps its document; a file that
        is gone from a folder keeps its document too, until that is deleted.

        Raises:
            PathNotFoundError: a path does not exist.
            EmptyFolderError: a folder holds no files.
            IndexMismatchError, IndexDamagedError: the index cannot be added to; the message says what to do.
            EmbeddingFailedError: the embedding model does not answer.
        """
        await self._reach()
        self._usable()
        files = await asyncio.to_thread(find_files, paths, leave_out=self._home)
        entries = await self._manifest.entries(owner=owner, collection=collection)
        known = {entry.document.path: entry for entry in entries}
        changed = False
        try:
            for done, file in enumerate(files, start=1):
                started = perf_counter()
                result = settled(file, known.get(file.path))
                if result is None:
                    async with self._lock:
                        revisions = self._usable().revisions
                        result = await self._intake.take_in(
                            file.path, owner=owner, collection=collection, revisions=revisions
                        )
                    changed = changed or result.status == "updated"
                else:
                    await asyncio.sleep(0)
                yield replace(result, ms=_ms(started)), done, len(files)
        finally:
            if changed:
                await self._purge()

    async def documents(self, *, reader: str, collection: str | None = None) -> list[Document]:
        """What this user may see, by path."""
        return await self._manifest.documents(owners=readable(reader), collection=collection)

    async def document(self, document_id: str, *, reader: str) -> Document:
        """One document; an unambiguous prefix of its id will do.

        Raises:
            UnknownDocumentError: there is none, or more than one, that this user may see.
        """
        return only(document_id, await self._manifest.with_id(document_id, owners=readable(reader)))

    async def delete(self, document_id: str, *, owner: str) -> Document:
        """Remove a document and everything made from it: afterwards its text is in no file of the store.

        Raises:
            UnknownDocumentError: there is none, or more than one, that this user owns.
            IndexDamagedError: its text cannot be taken out of the index before that is rebuilt.
        """
        async with self._lock:
            document = only(document_id, await self._manifest.with_id(document_id, owners=[owner]))
            in_use = self._use or self._usable()
            await in_use.revisions.remove(document.document_id)
            return document

    async def reindex(self) -> AsyncIterator[Progress]:
        """Build both indexes anew from the files of all documents, as `ingest` does.

        A document whose file is gone is indexed again from its stored text, as `unchanged` with the reason; so is
        one whose file is no longer readable, as `failed`. Searches are refused until the rebuild is done; one that
        was broken off has to be started again.

        Raises:
            IndexMismatchError: a rebuild is running already.
        """
        await self._begin_rebuild()
        try:
            recut = not CHUNK_MAKERS.isdisjoint(await self._generations.changed())
            entries = await self._manifest.entries()
            for done, entry in enumerate(entries, start=1):
                started = perf_counter()
                result = await self._rebuild(entry, recut=recut)
                yield replace(result, ms=_ms(started)), done, len(entries)
            await self._end_rebuild()
        finally:
            self._rebuilding = False
            if self._problem is not None:
                self._problem = IndexMismatchError(INTERRUPTED)

    async def search(
        self,
        query: str,
        *,
        reader: str,
        collection: str | None = None,
        k: int = 5,
        min_score: float = 0.0,
        explain: bool = False,
    ) -> SearchResult:
        """The `k` best chunks with `score >= min_score`, best first; with `explain` each leg's rank is known.

        Raises:
            SearchFailedError: both legs failed. One failed leg is named in `degraded`.
            IndexMismatchError, IndexDamagedError, IndexUnreachableError: the index cannot be searched; the message
                says what to do.
        """
        await self._reach()
        indexes, owners = self._usable().indexes, readable(reader)
        search = HybridSearch(
            keywords=indexes.keywords,
            vectors=indexes.vectors,
            embeddings=self._embeddings,
            reranker=self._reranker,
            # Both legs filter by owner; the manifest has the last word on who may read what.
            load=partial(self._manifest.load, owners=owners),
            fuse=indexes.fuse,
        )
        return await search.search(
            query, owners=owners, collection=collection, k=k, min_score=min_score, explain=explain
        )

    async def chunks(self, chunk_ids: Sequence[str], *, reader: str) -> dict[str, tuple[Chunk, Document]]:
        """Current chunks by id. An id that is gone, or that this reader may not see, is left out."""
        return await self._manifest.chunks(chunk_ids, owners=readable(reader))

    async def health(self) -> dict[str, object]:
        """Counts and versions; the keys are those of `stores.documents.health.health_of`."""
        return await health_of(self._manifest, self._use.indexes if self._use else None, self._problem)

    async def _start(self) -> None:
        changed = await self._generations.changed()
        indexes, self._problem = await self._generations.open()
        if self._problem is None:
            await self._forget_vectors(changed)
        if indexes is None:
            return
        self._use = self._in_use(indexes)
        try:
            await self._use.revisions.repair(deletions_only=True)
            self._problem = self._problem or await self._generations.check(indexes)
        except StoreError as error:
            self._problem = self._problem or error

    async def _reach(self) -> None:
        """A server that was out of reach is tried again: it may be back, and this process may run for weeks."""
        if isinstance(self._problem, IndexUnreachableError):
            async with self._lock:
                if isinstance(self._problem, IndexUnreachableError):
                    await self._start()

    async def _stop(self) -> None:
        if self._use is not None:
            await self._use.indexes.close()

    def _in_use(self, indexes: IndexPair) -> "_InUse":
        revisions = Revisions(
            manifest=self._manifest,
            indexes=indexes,
            embedder=self._embeddings,
            checkpoint=self._checkpoint,
        )
        return _InUse(indexes=indexes, revisions=revisions)

    def _usable(self) -> "_InUse":
        if self._problem is not None:
            raise _again(self._problem)
        if self._use is None:
            raise StoreError("The document store is not open. Use it inside `async with LocalDocuments.open(...)`.")
        return self._use

    async def _forget_vectors(self, changed: Collection[str]) -> None:
        """The cache tells models apart by name alone; vectors of another length under the same name must go."""
        if "dimension" in changed:
            await self._embeddings.prune(())

    async def _purge(self) -> None:
        async with self._lock:
            if self._use is not None:
                await self._use.revisions.finish()

    async def _begin_rebuild(self) -> None:
        async with self._lock:
            if self._rebuilding:
                raise _again(IndexMismatchError(REBUILDING))
            self._rebuilding, self._problem = True, IndexMismatchError(REBUILDING)
            before = self._use
            try:
                await self._forget_vectors(await self._generations.changed())
                self._use = self._in_use(await self._generations.begin_rebuild())
            except BaseException:
                self._rebuilding, self._problem = False, IndexMismatchError(INTERRUPTED)
                raise
            if before is not None:
                await before.indexes.close()

    async def _rebuild(self, entry: Entry, *, recut: bool) -> FileResult:
        of = entry.document
        async with self._lock:
            now = await self._manifest.entry_at(of.path, owner=of.owner, collection=of.collection)
            if now is None or self._use is None:
                return FileResult(path=of.path, status="skipped", reason="It was deleted in the meantime.")
            return await self._intake.rebuild(now, revisions=self._use.revisions, recut=recut)

    async def _end_rebuild(self) -> None:
        async with self._lock:
            if self._use is not None:
                await self._generations.end_rebuild(self._use.indexes)
            self._problem = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _InUse:
    """One generation's indexes and what writes them."""

    indexes: IndexPair
    revisions: Revisions


def _again(problem: StoreError) -> StoreError:
    """The problem as a new exception: raising one object many times would pile up tracebacks."""
    return type(problem)(str(problem))


def _ms(started: float) -> float:
    return round((perf_counter() - started) * 1000, 1)
