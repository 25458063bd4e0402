"""BM25 over terms: what is found, for whom, and that what is deleted is gone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from stores.documents.entry import IndexEntry
from stores.documents.filters import Filter
from stores.documents.keywords import KeywordIndex
from stores.errors import IndexDamagedError


def entry(chunk_id: str, text: str, *, owner: str = "ann", collection: str = "notes", context: str = "") -> IndexEntry:
    return IndexEntry(
        chunk_id=chunk_id, document_id="d", owner=owner, collection=collection, text=text, context=context
    )


@pytest.fixture
def index(tmp_path: Path) -> Iterator[KeywordIndex]:
    index = KeywordIndex.open(tmp_path / "keywords")
    yield index
    index.close()


def ids(index: KeywordIndex, query: str, *, owners=("ann",), collection=None, limit=10) -> list[str]:
    return [
        chunk_id
        for chunk_id, _ in index.search(query, within=Filter(owners=tuple(owners), collection=collection), limit=limit)
    ]


def fill(index: KeywordIndex, *entries: IndexEntry) -> None:
    index.add(entries)
    index.commit()


def test_r01_only_the_matching_line_of_a_chinese_poem_is_a_hit(index):
    lines = ["床前明月光", "疑是地上霜", "举头望明月", "低头思故乡"]
    fill(index, *(entry(str(i), line) for i, line in enumerate(lines)))
    assert ids(index, "故乡", limit=2) == ["3"]
    assert ids(index, "沙漠", limit=2) == []


def test_r01_only_the_matching_line_in_english_is_a_hit(index):
    fill(index, entry("a", "the moon is bright"), entry("b", "I miss the old village"))
    assert ids(index, "what is the village") == ["b"]
    assert ids(index, "what is the desert") == []


@pytest.mark.parametrize("query", ["", "   ", "？！", "unseen 沙漠"])
def test_r02_no_match_is_an_empty_result(index, query):
    assert ids(index, query) == []
    fill(index, entry("blank", "   "), entry("marks", "……"))
    assert ids(index, query, limit=1000) == []


def test_r03_two_chunks_are_ranked_whether_one_or_both_hold_the_word(index):
    fill(index, entry("a", "apple apple pie"), entry("b", "apple tart with much cream on it"))
    found = index.search("apple", within=Filter(owners=("ann",)), limit=5)
    assert [one for one, _ in found] == ["a", "b"]
    assert all(score > 0 for _, score in found)
    assert ids(index, "cream") == ["b"]


@pytest.mark.parametrize("query", ["資料庫連線逾時", "资料库连线逾时"])
def test_r13_traditional_and_simplified_find_each_other(index, query):
    fill(index, entry("s", "资料库连线逾时怎么办"), entry("t", "資料庫連線逾時怎麼辦"), entry("x", "天气很好"))
    assert sorted(ids(index, query)) == ["s", "t"]


@pytest.mark.parametrize(
    ("query", "right"),
    [
        ("getUserById", "code"),
        ("@GetMapping", "mapping"),
        ("server.port", "port"),
        ("HttpServletRequest", "servlet"),
        ("user by id", "code"),
        ("servlet request", "servlet"),
        ("鸿蒙元服务", "new"),
    ],
)
def test_r14_r15_exact_identifiers_and_unknown_words_come_first(index, query, right):
    fill(
        index,
        entry("code", "public User getUserById(long id)"),
        entry("mapping", '@GetMapping("/users") List<User> users()'),
        entry("port", "server.port=8081"),
        entry("servlet", "void doFilter(HttpServletRequest request)"),
        entry("new", "鸿蒙元服务免安装"),
        entry("noise", "the server gets a request of the user on this port"),
    )
    assert ids(index, query)[0] == right


def test_an_owner_finds_their_own_and_only_the_asked_collection(index):
    fill(
        index,
        entry("a", "secret plan", owner="ann"),
        entry("b", "secret plan", owner="bob"),
        entry("c", "secret plan", owner="ann", collection="other"),
        entry("d", "secret plan", owner="ann ", collection="notes"),
        entry("e", "secret plan", owner="ANN"),
    )
    assert sorted(ids(index, "secret")) == ["a", "c"]
    assert ids(index, "secret", collection="notes") == ["a"]
    assert sorted(ids(index, "secret", owners=["ann", "bob"], collection="notes")) == ["a", "b"]
    assert ids(index, "secret", owners=[]) == []


def test_words_of_a_name_or_a_filter_add_nothing_to_a_score(index):
    fill(index, entry("a", "plan"), entry("b", "plan", owner="bob"))
    both = index.search(
        "plan",
        within=Filter(
            owners=(
                "ann",
                "bob",
            ),
            collection="notes",
        ),
        limit=5,
    )
    assert both[0][1] == both[1][1]
    assert ids(index, "ann notes") == []


def test_a_word_in_the_title_counts_for_the_chunk_and_before_the_same_word_in_long_text(index):
    fill(index, entry("t", "it runs first " * 5, context="Filter"), entry("x", "it runs first " * 5 + "filter"))
    assert ids(index, "filter") == ["t", "x"]


def test_scores_of_given_chunks_are_the_scores_of_the_search(index):
    fill(index, entry("a", "red apple"), entry("b", "green apple pie"), entry("c", "pear"))
    searched = dict(index.search("apple pie", within=Filter(owners=("ann",)), limit=5))
    assert index.scores("apple pie", ["b", "c", "nope"]) == pytest.approx({"b": searched["b"]})
    assert index.scores("", ["b"]) == index.scores("apple", []) == {}


def test_adding_an_id_again_replaces_its_text(index):
    fill(index, entry("a", "old words"))
    fill(index, entry("a", "new words"))
    assert (ids(index, "old"), ids(index, "new"), index.count()) == ([], ["a"], 1)


def test_what_is_not_committed_is_not_seen_and_is_lost_at_close(tmp_path):
    index = KeywordIndex.open(tmp_path)
    index.add([entry("a", "apple")])
    assert ids(index, "apple") == []
    index.close()
    assert KeywordIndex.open(tmp_path).count() == 0


def test_an_index_is_there_again_when_it_is_opened_again(tmp_path):
    first = KeywordIndex.open(tmp_path)
    fill(first, entry("a", "apple"))
    first.close()
    second = KeywordIndex.open(tmp_path)
    assert ids(second, "apple") == ["a"]
    fill(second, entry("b", "apple"))
    assert second.count() == 2


def files_with(folder: Path, word: bytes) -> list[str]:
    return [path.name for path in folder.iterdir() if word in path.read_bytes()]


@pytest.mark.parametrize("position", [0, 20, 39])
def test_i14_a_deleted_chunk_is_gone_from_the_search_and_from_the_files(tmp_path, position):
    index = KeywordIndex.open(tmp_path)
    texts = [f"ordinary words number{i}" for i in range(40)]
    texts[position] = "Zanzibarquux is confidential"
    fill(index, *(entry(str(i), text) for i, text in enumerate(texts)))
    assert files_with(tmp_path, b"zanzibarquux")
    index.delete([str(position), "unknown"])
    index.commit()
    assert ids(index, "zanzibarquux") == []
    assert index.document_frequencies(["zanzibarquux", "word"]) == ({"zanzibarquux": 0, "word": 39}, 39)
    assert files_with(tmp_path, b"zanzibarquux") == []
    assert len(ids(index, "ordinary words", limit=100)) == 39


def test_many_commits_can_share_one_purge(tmp_path):
    index = KeywordIndex.open(tmp_path)
    for i in range(12):
        index.add([entry(f"{i}-{j}", f"common zanzibarquux{i}") for j in range(3)])
        index.commit(purge=False)
    index.delete([f"{i}-0" for i in range(12)] + [f"5-{j}" for j in range(3)])
    index.commit(purge=False)
    index.purge()
    assert index.count() == len(ids(index, "common", limit=100)) == 22
    assert files_with(tmp_path, b"zanzibarquux5") == []
    assert index.document_frequencies(["zanzibarquux4"])[0] == {"zanzibarquux4": 2}


def test_clearing_leaves_nothing(tmp_path):
    index = KeywordIndex.open(tmp_path)
    fill(index, entry("a", "zanzibarquux"))
    index.clear()
    index.commit()
    assert (index.count(), ids(index, "zanzibarquux"), files_with(tmp_path, b"zanzibarquux")) == (0, [], [])


def test_no_sentence_can_be_read_in_the_files(tmp_path):
    index = KeywordIndex.open(tmp_path)
    fill(index, entry("a", "Wages rise by nine percent; confidential until May"))
    assert files_with(tmp_path, b"rise by nine percent") == files_with(tmp_path, b"confidential until") == []


def test_a_damaged_index_is_told_as_such(tmp_path):
    index = KeywordIndex.open(tmp_path)
    fill(index, entry("a", "apple"))
    index.close()
    (tmp_path / "meta.json").write_text("{ no json")
    with pytest.raises(IndexDamagedError, match="reindex"):
        KeywordIndex.open(tmp_path)
