"""Reranker: a second opinion on the best hits; and the one that any sentence-transformers cross-encoder gives."""

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from threading import Lock
from typing import Any, Protocol, TypeVar

from stores.counting import counted
from stores.documents.document import Hit
from stores.documents.entry import passage_text
from stores.errors import StoreError

_T = TypeVar("_T")

DEADLINE_SECONDS = 0.8
BATCH = 16


class RerankFailedError(StoreError):
    """The reranker cannot be loaded, broke, or was late. The fused order stands."""


class RerankLateError(RerankFailedError):
    """The reranker did not answer within its deadline."""


class Reranker(Protocol):
    """Judges hits against the query.

    Its numbers replace the calibrated score. One that has the attribute `orders_only = True` gives numbers that say
    which hit is better and no more: they decide the order, the calibrated score stays and meets the threshold alone.
    """

    async def rerank(self, query: str, hits: Sequence[Hit]) -> list[float]:
        """The relevance of each hit, 0..1, in the order of `hits`; any finite numbers if it only orders.

        Raises:
            RerankFailedError: there is no judgement this time.
        """
        ...


def only_orders(reranker: Reranker) -> bool:
    """Whether its numbers say an order and no relevance; an object that says nothing of it judges."""
    return bool(getattr(reranker, "orders_only", False))


async def in_time(work: Awaitable[_T], seconds: float | None, *, reranker: str, passages: int) -> _T:
    """What the work gives; with `None` it may take as long as it needs.

    Raises:
        RerankLateError: the time was up first.
    """
    if seconds is None:
        return await work
    try:
        return await asyncio.wait_for(work, seconds)
    except TimeoutError as error:
        raise RerankLateError(
            f"{reranker} took longer than {seconds:g} s for {counted(passages, 'passage')}."
        ) from error


async def on_thread(
    thread: Executor, call: Callable[[], _T], seconds: float | None, *, reranker: str, passages: int
) -> _T:
    """What the call gives, made on a reranker's own thread. Its time begins when the thread takes it up.

    A turn asks up to six queries side by side: the last must not be late because the others came first.

    Raises:
        RerankLateError: the time was up first.
    """
    loop = asyncio.get_running_loop()
    begun = asyncio.Event()

    def taken_up() -> _T:
        loop.call_soon_threadsafe(begun.set)
        return call()

    work = loop.run_in_executor(thread, taken_up)
    work.add_done_callback(lambda _: begun.set())
    try:
        await begun.wait()
    except asyncio.CancelledError:
        work.cancel()
        raise
    return await in_time(work, seconds, reranker=reranker, passages=passages)


class CrossEncoderReranker:
    """A cross-encoder by name or folder, read at first use, on one thread of its own.

    `deadline_seconds=None` waits as long as it takes. Reading the model does not count against the deadline, else a
    one-shot command would never use it. A late call goes on in its thread and blocks the next one, which may then be
    late too.
    """

    def __init__(self, model: str, *, deadline_seconds: float | None = DEADLINE_SECONDS) -> None:
        self.model = model
        self._deadline = deadline_seconds
        self._loading = Lock()
        self._encoder: Any = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reranker")

    async def rerank(self, query: str, hits: Sequence[Hit]) -> list[float]:
        """See `Reranker`."""
        if not hits:
            return []
        pairs = [(query, passage_text(hit.chunk.context, hit.chunk.text)) for hit in hits]
        await asyncio.get_running_loop().run_in_executor(self._thread, self._loaded)
        judge = partial(self.judge, pairs)
        named = f"The reranker {self.model}"
        return await on_thread(self._thread, judge, self._deadline, reranker=named, passages=len(pairs))

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The relevance of each (query, passage), 0..1. Blocks.

        Raises:
            RerankFailedError: the model cannot be loaded or run.
        """
        encoder = self._loaded()
        try:
            import torch  # noqa: PLC0415 - an optional, heavy dependency

            # The model's own activation is set aside, so the sigmoid comes once whatever it would have been.
            logits = encoder.predict(
                list(pairs), batch_size=BATCH, activation_fn=torch.nn.Identity(), show_progress_bar=False
            )
        except Exception as error:
            raise RerankFailedError(f"The reranker {self.model} failed ({error}).") from error
        return [sigmoid(_relevance(one)) for one in logits.tolist()]

    def close(self) -> None:
        """Let the thread end; a running call is not waited for."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _loaded(self) -> Any:
        with self._loading:
            if self._encoder is None:
                try:
                    from sentence_transformers import CrossEncoder  # noqa: PLC0415 - optional and heavy

                    self._encoder = CrossEncoder(self.model)
                except Exception as error:
                    raise RerankFailedError(f"The reranker {self.model} cannot be loaded ({error}).") from error
            return self._encoder


def _relevance(output: Any) -> float:
    """One logit per pair. Of two classes, the log-odds of the second, which by convention is "relevant"."""
    if isinstance(output, list):
        return float(output[-1]) - float(output[0]) if len(output) > 1 else float(output[0])
    return float(output)


def sigmoid(logit: float) -> float:
    """A logit as a probability."""
    return 1.0 / (1.0 + math.exp(-logit)) if logit >= 0 else math.exp(logit) / (1.0 + math.exp(logit))
