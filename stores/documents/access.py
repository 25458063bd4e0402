"""IndexAccess: which indexes are in use, whether they may be used, and one change at a time."""

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass

from stores.documents.generations import CHUNK_MAKERS, INTERRUPTED, Generations
from stores.documents.index_pair import IndexPair
from stores.documents.manifest import Manifest
from stores.documents.revisions import Checkpoint, Revisions
from stores.embeddings.cache import CachedEmbeddings
from stores.errors import IndexMismatchError, IndexUnreachableError, StoreError

REBUILDING = "The index is being rebuilt. Try again when `recite documents reindex` has finished."


@dataclass(frozen=True, slots=True, kw_only=True)
class InUse:
    """One generation's indexes and what writes them."""

    indexes: IndexPair
    revisions: Revisions


class IndexAccess:
    """The way to the indexes. A damaged or outdated index does not keep it from opening; using it says why not."""

    def __init__(
        self, *, manifest: Manifest, generations: Generations, embeddings: CachedEmbeddings, checkpoint: Checkpoint
    ) -> None:
        self._manifest = manifest
        self._generations = generations
        self._embeddings = embeddings
        self._checkpoint = checkpoint
        self._lock = asyncio.Lock()
        self._use: InUse | None = None
        self._rebuilding = False
        self.problem: StoreError | None = None
        """Why the indexes may not be searched or added to."""

    async def start(self) -> None:
        """Open the indexes, ending whatever a crash left half-way."""
        changed = await self._generations.changed()
        indexes, self.problem = await self._generations.open()
        if self.problem is None:
            await self._forget_vectors(changed)
        if indexes is None:
            return
        self._use = self._in_use(indexes)
        try:
            await self._use.revisions.repair(deletions_only=True)
            self.problem = self.problem or await self._generations.check(indexes)
        except StoreError as error:
            self.problem = self.problem or error

    async def reach(self) -> None:
        """Try a server again that was out of reach: it may be back, and this process may run for weeks."""
        if isinstance(self.problem, IndexUnreachableError):
            async with self._lock:
                if isinstance(self.problem, IndexUnreachableError):
                    await self.start()

    async def stop(self) -> None:
        """Let go of all files."""
        if self._use is not None:
            await self._use.indexes.close()

    @property
    def opened(self) -> InUse | None:
        """The indexes that are open, whether or not they may be used."""
        return self._use

    def usable(self) -> InUse:
        """The indexes, to search and to add to.

        Raises:
            IndexMismatchError, IndexDamagedError: they may not be used; the message says what to do.
        """
        if self.problem is not None:
            raise _again(self.problem)
        if self._use is None:
            raise StoreError("The document store is not open. Use it inside `async with LocalDocuments.open(...)`.")
        return self._use

    @asynccontextmanager
    async def changing(self) -> AsyncIterator[InUse]:
        """The indexes, to add to, with nobody else changing anything meanwhile."""
        async with self._lock:
            yield self.usable()

    @asynccontextmanager
    async def removing(self) -> AsyncIterator[InUse]:
        """As `changing`, for deletions: those may also be made in an index that is not to be searched."""
        async with self._lock:
            yield self._use or self.usable()

    @asynccontextmanager
    async def rebuilding(self) -> AsyncIterator[bool]:
        """New, empty indexes until the block ends; they become the current ones if it ends well.

        Yields whether stored chunks have to be cut anew.

        Raises:
            IndexMismatchError: a rebuild is running already.
        """
        await self._begin_rebuild()
        try:
            yield not CHUNK_MAKERS.isdisjoint(await self._generations.changed())
            await self._end_rebuild()
        finally:
            self._rebuilding = False
            if self.problem is not None:
                self.problem = IndexMismatchError(INTERRUPTED)

    async def _begin_rebuild(self) -> None:
        async with self._lock:
            if self._rebuilding:
                raise IndexMismatchError(REBUILDING)
            self._rebuilding, self.problem = True, IndexMismatchError(REBUILDING)
            before = self._use
            try:
                await self._forget_vectors(await self._generations.changed())
                self._use = self._in_use(await self._generations.begin_rebuild())
                self._checkpoint("begun")
            except BaseException:
                self._rebuilding, self.problem = False, IndexMismatchError(INTERRUPTED)
                raise
            if before is not None:
                await before.indexes.close()

    async def _end_rebuild(self) -> None:
        async with self._lock:
            if self._use is not None:
                await self._generations.end_rebuild(self._use.indexes)
                self._checkpoint("ended")
            self.problem = None

    def _in_use(self, indexes: IndexPair) -> InUse:
        revisions = Revisions(
            manifest=self._manifest, indexes=indexes, embedder=self._embeddings, checkpoint=self._checkpoint
        )
        return InUse(indexes=indexes, revisions=revisions)

    async def _forget_vectors(self, changed: Collection[str]) -> None:
        """The cache tells models apart by name alone; vectors of another length under the same name must go."""
        if "dimension" in changed:
            await self._embeddings.prune(())


def _again(problem: StoreError) -> StoreError:
    """The problem as a new exception: raising one object many times would pile up tracebacks."""
    return type(problem)(str(problem))
