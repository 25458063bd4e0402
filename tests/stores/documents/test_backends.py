"""One contract for every place where the indexes can live: embedded, a Chroma server, Milvus."""

import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from stores.documents.backends.chroma_server import ChromaServer
from stores.documents.backends.embedded import Embedded
from stores.documents.entry import IndexEntry
from stores.documents.filters import Filter
from stores.documents.indexes import BackendFactory, IndexBackend, IndexEngine
from stores.errors import IndexDamagedError, IndexMismatchError, IndexUnreachableError, SearchFailedError

LIBRARY = "0123456789abcdef"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def running_chroma(folder: Path, port: int) -> Iterator[None]:
    """A real `chroma run`, ready to answer."""
    command = "from chromadb.cli.cli import app; app()"
    arguments = ["run", "--path", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(
        [sys.executable, "-c", command, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while True:
            assert process.poll() is None, "the Chroma server ended"
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait()


@pytest.fixture(scope="session")
def chroma_port(tmp_path_factory) -> Iterator[int]:
    port = free_port()
    with running_chroma(tmp_path_factory.mktemp("chroma"), port):
        yield port


def embedded(request, tmp_path) -> BackendFactory:
    return Embedded


def chroma_server(request, tmp_path) -> BackendFactory:
    return partial(ChromaServer, host="127.0.0.1", port=request.getfixturevalue("chroma_port"))


def milvus(request, tmp_path) -> BackendFactory:
    pytest.importorskip("pymilvus", reason="the extra recite-agent[milvus] is not installed")
    from stores.documents.backends.milvus import Milvus

    return partial(Milvus, uri=str(tmp_path / "milvus.db"))


BACKENDS = [embedded, chroma_server, milvus]


@pytest.fixture(params=BACKENDS, ids=lambda one: one.__name__)
def backend(request, tmp_path) -> IndexBackend:
    library = f"{LIBRARY}{abs(hash(tmp_path)):x}"
    return request.param(request, tmp_path)(tmp_path / "home", library)


@pytest.fixture
def engine(backend) -> Iterator[IndexEngine]:
    engine = backend.open("1", expected=False)
    yield engine
    engine.close()


def entry(chunk_id: str, text: str = "", *, owner: str = "ann", collection: str = "notes", context: str = ""):
    return IndexEntry(
        chunk_id=chunk_id, document_id="d", owner=owner, collection=collection, text=text, context=context
    )


def fill(engine: IndexEngine, rows: dict[str, tuple[str, list[float]]], **fields: str) -> None:
    engine.add([entry(one, text, **fields) for one, (text, _) in rows.items()], [vector for _, vector in rows.values()])
    engine.commit()


def words(engine: IndexEngine, query: str, *, owners=("ann",), collection=None, limit=10) -> list[str]:
    found = engine.keywords.search(query, within=Filter(owners=tuple(owners), collection=collection), limit=limit)
    return [chunk_id for chunk_id, _ in found]


def near(engine: IndexEngine, vector, *, owners=("ann",), collection=None, limit=10) -> list[str]:
    found = engine.vectors.search(vector, within=Filter(owners=tuple(owners), collection=collection), limit=limit)
    return [chunk_id for chunk_id, _ in found]


X, Y, BETWEEN = [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]


def test_r02_an_empty_index_finds_nothing_and_counts_nothing(engine):
    assert words(engine, "apple") == near(engine, X) == []
    assert engine.keywords.scores("apple", ["a"]) == engine.vectors.scores(X, ["a"]) == {}
    assert engine.keywords.document_frequencies(["apple"]) == ({"apple": 0}, 0)
    assert engine.counts() == {"keywords": 0, "vectors": 0}
    engine.delete(["unknown"])
    engine.commit()


def test_r02_a_query_without_words_finds_nothing_by_words(engine):
    fill(engine, {"a": ("apple", X)})
    for query in ("", "   ", "？！"):
        assert words(engine, query) == []
        assert engine.keywords.scores(query, ["a"]) == {}
        if engine.fuse is not None:
            assert [one for one, _ in engine.fuse(query, X, within=Filter(owners=("ann",)), limit=5)] == ["a"]


def test_the_best_come_first_with_bm25_and_cosine(engine):
    fill(engine, {"x": ("red apple", X), "b": ("apple pie with pears", BETWEEN), "y": ("plums", Y)})
    assert words(engine, "apple") == ["x", "b"]
    found = engine.vectors.search([2.0, 0.0], within=Filter(owners=("ann",)), limit=1_000)
    assert [one for one, _ in found] == ["x", "b", "y"]
    assert [score for _, score in found] == pytest.approx([1.0, 0.7071, 0.0], abs=1e-3)
    searched = dict(engine.keywords.search("apple pie", within=Filter(owners=("ann",)), limit=5))
    assert all(score > 0 for score in searched.values())
    assert engine.keywords.scores("apple pie", ["b", "y", "nope"]) == pytest.approx({"b": searched["b"]})
    assert engine.vectors.scores([3.0, 0.0], ["b", "nope"]) == pytest.approx({"b": 0.7071}, abs=1e-3)


def test_the_filters_for_owner_and_collection_are_inside_both_legs(engine):
    fill(engine, {"a": ("secret plan", X), "m": ("other", Y)})
    fill(engine, {"b": ("secret plan", X)}, owner="bob")
    fill(engine, {"c": ("secret plan", X)}, collection="课程")
    fill(engine, {"d": ("secret plan", X)}, owner="ann ")
    fill(engine, {"e": ("secret plan", X)}, owner="ANN")
    for find, asked in ((words, "secret"), (near, X)):
        assert [one for one in find(engine, asked) if one != "m"] == ["a", "c"]
        assert find(engine, asked, collection="课程") == ["c"]
        both = find(engine, asked, owners=["ann", "bob"], collection="notes")
        assert [one for one in both if one != "m"] == ["a", "b"]
        assert find(engine, asked, owners=["bob"], limit=1) == ["b"]
        assert find(engine, asked, owners=[]) == find(engine, asked, owners=["nobody"]) == []
    if engine.fuse is not None:
        found = engine.fuse("secret", X, within=Filter(owners=("bob",), collection="notes"), limit=10)
        assert [one for one, _ in found] == ["b"]


def test_i20_adding_an_id_again_replaces_its_text_vector_and_owner(engine):
    fill(engine, {"a": ("old words", X)})
    fill(engine, {"a": ("new words", Y)}, owner="bob")
    assert engine.counts() == {"keywords": 1, "vectors": 1}
    assert words(engine, "old", owners=["bob"]) == words(engine, "new") == near(engine, Y) == []
    assert words(engine, "new", owners=["bob"]) == near(engine, Y, owners=["bob"]) == ["a"]
    assert engine.keywords.document_frequencies(["old", "new"]) == ({"old": 0, "new": 1}, 1)


def test_i14_a_deleted_chunk_is_found_by_neither_leg(engine):
    fill(engine, {"a": ("confidential", X), "b": ("ordinary", X)})
    engine.delete(["a", "unknown"])
    engine.commit()
    engine.purge()
    assert (words(engine, "confidential"), near(engine, X)) == ([], ["b"])
    assert engine.counts() == {"keywords": 1, "vectors": 1}
    assert engine.keywords.document_frequencies(["confidential"]) == ({"confidential": 0}, 1)


def test_equal_scores_come_in_the_order_of_the_ids(engine):
    names = [f"{i:02d}" for i in range(12)]
    fill(engine, dict.fromkeys(reversed(names), ("same words", X)))
    assert words(engine, "same words", limit=50) == near(engine, X, limit=50) == names


def test_r01_r13_chinese_is_found_by_pairs_also_across_scripts(engine):
    lines = ["床前明月光", "疑是地上霜", "举头望明月", "低头思故乡", "资料库连线逾时怎么办"]
    fill(engine, {str(i): (line, X) for i, line in enumerate(lines)})
    assert words(engine, "故乡", limit=2) == ["3"]
    assert words(engine, "資料庫連線逾時") == ["4"]
    assert words(engine, "沙漠") == []


def test_r14_mixed_text_and_identifiers_are_found_by_their_parts(engine):
    fill(
        engine,
        {
            "code": ("public User getUserById(long id)", X),
            "port": ("把 server.port 改成 8081", X),
            "filter": ("doFilter 方法在请求到达之前运行", X),
        },
    )
    assert words(engine, "user by id")[0] == "code"
    assert words(engine, "server.port")[0] == words(engine, "端口 port 8081")[0] == "port"
    assert words(engine, "Filter 的请求")[0] == "filter"


def test_a_word_of_the_title_counts_for_the_chunk(engine):
    engine.add([entry("t", "it runs first", context="Filter"), entry("x", "it runs last")], [X, X])
    engine.commit()
    assert words(engine, "filter") == ["t"]


def test_i19_any_owner_and_collection_name_will_do(engine):
    names = ("课程", "a b/c", "x" * 200, "{}", "'; drop table", '"] or owner != "', "\\", "%")
    for one in names:
        fill(engine, {one: ("apple", X)}, owner=one, collection=one)
        fill(engine, {f"not {one}": ("apple", X)}, owner="other", collection=one)
    for one in names:
        assert words(engine, "apple", owners=[one], collection=one) == [one]
        assert near(engine, X, owners=[one], collection=one) == [one]


def test_i19_a_text_of_any_form_goes_in_and_is_found(engine):
    texts = {"quotes": 'it\'s "quoted" \\ 100%', "blank": "  ", "emoji": "🦘 kangaroo\0", "long": "word " * 20_000}
    fill(engine, {one: (text, X) for one, text in texts.items()})
    assert engine.counts() == {"keywords": 4, "vectors": 4}
    assert words(engine, "kangaroo") == ["emoji"]
    assert words(engine, "quoted 100%") == ["quotes"]
    assert words(engine, "word") == ["long"]


def test_i18_ten_thousand_chunks_go_in_are_found_and_go(engine):
    rows, draw = 10_000, np.random.default_rng(2)
    vectors = draw.normal(size=(rows, 8)).astype(np.float32)
    engine.add([entry(f"{i:05d}", f"note{i} common") for i in range(rows)], vectors)
    engine.commit()
    assert engine.counts() == {"keywords": rows, "vectors": rows}
    assert near(engine, vectors[9_999], limit=1) == ["09999"]
    assert words(engine, "note9999", limit=1) == ["09999"]
    assert engine.keywords.document_frequencies(["common", "note7"]) == ({"common": rows, "note7": 1}, rows)
    engine.delete([f"{i:05d}" for i in range(1, rows)])
    engine.commit()
    assert engine.counts() == {"keywords": 1, "vectors": 1}
    assert words(engine, "common") == near(engine, vectors[5]) == ["00000"]


def test_i16_a_vector_of_another_length_is_refused_by_name(engine):
    fill(engine, {"a": ("apple", X)})
    with pytest.raises(IndexMismatchError, match="reindex"):
        engine.add([entry("b")], [[1.0, 0.0, 0.0]])
    with pytest.raises(IndexMismatchError, match="reindex"):
        near(engine, [1.0, 0.0, 0.0])


def test_an_engine_that_fuses_ranks_as_the_legs_fused_outside(engine):
    if engine.fuse is None:
        pytest.skip("its legs are fused outside")
    fill(
        engine,
        {"both": ("apple pie", X), "word": ("apple", Y), "near": ("plum", BETWEEN), "none": ("plum", [-1.0, 0.1])},
    )
    found = engine.fuse("apple pie", X, within=Filter(owners=("ann",)), limit=10)
    assert found[0] == ("both", pytest.approx(1 / 61))
    assert {one for one, _ in found} == {"both", "word", "near", "none"}


def test_a_generation_is_there_again_when_it_is_opened_again(backend):
    engine = backend.open("1", expected=False)
    fill(engine, {"a": ("apple", X)})
    engine.close()
    again = backend.open("1", expected=True)
    assert (words(again, "apple"), near(again, X), again.counts()["vectors"]) == (["a"], ["a"], 1)
    again.close()


def test_a_generation_that_should_be_there_and_is_not_is_told(backend):
    with pytest.raises(IndexDamagedError, match="reindex"):
        backend.open("7", expected=True)


def test_generations_do_not_mix_and_the_others_can_be_dropped(backend):
    assert backend.generations() == []
    old, new = backend.open("1", expected=False), backend.open("2", expected=False)
    fill(old, {"a": ("apple", X)})
    fill(new, {"b": ("apple", X)})
    assert (words(old, "apple"), words(new, "apple")) == (["a"], ["b"])
    old.close()
    backend.drop_others("2")
    assert set(backend.generations()) == {2}
    assert words(new, "apple") == ["b"]
    new.close()


@pytest.mark.parametrize("make", BACKENDS, ids=lambda one: one.__name__)
def test_two_libraries_in_one_place_see_nothing_of_each_other(make, request, tmp_path):
    factory: Callable[[Path, str], IndexBackend] = make(request, tmp_path)
    ours, theirs = factory(tmp_path / "ours", "a" * 32), factory(tmp_path / "theirs", "b" * 32)
    engine, other = ours.open("1", expected=False), theirs.open("1", expected=False)
    fill(engine, {"a": ("apple", X)})
    fill(other, {"b": ("apple", X)})
    ours.drop_others("2")
    assert words(other, "apple") == near(other, X) == ["b"]
    assert set(theirs.generations()) == {1}
    engine.close()
    other.close()
    theirs.drop_others("2")


def test_r05_a_server_that_is_not_there_is_told_in_one_line_with_its_address(tmp_path):
    port = free_port()
    backend = ChromaServer(tmp_path, LIBRARY, host="127.0.0.1", port=port)
    with pytest.raises(IndexUnreachableError, match=f"127.0.0.1:{port} does not answer.*chroma run") as told:
        backend.open("1", expected=False)
    assert "\n" not in str(told.value)


async def test_r05_a_store_whose_server_is_away_opens_says_so_and_works_when_it_is_back(
    open_store, embedder, ingest, search, library, tmp_path
):
    port = free_port()
    server = partial(ChromaServer, host="127.0.0.1", port=port)
    async with open_store(embedder, backend=server) as documents:
        assert (await documents.health())["state"] == "IndexUnreachableError"
        with pytest.raises(IndexUnreachableError, match="does not answer"):
            await documents.search("hotels", reader="local")
        with running_chroma(tmp_path / "chroma", port):
            await ingest(documents, library)
            assert "500 yuan" in (await search(documents, "nightly limit for hotels"))[0]
        degraded = await documents.search("nightly limit for hotels", reader="local")
        assert degraded.degraded == ("vector",)
        assert "500 yuan" in degraded.hits[0].chunk.text
        (tmp_path / "new.md").write_text("# New\n\nSomething new.\n")
        with pytest.raises(IndexUnreachableError, match="does not answer"):
            await ingest(documents, tmp_path / "new.md")
        with running_chroma(tmp_path / "chroma", port):
            await ingest(documents, tmp_path / "new.md")
            assert (await documents.search("something new", reader="local")).degraded == ()


async def test_another_backend_asks_for_a_rebuild_and_gets_everything_from_it(
    open_store, embedder, ingest, search, library, chroma_port, home
):
    server = partial(ChromaServer, host="127.0.0.1", port=chroma_port)
    async with open_store(embedder) as documents:
        await ingest(documents, library)
        before = await search(documents, "nightly limit for hotels")
    async with open_store(embedder, backend=server) as documents:
        with pytest.raises(IndexMismatchError, match=r"store 'chroma'.*'chroma server'.*reindex"):
            await documents.search("hotels", reader="local")
        async for _ in documents.reindex():
            pass
        assert await search(documents, "nightly limit for hotels") == before
        assert not list(home.glob("index/*/vectors"))


async def test_milvus_fuses_inside_and_runs_the_legs_apart_to_explain(
    open_store, embedder, ingest, request, library, tmp_path
):
    async with open_store(embedder, backend=milvus(request, tmp_path)) as documents:
        await ingest(documents, library)
        found = await documents.search("nightly limit for hotels", reader="local")
        explained = await documents.search("nightly limit for hotels", reader="local", explain=True)
        unmatched = await documents.search("沙漠", reader="local", k=50)
    best = found.hits[0]
    assert "500 yuan" in best.chunk.text
    assert (best.keyword_rank, best.vector_rank, best.source) == (None, None, "both")
    assert best.keyword_score > 0 and best.vector_score > 0 and "engine" in found.ms
    assert [hit.chunk.chunk_id for hit in explained.hits] == [hit.chunk.chunk_id for hit in found.hits]
    assert (explained.hits[0].keyword_rank, explained.hits[0].vector_rank) == (1, 1)
    assert explained.hits[0].score == pytest.approx(best.score)
    assert {hit.source for hit in unmatched.hits} <= {"vector"}


async def test_r05_a_milvus_that_goes_away_fails_a_search_with_one_line(
    open_store, embedder, ingest, request, library, tmp_path
):
    async with open_store(embedder, backend=milvus(request, tmp_path)) as documents:
        await ingest(documents, library)
        from milvus_lite.server_manager import server_manager_instance

        server_manager_instance.release_server(str(tmp_path / "milvus.db"))
        with pytest.raises(SearchFailedError, match=r"keyword .*vector .*recite doctor"):
            await documents.search("hotels", reader="local")
