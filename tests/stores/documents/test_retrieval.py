"""One query through both legs, fusion, calibration and the reranker."""

import asyncio
import hashlib
import re
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from langchain_core.retrievers import BaseRetriever

from stores.documents.document import Chunk, Hit, Location
from stores.documents.entry import IndexEntry
from stores.documents.filters import Filter
from stores.documents.fusion import rrf_scores
from stores.documents.keywords import KeywordIndex
from stores.documents.rerank import RerankFailedError, RerankLateError
from stores.documents.retrieval import HybridSearch, _reranked
from stores.documents.retrievers import GuardedRetriever, Leg
from stores.documents.terms import index_terms
from stores.documents.vectors import VectorIndex
from stores.embeddings.embedder import Embedder
from stores.embeddings.local import LocalEmbeddings
from stores.errors import SearchFailedError


class TermEmbedder(Embedder):
    """Texts that share terms lie near each other."""

    name, dimension, window = "terms", 64, 512

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return [(i, i + 1) for i in range(len(text))]

    def embed_query(self, text: str) -> list[float]:
        total = np.full(self.dimension, 1e-3)
        for term in index_terms(text):
            seed = int.from_bytes(hashlib.sha256(term.encode()).digest()[:8], "big")
            total += np.random.default_rng(seed).normal(size=self.dimension)
        return (total / np.linalg.norm(total)).tolist()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


class Fixed:
    """A reranker with the scores, the delay or the failure it was given."""

    def __init__(self, score=None, *, error: Exception | None = None) -> None:
        self.score, self.error = score, error
        self.seen: list[str] = []

    async def rerank(self, query: str, hits: Sequence[Hit]) -> list[float]:
        self.seen = [hit.chunk.chunk_id for hit in hits]
        if self.error:
            raise self.error
        return [self.score(hit) for hit in hits]


class Library:
    """Both indexes over a handful of chunks, and a search over them."""

    def __init__(self, folder: Path) -> None:
        self.keywords = KeywordIndex.open(folder / "keywords")
        self.vectors = VectorIndex.open(folder / "vectors")
        self.embeddings: Embedder = TermEmbedder()
        self.chunks: dict[str, Chunk] = {}

    def fill(self, texts: dict[str, str], *, owner: str = "ann", collection: str = "notes", context: str = "") -> None:
        chunks = {one: chunk(one, text, context) for one, text in texts.items()}
        entries = [IndexEntry.of(one, owner=owner, collection=collection) for one in chunks.values()]
        self.keywords.add(entries)
        self.keywords.commit()
        self.vectors.add(entries, self.embeddings.embed_documents([one.embedded_text for one in entries]))
        self.chunks |= chunks

    async def load(self, chunk_ids: Sequence[str]) -> dict[str, tuple[Chunk, str, str]]:
        return {one: (self.chunks[one], "Title", "a.md") for one in chunk_ids if one in self.chunks}

    def searching(self, **parts) -> HybridSearch:
        given = {"keywords": self.keywords, "vectors": self.vectors, "embeddings": self.embeddings}
        return HybridSearch(**(given | {"reranker": None, "load": self.load} | parts))

    async def search(self, query: str, *, owners=("ann",), collection=None, k=5, min_score=0.0, explain=False, **parts):
        return await self.searching(**parts).search(
            query, within=Filter(owners=tuple(owners), collection=collection), k=k, min_score=min_score, explain=explain
        )


def chunk(chunk_id: str, text: str, context: str = "") -> Chunk:
    language = "zh" if re.search(r"[\u4e00-\u9fff]", text) else "en"
    return Chunk(
        chunk_id=chunk_id, document_id="d", position=0, text=text, start=0, end=len(text), kind="prose",
        language=language, location=Location(), context=context,
    )  # fmt: skip


def ids(result) -> list[str]:
    return [hit.chunk.chunk_id for hit in result.hits]


@pytest.fixture
def library(tmp_path):
    library = Library(tmp_path)
    yield library
    library.keywords.close()
    library.vectors.close()


FRUIT = {
    "apple": "Apples keep for months in a cold cellar.",
    "pear": "Pears ripen after they have been picked.",
    "plum": "Plums make good jam with little sugar.",
}


async def test_a_hit_says_what_each_leg_thought_of_it(library):
    library.fill(FRUIT)
    result = await library.search("how long do apples keep in a cellar")
    best = result.hits[0]
    assert (best.chunk.chunk_id, best.source, best.keyword_rank, best.vector_rank) == ("apple", "both", 1, 1)
    assert (best.title, best.path) == ("Title", "a.md")
    assert best.keyword_score > 0
    assert best.vector_score > 0.3
    assert best.fused_score == pytest.approx(1 / 61)
    assert best.rerank_score is None
    assert result.degraded == ()
    assert set(result.ms) == {"embed", "keyword", "vector", "fuse", "total"}
    assert all(value >= 0 for value in result.ms.values())


@pytest.mark.parametrize(
    ("query", "text", "matched"),
    [
        ("How long do apples keep in a cellar?", FRUIT["apple"], {"apple", "keep", "cellar"}),
        ("資料庫連線逾時", "数据库连接超时的处理：资料库见附录。", {"资料", "料库"}),
        ("where is getUserById called", "return dao.getUserById(7);", {"getuserbyid", "get", "user", "id"}),
        ("X200", "The X200 weighs 1.2 kg.", {"x200"}),
    ],
)
async def test_a_hit_explains_which_terms_matched(library, query, text, matched):
    library.fill({"right": text, "other": "Nothing of the kind, 无关。"})
    told = await library.search(query, explain=True)
    untold = await library.search(query)
    found = {hit.chunk.chunk_id: hit.matched for hit in told.hits}
    assert matched <= set(found["right"])
    assert not matched & set(found.get("other", ()))
    assert {hit.matched for hit in untold.hits} == {None}


async def test_terms_of_the_heading_path_match_as_they_do_in_the_index(library):
    library.fill({"one": "500 yuan a night."}, context="Travel > Hotels")
    (hit,) = (await library.search("hotels per night", explain=True)).hits
    assert set(hit.matched) == {"hotel", "night"}
    assert hit.keyword_rank == 1


async def test_hits_are_sorted_by_a_score_between_0_and_1(library):
    library.fill({str(i): f"note {i} about apples and cellar number {i % 7}" for i in range(80)})
    result = await library.search("apples in cellar number 3", k=40)
    scores = [hit.score for hit in result.hits]
    assert len(scores) == 40
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


async def test_r01_a_chunk_without_any_of_the_words_has_no_keyword_rank(library):
    library.fill({str(i): line for i, line in enumerate(["床前明月光", "疑是地上霜", "举头望明月", "低头思故乡"])})
    result = await library.search("故乡", k=2)
    assert ids(result)[0] == "3"
    assert [hit.keyword_rank for hit in result.hits] == [1, None]


@pytest.mark.parametrize("query", ["", "  \n ", "apple"])
async def test_r02_an_empty_index_gives_an_empty_result(library, query):
    result = await library.search(query)
    assert (result.hits, result.degraded) == ((), ())


@pytest.mark.parametrize("query", ["？！。", "\ud800", "的", "x" * 20_000, "字" * 5_000])
async def test_r02_strange_queries_and_large_k_are_no_errors(library, query):
    library.fill(FRUIT)
    result = await library.search(query, k=10_000)
    assert len(result.hits) <= 3
    assert result.degraded == ()


async def test_r04_the_same_text_in_two_files_is_two_hits_and_one_chunk_in_both_legs_is_one(library):
    snippet = "int port = config.getPort();"
    library.fill({"file1": snippet, "file2": snippet, "other": "something else entirely"})
    result = await library.search("config.getPort")
    assert sorted(ids(result)[:2]) == ["file1", "file2"]
    assert len(ids(result)) == len(set(ids(result)))
    assert all(hit.source == "both" for hit in result.hits[:2])


def test_r04_fusion_sums_what_both_legs_gave_a_chunk():
    keyword, vector = Leg("keyword", {"a": 9.0, "b": 5.0}), Leg("vector", {"b": 0.9, "c": 0.8})
    scores = rrf_scores([keyword, vector])
    assert scores == pytest.approx({"a": 0.5 / 61, "b": 0.5 / 62 + 0.5 / 61, "c": 0.5 / 62})


class Broken:
    """An index of which nothing works."""

    def __init__(self, name: str, *, seconds: float = 0.0) -> None:
        self.name, self.seconds = name, seconds

    def search(self, *args, **kwargs):
        time.sleep(self.seconds)
        raise RuntimeError(f"{self.name} is broken")

    scores = document_frequencies = search


@pytest.fixture
def break_leg(monkeypatch, library):
    def broken(name: str) -> None:
        part = library.keywords if name == "keyword" else library.vectors
        for method in ("search", "scores", "document_frequencies"):
            if hasattr(part, method):
                monkeypatch.setattr(part, method, getattr(Broken(name), method))

    return broken


@pytest.mark.parametrize(("broken", "other"), [("keyword", "vector"), ("vector", "keyword")])
async def test_r05_the_other_leg_answers_alone_and_the_result_says_so(library, break_leg, broken, other):
    library.fill(FRUIT)
    break_leg(broken)
    result = await library.search("apples in the cellar")
    assert result.degraded == (broken,)
    assert ids(result)[0] == "apple"
    assert {hit.source for hit in result.hits} == {other}


async def test_r05_an_embedder_that_fails_is_the_vector_leg_failing(library):
    library.fill(FRUIT)

    class Offline(TermEmbedder):
        async def aembed_query(self, text):
            raise ConnectionError("no endpoint")

    result = await library.search("apples", embeddings=Offline())
    assert (result.degraded, ids(result)) == (("vector",), ["apple"])


async def test_r05_both_legs_broken_is_an_error_that_names_both(library, break_leg):
    library.fill(FRUIT)
    break_leg("keyword")
    break_leg("vector")
    with pytest.raises(SearchFailedError, match=r"keyword \(keyword is broken\); vector \(vector is broken\)"):
        await library.search("apples")


class Hanging(BaseRetriever):
    """A leg that never comes back."""

    async def _aget_relevant_documents(self, query, *, run_manager):
        await asyncio.sleep(60)

    def _get_relevant_documents(self, query, *, run_manager):
        raise NotImplementedError


async def test_r05_a_leg_that_hangs_is_given_up():
    guard = GuardedRetriever(inner=Hanging(), leg=Leg("vector"), timeout_seconds=0.05)
    assert await guard.ainvoke("apples") == []
    assert isinstance(guard.leg.error, TimeoutError)


async def test_r06_the_threshold_reads_the_rerankers_score_and_nothing_else(library):
    library.fill({f"n{i}": f"apples note {i}" for i in range(6)})
    given = {"n0": 0.96, "n1": 0.84, "n2": 0.59, "n3": 0.1, "n4": 0.9, "n5": 0.6}
    reranker = Fixed(lambda hit: given[hit.chunk.chunk_id])
    result = await library.search("apples", k=10, min_score=0.6, reranker=reranker)
    assert ids(result) == ["n0", "n4", "n1", "n5"]
    assert [hit.score for hit in result.hits] == [hit.rerank_score for hit in result.hits] == [0.96, 0.9, 0.84, 0.6]
    assert "rerank" in result.ms


@pytest.mark.parametrize("error", [RerankLateError("late"), RerankFailedError("broken"), ValueError("its own bug")])
async def test_a_reranker_that_fails_leaves_the_order_and_is_named(library, error):
    library.fill(FRUIT)
    plain = await library.search("apples in the cellar")
    result = await library.search("apples in the cellar", reranker=Fixed(error=error))
    assert result.degraded == ("reranker",)
    assert [(hit.chunk.chunk_id, hit.score) for hit in result.hits] == [
        (hit.chunk.chunk_id, hit.score) for hit in plain.hits
    ]


@pytest.mark.parametrize("score", [1.7, -0.1, float("nan")])
async def test_a_reranker_that_does_not_keep_to_0_and_1_is_not_believed(library, score):
    library.fill(FRUIT)
    result = await library.search("apples", reranker=Fixed(lambda hit: score))
    assert result.degraded == ("reranker",)
    assert all(hit.rerank_score is None for hit in result.hits)


async def test_the_reranker_is_shown_the_best_few_and_never_fewer_than_asked_for(library):
    library.fill({str(i): f"apples note {i}" for i in range(45)})
    reranker = Fixed(lambda hit: 0.5)
    assert len((await library.search("apples", k=3, reranker=reranker)).hits) == 3
    assert len(reranker.seen) == 20
    assert len((await library.search("apples", k=40, reranker=reranker)).hits) == 40


class Ordering(Fixed):
    """A reranker whose numbers say an order and nothing else."""

    orders_only = True


async def test_a_reranker_that_only_orders_leaves_the_calibrated_scores(library):
    library.fill({str(i): f"apples note {i}" for i in range(5)})
    plain = await library.search("apples note", k=10)
    backwards = {hit.chunk.chunk_id: 100.0 * place for place, hit in enumerate(plain.hits)}
    result = await library.search("apples note", k=10, reranker=Ordering(lambda hit: backwards[hit.chunk.chunk_id]))
    assert ids(result) == ids(plain)[::-1]
    assert {hit.chunk.chunk_id: hit.score for hit in result.hits} == {
        hit.chunk.chunk_id: hit.score for hit in plain.hits
    }
    assert [hit.rerank_score for hit in result.hits] == [400.0, 300.0, 200.0, 100.0, 0.0]
    assert result.degraded == ()


async def test_the_threshold_cuts_what_is_below_it_wherever_the_reranker_put_it(library):
    library.fill(FRUIT | {"soil": "Nothing of the kind here."})
    plain = await library.search("apples keep in a cellar", k=10)
    least = plain.hits[1].score
    backwards = {hit.chunk.chunk_id: place for place, hit in enumerate(plain.hits)}
    ranked = Ordering(lambda hit: backwards[hit.chunk.chunk_id])
    result = await library.search("apples keep in a cellar", k=3, min_score=least, reranker=ranked, explain=True)
    assert ids(result) == [hit.chunk.chunk_id for hit in reversed(plain.hits) if hit.score >= least]
    assert ids(result)[-1] == "apple"
    # Of the three that were put first, those that missed the threshold are what it cut.
    assert [hit.chunk.chunk_id for hit in result.cut] == [
        hit.chunk.chunk_id for hit in list(reversed(plain.hits))[:3] if hit.score < least
    ]
    assert result.below_threshold == len(result.cut) >= 1


async def test_the_last_hit_that_the_reranker_is_shown_may_come_first(library):
    library.fill({str(i): f"apples note {i}" for i in range(30)})
    plain = ids(await library.search("apples", k=20))
    ranked = Ordering(lambda hit: float(hit.chunk.chunk_id == plain[-1]))
    assert ids(await library.search("apples", k=20, reranker=ranked)) == [plain[-1], *plain[:-1]]


async def test_hits_that_were_not_shown_stay_behind_the_ordered_ones_as_they_were(library):
    library.fill({str(i): f"apples note {i}" for i in range(24)})
    plain = (await library.search("apples", k=24)).hits
    ranking = Ordering(lambda hit: float(hit.chunk.chunk_id == plain[19].chunk.chunk_id))
    everything = await _reranked(ranking, "apples", plain, shown=20)
    assert [hit.chunk.chunk_id for hit in everything] == [
        hit.chunk.chunk_id for hit in (plain[19], *plain[:19], *plain[20:])
    ]
    assert [hit.rerank_score for hit in everything] == [1.0] + [0.0] * 19 + [None] * 4
    assert len(await _reranked(Fixed(lambda hit: 0.5), "apples", plain, shown=20)) == 20


@pytest.mark.parametrize("score", [float("nan"), float("inf")])
async def test_an_order_of_no_real_numbers_is_not_believed(library, score):
    library.fill(FRUIT)
    result = await library.search("apples", reranker=Ordering(lambda hit: score))
    assert result.degraded == ("reranker",)
    assert ids(result) == ids(await library.search("apples"))


@pytest.mark.parametrize("explain", [False, True])
async def test_what_the_threshold_cut_is_counted_and_listed_when_asked(library, explain):
    library.fill(FRUIT)
    plain = await library.search("how long do apples keep in a cellar", k=2)
    best, second = plain.hits
    result = await library.search("how long do apples keep in a cellar", k=2, min_score=best.score, explain=explain)
    assert ids(result) == [best.chunk.chunk_id]
    assert result.below_threshold == 1
    assert [hit.chunk.chunk_id for hit in result.cut] == ([second.chunk.chunk_id] if explain else [])
    assert all(hit.matched is not None for hit in result.cut)
    assert plain.below_threshold == 0


async def test_i14_a_chunk_that_the_manifest_no_longer_knows_is_no_hit(library):
    library.fill(FRUIT)
    del library.chunks["apple"]
    result = await library.search("apples keep in a cellar", k=10)
    assert sorted(ids(result)) == ["pear", "plum"]


async def test_owner_and_collection_hold_in_both_legs(library):
    library.fill({"mine": "secret salary plan"})
    library.fill({"theirs": "secret salary plan"}, owner="bob")
    library.fill({"shared": "secret salary plan"}, owner="local", collection="hr")
    assert ids(await library.search("secret salary plan")) == ["mine"]
    assert sorted(ids(await library.search("secret salary plan", owners=["ann", "local"]))) == ["mine", "shared"]
    assert ids(await library.search("secret salary plan", owners=["ann", "local"], collection="hr")) == ["shared"]
    assert ids(await library.search("secret salary plan", owners=[])) == []


async def test_a_copy_is_told_only_to_those_who_may_read_it(library):
    library.fill({"mine": "secret salary plan"})
    library.fill({"theirs": "secret salary plan"}, owner="bob")
    library.fill({"shared": "secret salary plan"}, owner="local")
    [alone] = (await library.search("secret salary plan")).hits
    assert alone.also_in == ()
    first, _ = (await library.search("secret salary plan", owners=["ann", "local"])).hits
    assert [other.chunk_id for other in first.also_in] == [{"mine": "shared", "shared": "mine"}[first.chunk.chunk_id]]


async def test_a_copy_takes_no_place_from_a_passage_and_two_versions_both_stay(library):
    library.fill({
        "a": "Leave is asked for 5 days ahead.", "b": "Leave is asked for 5 days ahead!",
        "new": "Leave is asked for 10 days ahead.",
        "far": "How many days ahead leave is asked for from abroad is on the form.",
    })  # fmt: skip
    found = await library.search("how many days ahead is leave asked for", k=3)
    assert sorted(ids(found)) == ["a", "far", "new"] or sorted(ids(found)) == ["b", "far", "new"]
    assert sum(len(hit.also_in) for hit in found.hits) == 1
    assert len(ids(await library.search("how many days ahead is leave asked for", k=4))) == 4


async def test_searches_may_run_side_by_side(library):
    library.fill(FRUIT)
    found = await asyncio.gather(*(library.search(word) for word in ("apples", "pears", "plums") * 8))
    assert [ids(result)[0] for result in found] == ["apple", "pear", "plum"] * 8


async def test_the_event_loop_is_free_while_an_index_is_busy(library, monkeypatch):
    library.fill(FRUIT)
    turned = threading.Event()

    def busy(real):
        def answer(*args, **kwargs):
            turned.clear()
            assert turned.wait(20), "the event loop stood still"
            return real(*args, **kwargs)

        return answer

    for part in (library.keywords, library.vectors):
        for method in ("search", "scores"):
            monkeypatch.setattr(part, method, busy(getattr(part, method)))

    async def turn() -> None:
        while True:
            turned.set()
            await asyncio.sleep(0.005)

    turning = asyncio.create_task(turn())
    assert ids(await library.search("apples"))
    turning.cancel()


async def test_an_engine_that_fuses_is_asked_once_and_its_hits_are_scored_as_others(library):
    library.fill(FRUIT)
    asked = []

    def fuse(query, vector, *, within, limit):
        asked.append((query, within))
        return [("pear", 1 / 61), ("apple", 1 / 62)]

    apart = await library.search("how long do apples keep in a cellar")
    inside = await library.search("how long do apples keep in a cellar", fuse=fuse)
    assert asked == [("how long do apples keep in a cellar", Filter(owners=("ann",)))]
    assert ids(inside) == ["apple", "pear"]
    assert (inside.hits[0].keyword_rank, inside.hits[0].vector_rank, inside.hits[0].source) == (None, None, "both")
    assert inside.hits[0].keyword_score == pytest.approx(apart.hits[0].keyword_score)
    assert inside.hits[0].vector_score == pytest.approx(apart.hits[0].vector_score)
    assert inside.hits[1].source == "vector"


async def test_r05_a_fusion_that_fails_leaves_the_legs_to_answer(library):
    library.fill(FRUIT)

    def fuse(*args, **filters):
        raise ConnectionError("gone")

    result = await library.search("how long do apples keep in a cellar", fuse=fuse)
    assert (ids(result)[0], result.degraded) == ("apple", ())
    assert (result.hits[0].keyword_rank, result.hits[0].vector_rank) == (1, 1)


class MovedFails(VectorIndex):
    """Answers once; the second search of a query, for the other language, fails."""

    asked = 0

    def search(self, vector, **scope):
        self.asked += 1
        if self.asked > 1:
            raise ConnectionError("gone")
        return super().search(vector, **scope)


async def test_a_failed_look_at_the_other_language_leaves_what_the_legs_found_and_is_told(tmp_path, library):
    local = LocalEmbeddings()
    library.vectors.close()
    library.vectors, library.embeddings = MovedFails.open(tmp_path / "of the local model"), local
    library.fill({"a": "过滤器堵塞时泵会停止。", "b": "The pump stops when the filter is blocked."})
    result = await library.search("泵什么时候会停止？")
    assert ids(result)[0] == "a"
    assert result.degraded == ("vector",)
    assert library.vectors.asked == 2
