"""IndexPair: the keyword index and the vector index of one generation, changed together and in order."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import ParamSpec, Self, TypeVar

from stores.documents.entry import IndexEntry
from stores.documents.keywords import KeywordIndex
from stores.documents.vectors import VectorIndex
from stores.errors import IndexDamagedError, StoreError

_P = ParamSpec("_P")
_R = TypeVar("_R")

KEYWORDS, VECTORS = "keywords", "vectors"
WHAT_TO_DO = "Run `recite documents reindex` to build it anew from your files, or move the folder away."


class IndexPair:
    """Both indexes under one folder.

    Changes run one after another on one thread, so a change whose caller was cancelled half-way is still
    finished before the next one begins. Every change raises `IndexDamagedError` if an index refuses it.
    """

    def __init__(self, keywords: KeywordIndex, vectors: VectorIndex, folder: Path) -> None:
        self.keywords = keywords
        self.vectors = vectors
        self.folder = folder
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="index-writer")

    @classmethod
    async def open(cls, folder: Path, *, expected: bool) -> Self:
        """Open the pair, or create it unless it is `expected` to be there.

        Raises:
            IndexDamagedError: a file of it is damaged, or it is expected and missing.
        """
        return await asyncio.to_thread(cls._open, folder, expected=expected)

    @classmethod
    def _open(cls, folder: Path, *, expected: bool) -> Self:
        for part in (folder / KEYWORDS, folder / VECTORS):
            if expected and not (part.is_dir() and any(part.iterdir())):
                raise IndexDamagedError(f"The index folder {part} is missing or empty. {WHAT_TO_DO}")
            part.mkdir(parents=True, exist_ok=True)
        keywords = _guarded(folder, KeywordIndex.open, folder / KEYWORDS)
        try:
            return cls(keywords, _guarded(folder, VectorIndex.open, folder / VECTORS), folder)
        except IndexDamagedError:
            keywords.close()
            raise

    async def add(self, entries: Sequence[IndexEntry], vectors: Sequence[Sequence[float]]) -> None:
        """Add chunks, or replace what is indexed under their ids; found after `commit`."""
        await self._change(self._add, entries, vectors)

    async def delete(self, chunk_ids: Sequence[str]) -> None:
        """Take ids out of both indexes; ids that are not there do not matter."""
        await self._change(self._delete, list(chunk_ids))

    async def commit(self) -> None:
        """Make everything added and deleted so far lasting and visible."""
        await self._change(self._commit)

    async def purge(self) -> None:
        """Take what was deleted out of the files too. Costs nothing if nothing was deleted."""
        await self._change(self.keywords.purge)

    async def counts(self) -> dict[str, int]:
        """Chunks by index."""
        return await asyncio.to_thread(
            _guarded, self.folder, lambda: {KEYWORDS: self.keywords.count(), VECTORS: self.vectors.count()}
        )

    async def close(self) -> None:
        """Finish what is running and let go of all files."""
        await asyncio.to_thread(self._close)

    def _add(self, entries: Sequence[IndexEntry], vectors: Sequence[Sequence[float]]) -> None:
        self.keywords.add(entries)
        self.vectors.add(entries, vectors)

    def _delete(self, chunk_ids: list[str]) -> None:
        self.keywords.delete(chunk_ids)
        self.vectors.delete(chunk_ids)

    def _commit(self) -> None:
        self.keywords.commit(purge=False)
        self.vectors.commit()

    def _close(self) -> None:
        self._writer.shutdown(wait=True)
        self.keywords.close()
        self.vectors.close()

    async def _change(self, change: Callable[_P, None], *args: _P.args, **kwargs: _P.kwargs) -> None:
        call = partial(_guarded, self.folder, change, *args, **kwargs)
        await asyncio.get_running_loop().run_in_executor(self._writer, call)


def _guarded(folder: Path, call: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
    """The call, with whatever an index engine raises told as one thing: this folder cannot be used."""
    try:
        return call(*args, **kwargs)
    except StoreError:
        raise
    except Exception as error:
        # Both engines are native code with error types of their own, some of them private.
        what = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise IndexDamagedError(f"The index in {folder} cannot be used ({what}). {WHAT_TO_DO}") from error
