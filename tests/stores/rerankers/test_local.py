"""The local reranker: a combination within a deadline, and failures by name."""

import asyncio
import time

import pytest

from stores.documents.document import Chunk, Hit, Location
from stores.documents.rerank import RerankFailedError, RerankLateError
from stores.documents.retrieval import RERANK_POOL
from stores.rerankers import local
from stores.rerankers.combination import Weights
from stores.rerankers.local import LocalReranker


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
        self.pairs: list[tuple[str, str]] = []

    def score(self, pairs):
        self.pairs = list(pairs)
        time.sleep(self.seconds)
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


async def test_a_late_answer_is_an_error_within_the_deadline():
    reranker = LocalReranker(lambda: Lengths(seconds=0.5), deadline_seconds=0.05)
    started = time.perf_counter()
    with pytest.raises(RerankLateError, match=r"took longer than 0\.05 s for 1 passage"):
        await reranker.rerank("q", [hit("x")])
    assert time.perf_counter() - started < 0.4
    reranker.close()


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
