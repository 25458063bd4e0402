"""LocalDocuments: the document store of the one process that owns the data directory."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Self
from uuid import uuid4

from sqlalchemy.ext.asyncio import AsyncEngine

from stores.documents.access import IndexAccess
from stores.documents.backends.embedded import Embedded
from stores.documents.document import Chunk, Document, SearchResult
from stores.documents.even import evenly
from stores.documents.generations import LIBRARY, Generations, versions
from stores.documents.health import health_of
from stores.documents.heap import overwrite_freed_memory
from stores.documents.index_pair import IndexPair
from stores.documents.indexes import BackendFactory
from stores.documents.ingest import Intake
from stores.documents.ingestion import Ingestion, Progress
from stores.documents.making import Chunking
from stores.documents.manifest import Manifest
from stores.documents.narrowing import EVERYTHING, Narrowing, matching
from stores.documents.observed import metered
from stores.documents.reading_rules import DEFAULT_RULES, ReadingRules
from stores.documents.rebuild import Rebuild
from stores.documents.rerank import Reranker
from stores.documents.retrieval import HybridSearch
from stores.documents.revisions import Checkpoint
from stores.documents.rights import only, readable
from stores.documents.standing import standing
from stores.documents.underway import Underway
from stores.embeddings.cache import CachedEmbeddings
from stores.embeddings.embedder import Embedder
from stores.metrics import NO_METER, Meter

CHUNK_SIZE, CHUNK_OVERLAP = 500, 50


def utc_now() -> datetime:
    """The present moment."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """What the store is put together from."""

    manifest: Manifest
    access: IndexAccess
    underway: Underway
    ingestion: Ingestion
    rebuild: Rebuild
    embeddings: CachedEmbeddings
    reranker: Reranker | None
    meter: Meter


class LocalDocuments:
    """Documents of this process: manifest in the database, indexes under `home` or on a server.

    Changes (a group of files of an ingest, a deletion, a file of a rebuild) happen one at a time; searches run beside
    them and see each document either as it was or as it is, never in between. A call may be cancelled anywhere.
    """

    def __init__(self, parts: _Parts) -> None:
        self._manifest = parts.manifest
        self._access = parts.access
        self._underway = parts.underway
        self._ingestion = parts.ingestion
        self._rebuild = parts.rebuild
        self._embeddings = parts.embeddings
        self._reranker = parts.reranker
        self._meter = parts.meter

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        home: Path,
        *,
        engine: AsyncEngine,
        embeddings: Embedder,
        reranker: Reranker | None = None,
        chunk_size: int = CHUNK_SIZE,
        chunk_overlap: int = CHUNK_OVERLAP,
        rules: ReadingRules = DEFAULT_RULES,
        backend: BackendFactory = Embedded,
        meter: Meter = NO_METER,
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
            chunk_size: tokens of a chunk, as `chunk_overlap` a part of what the index was built with.
            rules: what a file may cost, and how files are read.
            backend: where the indexes live; by default in the data directory.
            meter: is told what came of each search and how long it took.
            clock: the time, for `updated_at`.
            checkpoint: is told the name of each step that has become durable (tests crash there).
        """
        overwrite_freed_memory()
        manifest, cached, underway = Manifest(engine), CachedEmbeddings(embeddings, engine), Underway()
        built = await versions(embeddings, size=chunk_size, overlap=chunk_overlap)
        chunking = Chunking(
            token_spans=embeddings.token_spans, size=chunk_size, overlap=chunk_overlap, window=embeddings.window
        )
        library = (await manifest.meta()).get(LIBRARY) or uuid4().hex
        generations = Generations(backend(home, library), manifest=manifest, versions=built, library=library)
        access = IndexAccess(manifest=manifest, generations=generations, embeddings=cached, checkpoint=checkpoint)
        intake = Intake(manifest=manifest, chunking=chunking, clock=clock)
        store = cls(
            _Parts(
                manifest=manifest,
                access=access,
                underway=underway,
                ingestion=Ingestion(
                    home, manifest=manifest, access=access, intake=intake, rules=rules, underway=underway
                ),
                rebuild=Rebuild(manifest=manifest, access=access, chunking=chunking, rules=rules, clock=clock),
                embeddings=cached,
                reranker=reranker,
                meter=meter,
            )
        )
        # SQLite cleans up whenever the last connection closes; one that stays open saves that for every statement.
        async with engine.connect():
            try:
                await access.start()
                yield store
            finally:
                await access.stop()

    def ingest(
        self, paths: Sequence[Path], *, owner: str, collection: str, prune: bool = False
    ) -> AsyncIterator[Progress]:
        """Take in files and folders; yields (result, files done, files in all), one per file.

        Folders are walked recursively in the order of names. A file that has moved keeps its document; a file that
        is gone from a folder keeps its document too, until that is deleted: with `prune` at the end of this call.

        Raises:
            PathNotFoundError: a path does not exist.
            EmptyFolderError: a folder holds no files.
            IndexMismatchError, IndexDamagedError: the index cannot be added to; the message says what to do.
            EmbeddingFailedError: the embedding model does not answer.
        """
        return self._ingestion.run(paths, owner=owner, collection=collection, prune=prune)

    async def documents(self, *, reader: str, collection: str | None = None) -> list[Document]:
        """What this user may see, by path, in its state of now: `stale` if the file is not what it was made from,
        `queued` and `indexing` during an ingest.
        """
        owners = readable(reader)
        entries = await self._manifest.entries(owners=owners, collection=collection)
        return await asyncio.to_thread(standing, entries, self._underway.queues(owners, collection))

    async def document(self, document_id: str, *, reader: str) -> Document:
        """One document; an unambiguous prefix of its id will do.

        Raises:
            UnknownDocumentError: there is none, or more than one, that this user may see.
        """
        owners = readable(reader)
        document = only(document_id, await self._manifest.with_id(document_id, owners=owners))
        entry = await self._manifest.entry_at(document.path, owner=document.owner, collection=document.collection)
        shown = await asyncio.to_thread(standing, [entry] if entry else [], ())
        return shown[0] if shown else document

    async def delete(self, document_id: str, *, owner: str) -> Document:
        """Remove a document and everything made from it: afterwards its text is in no file of the store.

        Raises:
            UnknownDocumentError: there is none, or more than one, that this user owns.
            IndexDamagedError: its text cannot be taken out of the index before that is rebuilt.
        """
        async with self._access.removing() as use:
            document = only(document_id, await self._manifest.with_id(document_id, owners=[owner]))
            await use.revisions.remove(document.document_id)
            return document

    def reindex(self) -> AsyncIterator[Progress]:
        """Build both indexes anew from the files of all documents, as `ingest` does.

        A document whose file is gone is indexed again from its stored text, as `unchanged` with the reason; so is
        one whose file is no longer readable, as `failed`. Searches are refused until the rebuild is done; one that
        was broken off has to be started again.

        Raises:
            IndexMismatchError: a rebuild is running already.
        """
        return self._rebuild.run()

    async def search(
        self,
        query: str,
        *,
        reader: str,
        narrowing: Narrowing = EVERYTHING,
        k: int = 5,
        min_score: float = 0.0,
        explain: bool = False,
    ) -> SearchResult:
        """The `k` best chunks with `score >= min_score`, best first; with `explain` each leg's rank is known.

        Raises:
            SearchFailedError: both legs failed. One failed leg is named in `degraded`.
            UnknownDocumentError: it is narrowed to a document that this reader may not see, or that is none.
            IndexMismatchError, IndexDamagedError, IndexUnreachableError: the index cannot be searched; the message
                says what to do.
        """
        await self._access.reach()
        indexes, owners = self._access.usable().indexes, readable(reader)
        search = HybridSearch(
            keywords=indexes.keywords,
            vectors=indexes.vectors,
            embeddings=self._embeddings,
            reranker=self._reranker,
            # Both legs filter by owner; the manifest has the last word on who may read what.
            load=partial(self._manifest.load, owners=owners),
            fuse=indexes.fuse,
        )
        within = narrowing.filter(owners, await self._matching(narrowing, owners))
        running = search.search(query, within=within, k=k, min_score=min_score, explain=explain)
        return await metered(running, self._meter)

    async def matching(self, narrowing: Narrowing, *, reader: str) -> int | None:
        """How many documents a search so narrowed would look at; `None` if documents, paths and dates are all open.

        Raises:
            UnknownDocumentError: as by `search`.
        """
        found = await self._matching(narrowing, readable(reader))
        return None if found is None else len(found)

    async def chunks(self, chunk_ids: Sequence[str], *, reader: str) -> dict[str, tuple[Chunk, Document]]:
        """Current chunks by id. An id that is gone, or that this reader may not see, is left out."""
        return await self._manifest.chunks(chunk_ids, owners=readable(reader))

    async def spread(self, document_id: str, *, reader: str, k: int) -> list[Chunk]:
        """At most `k` chunks of a document, evenly spread over it, in order.

        Raises:
            UnknownDocumentError: there is none that this user may see.
        """
        document = await self.document(document_id, reader=reader)
        return await self._manifest.chunks_at(document.document_id, evenly(document.chunks, k))

    async def passages(self, *, reader: str) -> list[tuple[Chunk, Document]]:
        """Every current chunk that this user may see: documents by path, the chunks of each in order."""
        documents = await self._manifest.documents(owners=readable(reader))
        of: dict[str, list[Chunk]] = {}
        for chunk in await self._manifest.chunks_of(*(document.document_id for document in documents)):
            of.setdefault(chunk.document_id, []).append(chunk)
        return [(chunk, document) for document in documents for chunk in of.get(document.document_id, ())]

    @property
    def indexes(self) -> IndexPair:
        """Both indexes, to measure each leg by itself.

        Raises:
            IndexMismatchError, IndexDamagedError: they may not be used; the message says what to do.
        """
        return self._access.usable().indexes

    async def _matching(self, narrowing: Narrowing, owners: Sequence[str]) -> frozenset[str] | None:
        if not narrowing.by_document:
            return None
        standings = await self._manifest.standings(narrowing.documents, owners=owners)
        return await asyncio.to_thread(matching, narrowing, standings)

    async def health(self) -> dict[str, object]:
        """Counts and versions; the keys are those of `stores.documents.health.health_of`."""
        use = self._access.opened
        return await health_of(self._manifest, use.indexes if use else None, self._access.problem)
