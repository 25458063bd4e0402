"""The indexes of a dataset's corpus: built once by corpus, embedder and tokenizer, then opened from the cache."""

import hashlib
import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from eval.beir import Dataset
from eval.passage_vectors import Progress, passage_vectors
from stores.documents.backends.embedded import Embedded
from stores.documents.chunking import CHUNKER_VERSION, language_of
from stores.documents.document import Chunk, Kind, Location
from stores.documents.entry import IndexEntry
from stores.documents.filters import Filter
from stores.documents.index_pair import IndexPair
from stores.documents.keywords import SCHEMA_VERSION
from stores.documents.terms import TOKENIZER_VERSION
from stores.embeddings.embedder import Embedder

OWNER, COLLECTION = "eval", "eval"
CORPUS = Filter(owners=(OWNER,), collection=COLLECTION)
_BATCH = 256
_BUILT = "built.json"

_CODE = re.compile(r"\s*(?:@\w+|(?:async )?def |class \w+[(:]|public |private |function |import \w|#include|package )")
"""How a passage of code begins. Files tell by their name; a BEIR corpus does not."""


@dataclass(frozen=True)
class CorpusIndex:
    """Both indexes of a corpus, and its passages as chunks: one passage is one chunk, never cut."""

    pair: IndexPair
    chunks: dict[str, Chunk]
    vectors: np.ndarray
    """One row per passage, in the order of `chunks`."""
    seconds: float | None
    """What building took, when it was built; `None` if nobody looked at the clock."""
    megabytes: float
    within: Filter = CORPUS
    """Whose passages are searched."""


async def open_index(dataset: Dataset, embedder: Embedder, cache: Path, progress: Progress) -> CorpusIndex:
    """The index of this corpus, from the cache or built now. A build that was cut short is built again."""
    folder = cache / "eval" / _revision(dataset, embedder)
    chunks = {one: _chunk(one, dataset) for one in dataset.passages}
    if not (folder / _BUILT).is_file():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        await _build(folder, chunks, embedder, cache / "eval", progress)
    built = json.loads((folder / _BUILT).read_text())
    pair = await IndexPair.open(Embedded(folder), "1", expected=True)
    return CorpusIndex(pair, chunks, np.load(folder / "vectors.npy"), built["seconds"], built["megabytes"])


async def _build(folder: Path, chunks: dict[str, Chunk], embedder: Embedder, cache: Path, progress: Progress) -> None:
    entries = [IndexEntry.of(chunk, owner=OWNER, collection=COLLECTION) for chunk in chunks.values()]
    vectors, embedding = await passage_vectors([entry.embedded_text for entry in entries], embedder, cache, progress)
    started = perf_counter()
    pair = await IndexPair.open(Embedded(folder), "1", expected=False)
    for start in range(0, len(entries), _BATCH):
        await pair.add(entries[start : start + _BATCH], vectors[start : start + _BATCH].tolist())
    await pair.commit()
    await pair.close()
    seconds = embedding + perf_counter() - started
    np.save(folder / "vectors.npy", vectors)
    (folder / _BUILT).write_text(json.dumps({"seconds": round(seconds, 1), "megabytes": round(_megabytes(folder), 1)}))


def _megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def _revision(dataset: Dataset, embedder: Embedder) -> str:
    parts = (dataset.fingerprint, embedder.name, TOKENIZER_VERSION, SCHEMA_VERSION, CHUNKER_VERSION)
    return f"{dataset.name}-{hashlib.sha256(repr(parts).encode()).hexdigest()[:12]}"


def _chunk(passage_id: str, dataset: Dataset) -> Chunk:
    passage = dataset.passages[passage_id]
    kind: Kind = "code" if _CODE.match(passage.text) else "prose"
    return Chunk(
        chunk_id=passage_id, document_id=passage_id, position=0, text=passage.text, start=0, end=len(passage.text),
        kind=kind, language=language_of(passage.text, kind), location=Location(), context=passage.title,
    )  # fmt: skip
