"""PairScorer: a cross-encoder of Recite's own as an ONNX file, scoring (query, passage) pairs on the CPU."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from stores.documents.rerank import RerankLateError
from stores.embeddings.local import available_cores
from stores.rerankers.pairs import padded, pair_rows
from stores.rerankers.shared_graph import with_shared

BATCH_TOKENS = 2_048
MAX_THREADS = 4


class PairScorer:
    """Scores of pairs: a higher one is more relevant. They have no unit and are to be compared within one query."""

    def __init__(self, model: bytes, embedder: Path, *, threads: int | None = None) -> None:
        """`model`: the ONNX file's content; `embedder`: the folder of the embedder whose tables it shares."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = min(threads or MAX_THREADS, available_cores())
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        whole = with_shared(model, (embedder / "model.q4.onnx").read_bytes())
        self._session = onnxruntime.InferenceSession(whole, options, providers=["CPUExecutionProvider"])
        self._tokenizer = Tokenizer.from_file(str(embedder / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def score(self, pairs: Sequence[tuple[str, str]], given_up: Callable[[], bool] = lambda: False) -> list[float]:
        """The score of each (query, passage), in their order. Blocks.

        Raises:
            RerankLateError: `given_up` said so between two batches.
        """
        if not pairs:
            return []
        rows = pair_rows(self._tokenizer, pairs)
        scores = np.empty(len(rows), np.float32)
        for batch in _batches([len(row) for row in rows]):
            if given_up():
                raise RerankLateError("The local reranker was given up.")
            ids, mask = padded([rows[i] for i in batch])
            feeds = {"input_ids": ids, "attention_mask": mask.astype(np.int64)}
            scores[batch] = self._session.run(None, feeds)[0]
        return [float(one) for one in scores]


def _batches(lengths: Sequence[int]) -> list[list[int]]:
    """Row numbers in batches of rows of like length, at most `BATCH_TOKENS` padded tokens each (or one row)."""
    batches: list[list[int]] = []
    for i in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if batches and (len(batches[-1]) + 1) * lengths[i] <= BATCH_TOKENS:
            batches[-1].append(i)
        else:
            batches.append([i])
    return batches
