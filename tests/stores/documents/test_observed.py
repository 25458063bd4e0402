"""What the document store tells its meter of a search."""

import pytest

from stores.documents.document import Hit
from stores.documents.local import LocalDocuments
from stores.documents.rerank import RerankLateError
from stores.errors import SearchFailedError
from stores.memory_meter import MemoryMeter
from stores.metrics import BELOW_THRESHOLD, DEGRADED, SEARCHES, STAGE_SECONDS


class Late:
    """A reranker that is always late."""

    async def rerank(self, query: str, hits: list[Hit]) -> list[float]:
        raise RerankLateError("late")


@pytest.fixture
def meter() -> MemoryMeter:
    return MemoryMeter()


@pytest.fixture
async def documents(open_store, embedder, library, ingest, meter):
    async with open_store(embedder, meter=meter, reranker=Late()) as opened:
        await ingest(opened, library)
        yield opened


def counts(meter: MemoryMeter, name: str) -> dict[tuple[str, ...], int]:
    return {tuple(one["labels"].values()): one["value"] for one in meter.snapshot()[name]["values"]}


async def test_a_search_that_found_something_is_a_hit_with_the_time_of_each_stage(documents, meter):
    result = await documents.search("Zanzibar", reader="local")
    stages = {one["labels"]["stage"]: one for one in meter.snapshot()[STAGE_SECONDS]["values"]}
    assert counts(meter, SEARCHES) == {("hit",): 1}
    assert set(stages) == set(result.ms) == {"embed", "keyword", "vector", "fuse", "rerank", "total"}
    assert stages["total"]["sum"] == pytest.approx(result.ms["total"] / 1000, abs=1e-6)
    assert counts(meter, DEGRADED) == {("reranker",): 1}
    assert counts(meter, BELOW_THRESHOLD) == {}


async def test_a_search_of_which_the_threshold_left_nothing_is_a_miss(documents, meter):
    result = await documents.search("Zanzibar", reader="local", k=2, min_score=1.1)
    assert counts(meter, SEARCHES) == {("miss",): 1}
    assert counts(meter, BELOW_THRESHOLD) == {(): 2} == {(): result.below_threshold}


async def test_a_search_that_fails_is_counted_and_a_blank_one_is_none(documents: LocalDocuments, meter, monkeypatch):
    await documents.search("  ", reader="local")
    assert counts(meter, SEARCHES) == {}

    def broken(*args, **kwargs):
        raise RuntimeError("broken")

    indexes = documents._access.usable().indexes
    monkeypatch.setattr(indexes.keywords, "search", broken)
    monkeypatch.setattr(indexes.vectors, "search", broken)
    with pytest.raises(SearchFailedError):
        await documents.search("Zanzibar", reader="local")
    assert counts(meter, SEARCHES) == {("failed",): 1}


async def test_no_word_of_a_query_reaches_the_meter(documents, meter):
    await documents.search("Zanzibar 过滤器", reader="alice")
    assert not any(word in str(meter.snapshot()) for word in ("Zanzibar", "过滤器", "alice", "travel"))
