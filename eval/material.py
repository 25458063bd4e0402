"""The documents that an own set asks about: a folder taken in into a cached store, or the data directory as it is."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from langchain_core.embeddings import Embeddings

from eval.corpus_index import CorpusIndex
from eval.errors import DatasetError
from graph.services import Services, open_services
from graph.settings import Settings
from stores.database import open_database, sqlite_url
from stores.documents.document import DEFAULT_USER, Chunk, Document, FileResult
from stores.documents.entry import passage_text
from stores.documents.filters import Filter
from stores.documents.local import LocalDocuments
from stores.documents.store import DocumentStore
from stores.embeddings.cache import CachedEmbeddings
from stores.errors import IndexDamagedError, IndexMismatchError

Tell = Callable[[str, int, int], None]
"""Told what is going on, how much of it is done, and of how much."""

_BUILT = "built.json"
_BATCH = 256


@dataclass(frozen=True, slots=True)
class Material:
    """Opened documents. `bases` are the folders that names of documents in labels start from."""

    services: Services
    bases: tuple[Path, ...]
    failed: tuple[FileResult, ...]
    seconds: float | None
    """What taking everything in took, in all runs together; `None` for a data directory."""

    @property
    def unread(self) -> dict[str, str]:
        """Why which file could not be taken in."""
        return {result.path: result.reason or "no reason given" for result in self.failed}

    @property
    def documents(self) -> DocumentStore:
        """The document store."""
        return self.services.documents

    async def passages(self) -> list[tuple[Chunk, Document]]:
        """Every passage of the shared library with its document.

        Raises:
            DatasetError: there is none.
        """
        found = await _local(self.documents).passages(reader=DEFAULT_USER)
        if not found and self.bases:
            raise DatasetError(f"{', '.join(map(str, self.bases))}: no file there could be taken in.")
        if not found:
            raise DatasetError(
                f"The data directory {self.services.settings.home} holds no documents. "
                "Name a folder with --documents, or take some in with `recite ingest PATH`."
            )
        return found


@asynccontextmanager
async def open_material(
    settings: Settings,
    paths: Sequence[Path],
    cache: Path,
    tell: Tell,
    *,
    embeddings: Embeddings | None = None,
    must_own: bool = False,
) -> AsyncIterator[Material]:
    """The documents of these folders and files, brought up to date; without any, those of the data directory.

    A file is read again only if its content changed; a passage is embedded only once.

    Raises:
        StoreError: a path is missing or empty, or the data directory cannot be used (with `must_own`: is in use).
    """
    resolved = await asyncio.to_thread(lambda: [path.resolve() for path in paths])
    if not resolved:
        async with open_services(settings, embeddings=embeddings, must_own=must_own) as services:
            yield Material(services, (), (), None)
        return
    kept = settings.model_copy(update=kept_apart(_home(cache, resolved, settings)))
    async with open_services(kept, embeddings=embeddings, must_own=must_own) as services:
        failed, seconds = await _up_to_date(services.documents, resolved, kept.home, tell)
        bases = await asyncio.to_thread(lambda: [path if path.is_dir() else path.parent for path in resolved])
        yield Material(services, tuple(dict.fromkeys(bases)), tuple(failed), seconds)


def kept_apart(home: Path) -> dict[str, object]:
    """The settings that keep a store to itself in this folder."""
    return {"home": home, "database_url": None, "vector_store": "chroma"}


def _home(cache: Path, paths: Sequence[Path], settings: Settings) -> Path:
    parts = sorted(map(str, paths)), settings.embedding_model
    return cache / "documents" / f"{paths[0].stem}-{hashlib.sha256(repr(parts).encode()).hexdigest()[:12]}"


async def _up_to_date(
    documents: DocumentStore, paths: Sequence[Path], home: Path, tell: Tell
) -> tuple[list[FileResult], float]:
    started = perf_counter()
    try:
        results = await _taken_in(documents, paths, tell)
    except (IndexMismatchError, IndexDamagedError):  # another version has built it, or broke off
        async for _, done, total in documents.reindex():
            tell("rebuilding the index", done, total)
        results = await _taken_in(documents, paths, tell)
    seconds, file = perf_counter() - started, home / _BUILT
    known = await asyncio.to_thread(lambda: json.loads(file.read_text())["seconds"] if file.is_file() else 0.0)
    if any(result.status in {"added", "updated"} for result in results):
        known = round(known + seconds, 1)
        await asyncio.to_thread(file.write_text, json.dumps({"seconds": known}))
    return [result for result in results if result.status == "failed"], known


async def _taken_in(documents: DocumentStore, paths: Sequence[Path], tell: Tell) -> list[FileResult]:
    results = []
    async for result, done, total in documents.ingest(paths, owner=DEFAULT_USER, collection="eval", prune=True):
        results.append(result)
        tell("taking in documents", done, total)
    return results


async def index_of(
    material: Material, passages: Sequence[tuple[Chunk, Document]], *, vectors: bool, tell: Tell
) -> CorpusIndex:
    """The store's own indexes as pipelines search them. Their vectors come along only if asked for."""
    services = material.services
    chunks = {chunk.chunk_id: chunk for chunk, _ in passages}
    made = await _vectors(services, list(chunks.values()), tell) if vectors else np.empty((0, 0), dtype=np.float32)
    size = await asyncio.to_thread(_megabytes, services.settings.home / "index")
    pair = _local(services.documents).indexes
    return CorpusIndex(pair, chunks, made, material.seconds, round(size, 1), Filter(owners=(DEFAULT_USER,)))


async def _vectors(services: Services, chunks: Sequence[Chunk], tell: Tell) -> np.ndarray:
    """One row per chunk: from the store's cache, where they are."""
    settings, rows = services.settings, []
    texts = [passage_text(chunk.context, chunk.text) for chunk in chunks]
    async with open_database(settings.database_url or sqlite_url(settings.database)) as engine:
        cached = CachedEmbeddings(services.embeddings, engine)
        for start in range(0, len(texts), _BATCH):
            rows += await cached.aembed_documents(texts[start : start + _BATCH])
            tell("reading vectors", len(rows), len(texts))
    return np.array(rows, dtype=np.float32)


def _megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def _local(documents: DocumentStore) -> LocalDocuments:
    if not isinstance(documents, LocalDocuments):
        raise TypeError("Legs are measured where their indexes are: open the material with must_own.")
    return documents
