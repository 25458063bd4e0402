"""Revisions: how a document's new chunks become current, and how it goes, so that a crash anywhere loses nothing.

The order is always: journal, indexes, manifest (one transaction), then the indexes lose what is gone, and the
journal is struck. Until the transaction the old revision is current, after it the new one; searches drop whatever
the manifest does not know; what a crash left behind is put right from the journal by `repair`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from stores.documents.document import Chunk
from stores.documents.entry import IndexEntry, passage_text
from stores.documents.index_pair import IndexPair
from stores.documents.manifest import Entry, Manifest
from stores.embeddings.cache import CachedEmbeddings, content_hash
from stores.errors import StoreError

EMBED_BATCH = 128
"""Chunks embedded and indexed at a time: bounds the vectors in memory."""

Checkpoint = Callable[[str], None]
"""Called with the name of each step that has just become durable; tests crash there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """A document's row with the chunks that are to be its current ones."""

    entry: Entry
    chunks: Sequence[Chunk]

    def entries(self, chunks: Iterable[Chunk]) -> list[IndexEntry]:
        """Some of its chunks as the indexes take them."""
        of = self.entry.document
        return [IndexEntry.of(chunk, owner=of.owner, collection=of.collection) for chunk in chunks]


class EmbeddingFailedError(StoreError):
    """The embedding model does not answer; what was being taken in is rolled back."""


class Revisions:
    """Writes and removes documents in manifest and indexes. Calls must not overlap; the caller holds a lock."""

    def __init__(
        self, *, manifest: Manifest, indexes: IndexPair, embedder: CachedEmbeddings, checkpoint: Checkpoint
    ) -> None:
        self._manifest = manifest
        self._indexes = indexes
        self._embedder = embedder
        self._checkpoint = checkpoint
        self._unsettled = True
        """The journal may hold something; nobody else writes to it, so it need not be read to know that it does not."""

    async def write(self, revisions: Sequence[Revision], *, everything: bool = False) -> None:
        """Make these the current revisions of their documents, all at once.

        Only chunks that are new, or whose context, kind or language changed, are embedded and indexed; with
        `everything` all are (into new indexes).

        Raises:
            EmbeddingFailedError: nothing has changed.
            IndexDamagedError: an index refused; nothing has changed for readers.
        """
        if not revisions:
            return
        await self.repair()
        of = [revision.entry.document.document_id for revision in revisions]
        old = {chunk.chunk_id: chunk for chunk in await self._manifest.chunks_of(*of)}
        kept = {chunk.chunk_id for revision in revisions for chunk in revision.chunks}
        gone = [chunk for id_, chunk in old.items() if id_ not in kept]
        new = [
            entry
            for revision in revisions
            for entry in revision.entries(
                chunk for chunk in revision.chunks if everything or not _same(chunk, old.get(chunk.chunk_id))
            )
        ]
        self._unsettled = True
        await self._manifest.journal([entry.chunk_id for entry in new])
        self._checkpoint("journaled")
        try:
            await self._index(new)
        except StoreError:
            await self._undo(new, old)
            raise
        self._checkpoint("indexed")
        if gone:
            await self._embedder.forget([_passage(chunk) for chunk in gone])
        pairs = [(revision.entry, revision.chunks) for revision in revisions]
        await self._manifest.switch_all(pairs, gone=[chunk.chunk_id for chunk in gone])
        self._checkpoint("switched")
        if gone:
            await self._drop([chunk.chunk_id for chunk in gone])
        self._unsettled = False

    async def keep(self, entries: Sequence[Entry]) -> None:
        """Write documents' rows whose chunks stay as they are."""
        if entries:
            await self._manifest.put(*entries)
            self._checkpoint("kept")

    async def finish(self) -> None:
        """After the last of a series of writes: take what they replaced out of the index files."""
        await self._indexes.purge()

    async def remove(self, *document_ids: str) -> None:
        """Take out documents and everything made from them; their text is in no file afterwards.

        Raises:
            IndexDamagedError: an index refused. Readers do not see the documents any more; repair ends the work.
        """
        await self.repair(deletions_only=True)
        chunks = await self._manifest.chunks_of(*document_ids)
        ids = [chunk.chunk_id for chunk in chunks]
        await self._embedder.forget([_passage(chunk) for chunk in chunks])
        self._checkpoint("forgotten")
        self._unsettled = True
        await self._manifest.remove(*document_ids, gone=ids)
        self._checkpoint("removed")
        self._unsettled = not await self._drop(ids, scrub=True)

    async def repair(self, *, deletions_only: bool = False) -> None:
        """End what a crash or a cancelled call left half-way: entries of no current chunk go, others are renewed.

        `deletions_only` leaves the renewing, which needs the embedder, to the next change. (Such a chunk is
        indexed, but perhaps with the context of a revision that never became current.)
        """
        pending = await self._manifest.pending() if self._unsettled else []
        if not pending:
            self._unsettled = False
            return
        current = await self._manifest.chunks(pending)
        keep = {content_hash(passage_text(*passage)) async for passage in self._manifest.passages()}
        await self._embedder.prune(keep)
        gone = await self._drop([id_ for id_ in pending if id_ not in current], scrub=True)
        if deletions_only:
            return
        documents = {document.document_id: document for _, document in current.values()}
        for id_, document in documents.items():
            chunks = [chunk for chunk, _ in current.values() if chunk.document_id == id_]
            entries = [IndexEntry.of(one, owner=document.owner, collection=document.collection) for one in chunks]
            await self._index(entries)
        await self._manifest.settle(list(current))
        self._unsettled = not gone

    async def _index(self, entries: Sequence[IndexEntry]) -> None:
        for start in range(0, len(entries), EMBED_BATCH):
            batch = entries[start : start + EMBED_BATCH]
            await self._indexes.add(batch, await self._embed(batch))
            self._checkpoint("added")
        if entries:
            await self._indexes.commit()

    async def _embed(self, entries: Sequence[IndexEntry]) -> list[list[float]]:
        try:
            return await self._embedder.aembed_documents([entry.embedded_text for entry in entries])
        except StoreError:
            raise
        except Exception as error:
            # A configured model may be any LangChain object over any network; whatever it raises means this.
            raise EmbeddingFailedError(
                f"The embedding model {self._embedder.name} failed ({type(error).__name__}: {error}). "
                "Check RECITE_EMBEDDING_MODEL and its endpoint."
            ) from error

    async def _undo(self, new: Sequence[IndexEntry], old: dict[str, Chunk]) -> None:
        added = [entry for entry in new if entry.chunk_id not in old]
        await self._embedder.forget([entry.embedded_text for entry in added])
        await self._drop([entry.chunk_id for entry in added])

    async def _drop(self, chunk_ids: Sequence[str], *, scrub: bool = False) -> bool:
        """Take ids out of the indexes, with `scrub` also out of all files; whether they could leave the journal."""
        await self._indexes.delete(chunk_ids)
        await self._indexes.commit()
        self._checkpoint("dropped")
        if scrub:
            await self._indexes.purge()
            if not await self._manifest.scrub():
                return False
        await self._manifest.settle(chunk_ids)
        return True


def _same(new: Chunk, old: Chunk | None) -> bool:
    """Whether the indexes need not be told."""
    return old is not None and _indexed(new) == _indexed(old)


def _indexed(chunk: Chunk) -> tuple[str, ...]:
    return chunk.text, chunk.context, chunk.kind, chunk.language


def _passage(chunk: Chunk) -> str:
    return passage_text(chunk.context, chunk.text)
