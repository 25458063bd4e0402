"""Life cycle: what an ingest adds, keeps, replaces and removes, and what it leaves alone."""

import asyncio
import os
import time
from collections import Counter
from typing import Any

import pytest

from stores.documents.keywords import KeywordIndex
from stores.documents.revisions import EmbeddingFailedError
from stores.documents.vectors import VectorIndex
from stores.errors import IndexDamagedError, IndexMismatchError, UnknownDocumentError


def by_name(results):
    return {result.path.rsplit("/", 1)[-1]: result for result in results}


def age(path, seconds=60):
    """As if the file had been written a while ago."""
    then = time.time() - seconds
    os.utime(path, (then, then))


async def indexed(documents):
    health = await documents.health()
    return {health["chunks"], *health["indexed"].values()}


async def test_i13_the_same_folder_again_adds_nothing_and_reads_nothing(
    documents, library, embedder, ingest, monkeypatch
):
    for file in library.rglob("*.*"):
        age(file)
    first = await ingest(documents, library)
    before, embedded = await documents.documents(reader="local"), len(embedder.embedded)
    monkeypatch.setattr("stores.documents.attempt.parse", lambda path, _: pytest.fail(f"{path} was read"))
    monkeypatch.setattr("hashlib.file_digest", lambda *_: pytest.fail("a file was hashed"))
    again = await ingest(documents, library)

    assert {result.status for result in first} == {"added"}
    assert {result.status for result in again} == {"unchanged"}
    assert [(r.path, r.document_id, r.chunks) for r in again] == [(r.path, r.document_id, r.chunks) for r in first]
    assert await documents.documents(reader="local") == before
    assert len(embedder.embedded) == embedded


async def test_i13_a_touched_file_with_the_same_content_is_unchanged(documents, library, embedder, ingest):
    await ingest(documents, library)
    embedded = len(embedder.embedded)
    os.utime(library / "travel.md")
    results = by_name(await ingest(documents, library))
    assert results["travel.md"].status == "unchanged"
    assert len(embedder.embedded) == embedded


async def test_i13_only_changed_chunks_of_an_edited_file_are_embedded_again(
    documents, tmp_path, embedder, ingest, search
):
    book = tmp_path / "book.md"
    sections = [f"## Part {n}\n\n" + f"Topic{n} is explained with word{n}. " * 60 for n in range(12)]
    book.write_text("# Book\n\n" + "\n\n".join(sections))
    [added] = await ingest(documents, book)
    embedder.embedded.clear()
    sections[4] = "## Part 4\n\n" + "Platypus habits are explained now. " * 60
    book.write_text("# Book\n\n" + "\n\n".join(sections))
    [updated] = await ingest(documents, book)

    assert (added.status, updated.status) == ("added", "updated")
    assert updated.document_id == added.document_id
    assert embedder.embedded
    assert all("Platypus" in text for text in embedder.embedded)
    assert any("Platypus" in text for text in await search(documents, "platypus habits"))
    assert not any("word4." in text for text in await search(documents, "Topic4 word4"))
    assert await indexed(documents) == {updated.chunks}


async def test_i13_a_shorter_version_leaves_no_surplus_chunk(documents, tmp_path, ingest, search):
    notes = tmp_path / "notes.md"
    notes.write_text("# Notes\n\n" + "\n\n".join(f"## H{n}\n\n" + f"alpha{n} beta{n} gamma. " * 80 for n in range(9)))
    await ingest(documents, notes)
    notes.write_text("# Notes\n\n## H0\n\nOnly kiwi remains.\n")
    [result] = await ingest(documents, notes)
    [document] = await documents.documents(reader="local")

    assert result.status == "updated"
    assert document.revision == 2
    assert await indexed(documents) == {document.chunks}
    assert not any("alpha8" in text for text in await search(documents, "alpha8 beta8"))


async def test_an_edit_of_the_same_size_within_the_same_instant_is_noticed(documents, tmp_path, ingest, search):
    file = tmp_path / "a.txt"
    file.write_text("The cat sleeps.")
    await ingest(documents, file)
    stamp = file.stat()
    file.write_text("The dog sleeps.")
    os.utime(file, ns=(stamp.st_atime_ns, time.time_ns()))
    [result] = await ingest(documents, file)
    assert result.status == "updated"
    assert await search(documents, "dog") == ["The dog sleeps."]


async def test_a_renamed_file_keeps_its_document(documents, library, embedder, ingest):
    results = by_name(await ingest(documents, library))
    embedder.embedded.clear()
    (library / "travel.md").rename(library / "课程 一" / "reisen.md")
    [moved] = [r for r in await ingest(documents, library) if r.path.endswith("reisen.md")]

    assert moved.status == "updated"
    assert moved.document_id == results["travel.md"].document_id
    assert embedder.embedded == []
    assert len(await documents.documents(reader="local")) == 3


async def test_a_moved_file_whose_name_is_its_title_is_not_embedded_anew(documents, tmp_path, embedder, ingest, search):
    notes = tmp_path / "notes.txt"
    notes.write_text("Plain text about axolotls, without any heading.")
    [before] = await ingest(documents, notes)
    embedder.embedded.clear()
    (tmp_path / "deep").mkdir()
    notes.rename(tmp_path / "deep" / "axolotls.txt")
    [moved] = await ingest(documents, tmp_path / "deep")
    [document] = await documents.documents(reader="local")

    assert (moved.status, moved.document_id) == ("updated", before.document_id)
    assert embedder.embedded == []
    assert document.state == "ready"
    assert document.title.startswith("axolotls")
    assert await search(documents, "axolotls heading")


async def test_two_files_with_the_content_of_one_that_is_gone_are_one_moved_and_one_new(documents, tmp_path, ingest):
    first = tmp_path / "first.md"
    first.write_text("# One\n\nText about penguins.\n")
    [before] = await ingest(documents, first)
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("a.md", "b.md"):
        (folder / name).write_text(first.read_text())
    first.unlink()
    results = by_name(await ingest(documents, folder))
    assert {name: result.status for name, result in results.items()} == {"a.md": "updated", "b.md": "added"}
    assert results["a.md"].document_id == before.document_id != results["b.md"].document_id


async def test_a_document_whose_file_has_changed_or_gone_is_stale_until_it_is_taken_in_again(
    documents, library, ingest
):
    for file in library.rglob("*.*"):
        age(file)
    await ingest(documents, library)
    travel, dao, filters = library / "travel.md", library / "dao.py", library / "课程 一" / "过滤器.md"
    os.utime(filters)
    travel.write_text(travel.read_text() + "\nMore.\n")
    dao.unlink()
    states = {d.path: (d.state, d.reason) for d in await documents.documents(reader="local")}
    assert states == {
        str(travel): ("stale", "The file has changed since it was taken in."),
        str(dao): ("stale", "The file is not there any more."),
        str(filters): ("ready", None),
    }
    assert (await documents.health())["stale"] == 2
    [shown] = [d for d in await documents.documents(reader="local") if d.path == str(dao)]
    assert (await documents.document(shown.document_id, reader="local")).state == "stale"
    await ingest(documents, library)
    assert {d.state for d in await documents.documents(reader="local") if d.path != str(dao)} == {"ready"}


async def test_files_of_a_running_ingest_are_listed_as_queued_and_indexing(documents, tmp_path, embedder, ingest):
    folder = tmp_path / "large"
    folder.mkdir()
    for name in ("a.md", "b.md"):
        (folder / name).write_text(f"# {name}\n\n" + "Sentence after sentence. " * 3_000)
    seen, real, loop = [], embedder.embed_documents, asyncio.get_running_loop()

    def listed(reader):
        return asyncio.run_coroutine_threadsafe(documents.documents(reader=reader), loop).result(10)

    def embedding(texts):
        seen.append(([document.state for document in listed("alice")], listed("bob")))
        return real(texts)

    embedder.embed_documents = embedding
    results = await ingest(documents, folder, owner="alice")
    assert [states for states, _ in seen] == [["indexing", "queued"], ["ready", "indexing"]]
    assert [others for _, others in seen] == [[], []]
    after = await documents.documents(reader="alice")
    assert [(d.state, d.document_id) for d in after] == [("ready", result.document_id) for result in results]


async def test_a_file_that_vanishes_while_it_waits_is_passed_over(documents, library, ingest, monkeypatch):
    import stores.documents.ingest as module

    real = module.look_at

    def look_at(path, *, now):
        if path.endswith("travel.md"):
            (library / "travel.md").unlink(missing_ok=True)
        return real(path, now=now)

    monkeypatch.setattr(module, "look_at", look_at)
    results = by_name(await ingest(documents, library))
    assert (results["travel.md"].status, results["dao.py"].status) == ("skipped", "added")
    assert len(await documents.documents(reader="local")) == 2


async def test_names_in_any_script_go_in_and_out(documents, tmp_path, ingest, search):
    folder = tmp_path / "имена"
    names = [
        "الملف.md",
        "ファイル.txt",
        "фай л.md",
        "📚 books.md",
        "e\u0301té.md",
        "été.md",
        "a'b\"c%_.md",
        "x" * 200 + ".md",
    ]
    folder.mkdir()
    for number, name in enumerate(names):
        (folder / name).write_text(f"# N{number}\n\nmarker{number} text.\n")
    results = await ingest(documents, folder)
    assert {result.status for result in results} == {"added"}
    assert set(by_name(results)) == set(names)
    for number in range(len(names)):
        assert len(await search(documents, f"marker{number}")) >= 1


async def test_a_new_file_where_another_moved_away_from_is_another_document(documents, tmp_path, ingest):
    first, second = tmp_path / "first.md", tmp_path / "second.md"
    first.write_text("# One\n\nOriginal text about penguins.\n")
    [one] = await ingest(documents, first)
    first.rename(second)
    [moved] = await ingest(documents, second)
    first.write_text("# Two\n\nQuite another text about walruses.\n")
    [other] = await ingest(documents, first)
    assert moved.document_id == one.document_id
    assert other.status == "added"
    assert other.document_id != one.document_id


async def test_a_copied_file_is_a_second_document(documents, tmp_path, ingest):
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("# T\n\nThe same text in two files.\n")
    results = await ingest(documents, tmp_path / "a.md", tmp_path / "b.md")
    assert len({result.document_id for result in results}) == 2
    assert {result.status for result in results} == {"added"}


async def test_i11_one_file_of_two_users_is_two_documents(documents, library, ingest, search):
    [alices] = await ingest(documents, library / "travel.md", owner="alice")
    [bobs] = await ingest(documents, library / "travel.md", owner="bob")
    assert alices.document_id != bobs.document_id
    await documents.delete(alices.document_id, owner="alice")
    assert await search(documents, "quokkas", reader="alice") == []
    assert await search(documents, "quokkas", reader="bob")


async def test_a_document_that_no_longer_parses_keeps_its_last_good_revision(documents, library, ingest, search):
    file = library / "travel.md"
    await ingest(documents, file)
    good = file.read_bytes()
    file.write_bytes(b"\x00\x01\x02binary" * 100)
    [failed] = await ingest(documents, file)
    [document] = await documents.documents(reader="local")

    assert failed.status == "failed"
    assert failed.reason
    assert (document.state, document.revision, document.reason) == ("stale", 1, failed.reason)
    assert any("Zanzibar" in text for text in await search(documents, "hotel limit Zanzibar"))
    [again] = await ingest(documents, file)
    assert (again.status, again.reason) == ("failed", failed.reason)
    file.write_bytes(good)
    [back] = await ingest(documents, file)
    assert (back.status, back.reason) == ("unchanged", None)


async def test_a_file_that_fails_is_listed_with_its_reason_and_does_not_stop_the_others(documents, library, ingest):
    (library / "empty.md").write_text("  \n")
    results = by_name(await ingest(documents, library))
    assert results["empty.md"].status == "failed"
    assert results["travel.md"].status == "added"
    states = {
        document.title: (document.state, document.chunks) for document in await documents.documents(reader="local")
    }
    assert states["empty.md"] == ("failed", 0)
    (library / "empty.md").write_text("Not empty now.")
    assert by_name(await ingest(documents, library))["empty.md"].status == "added"


async def test_a_parser_that_breaks_is_one_failed_file(documents, library, ingest, monkeypatch):
    import stores.documents.attempt as module

    real = module.parse

    def parse(path, rules):
        if path.name == "travel.md":
            raise RecursionError("maximum recursion depth exceeded")
        return real(path, rules)

    monkeypatch.setattr(module, "parse", parse)
    results = by_name(await ingest(documents, library))
    assert results["travel.md"].status == "failed"
    assert "RecursionError" in results["travel.md"].reason
    assert results["dao.py"].status == "added"


async def test_i14_a_deleted_document_is_found_by_no_leg_and_its_text_is_in_no_file(
    documents, library, ingest, search, holding
):
    secret = library / "secret.md"
    secret.write_text("# Xylophone\n\nThe code word is zyzzyva42 and 鸮鹦鹉不会飞。\n")
    results = by_name(await ingest(documents, library))
    assert holding(["zyzzyva42", "鸮鹦鹉不会飞"])
    deleted = await documents.delete(results["secret.md"].document_id, owner="local")

    assert deleted.title == "Xylophone"
    assert not any("zyzzyva42" in text for text in await search(documents, "zyzzyva42 鸮鹦鹉"))
    assert holding(["zyzzyva42", "Xylophone", "xylophone", "鸮鹦鹉", "鹦鹉"]) == []
    assert len(await documents.documents(reader="local")) == 3
    assert await search(documents, "Zanzibar hotels")


async def test_i14_deleted_text_leaves_every_file_also_among_many_documents(documents, tmp_path, ingest, holding):
    folder = tmp_path / "many"
    folder.mkdir()
    for n in range(24):
        body = "\n\n".join(f"## S{m}\n\n" + f"marker{n}x{m} lies here. " * 30 for m in range(6))
        (folder / f"d{n:02}.md").write_text(f"# Doc {n}\n\n{body}")
    results = await ingest(documents, folder)
    for n in (3, 4, 11, 17, 23):
        await documents.delete(results[n].document_id, owner="local")
    gone = [f"marker{n}x{m}" for n in (3, 4, 11, 17, 23) for m in range(6)]
    assert holding(gone) == []
    assert holding(["marker5x0"])


async def test_text_that_an_edit_removed_leaves_the_keyword_index_when_the_ingest_ends(
    documents, home, library, ingest
):
    file = library / "travel.md"
    file.write_text("# T\n\nsnollygoster was here.\n")
    await ingest(documents, file)
    file.write_text("# T\n\nNothing was here.\n")
    await ingest(documents, file)
    left = [p for p in (home / "index").rglob("*") if p.is_file() and b"snollygoster" in p.read_bytes()]
    assert left == []


async def test_i14_delete_while_searches_run(documents, library, ingest, search):
    results = by_name(await ingest(documents, library))

    async def searching():
        return [await search(documents, "quokkas Zanzibar") for _ in range(10)]

    running = asyncio.create_task(searching())
    await asyncio.sleep(0)
    await documents.delete(results["travel.md"].document_id, owner="local")
    after = await search(documents, "quokkas Zanzibar")
    await running
    assert not any("quokkas" in text or "Zanzibar" in text for text in after)


async def test_i15_another_chunk_size_is_refused_until_everything_is_rebuilt(
    open_store, embedder, tmp_path, ingest, search
):
    book = tmp_path / "book.txt"
    book.write_text("\n\n".join(f"Sentence number {n} speaks about topic{n} at length. " * 10 for n in range(40)))
    async with open_store(embedder) as documents:
        [first] = await ingest(documents, book)
    async with open_store(embedder, chunk_size=120, chunk_overlap=0) as documents:
        with pytest.raises(IndexMismatchError, match="reindex"):
            await search(documents, "topic7")
        with pytest.raises(IndexMismatchError, match="size 500"):
            await ingest(documents, book)
        [rebuilt] = [result async for result, _, _ in documents.reindex()]
        assert rebuilt.chunks > first.chunks
        assert await indexed(documents) == {rebuilt.chunks}
        assert await search(documents, "topic7")


@pytest.mark.parametrize("other", [{"name": "other"}, {"dimension": 768}])
async def test_i16_another_embedder_is_refused_with_both_names_and_the_command(
    open_store, embedder, library, ingest, search, other
):
    async with open_store(embedder) as documents:
        await ingest(documents, library)
    changed = type(embedder)(**other)
    async with open_store(changed) as documents:
        health = await documents.health()
        assert health["state"] == "IndexMismatchError"
        with pytest.raises(IndexMismatchError, match=r"built with .*recite documents reindex"):
            await search(documents, "Zanzibar")
        assert len(await documents.documents(reader="local")) == 3
        assert [r.status async for r, _, _ in documents.reindex()] == ["updated"] * 3
        assert any("Zanzibar" in text for text in await search(documents, "Zanzibar"))
    async with open_store(changed) as documents:
        assert any("Zanzibar" in text for text in await search(documents, "Zanzibar"))


async def test_i16_an_embedder_changed_before_anything_was_taken_in_is_no_mismatch(
    open_store, embedder, library, ingest
):
    async with open_store(embedder):
        pass
    async with open_store(type(embedder)(name="other", dimension=96)) as documents:
        assert {result.status for result in await ingest(documents, library)} == {"added"}


@pytest.mark.parametrize("part", ["parsing.PARSER_VERSION", "chunking.CHUNKER_VERSION", "terms.TOKENIZER_VERSION"])
async def test_another_parser_chunker_or_tokenizer_is_refused(
    open_store, embedder, library, ingest, search, monkeypatch, part
):
    async with open_store(embedder) as documents:
        await ingest(documents, library)
    monkeypatch.setattr(f"stores.documents.generations.{part.split('.')[1]}", "next")
    async with open_store(embedder) as documents:
        with pytest.raises(IndexMismatchError, match="'next"):
            await search(documents, "Zanzibar")


@pytest.mark.parametrize("changed", [None, "PARSER_VERSION", "CHUNKER_VERSION"])
async def test_i15_reindex_never_loses_a_document_whose_file_is_gone(
    open_store, embedder, library, ingest, search, monkeypatch, changed
):
    async with open_store(embedder) as documents:
        before = by_name(await ingest(documents, library))
    (library / "travel.md").rename(library.parent / "elsewhere.md")
    if changed:
        monkeypatch.setattr(f"stores.documents.generations.{changed}", "next")
    async with open_store(embedder) as documents:
        results = by_name([result async for result, _, _ in documents.reindex()])
        again = results["travel.md"]
        assert (again.status, again.document_id) == ("unchanged", before["travel.md"].document_id)
        assert "not there any more" in again.reason and "indexed again" in again.reason
        assert any("Zanzibar" in text for text in await search(documents, "Zanzibar"))
        assert len(await indexed(documents)) == 1
        [moved] = await ingest(documents, library.parent / "elsewhere.md")
        assert (moved.document_id, "Moved" in moved.reason) == (again.document_id, True)


async def test_i15_a_lost_file_is_cut_anew_from_its_stored_text_with_right_lines(open_store, embedder, library, ingest):
    file = library / "long.md"
    sections = [
        f"## 第 {n} 节\n\n" + "\n\n".join(f"第 {n} 节第 {p} 段说明了规则。" * 6 for p in range(4)) for n in range(3)
    ]
    file.write_text("# 长文\n\n" + "\n\n\n".join(sections) + "\n", encoding="utf-8")
    text = file.read_text(encoding="utf-8")
    async with open_store(embedder) as documents:
        [result] = await ingest(documents, file)
    file.unlink()
    async with open_store(embedder, chunk_size=40, chunk_overlap=10) as documents:
        assert [r.status async for r, _, _ in documents.reindex()] == ["unchanged"]
        hits = (await documents.search("规则", reader="local", k=50)).hits
    assert len(hits) > result.chunks
    for chunk in (hit.chunk for hit in hits):
        assert text[chunk.start : chunk.end] == chunk.text
        assert chunk.location.lines is not None
        first, last = chunk.location.lines
        assert chunk.text.strip() in "\n".join(text.split("\n")[first - 1 : last])


async def test_reindex_keeps_the_last_good_text_of_a_file_that_no_longer_parses(
    open_store, embedder, library, ingest, search
):
    async with open_store(embedder) as documents:
        await ingest(documents, library)
        (library / "travel.md").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
        results = by_name([result async for result, _, _ in documents.reindex()])
        assert results["travel.md"].status == "failed"
        assert "indexed again" in results["travel.md"].reason
        assert any("Zanzibar" in text for text in await search(documents, "Zanzibar"))


async def test_a_rebuild_that_was_broken_off_is_refused_and_can_be_started_again(
    open_store, embedder, library, ingest, search
):
    async with open_store(embedder) as documents:
        await ingest(documents, library)
        rebuild = documents.reindex()
        await anext(rebuild)
        with pytest.raises(IndexMismatchError, match="being rebuilt"):
            await search(documents, "Zanzibar")
        await rebuild.aclose()
        with pytest.raises(IndexMismatchError, match="did not finish"):
            await search(documents, "Zanzibar")
    async with open_store(embedder) as documents:
        with pytest.raises(IndexMismatchError, match="did not finish"):
            await search(documents, "Zanzibar")
        assert len([result async for result, _, _ in documents.reindex()]) == 3
        assert any("Zanzibar" in text for text in await search(documents, "Zanzibar"))


@pytest.mark.parametrize("victim", ["vectors/chroma.sqlite3", "keywords/meta.json"])
async def test_a_damaged_index_says_so_deletes_nothing_and_reindex_mends_it(
    open_store, embedder, library, ingest, search, home, victim
):
    async with open_store(embedder) as documents:
        await ingest(documents, library)
    [damaged] = (home / "index").glob(f"*/{victim}")
    damaged.write_bytes(b"this is no index " * 400)
    async with open_store(embedder) as documents:
        for attempt in (search(documents, "Zanzibar"), ingest(documents, library)):
            with pytest.raises(IndexDamagedError, match="recite documents reindex") as caught:
                await attempt
            assert "\n" not in str(caught.value)
        assert damaged.read_bytes().startswith(b"this is no index")
        assert {result.status async for result, _, _ in documents.reindex()} == {"updated"}
        assert any("Zanzibar" in text for text in await search(documents, "Zanzibar"))
    async with open_store(embedder) as documents:
        assert any("Zanzibar" in text for text in await search(documents, "Zanzibar"))


async def test_an_index_folder_that_is_gone_is_damage_not_silence(open_store, embedder, library, ingest, search, home):
    import shutil

    async with open_store(embedder) as documents:
        await ingest(documents, library)
    shutil.rmtree(home / "index")
    async with open_store(embedder) as documents:
        with pytest.raises(IndexDamagedError, match="missing"):
            await search(documents, "Zanzibar")


async def test_i17_a_damaged_database_is_one_clear_line(open_store, embedder, library, ingest, home):
    async with open_store(embedder) as documents:
        await ingest(documents, library)
    (home / "recite.db").write_bytes(b"no database " * 1000)
    with pytest.raises(IndexDamagedError, match=r"recite\.db"):
        async with open_store(embedder):
            pass


async def test_i18_a_document_of_six_thousand_chunks_goes_in_and_out(open_store, embedder, tmp_path, ingest, search):
    big = tmp_path / "big.txt"
    big.write_text("\n\n".join(f"Entry {n} tells of item{n} and nothing else at all." for n in range(6_600)))
    async with open_store(embedder, chunk_size=12, chunk_overlap=0) as documents:
        [result] = await ingest(documents, big)
        assert result.chunks >= 6_000
        assert await indexed(documents) == {result.chunks}
        assert any("item6599" in text for text in await search(documents, "item6599"))
        await documents.delete(result.document_id, owner="local")
        assert await indexed(documents) == {0}


async def test_i18_a_batch_that_fails_rolls_the_document_back(documents, tmp_path, embedder, ingest, search):
    book = tmp_path / "book.md"
    book.write_text("# B\n\n" + "\n\n".join(f"## P{n}\n\n" + f"theme{n} word. " * 120 for n in range(150)))
    real, calls = embedder.embed_documents, []

    def failing(texts):
        calls.append(len(texts))
        if len(calls) == 2:
            raise ConnectionError("the endpoint is down")
        return real(texts)

    embedder.embed_documents = failing
    with pytest.raises(EmbeddingFailedError, match="the endpoint is down"):
        await ingest(documents, book)
    assert len(calls) == 2
    assert await documents.documents(reader="local") == []
    assert await indexed(documents) == {0}
    assert (await documents.health())["pending"] == 0
    embedder.embed_documents = real
    [result] = await ingest(documents, book)
    assert result.status == "added"
    assert await indexed(documents) == {result.chunks}


async def test_an_update_that_cannot_be_embedded_leaves_the_old_revision_whole(
    documents, library, embedder, ingest, search
):
    file = library / "travel.md"
    await ingest(documents, file)
    file.write_text(file.read_text() + "\n\n## Boats\n\nFerries are paid.\n" * 40)
    embedder.broken = True
    with pytest.raises(EmbeddingFailedError):
        await ingest(documents, file)
    assert any("Zanzibar" in text for text in await search(documents, "Zanzibar"))
    assert not any("Ferries" in text for text in await search(documents, "Ferries"))
    embedder.broken = False
    [result] = await ingest(documents, file)
    assert result.status == "updated"
    assert await indexed(documents) == {result.chunks}


async def test_cancelling_an_ingest_anywhere_leaves_a_whole_store(open_store, embedder, tmp_path, ingest, search):
    folder = tmp_path / "many"
    folder.mkdir()
    for n in range(12):
        (folder / f"d{n:02}.md").write_text(f"# Doc {n}\n\nUnique{n} text.\n")
    async with open_store(embedder) as documents:
        for delay in (0.0, 0.01, 0.02, 0.04, 0.06, 0.1):
            task = asyncio.create_task(ingest(documents, folder))
            await asyncio.sleep(delay)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        results = await ingest(documents, folder)
        assert {result.status for result in results} <= {"added", "unchanged"}
        assert await indexed(documents) == {12}
        assert (await documents.health())["pending"] == 0
        assert await search(documents, "Unique11")


async def test_two_ingests_at_once_take_each_file_in_once(documents, library, ingest):
    both = await asyncio.gather(ingest(documents, library), ingest(documents, library))
    statuses = sorted(result.status for results in both for result in results)
    assert statuses == ["added"] * 3 + ["unchanged"] * 3
    assert len(await indexed(documents)) == 1


async def test_searches_go_on_during_an_ingest(documents, library, tmp_path, embedder, ingest, search):
    await ingest(documents, library)
    for n in range(20):
        (library / f"n{n}.md").write_text(f"# N{n}\n\nnew{n}\n")
    running = asyncio.create_task(ingest(documents, library))
    seen = 0
    while not running.done():
        assert any("Zanzibar" in text for text in await search(documents, "Zanzibar"))
        seen += 1
    assert await running
    assert seen > 1


async def test_s04_a_reader_sees_their_own_and_the_shared_library_only(documents, library, ingest, search):
    shared = by_name(await ingest(documents, library / "dao.py"))["dao.py"]
    [alices] = await ingest(documents, library / "travel.md", owner="alice")
    hits = (await documents.search("Zanzibar", reader="alice", k=50)).hits
    chunk_ids = [hit.chunk.chunk_id for hit in hits if "Zanzibar" in hit.chunk.text]

    assert chunk_ids
    assert not any("Zanzibar" in text for text in await search(documents, "Zanzibar quokkas", reader="bob"))
    assert not any(
        "Zanzibar" in text for text in await search(documents, "Zanzibar", reader="bob", collection="default")
    )
    assert not any("Zanzibar" in text for text in await search(documents, "Zanzibar", reader="local"))
    assert await documents.chunks(chunk_ids, reader="bob") == {}
    assert list(await documents.chunks(chunk_ids, reader="alice")) == chunk_ids
    assert [d.document_id for d in await documents.documents(reader="bob")] == [shared.document_id]
    assert (await documents.document(shared.document_id, reader="bob")).title
    for forged in (alices.document_id, alices.document_id[:6], "0" * 24, "", "%"):
        with pytest.raises(UnknownDocumentError):
            await documents.document(forged, reader="bob")
        with pytest.raises(UnknownDocumentError):
            await documents.delete(forged, owner="bob")


async def test_s04_a_shared_document_is_deleted_by_its_owner_only_and_forbidden_looks_like_unknown(
    documents, library, ingest
):
    [shared] = await ingest(documents, library / "travel.md")
    with pytest.raises(UnknownDocumentError) as forbidden:
        await documents.delete(shared.document_id, owner="bob")
    await documents.delete(shared.document_id, owner="local")
    with pytest.raises(UnknownDocumentError) as unknown:
        await documents.delete(shared.document_id, owner="bob")
    assert str(forbidden.value) == str(unknown.value)


async def test_a_document_is_named_by_an_unambiguous_prefix(documents, tmp_path, ingest):
    for n in range(18):
        (tmp_path / f"d{n}.txt").write_text(f"text {n}")
    results = await ingest(documents, *sorted(tmp_path.glob("*.txt")))
    ids = [result.document_id for result in results]
    assert (await documents.document(ids[0][:12], reader="local")).document_id == ids[0]
    assert (await documents.document(ids[0][:12].upper(), reader="local")).document_id == ids[0]
    first = next(id_[0] for id_ in ids if sum(other[0] == id_[0] for other in ids) > 1)
    with pytest.raises(UnknownDocumentError, match="Write more of it"):
        await documents.document(first, reader="local")


async def test_i19_collections_of_any_name_are_kept_apart(documents, library, ingest, search):
    await ingest(documents, library / "travel.md", collection="课程 / 一")
    await ingest(documents, library / "dao.py", collection="")
    assert await search(documents, "Zanzibar", collection="课程 / 一")
    assert not any("Zanzibar" in text for text in await search(documents, "Zanzibar", collection=""))
    assert len(await documents.documents(reader="local", collection="课程 / 一")) == 1
    assert any("Zanzibar" in text for text in await search(documents, "Zanzibar"))


async def test_chunks_come_back_from_the_manifest_as_they_were_made(documents, library, ingest):
    await ingest(documents, library)
    for query in ("Zanzibar", "过滤器 登录", "find_by_name"):
        hits = (await documents.search(query, reader="local", k=3)).hits
        assert hits
        stored = await documents.chunks([hit.chunk.chunk_id for hit in hits], reader="local")
        assert [chunk for chunk, _ in stored.values()] == [hit.chunk for hit in hits]
        assert all(hit.chunk.location.lines or hit.chunk.location.heading for hit in hits)


async def test_i14_what_a_process_has_read_long_ago_is_not_written_into_an_index(
    open_store, embedder, library, holding, ingest
):
    async with open_store(embedder) as documents:
        await ingest(documents, library / "dao.py")
    read = [b"snollygoster " * 4_000 for _ in range(200)]
    kept = read[::2]  # between them gaps stay, as in the memory of a process that has worked for a while
    del read
    async with open_store(embedder) as documents:
        assert [result async for result in documents.reindex()]
        assert holding(["snollygoster"]) == []
    assert kept


async def test_i18_a_folder_of_very_many_small_files_shares_its_transactions(documents, tmp_path, ingest, search):
    folder = tmp_path / "many"
    for number in range(1_200):
        (folder / f"{number // 100:02}").mkdir(parents=True, exist_ok=True)
        (folder / f"{number // 100:02}" / f"{number}.txt").write_text(f"Note number{number} of many.")
    results = await ingest(documents, folder)
    assert [result.status for result in results] == ["added"] * 1_200
    assert await indexed(documents) == {1_200}
    assert any("number777 " in text for text in await search(documents, "number777"))
    assert {result.status for result in await ingest(documents, folder)} == {"unchanged"}


async def test_r08_searches_build_nothing_only_a_new_revision_is_indexed_and_once(
    documents, embedder, library, ingest, search, monkeypatch
):
    calls: list[str] = []

    def count(index: type[KeywordIndex] | type[VectorIndex], name: str) -> None:
        real = getattr(index, name)

        def counted(*given: Any, **named: Any) -> Any:
            calls.append(f"{index.__name__}.{name}")
            return real(*given, **named)

        monkeypatch.setattr(index, name, counted)

    for index in (KeywordIndex, VectorIndex):
        for name in ("open", "add", "commit", "clear"):
            count(index, name)
    await ingest(documents, library)
    built, embedded = Counter(calls), len(embedder.embedded)
    assert built["KeywordIndex.add"] > 0
    assert built["VectorIndex.add"] > 0
    for number in range(100):
        assert await search(documents, ["quokkas", "过滤器 登录状态", "Zanzibar hotels"][number % 3])
    assert (Counter(calls), len(embedder.embedded)) == (built, embedded)
    (library / "travel.md").write_text("# Travel policy\n\nWombats travel free of charge.\n", encoding="utf-8")
    await ingest(documents, library)
    renewed = Counter(calls)
    assert len(embedder.embedded) == embedded + 1
    assert renewed["KeywordIndex.add"] == built["KeywordIndex.add"] + 1
    assert renewed["VectorIndex.add"] == built["VectorIndex.add"] + 1
    assert await search(documents, "wombats")
    assert (Counter(calls), len(embedder.embedded)) == (renewed, embedded + 1)
