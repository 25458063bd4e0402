"""Nearest vectors: what is found, for whom, and what Chroma must not do."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from stores.documents.entry import IndexEntry
from stores.documents.filters import Filter
from stores.documents.vectors import VectorIndex
from stores.errors import IndexMismatchError


def entry(chunk_id: str, *, owner: str = "ann", collection: str = "notes", text: str = "") -> IndexEntry:
    return IndexEntry(chunk_id=chunk_id, document_id="d", owner=owner, collection=collection, text=text)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[VectorIndex]:
    index = VectorIndex.open(tmp_path / "vectors")
    yield index
    index.close()


def ids(index: VectorIndex, vector, *, owners=("ann",), collection=None, limit=10) -> list[str]:
    return [
        chunk_id
        for chunk_id, _ in index.search(vector, within=Filter(owners=tuple(owners), collection=collection), limit=limit)
    ]


def test_the_nearest_come_first_with_their_cosine(index):
    index.add([entry("x"), entry("y"), entry("xy")], [[2.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    found = index.search([1.0, 0.0], within=Filter(owners=("ann",)), limit=10)
    assert [one for one, _ in found] == ["x", "xy", "y"]
    assert [score for _, score in found] == pytest.approx([1.0, 0.7071, 0.0], abs=1e-3)


def test_r02_an_empty_index_and_a_limit_above_its_size_are_no_errors(index):
    assert ids(index, [1.0, 0.0]) == []
    index.add([entry("a")], [[1.0, 0.0]])
    assert ids(index, [1.0, 0.0], limit=10_000) == ["a"]


def test_an_owner_finds_their_own_and_only_the_asked_collection(index):
    rows = [entry("a"), entry("b", owner="bob"), entry("c", collection="课程"), entry("d", owner="ann ")]
    index.add(rows, [[1.0, 0.0]] * 4)
    assert ids(index, [1.0, 0.0]) == ["a", "c"]
    assert ids(index, [1.0, 0.0], collection="课程") == ["c"]
    assert ids(index, [1.0, 0.0], owners=["ann", "bob"], collection="notes") == ["a", "b"]
    assert ids(index, [1.0, 0.0], owners=[]) == []


def test_the_few_chunks_of_one_owner_are_found_among_many_of_others(index):
    draw = np.random.default_rng(1)
    near, far = np.ones(32), -np.ones(32)
    index.add([entry(f"b{i}", owner="bob") for i in range(2_000)], near + draw.normal(size=(2_000, 32)) / 10)
    index.add([entry(f"a{i}") for i in range(5)], far + draw.normal(size=(5, 32)) / 10)
    assert sorted(ids(index, near)) == [f"a{i}" for i in range(5)]


def test_i18_more_rows_than_chroma_takes_in_one_call(index):
    rows = 6_000
    vectors = np.random.default_rng(2).normal(size=(rows, 8)).astype(np.float32)
    index.add([entry(str(i)) for i in range(rows)], vectors)
    assert index.count() == rows
    assert ids(index, vectors[5_999], limit=1) == ["5999"]
    index.delete([str(i) for i in range(rows)])
    assert index.count() == 0


def test_i20_adding_an_id_again_replaces_its_vector_and_owner(index):
    index.add([entry("a")], [[1.0, 0.0]])
    index.add([entry("a", owner="bob")], [[0.0, 1.0]])
    assert ids(index, [1.0, 0.0]) == []
    assert index.search([0.0, 1.0], within=Filter(owners=("bob",)), limit=5) == [("a", pytest.approx(1.0))]


def test_i16_a_vector_of_another_length_is_refused_by_name(index):
    index.add([entry("a")], [[1.0, 0.0]])
    with pytest.raises(IndexMismatchError, match="reindex"):
        index.add([entry("b")], [[1.0, 0.0, 0.0]])
    with pytest.raises(IndexMismatchError, match="reindex"):
        index.search([1.0, 0.0, 0.0], within=Filter(owners=("ann",)), limit=5)


def test_i16_clearing_makes_room_for_another_model(index):
    index.add([entry("a")], [[1.0, 0.0]])
    index.clear()
    index.add([entry("a")], [[1.0, 0.0, 0.0]])
    assert index.count() == 1


def test_i19_any_owner_and_collection_name_will_do(index):
    for name in ("课程", "a b/c", "x" * 600, "{}", "'; drop table"):
        index.add([entry(name, owner=name, collection=name)], [[1.0, 0.0]])
        assert ids(index, [1.0, 0.0], owners=[name], collection=name) == [name]


def test_i14_a_deleted_chunk_is_no_hit_and_an_unknown_id_no_error(index):
    index.add([entry("a"), entry("b")], [[1.0, 0.0], [1.0, 0.0]])
    index.delete(["a", "unknown"])
    index.commit()
    assert ids(index, [1.0, 0.0]) == ["b"]


def test_scores_of_given_chunks_are_cosines(index):
    index.add([entry("x"), entry("y")], [[3.0, 0.0], [1.0, 1.0]])
    assert index.scores([1.0, 0.0], ["x", "y", "unknown"]) == pytest.approx({"x": 1.0, "y": 0.7071}, abs=1e-3)
    assert index.scores([1.0, 0.0], []) == {}


def test_the_folder_holds_no_text_and_can_be_opened_again(tmp_path):
    index = VectorIndex.open(tmp_path)
    index.add([entry("a", text="zanzibarquux")], [[1.0, 0.0]])
    index.close()
    again = VectorIndex.open(tmp_path)
    assert ids(again, [1.0, 0.0]) == ["a"]
    again.close()
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"zanzibarquux" in path.read_bytes()]


def test_a_filter_that_lets_half_through_loses_none_of_the_nearest(index):
    draw = np.random.default_rng(3)
    vectors = draw.normal(size=(1_000, 16)).astype(np.float32)
    index.add([entry(str(i), owner="ann" if i % 2 else "bob") for i in range(1_000)], vectors)
    asked = draw.normal(size=16)
    cosines = vectors @ asked / np.linalg.norm(vectors, axis=1)
    expected = sorted(range(1, 1_000, 2), key=lambda i: -cosines[i])[:50]
    assert ids(index, asked, limit=50) == [str(i) for i in expected]


def test_rows_of_others_that_come_later_are_never_found(index):
    vector = [1.0, 0.0]
    index.add([entry("mine", owner="alice")], [vector])
    asked = {"within": Filter(owners=("alice",)), "limit": 5}
    assert [one for one, _ in index.search(vector, **asked)] == ["mine"]
    index.add([entry("theirs", owner="bob")], [vector])
    assert [one for one, _ in index.search(vector, **asked)] == ["mine"]
