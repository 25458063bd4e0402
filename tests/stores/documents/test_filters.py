"""Filters inside both legs of every engine: what is found is what a plain filter over everything leaves."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from stores.documents import keywords, vectors
from stores.documents.backends.embedded import Embedded
from stores.documents.entry import IndexEntry
from stores.documents.filters import Filter
from stores.documents.indexes import IndexBackend, IndexEngine, Ranking

WORDS = ("apple", "pear", "过滤器", "getUserById", "plum")
OWNERS, COLLECTIONS, DOCUMENTS = ("ann", "bob", "local"), ("notes", "课程"), tuple(f"d{i}" for i in range(6))
KINDS, LANGUAGES = ("prose", "code", "table"), ("zh", "en", "code")
DIMENSION, MOST = 5, 60
"""Of the random vectors; chunks of a random corpus."""
LETTERS = str.maketrans("0123456789", "abcdefghij")

Row = tuple[IndexEntry, list[float]]


def embedded(folder: Path) -> IndexBackend:
    return Embedded(folder)


def milvus(folder: Path) -> IndexBackend:
    pytest.importorskip("pymilvus", reason="the extra recite-agent[milvus] is not installed")
    from stores.documents.backends.milvus import Milvus

    return Milvus(folder, "0123456789abcdef", uri=str(folder / "milvus.db"))


@contextmanager
def opened(make: Callable[[Path], IndexBackend], folder: Path) -> Iterator[IndexEngine]:
    engine = make(folder).open("1", expected=False)
    try:
        yield engine
    finally:
        engine.close()


@pytest.fixture(params=[embedded, milvus], ids=lambda one: one.__name__)
def make(request) -> Callable[[Path], IndexBackend]:
    return request.param


@st.composite
def corpora(draw) -> list[Row]:
    """Up to 60 chunks: enough for a leg not to have looked at all of them when it has what was asked for."""
    chance, size = random.Random(draw(st.integers(0, 2**32 - 1))), draw(st.integers(1, MOST))
    entries = [
        IndexEntry(
            chunk_id=f"c{i:02d}",
            text=" ".join(chance.choices(WORDS, k=chance.randint(1, 6))),
            owner=chance.choice(OWNERS),
            collection=chance.choice(COLLECTIONS),
            document_id=chance.choice(DOCUMENTS),
            kind=chance.choice(KINDS),
            language=chance.choice(LANGUAGES),
        )
        for i in range(size)
    ]
    return [(entry, [chance.gauss(0, 1) for _ in range(DIMENSION)]) for entry in entries]


def some(chance: random.Random, values: tuple[str, ...]) -> frozenset[str] | None:
    """Nothing asked for, or a part of the values; at times one that no chunk has, at times none."""
    if chance.random() < 0.6:
        return None
    least = 0 if chance.random() < 0.05 else 1
    return frozenset(chance.sample((*values, "unknown"), k=chance.randint(least, len(values))))


@st.composite
def filters(draw) -> list[tuple[Filter, int]]:
    """Filters with how many hits are asked for. By chance: hypothesis mostly draws what lets nothing through."""
    chance = random.Random(draw(st.integers(0, 2**32 - 1)))
    return [
        (
            Filter(
                owners=tuple(chance.sample(OWNERS, k=chance.randint(1, 3))),
                collection=chance.choice((None, None, *COLLECTIONS)),
                documents=some(chance, DOCUMENTS),
                kinds=some(chance, KINDS),
                languages=some(chance, LANGUAGES),
            ),
            chance.choice((1, 3, 8, 100)),
        )
        for _ in range(15)
    ]


def allowed(entry: IndexEntry, within: Filter) -> bool:
    """The plain filter, written as a person would say it."""
    if entry.owner not in within.owners:
        return False
    if within.collection is not None and entry.collection != within.collection:
        return False
    if within.documents is not None and entry.document_id not in within.documents:
        return False
    if within.kinds is not None and entry.kind not in within.kinds:
        return False
    return within.languages is None or entry.language in within.languages


def left(ranking: Ranking, corpus: list[Row], within: Filter) -> Ranking:
    by_id = {entry.chunk_id: entry for entry, _ in corpus}
    return [(one, score) for one, score in ranking if allowed(by_id[one], within)]


def agree(found: Ranking, expected: Ranking, limit: int) -> None:
    """The best of the expected; which of equally good ones are cut off is open."""
    assert [score for _, score in found] == pytest.approx([score for _, score in expected[:limit]], abs=1e-5)
    assert {one for one, _ in found} <= {one for one, _ in expected}
    if limit >= len(expected):
        assert {one for one, _ in found} == {one for one, _ in expected}


def test_both_legs_find_what_a_plain_filter_over_everything_leaves(make, tmp_path):
    with opened(make, tmp_path) as engine:
        # A server's process answers a hundred times slower than a folder.
        examples = 30 if make is embedded else 12

        @settings(
            max_examples=examples,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            database=None,
            phases=[Phase.generate],
        )
        @given(
            corpus=corpora(),
            filters=filters(),
            query=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join),
            clauses=st.sampled_from((0, 500)),
            documents=st.sampled_from((2, 10_000)),
        )
        def check(corpus, filters, query, clauses, documents):
            engine.delete([f"c{i:02d}" for i in range(MOST)])
            engine.add([entry for entry, _ in corpus], [vector for _, vector in corpus])
            engine.commit()
            asked = corpus[0][1][::-1]
            everyone = Filter(owners=OWNERS)
            all_words = engine.keywords.search(query, within=everyone, limit=100)
            all_near = engine.vectors.search(asked, within=everyone, limit=100)
            assert len(all_near) == len(corpus)
            with patch.object(keywords, "MOST_CLAUSES", clauses), patch.object(vectors, "DOCUMENTS", documents):
                for within, limit in filters:
                    words = left(all_words, corpus, within)
                    agree(engine.keywords.search(query, within=within, limit=limit), words, limit)
                    assert dict(engine.keywords.search(query, within=within, limit=100)) == pytest.approx(dict(words))
                    near = left(all_near, corpus, within)
                    agree(engine.vectors.search(asked, within=within, limit=limit), near, limit)
                    if engine.fuse is not None:
                        fused = engine.fuse(query, asked, within=within, limit=100)
                        assert {one for one, _ in fused} == {one for one, _ in (*words, *near)}

        check()


@pytest.mark.parametrize("share", ["few", "half", "all but one"])
def test_a_filter_of_thousands_of_documents_works_in_both_legs(make, tmp_path, share):
    count = 5_000
    meant = {"few": range(7), "half": range(0, count, 2), "all but one": range(count - 1)}[share]
    draw = np.random.default_rng(4)
    placed = draw.normal(size=(count, 8)).astype(np.float32)
    entries = [
        IndexEntry(
            chunk_id=f"c{i:04d}",
            document_id=f"{i:024x}",
            owner="ann",
            collection="c",
            text=f"note{i} common".translate(LETTERS),
        )
        for i in range(count)
    ]
    within = Filter(owners=("ann",), documents=frozenset(f"{i:024x}" for i in meant))
    with opened(make, tmp_path) as engine:
        engine.add(entries, placed.tolist())
        engine.commit()
        last = count - 1
        assert engine.keywords.search("noteejjj", within=within, limit=10) == []
        assert [one for one, _ in engine.keywords.search("noteg notee", within=within, limit=10)] == ["c0004", "c0006"]
        common = engine.keywords.search("common", within=within, limit=100)
        assert len(common) == min(100, len(meant))
        assert {one for one, _ in common} <= {f"c{i:04d}" for i in meant}
        near = engine.vectors.search(placed[4].tolist(), within=within, limit=5)
        assert near[0][0] == "c0004"
        assert {one for one, _ in near} <= {f"c{i:04d}" for i in meant}
        assert len(near) == 5
        assert "c4999" not in [one for one, _ in engine.vectors.search(placed[last].tolist(), within=within, limit=5)]


def test_more_documents_than_sqlite_has_variables_are_no_error(tmp_path):
    rows = [
        IndexEntry(chunk_id=f"c{i}", document_id=f"d{i}", owner="ann", collection="c", text="apple") for i in range(60)
    ]
    near = np.tile([1.0, 0.0], (60, 1))
    near[-1] = [0.0, 1.0]
    many = Filter(owners=("ann",), documents=frozenset(["d59", *(f"gone{i}" for i in range(40_000))]))
    with opened(embedded, tmp_path) as engine:
        engine.add(rows, near.tolist())
        engine.commit()
        assert [one for one, _ in engine.vectors.search([1.0, 0.0], within=many, limit=10)] == ["c59"]
        assert [one for one, _ in engine.keywords.search("apple", within=many, limit=10)] == ["c59"]


def test_a_filter_with_an_empty_set_lets_nothing_through(make, tmp_path):
    nothing = [
        Filter(owners=()),
        *(Filter(owners=("ann",), **{name: frozenset()}) for name in ("documents", "kinds", "languages")),
    ]
    with opened(make, tmp_path) as engine:
        engine.add([IndexEntry(chunk_id="a", document_id="d", owner="ann", collection="c", text="apple")], [[1.0, 0.0]])
        engine.commit()
        for within in nothing:
            assert engine.keywords.search("apple", within=within, limit=5) == []
            assert engine.vectors.search([1.0, 0.0], within=within, limit=5) == []
            assert engine.fuse is None or engine.fuse("apple", [1.0, 0.0], within=within, limit=5) == []
