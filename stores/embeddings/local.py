"""LocalEmbeddings: multilingual-e5-small (Chinese and English, 4 bits) on the CPU, from the package's files."""

import hashlib
import os
from collections import OrderedDict
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from threading import Lock

import numpy as np
import onnxruntime
from tokenizers import Tokenizer
from typing_extensions import override

from stores.embeddings.embedder import Embedder, full_windows, mean_direction, passage_direction
from stores.errors import StoreError

LOCAL_MODEL = "e5-small-zh-en-q4"
SHA256 = {
    "model.q4.onnx": "ad22af83c5db91e9004f49853aae060cff3cbbf4a4c8b14e4d61768c83048a92",
    "tokenizer.json": "e833bb0cf9ab7dbb0182d4cd29cd5d7accbb3a83a2263c8f7956985e4df9d991",
}
QUERY, PASSAGE = "query: ", "passage: "
"""The prefixes that the model was trained with (intfloat/multilingual-e5-small)."""
DIMENSION, WINDOW = 384, 512
BOS, PAD, EOS = 0, 1, 2
BATCH_TOKENS = 2_048
QUERY_CACHE = 256
MAX_THREADS = 4


class LocalEmbeddings(Embedder):
    """The embedder that needs no network, no key and no GPU. Vectors have length 1.

    The files are read at first use, once, also when several threads ask at the same moment. A text's vector
    does not depend on what else is in the batch, so cached and fresh vectors agree.

    A text over the window (512 tokens with prefix and special tokens) is never cut: `embed_query` gives the normalised
    average of its windows, `embed_documents` weighs the first one most (see `passage_direction`).

    Raises:
        StoreError: at first use, if a model file is missing or is not the one this version was measured with.
    """

    def __init__(self, folder: Path | None = None, *, threads: int | None = None) -> None:
        self._folder = folder or Path(str(files(__package__) / "e5_small_zh_en"))
        self._threads = min(threads or MAX_THREADS, available_cores())
        self._loading = Lock()
        self._queries: OrderedDict[str, list[float]] = OrderedDict()
        self._queries_lock = Lock()

    @property
    @override
    def name(self) -> str:
        return LOCAL_MODEL

    @property
    @override
    def dimension(self) -> int:
        return DIMENSION

    @property
    @override
    def window(self) -> int:
        return WINDOW

    @override
    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return list(self._tokenizer.encode(_encodable(text), add_special_tokens=False).offsets)

    @override
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [passage_direction(rows) for rows in self._embed(texts, PASSAGE)]

    @override
    def embed_query(self, text: str) -> list[float]:
        with self._queries_lock:
            if text in self._queries:
                self._queries.move_to_end(text)
                return list(self._queries[text])
        vector = mean_direction(self._embed([text], QUERY)[0])
        with self._queries_lock:
            self._queries[text] = vector
            if len(self._queries) > QUERY_CACHE:
                self._queries.popitem(last=False)
        return list(vector)

    def _embed(self, texts: list[str], prefix: str) -> list[np.ndarray]:
        """The vectors of each text's windows."""
        if not texts:
            return []
        encoded = self._tokenizer.encode_batch_fast(
            [prefix + _encodable(text) for text in texts], add_special_tokens=False
        )
        head = self._tokenizer.encode(prefix.rstrip(), add_special_tokens=False).ids
        rows: list[list[int]] = []
        owners: list[tuple[int, int]] = []
        for encoding in encoded:
            pieces = _windows(encoding.ids, head)
            owners.append((len(rows), len(rows) + len(pieces)))
            rows += pieces
        vectors = self._run(rows)
        return [vectors[start:end] for start, end in owners]

    def _run(self, rows: list[list[int]]) -> np.ndarray:
        """Vectors of token rows, in batches of rows of like length so that little padding is computed."""
        vectors = np.empty((len(rows), DIMENSION), dtype=np.float32)
        for batch in _length_sorted_batches(rows):
            width = max(len(rows[i]) for i in batch)
            ids = np.full((len(batch), width), PAD, dtype=np.int64)
            for line, i in enumerate(batch):
                ids[line, : len(rows[i])] = rows[i]
            mask = (np.arange(width) < np.array([[len(rows[i])] for i in batch])).astype(np.int64)
            vectors[batch] = self._session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
        return vectors

    @property
    def _tokenizer(self) -> Tokenizer:
        return self._model[0]

    @property
    def _session(self) -> onnxruntime.InferenceSession:
        return self._model[1]

    @property
    def _model(self) -> tuple[Tokenizer, onnxruntime.InferenceSession]:
        with self._loading:
            return _load(self._folder, self._threads)


@lru_cache(maxsize=4)
def _load(folder: Path, threads: int) -> tuple[Tokenizer, onnxruntime.InferenceSession]:
    """Tokenizer and session, once per process: neither changes, and a session holds some 200 MB."""
    model, vocabulary = (_checked(folder / name, SHA256[name]) for name in SHA256)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Spinning wins a few percent on an idle machine and takes the cores from everyone else on a busy one.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    tokenizer = Tokenizer.from_buffer(vocabulary)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer, onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def available_cores() -> int:
    """Cores this process may run on, at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def _checked(path: Path, sha256: str) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise StoreError(
            f"The embedding model's file {path.name} cannot be read ({error.strerror}). Install Recite again."
        ) from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise StoreError(f"The embedding model's file {path.name} is damaged. Install Recite again.")
    return content


def _encodable(text: str) -> str:
    """The text with lone surrogates, which no tokenizer takes, as question marks; offsets stay the same."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _windows(ids: list[int], head: list[int]) -> list[list[int]]:
    """Token rows for one text: itself if it fits, else full windows, each with the prefix before it."""
    if len(ids) + 2 <= WINDOW:
        return [[BOS, *ids, EOS]]
    body = ids[len(head) :]
    cuts = full_windows(len(body), WINDOW - 2 - len(head))
    return [[BOS, *head, *body[start:end], EOS] for start, end in cuts]


def _length_sorted_batches(rows: list[list[int]]) -> list[list[int]]:
    """Row numbers in batches of at most `BATCH_TOKENS` padded tokens (always at least one row)."""
    batches: list[list[int]] = []
    for i in sorted(range(len(rows)), key=lambda i: len(rows[i])):
        if batches and (len(batches[-1]) + 1) * len(rows[i]) <= BATCH_TOKENS:
            batches[-1].append(i)
        else:
            batches.append([i])
    return batches
