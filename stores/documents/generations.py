"""Generations: which index folder is current, what it was built with, and whether it may be used.

Each rebuild goes into a new generation; the old one stays until the new one is whole. So nothing of a damaged index
is deleted before there is another, and revisions of the index never mix. Where generations live is the backend's.
"""

import asyncio
from collections.abc import Mapping

from stores.counting import counted
from stores.documents.backends.embedded import EMBEDDED
from stores.documents.chunking import CHUNKER_VERSION
from stores.documents.index_pair import IndexPair
from stores.documents.indexes import WHAT_TO_DO, IndexBackend
from stores.documents.keywords import SCHEMA_VERSION
from stores.documents.manifest import Manifest
from stores.documents.parsing import PARSER_VERSION
from stores.documents.terms import TOKENIZER_VERSION
from stores.embeddings.embedder import Embedder
from stores.errors import IndexDamagedError, IndexMismatchError, IndexUnreachableError, StoreError

GENERATION, STATE, STORE, LIBRARY = "generation", "state", "store", "library"
READY, REBUILDING = "ready", "rebuilding"
INTERRUPTED = "A rebuild of the index did not finish. Run `recite documents reindex` again."
CHUNK_MAKERS = frozenset({"parser", "chunker", "embedder", "dimension"})
"""A change of these makes stored chunks stale: they were cut by other rules, or for another model's window."""


async def versions(embeddings: Embedder, *, size: int, overlap: int) -> dict[str, str]:
    """What an index is built with here: parser, chunker (its sizes in tokens), tokenizer, embedder, dimension.

    The dimension is left out while an embedding endpoint that would have to be asked for it does not answer.
    """
    parts = {
        "parser": PARSER_VERSION,
        "chunker": f"{CHUNKER_VERSION} (size {size}, overlap {overlap}, window {embeddings.window})",
        "tokenizer": f"{TOKENIZER_VERSION}.{SCHEMA_VERSION}",
        "embedder": embeddings.name,
    }
    try:
        return parts | {"dimension": str(await asyncio.to_thread(lambda: embeddings.dimension))}
    except Exception:
        # Any LangChain object over any network. Listing and deleting work without it; embedding will say why not.
        return parts


class Generations:
    """The generations of a data directory's indexes.

    `versions` is what an index is built with here; `library` the id that tells it from others on the same server.
    """

    def __init__(self, backend: IndexBackend, *, manifest: Manifest, versions: Mapping[str, str], library: str) -> None:
        self._backend = backend
        self._manifest = manifest
        self._versions = {**versions, STORE: backend.kind}
        self._library = library

    async def open(self) -> tuple[IndexPair | None, StoreError | None]:
        """The current indexes if they can be opened, and the reason why they may not be searched or added to."""
        meta, chunks = await self._built(), await self._manifest.count_chunks()
        try:
            if not chunks and meta != self._meta(meta.get(GENERATION, "")):
                await self._begin(READY)
                await self._manifest.forget_stamps()
                meta = await self._built()
            if self._differs(meta, STORE):
                return None, self._objection(meta)
            await asyncio.to_thread(self._backend.drop_others, meta[GENERATION])
            return await IndexPair.open(self._backend, meta[GENERATION], expected=chunks > 0), self._objection(meta)
        except IndexDamagedError as error:
            # An engine may refuse to open what another version has built: that is the reason to tell.
            return None, self._objection(meta) or error
        except IndexUnreachableError as error:
            return None, error

    async def begin_rebuild(self) -> IndexPair:
        """New, empty indexes. Until `end_rebuild` the index counts as half-built, also after a crash."""
        number = await self._begin(REBUILDING)
        return await IndexPair.open(self._backend, number, expected=False)

    async def end_rebuild(self, pair: IndexPair) -> None:
        """Make the new indexes the current ones and remove all others."""
        await self._manifest.set_meta(self._meta(pair.number))
        await asyncio.to_thread(self._backend.drop_others, pair.number)

    async def changed(self) -> frozenset[str]:
        """The parts that the current index was built with in another version than today's."""
        meta = await self._built()
        return frozenset(part for part in self._versions if self._differs(meta, part))

    async def check(self, pair: IndexPair) -> StoreError | None:
        """The reason not to trust the indexes: they hold more or fewer chunks than the manifest."""
        chunks, pending = await self._manifest.count_chunks(), await self._manifest.pending()
        counts = await pair.counts()
        if pending or all(count == chunks for count in counts.values()):
            return None
        told = ", ".join(f"{count} in {name}" for name, count in counts.items())
        return IndexDamagedError(
            f"The index {pair.place} does not hold {counted(chunks, 'chunk')} as the documents do ({told}). "
            f"{WHAT_TO_DO}"
        )

    async def _begin(self, state: str) -> str:
        meta = await self._built()
        taken = await asyncio.to_thread(self._backend.generations)
        number = str(1 + max(int(meta.get(GENERATION, "0")), *taken, 0))
        if state == READY:
            await self._manifest.set_meta(self._meta(number))
        else:
            # What it was built with stays written there: it tells whether stored chunks are still current.
            await self._manifest.set_meta(meta | {STATE: state, LIBRARY: self._library})
        return number

    def _meta(self, number: str) -> dict[str, str]:
        return self._versions | {GENERATION: number, STATE: READY, LIBRARY: self._library}

    async def _built(self) -> dict[str, str]:
        """The manifest's record; one from before there was a choice means the embedded indexes."""
        meta = await self._manifest.meta()
        return {STORE: EMBEDDED, LIBRARY: self._library} | meta if meta else meta

    def _differs(self, meta: Mapping[str, str], part: str) -> bool:
        """Both sides know the part, and it is not the same."""
        return part in meta and self._versions.get(part, meta[part]) != meta[part]

    def _objection(self, meta: Mapping[str, str]) -> StoreError | None:
        if meta.get(STATE) != READY:
            return IndexMismatchError(INTERRUPTED)
        other = [part for part in self._versions if self._differs(meta, part)]
        if not other:
            return None
        built = ", ".join(f"{part} {meta.get(part)!r}" for part in other)
        here = ", ".join(f"{part} {self._versions[part]!r}" for part in other)
        return IndexMismatchError(
            f"The index was built with {built}; this installation has {here}. Run `recite documents reindex`."
        )
