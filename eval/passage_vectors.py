"""The vectors of a corpus, made once: they outlive changes of the indexes over them, and a run that was cut short."""

import asyncio
import hashlib
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter

import numpy as np

from stores.embeddings.embedder import Embedder

_PART = 1_024
"""Passages of which the vectors are written down together."""

Progress = Callable[[int, int], None]
"""Told how many passages of how many are embedded."""


async def passage_vectors(
    texts: Sequence[str], embedder: Embedder, cache: Path, progress: Progress
) -> tuple[np.ndarray, float]:
    """One row per text, float32, and the seconds that embedding took when it was done."""
    folder = cache / "vectors" / _revision(texts, embedder)
    whole = folder / "whole.npz"
    if not whole.is_file():
        seconds = await _embedded(texts, embedder, folder / "parts", progress)
        rows = [np.load(_part(folder / "parts", start))["vectors"] for start in range(0, len(texts), _PART)]
        _write(whole, vectors=np.concatenate(rows), seconds=seconds)
        shutil.rmtree(folder / "parts")
    with np.load(whole) as kept:
        return kept["vectors"], float(kept["seconds"])


async def _embedded(texts: Sequence[str], embedder: Embedder, parts: Path, progress: Progress) -> float:
    """Embed what no part has yet; the seconds of this run, scaled to the whole."""
    started, made = perf_counter(), 0
    for start in range(0, len(texts), _PART):
        batch = list(texts[start : start + _PART])
        if not _part(parts, start).is_file():
            vectors = await asyncio.to_thread(embedder.embed_documents, batch)
            _write(_part(parts, start), vectors=np.asarray(vectors, dtype=np.float32))
            made += len(batch)
        progress(start + len(batch), len(texts))
    return (perf_counter() - started) * len(texts) / made if made else 0.0


def _write(file: Path, **arrays: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name("unfinished.npz")
    np.savez(unfinished, **arrays)  # type: ignore[arg-type]  # numpy's stub takes `allow_pickle` among the arrays
    unfinished.replace(file)


def _part(parts: Path, start: int) -> Path:
    return parts / f"{start}.npz"


def _revision(texts: Sequence[str], embedder: Embedder) -> str:
    digest = hashlib.sha256(embedder.name.encode())
    for text in texts:
        digest.update(b"\0" + text.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:20]
