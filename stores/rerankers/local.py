"""LocalReranker: the combination of the search's own score with a cross-encoder that Recite trained itself."""

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path
from threading import Lock

from stores.documents.document import Hit
from stores.documents.entry import passage_text
from stores.documents.rerank import DEADLINE_SECONDS, RerankFailedError, in_time
from stores.documents.retrieval import RERANK_POOL
from stores.rerankers.combination import Weights, combined, missing_exact
from stores.rerankers.scorer import PairScorer

MODEL = "cross_encoder.int8.onnx"
SHA256 = ""
WEIGHTS = Weights(cross_encoder=0.0, missing=0.0)
"""Chosen on questions of trained sets that were held back; see docs/training.md."""


def packaged() -> PairScorer:
    """The scorer from the package's files.

    Raises:
        RerankFailedError: a file is missing or is not the one this version was measured with.
    """
    file = Path(str(files(__package__) / MODEL))
    try:
        content = file.read_bytes()
        if hashlib.sha256(content).hexdigest() != SHA256:
            raise RerankFailedError(f"The reranking model's file {file.name} is damaged. Install Recite again.")
        return PairScorer(content, Path(str(files("stores.embeddings") / "e5_small_zh_en")))
    except OSError as error:
        raise RerankFailedError(
            f"The reranking model's file {file.name} cannot be read ({error.strerror}). Install Recite again."
        ) from error


class LocalReranker:
    """Rescores the best hits; those behind them keep their score.

    The model is read at first use, on a thread of the reranker's own, and that does not count against the deadline.
    A late call goes on in its thread and may make the next one late too.
    """

    def __init__(
        self, load: Callable[[], PairScorer] = packaged, *, deadline_seconds: float | None = DEADLINE_SECONDS
    ) -> None:
        self._load = load
        self._deadline = deadline_seconds
        self._loading = Lock()
        self._scorer: PairScorer | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reranker")

    async def rerank(self, query: str, hits: Sequence[Hit]) -> list[float]:
        """See `Reranker`."""
        if not hits:
            return []
        loop = asyncio.get_running_loop()
        scorer = await loop.run_in_executor(self._thread, self._loaded)
        shown = hits[:RERANK_POOL]
        work = loop.run_in_executor(self._thread, judgement, scorer, query, shown)
        judged = await in_time(work, self._deadline, reranker="The local reranker", passages=len(shown))
        return [*judged, *(hit.score for hit in hits[RERANK_POOL:])]

    def close(self) -> None:
        """Let the thread end; a running call is not waited for."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _loaded(self) -> PairScorer:
        with self._loading:
            if self._scorer is None:
                self._scorer = self._load()
            return self._scorer


def judgement(scorer: PairScorer, query: str, hits: Sequence[Hit]) -> list[float]:
    """The combined probability, 0..1, of each hit. Blocks."""
    passages = [passage_text(hit.chunk.context, hit.chunk.text) for hit in hits]
    scores = scorer.score([(query, passage) for passage in passages])
    return combined([hit.score for hit in hits], scores, missing_exact(query, passages), WEIGHTS)
