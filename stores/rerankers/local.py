"""LocalReranker: the combination of the search's own score with a cross-encoder that Recite trained itself."""

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from importlib.resources import files
from itertools import accumulate
from pathlib import Path
from threading import Event

from stores.documents.document import Hit
from stores.documents.entry import passage_text
from stores.documents.rerank import DEADLINE_SECONDS, RerankFailedError, on_thread
from stores.documents.retrieval import RERANK_POOL
from stores.rerankers.combination import Weights, combined, missing_exact
from stores.rerankers.scorer import PairScorer

MODEL = "cross_encoder.int8.onnx"
SHA256 = "429fd98c73da43f461439ba51e3b840e688fa5404b1300faac8c3ccbae9ea5db"
WEIGHTS = Weights(cross_encoder=0.5, missing=0.0)
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


@cache
def shared_scorer() -> PairScorer:
    """The packaged scorer, read once for everybody in this process.

    Raises:
        RerankFailedError: see `packaged`.
    """
    return packaged()


class LocalReranker:
    """Puts the best hits in the order of the combination; what they score stays the calibrated score.

    The model is read at first use, on a thread of the reranker's own, and that does not count against the deadline.
    A late call ends after the batch it is at.
    """

    orders_only = True

    def __init__(
        self, load: Callable[[], PairScorer] = packaged, *, deadline_seconds: float | None = DEADLINE_SECONDS
    ) -> None:
        self._load = load
        self._deadline = deadline_seconds
        self._scorer: PairScorer | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reranker")

    async def rerank(self, query: str, hits: Sequence[Hit]) -> list[float]:
        """See `Reranker`."""
        if not hits:
            return []
        scorer = await asyncio.get_running_loop().run_in_executor(self._thread, self._loaded)
        shown, given_up = hits[:RERANK_POOL], Event()
        judge = partial(judgement, scorer, query, shown, given_up.is_set)
        named = "The local reranker"
        try:
            judged = await on_thread(self._thread, judge, self._deadline, reranker=named, passages=len(shown))
        finally:
            given_up.set()
        return [*judged, *(hit.score for hit in hits[RERANK_POOL:])]

    def close(self) -> None:
        """Let the thread end; a running call is not waited for."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _loaded(self) -> PairScorer:
        """The scorer. Only the one thread calls this, so nobody else can be reading the model."""
        if self._scorer is None:
            self._scorer = self._load()
        return self._scorer


def judgement(
    scorer: PairScorer, query: str, hits: Sequence[Hit], given_up: Callable[[], bool] = lambda: False
) -> list[float]:
    """The combined probability, 0..1, of each hit. Blocks.

    Raises:
        RerankLateError: it was given up meanwhile.
    """
    passages = [passage_text(hit.chunk.context, hit.chunk.text) for hit in hits]
    scores = scorer.score([(query, passage) for passage in passages], given_up)
    return combined(standing([hit.score for hit in hits]), scores, missing_exact(query, passages), WEIGHTS)


def standing(scores: Sequence[float]) -> list[float]:
    """The scores of hits in the order they were found in, each at least that of every hit behind it.

    Who names an identifier is shown first the passages that hold it, whatever their score: that is a reason of its own.
    """
    return list(accumulate(reversed(scores), max))[::-1]
