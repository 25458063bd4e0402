"""IndexPair: both indexes of one generation on the event loop, changed together and in order."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, Self, TypeVar

from stores.documents.entry import IndexEntry
from stores.documents.indexes import Fuse, IndexBackend, IndexEngine, KeywordLeg, VectorLeg
from stores.errors import StoreError

_P = ParamSpec("_P")
_R = TypeVar("_R")


class IndexPair:
    """An engine for the event loop.

    Changes run one after another on one thread, so a change whose caller was cancelled half-way is still
    finished before the next one begins. Every change raises `IndexDamagedError` if an index refuses it, and
    `IndexUnreachableError` if its server is gone.
    """

    def __init__(self, engine: IndexEngine, number: str) -> None:
        self._engine = engine
        self.number = number
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="index-writer")

    @classmethod
    async def open(cls, backend: IndexBackend, number: str, *, expected: bool) -> Self:
        """Open the pair, or create it unless it is `expected` to be there.

        Raises:
            IndexDamagedError: it is damaged, or it is expected and missing.
            IndexUnreachableError: its server does not answer.
        """
        return cls(await asyncio.to_thread(backend.open, number, expected=expected), number)

    @property
    def keywords(self) -> KeywordLeg:
        """The keyword leg."""
        return self._engine.keywords

    @property
    def vectors(self) -> VectorLeg:
        """The vector leg."""
        return self._engine.vectors

    @property
    def fuse(self) -> Fuse | None:
        """The engine's own fusion, `None` if the legs are fused outside."""
        return self._engine.fuse

    @property
    def place(self) -> str:
        """Where it is, for messages."""
        return self._engine.place

    async def add(self, entries: Sequence[IndexEntry], vectors: Sequence[Sequence[float]]) -> None:
        """Add chunks, or replace what is indexed under their ids; found after `commit`."""
        await self._change(self._engine.add, entries, vectors)

    async def delete(self, chunk_ids: Sequence[str]) -> None:
        """Take ids out of both indexes; ids that are not there do not matter."""
        await self._change(self._engine.delete, list(chunk_ids))

    async def commit(self) -> None:
        """Make everything added and deleted so far lasting and visible."""
        await self._change(self._engine.commit)

    async def purge(self) -> None:
        """Take what was deleted out of the files too. Costs nothing if nothing was deleted."""
        await self._change(self._engine.purge)

    async def counts(self) -> dict[str, int]:
        """Chunks by index."""
        return await asyncio.to_thread(self._explained, self._engine.counts)

    async def close(self) -> None:
        """Finish what is running and let go of all files."""
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self._writer.shutdown(wait=True)
        self._engine.close()

    async def _change(self, change: Callable[_P, None], *args: _P.args, **kwargs: _P.kwargs) -> None:
        call = partial(self._explained, change, *args, **kwargs)
        await asyncio.get_running_loop().run_in_executor(self._writer, call)

    def _explained(self, call: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """The call, with whatever an index engine raises told as one thing: these indexes cannot be used."""
        try:
            return call(*args, **kwargs)
        except StoreError:
            raise
        except Exception as error:
            # Engines are native code or servers, with error types of their own, some of them private.
            raise self._engine.explain(error) from error
