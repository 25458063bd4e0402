"""The manifest's own promises: constraints hold, a switch is one transaction, the journal is kept."""

from dataclasses import replace

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from stores.database import open_database, sqlite_url
from stores.documents.document import Chunk, Document, Location
from stores.documents.manifest import Entry, Manifest
from stores.documents.walk import FileStamp

STAMP = FileStamp(size=10, mtime_ns=1_700_000_000_123_456_789)


@pytest.fixture
async def manifest(tmp_path):
    async with open_database(sqlite_url(tmp_path / "m.db")) as engine:
        yield Manifest(engine)


def document(id_="a" * 24, **changes):
    fields = {
        "document_id": id_,
        "owner": "local",
        "collection": "default",
        "path": f"/files/{id_}.md",
        "title": "标题",
        "media_type": "text/markdown",
        "encoding": "gb18030",
        "pages": None,
        "chunks": 0,
        "sha256": "0" * 64,
        "revision": 1,
        "state": "ready",
        "reason": None,
        "updated_at": "2026-11-30T00:00:00+00:00",
    }
    return Entry(document=Document(**fields | changes), stamp=STAMP)


def chunk(id_, position=0, document_id="a" * 24, **changes):
    body = changes.pop("text", f"text of {id_}")
    location = Location(lines=(1, 3), heading=("一", "二"), symbol="A.b")
    fields = {"kind": "code", "language": "code", "location": location, "context": "标题 › 一"}
    return Chunk(
        chunk_id=id_, document_id=document_id, position=position, text=body, start=0, end=len(body), **fields | changes
    )


async def test_documents_and_chunks_come_back_as_they_were(manifest):
    entry, chunks = document(), [chunk("c1"), chunk("c2", 1, location=Location(page=4, slide=None))]
    await manifest.switch(entry, chunks, gone=[])
    [stored] = await manifest.entries()
    assert stored == replace(entry, document=replace(entry.document, chunks=2))
    assert await manifest.chunks_of(entry.document.document_id) == chunks


async def test_chunks_are_told_by_id_in_the_order_asked_for_and_by_owner(manifest):
    await manifest.switch(document(owner="alice"), [chunk("c1"), chunk("c2", 1)], gone=[])
    assert list(await manifest.chunks(["c2", "nothing", "c1"])) == ["c2", "c1"]
    assert await manifest.chunks(["c1"], owners=["bob", "local"]) == {}
    assert await manifest.load(["c1"], owners=["bob"]) == {}
    many = [f"x{n}" for n in range(40_000)]
    assert list(await manifest.chunks([*many, "c1"], owners=["alice"])) == ["c1"]


async def test_a_switch_that_fails_changes_nothing(manifest):
    await manifest.switch(document(), [chunk("c1")], gone=[])
    await manifest.journal(["c2", "c3"])
    twice = [chunk("c2", 0), chunk("c3", 0)]
    with pytest.raises(IntegrityError):
        await manifest.switch(document(revision=2), twice, gone=["c1"])
    [stored] = await manifest.documents()
    assert stored.revision == 1
    assert [one.chunk_id for one in await manifest.chunks_of(stored.document_id)] == ["c1"]
    assert sorted(await manifest.pending()) == ["c2", "c3"]


async def test_a_switch_moves_the_journal_from_new_to_gone(manifest):
    await manifest.switch(document(), [chunk("c1")], gone=[])
    await manifest.journal(["c2"])
    await manifest.switch(document(revision=2), [chunk("c2")], gone=["c1"])
    assert await manifest.pending() == ["c1"]
    await manifest.settle(["c1"])
    assert await manifest.pending() == []


async def test_removing_a_document_removes_its_chunks_and_notes_them(manifest):
    await manifest.switch(document(), [chunk("c1"), chunk("c2", 1)], gone=[])
    await manifest.remove("a" * 24, gone=["c1", "c2"])
    assert await manifest.count_chunks() == 0
    assert sorted(await manifest.pending()) == ["c1", "c2"]


@pytest.mark.parametrize(
    "broken",
    [
        document(revision=-1),
        document(state="ready", revision=0),
        document(state="failed", revision=0, reason=None),
        document(state="lost"),
    ],
)
async def test_a_document_that_cannot_be_is_refused(manifest, broken):
    with pytest.raises(IntegrityError):
        await manifest.put(broken)


@pytest.mark.parametrize(
    "broken",
    [{"kind": "poem"}, {"language": "xx"}, {"position": -1}, {"text": ""}, {"document_id": "b" * 24}],
)
async def test_a_chunk_that_cannot_be_is_refused(manifest, broken):
    with pytest.raises(IntegrityError):
        await manifest.switch(document(), [chunk("c1", **broken)], gone=[])
    assert await manifest.documents() == []


async def test_one_file_is_one_document_per_owner_and_collection(manifest):
    await manifest.put(document("a" * 24, path="/p"))
    await manifest.put(document("b" * 24, path="/p", owner="alice"))
    await manifest.put(document("c" * 24, path="/p", collection="other"))
    with pytest.raises(IntegrityError):
        await manifest.put(document("d" * 24, path="/p"))


async def test_an_id_prefix_is_no_pattern(manifest):
    await manifest.put(document("a" * 24))
    for prefix in ("%", "_", "a%", "", " "):
        assert await manifest.with_id(prefix) == []
    assert len(await manifest.with_id("aaa")) == 1


@pytest.mark.parametrize(
    "location",
    [
        Location(),
        Location(page=1),
        Location(slide=2, heading=("Title",)),
        Location(lines=(3, 9), heading=("一", "二"), symbol="UserDao.findByName"),
    ],
)
def test_a_location_survives_json(location):
    assert Location.from_json(location.as_json()) == location


async def test_i14_a_log_that_somebody_reads_is_scrubbed_later(tmp_path, monkeypatch):
    monkeypatch.setattr("stores.database.BUSY_TIMEOUT_MS", 50)
    async with open_database(sqlite_url(tmp_path / "m.db")) as engine:
        manifest = Manifest(engine)
        await manifest.switch(document(), [chunk("c1", text="zyzzyva42")], gone=[])
        async with engine.connect() as reading:
            await reading.execute(text("BEGIN"))
            await reading.execute(text("SELECT * FROM chunks"))
            await manifest.remove("a" * 24, gone=["c1"])
            assert not await manifest.scrub()
        assert await manifest.scrub()
        assert not any(b"zyzzyva42" in path.read_bytes() for path in tmp_path.iterdir())
