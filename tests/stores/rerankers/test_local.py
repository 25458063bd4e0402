"""The local reranker: a combination within a deadline, and failures by name."""

import asyncio
import time
from threading import Event

import pytest

from stores.documents.document import Chunk, Hit, Location
from stores.documents.rerank import RerankFailedError, RerankLateError
from stores.documents.retrieval import RERANK_POOL
from stores.rerankers import local
from stores.rerankers.combination import Weights
from stores.rerankers.local import LocalReranker, standing


def hit(text: str, score: float = 0.5, context: str = "") -> Hit:
    chunk = Chunk(
        chunk_id=text, document_id="d", position=0, text=text, start=0, end=len(text), kind="prose",
        language="en", location=Location(), context=context,
    )  # fmt: skip
    return Hit(chunk=chunk, title="t", path="p", score=score, source="both")


class Lengths:
    """A scorer that likes long passages."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self.ended_early = Event()
        self.pairs: list[tuple[str, str]] = []

    def score(self, pairs, given_up):
        self.pairs = list(pairs)
        ends = time.monotonic() + self.seconds
        while time.monotonic() < ends:
            time.sleep(0.01)
            if given_up():
                self.ended_early.set()
                raise RerankLateError("given up")
        return [float(len(passage)) for _, passage in pairs]


@pytest.fixture(autouse=True)
def weights(monkeypatch):
    monkeypatch.setattr(local, "WEIGHTS", Weights(cross_encoder=0.1, missing=0.0))


async def test_the_cross_encoder_reads_context_and_text_and_moves_the_search_s_own_score():
    scorer = Lengths()
    reranker = LocalReranker(lambda: scorer)
    short, long = await reranker.rerank("q", [hit("four", 0.5), hit("six six", 0.5, "title")])
    assert scorer.pairs == [("q", "four"), ("q", "title\nsix six")]
    assert short < 0.5 < long
    reranker.close()


async def test_hits_behind_the_best_keep_their_score_and_are_not_read():
    scorer = Lengths()
    reranker = LocalReranker(lambda: scorer)
    hits = [hit(f"passage {i}", 0.9 - i / 100) for i in range(RERANK_POOL + 3)]
    scores = await reranker.rerank("q", hits)
    assert len(scorer.pairs) == RERANK_POOL
    assert scores[RERANK_POOL:] == [one.score for one in hits[RERANK_POOL:]]
    reranker.close()


async def test_no_hits_cost_nothing():
    assert await LocalReranker(lambda: pytest.fail("read for nothing")).rerank("q", []) == []


async def test_a_late_call_is_an_error_and_does_not_go_on_in_its_thread():
    scorer = Lengths(seconds=600)
    reranker = LocalReranker(lambda: scorer, deadline_seconds=0.05)
    with pytest.raises(RerankLateError, match=r"took longer than 0\.05 s for 1 passage"):
        await reranker.rerank("q", [hit("x")])
    assert await asyncio.to_thread(scorer.ended_early.wait, 30)
    reranker.close()


async def test_waiting_for_another_query_does_not_count_against_the_deadline():
    reranker = LocalReranker(Lengths, deadline_seconds=1.0)
    await reranker.rerank("q", [hit("x")])
    reranker._thread.submit(time.sleep, 1.5)
    assert len(await reranker.rerank("q", [hit("x"), hit("y")])) == 2
    reranker.close()


async def test_a_call_that_is_cancelled_while_it_waits_is_not_made():
    scorer = Lengths()
    reranker = LocalReranker(lambda: scorer)
    await reranker.rerank("q", [hit("x")])
    held = Event()
    reranker._thread.submit(held.wait, 30)
    waiting = asyncio.create_task(reranker.rerank("another", [hit("x")]))
    await asyncio.sleep(0.05)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    held.set()
    await asyncio.to_thread(reranker._thread.submit(int).result)
    assert scorer.pairs[0][0] == "q"
    reranker.close()


async def test_only_the_order_is_its_to_say():
    assert LocalReranker.orders_only


def test_a_hit_stands_at_least_as_high_as_what_was_found_behind_it():
    assert standing([0.3, 0.9, 0.2, 0.4]) == [0.9, 0.9, 0.4, 0.4]
    assert standing([]) == []


async def test_reading_the_model_does_not_count_and_happens_once():
    loads = []

    def slow():
        loads.append(time.sleep(0.2))
        return Lengths()

    reranker = LocalReranker(slow, deadline_seconds=0.1)
    await asyncio.gather(reranker.rerank("q", [hit("x")]), reranker.rerank("q", [hit("y")]))
    assert len(loads) == 1
    reranker.close()


async def test_a_model_that_is_not_the_measured_one_is_a_failure_by_name(monkeypatch):
    monkeypatch.setattr(local, "SHA256", "0" * 64)
    with pytest.raises(RerankFailedError, match=r"onnx (is damaged|cannot be read)"):
        await LocalReranker().rerank("q", [hit("x")])
