"""What a person narrows a search to: what is refused, what it comes to, and that it never widens a right."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stores.documents.document import DEFAULT_USER, Document
from stores.documents.globs import Glob
from stores.documents.manifest import Entry, Manifest
from stores.documents.narrowing import EVERYTHING, Narrowing, Standing, matching, narrowing
from stores.documents.walk import FileStamp
from stores.errors import InputRefusedError, UnknownDocumentError


class Clock:
    """A clock that stands where it was set."""

    def __init__(self, day: str) -> None:
        self.day = day

    def __call__(self) -> datetime:
        return datetime.fromisoformat(f"{self.day}T23:59:59").replace(tzinfo=UTC)


def names(result) -> set[str]:
    return {Path(hit.path).name for hit in result.hits}


async def narrowed(documents, reader=DEFAULT_USER, /, **wishes) -> set[str]:
    """The names of the files that anything is found in."""
    return names(
        await documents.search("Zanzibar 过滤器 find_by_name", reader=reader, k=50, narrowing=narrowing(**wishes))
    )


async def id_of(documents, name: str, reader: str = DEFAULT_USER) -> str:
    [found] = [one for one in await documents.documents(reader=reader) if one.path.endswith(name)]
    return found.document_id


async def test_a_search_is_narrowed_by_path_kind_language_document_and_all_at_once(documents, library, ingest):
    await ingest(documents, library)
    everything = {"travel.md", "过滤器.md", "dao.py"}
    travel = await id_of(documents, "travel.md")
    assert await narrowed(documents) == everything
    assert await narrowed(documents, paths=["*.md"]) == {"travel.md", "过滤器.md"}
    assert await narrowed(documents, paths=["library/*.md", "*.py"]) == {"travel.md", "dao.py"}
    assert await narrowed(documents, paths=[f"{library}/课程 一/"]) == {"过滤器.md"}
    assert await narrowed(documents, paths=["*.MD"]) == set()
    assert await narrowed(documents, kinds=["code"]) == {"dao.py"}
    assert await narrowed(documents, languages=["zh"]) == {"过滤器.md"}
    assert await narrowed(documents, documents=[travel[:12].upper()]) == {"travel.md"}
    assert await narrowed(documents, documents=[travel], paths=["*.py"]) == set()
    assert await narrowed(documents, documents=[travel], languages=["en"], kinds=["prose"]) == {"travel.md"}
    assert await narrowed(documents, collection="other", paths=["*"]) == set()


async def test_days_are_those_on_which_a_document_was_last_taken_in(open_store, embedder, library, ingest):
    clock = Clock("2024-05-30")
    async with open_store(embedder, clock=clock) as documents:
        await ingest(documents, library / "travel.md")
        clock.day = "2024-06-01"
        await ingest(documents, library / "dao.py")
        assert await narrowed(documents, since="2024-05-30") == {"travel.md", "dao.py"}
        assert await narrowed(documents, until="2024-05-30") == {"travel.md"}
        assert await narrowed(documents, since="2024-05-31", until="2024-06-01") == {"dao.py"}
        assert await narrowed(documents, since="20240602") == set()
        clock.day = "2025-01-01"
        (library / "travel.md").write_text("# Travel\n\nZanzibar is closed.\n")
        await ingest(documents, library / "travel.md")
        assert await narrowed(documents, since="2025-01-01") == {"travel.md"}


async def test_a_renamed_file_is_found_by_its_new_path_at_once(documents, library, ingest):
    await ingest(documents, library)
    (library / "travel.md").rename(library / "trips.txt")
    await ingest(documents, library)
    assert await narrowed(documents, paths=["travel.*"]) == set()
    (library / "trips.txt").rename(library / "trips.md")
    await ingest(documents, library)
    assert await narrowed(documents, paths=["trips.md"]) == {"trips.md"}


async def test_no_narrowing_shows_a_reader_what_is_anothers(documents, library, ingest):
    await ingest(documents, library / "travel.md", owner="alice")
    await ingest(documents, library / "dao.py")
    alices = await id_of(documents, "travel.md", "alice")
    for wishes in ({"paths": ["**"]}, {"paths": ["travel.md"]}, {"since": "2000-01-01"}, {"kinds": ["prose", "code"]}):
        assert "travel.md" not in await narrowed(documents, "bob", **wishes)
        assert "travel.md" in await narrowed(documents, "alice", **wishes)
    assert await documents.matching(Narrowing(paths=("*",)), reader="bob") == 1
    for known in (alices, alices[:8], "f" * 24):
        with pytest.raises(UnknownDocumentError, match=f"There is no document '{known}'"):
            await narrowed(documents, "bob", documents=[known])
        with pytest.raises(UnknownDocumentError):
            await documents.matching(Narrowing(documents=(known,)), reader="bob")


async def test_how_many_documents_are_left_is_told_only_where_documents_are_chosen(documents, library, ingest):
    (library / "broken.pdf").write_bytes(b"no pdf")
    await ingest(documents, library)
    broken = await id_of(documents, "broken.pdf")
    assert await documents.matching(EVERYTHING, reader="local") is None
    assert await documents.matching(narrowing(kinds=["code"], collection="default"), reader="local") is None
    assert await documents.matching(narrowing(paths=["*"]), reader="local") == 3
    assert await documents.matching(narrowing(paths=["*.pdf"]), reader="local") == 0
    assert await documents.matching(narrowing(documents=[broken]), reader="local") == 0
    assert await documents.matching(narrowing(paths=["*"], collection="other"), reader="local") == 0


async def test_five_thousand_documents_can_be_named_and_matched(open_store, embedder):
    ids = [f"{i:024x}" for i in range(5_000)]
    async with open_store(embedder) as documents:
        manifest: Manifest = documents._manifest
        await manifest.put(*(entry_of(one) for one in ids))
        assert await documents.matching(narrowing(documents=ids), reader="local") == 5_000
        assert await documents.matching(narrowing(paths=["*7.md"]), reader="local") == 313
        assert (await documents.search("x", reader="local", narrowing=narrowing(documents=ids))).hits == ()
        with pytest.raises(UnknownDocumentError, match="8 documents"):
            await documents.matching(narrowing(documents=[*ids[:300], ids[-1][:-1]]), reader="local")


def entry_of(id_: str) -> Entry:
    document = Document(
        document_id=id_, owner="local", collection="default", path=f"/files/{id_}.md", title="T", media_type="m",
        encoding=None, pages=None, chunks=0, sha256="0" * 64, revision=1, state="ready", reason=None,
        updated_at="2026-11-30T00:00:00+00:00",
    )  # fmt: skip
    return Entry(document=document, stamp=FileStamp(size=0, mtime_ns=0))


@pytest.mark.parametrize(
    ("wishes", "said"),
    [
        ({"kinds": ["poem"]}, "'poem' is no kind. Allowed are prose, table"),
        ({"languages": ["fr"]}, "'fr' is no language. Allowed are zh, en, code"),
        ({"paths": ["*.md", " "]}, "A path pattern is empty"),
        ({"paths": ["x" * 1_001]}, "1001 characters"),
        ({"paths": ["\ud800"]}, "UTF-8"),
        ({"documents": [""]}, "A document's id is empty"),
        ({"since": "yesterday"}, "'yesterday' is no date"),
        ({"until": "2024-02-30"}, "'2024-02-30' is no date"),
        ({"since": "2024-05-02", "until": "2024-05-01"}, "from 2024-05-02 to 2024-05-01"),
        ({"collection": ""}, "The collection '' is empty"),
    ],
)
def test_what_cannot_be_meant_is_one_line_with_the_value(wishes, said):
    with pytest.raises(InputRefusedError) as told:
        narrowing(**wishes)
    assert said in str(told.value)
    assert "\n" not in str(told.value)


def test_an_empty_form_narrows_nothing():
    assert narrowing(documents=[], kinds=[], paths=[], since="", until=None) == EVERYTHING


PATHS = ("/a/x.md", "/a/b/x.md", "/a/b/y.java", "C:\\a\\x.md")
DAYS = ("2024-01-01", "2024-01-02", "2024-06-30")


@given(
    standings=st.lists(
        st.builds(
            Standing,
            document_id=st.integers(0, 2**32).map(lambda n: f"{n:024x}"),
            collection=st.sampled_from(("notes", "课程")),
            path=st.sampled_from(PATHS),
            updated_at=st.sampled_from(DAYS).map(lambda day: f"{day}T23:00:00+00:00"),
            revision=st.integers(0, 2),
        ),
        max_size=12,
        unique_by=lambda one: one.document_id,
    ),
    wish=st.builds(
        Narrowing,
        collection=st.none() | st.sampled_from(("notes", "other")),
        paths=st.lists(st.sampled_from(("*.md", "a/*", "b/**", "*")), max_size=2).map(tuple),
        since=st.none() | st.sampled_from(DAYS),
        until=st.none() | st.sampled_from(DAYS),
    ),
    named=st.sets(st.integers(0, 11)),
)
def test_what_matches_is_what_a_plain_filter_leaves(standings, wish, named):
    ids = tuple(one.document_id for at, one in enumerate(standings) if at in named)
    asked = Narrowing(collection=wish.collection, paths=wish.paths, since=wish.since, until=wish.until, documents=ids)
    left = [one for one in standings if one.revision > 0]
    if ids:
        left = [one for one in left if one.document_id in ids]
    if wish.collection:
        left = [one for one in left if one.collection == wish.collection]
    if wish.paths:
        left = [one for one in left if any(Glob(pattern).matches(one.path) for pattern in wish.paths)]
    if wish.since:
        left = [one for one in left if one.updated_at.split("T")[0] >= wish.since]
    if wish.until:
        left = [one for one in left if one.updated_at.split("T")[0] <= wish.until]
    assert matching(asked, standings) == {one.document_id for one in left}
