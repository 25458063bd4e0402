"""Archives: every file in a ZIP is a document of its own; nothing leads out, and nothing unpacks without bounds."""

import io
import struct
import zipfile
from pathlib import Path

import pytest

from stores.documents import archives
from stores.documents.archives import is_gone, open_file, unfold
from stores.documents.reading_rules import ReadingRules
from stores.documents.walk import find_files
from stores.errors import DocumentDamagedError, DocumentTooLargeError


def packed(**files: str | bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return held.getvalue()


def given(folder: Path, content: bytes, name: str = "docs.zip") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def problems(path: Path, **rules: int) -> dict[str, str | None]:
    return {member.name: member.problem for member in unfold(path, ReadingRules(**rules))}


async def test_every_file_of_an_archive_is_a_document_with_a_path_through_it(documents, tmp_path, ingest, search):
    inner = packed(**{"deep/c.md": "# 深处\n\n藏在里面的蓝色鸭嘴兽。\n"})
    path = given(tmp_path, packed(**{"inner/a.md": "# A\n\nquokkas eat leaves.\n", "b.zip": inner, "x.bin": "?"}))
    results = {result.path.removeprefix(f"{path}"): result for result in await ingest(documents, path)}
    assert {name: result.status for name, result in results.items()} == {
        "": "skipped",
        "/inner/a.md": "added",
        "/b.zip/deep/c.md": "added",
        "/x.bin": "skipped",
    }
    assert "An archive" in results[""].reason
    assert any("鸭嘴兽" in text for text in await search(documents, "蓝色鸭嘴兽"))
    again = await ingest(documents, path)
    assert {result.status for result in again} == {"skipped", "unchanged"}


async def test_i13_a_changed_archive_updates_only_what_changed_in_it(documents, tmp_path, ingest, search):
    path = given(tmp_path, packed(**{"a.md": "# A\n\nquokkas.\n", "b.md": "# B\n\nzebras.\n"}))
    await ingest(documents, path)
    given(tmp_path, packed(**{"a.md": "# A\n\nquokkas.\n", "b.md": "# B\n\nnumbats instead of them.\n"}))
    statuses = {Path(result.path).name: result.status for result in await ingest(documents, path)}
    assert statuses == {"docs.zip": "skipped", "a.md": "unchanged", "b.md": "updated"}
    assert [result async for result, _, _ in documents.reindex()]
    assert any("numbats" in text for text in await search(documents, "numbats"))


@pytest.mark.parametrize("name", ["../../etc/passwd.md", "/etc/passwd.md", "C:\\a.md", "a/../../b.md", "..\\b.md"])
def test_a_name_that_leads_out_of_the_archive_is_a_failed_file(tmp_path: Path, name: str) -> None:
    path = given(tmp_path, packed(**{name: "secret", "good.md": "fine"}))
    found = problems(path)
    assert found.pop("good.md") is None
    ((shown, problem),) = found.items()
    assert "leads out" in problem
    assert ".." not in shown and not shown.startswith("/")
    assert all(Path(file.path).is_relative_to(path) for file in find_files([path]))
    assert not (tmp_path.parent / "passwd.md").exists()


def test_a_bomb_is_refused_by_the_directory_before_anything_is_unpacked(tmp_path: Path, monkeypatch) -> None:
    bomb = packed(**{f"{i}.txt": bytes(20_000_000) for i in range(3)})
    assert len(bomb) < 100_000
    path = given(tmp_path, bomb)
    monkeypatch.setattr(archives, "_data", lambda *_: pytest.fail("a member was unpacked"))
    assert all("times its packed size" in problem for problem in problems(path).values())
    with pytest.raises(DocumentTooLargeError, match="unpacks to more than"):
        problems(path, archive_bytes=50_000_000)
    with pytest.raises(DocumentTooLargeError, match="RECITE_MAX_ARCHIVE_FILES"):
        problems(path, archive_files=2)
    assert all("limit" in problem for problem in problems(path, file_bytes=1_000_000).values())


def test_a_bomb_that_lies_about_its_size_is_damaged(tmp_path: Path) -> None:
    content = bytearray(packed(**{"a.txt": b"a" * 5_000_000}))
    for mark, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = content.index(mark) + at
        content[place : place + 4] = struct.pack("<I", 10)
    path = given(tmp_path, bytes(content))
    with pytest.raises(DocumentDamagedError), open_file(path / "a.txt"):
        pass


def test_archives_in_archives_are_opened_to_a_depth_and_no_further(tmp_path: Path) -> None:
    content = packed(**{"end.md": "end"})
    for level in range(5):
        content = packed(**{f"{level}.zip": content})
    ((name, problem),) = problems(given(tmp_path, content)).items()
    assert name == "4.zip/3.zip/2.zip"
    assert "3 deep" in problem


def test_the_limits_count_what_lies_in_inner_archives_too(tmp_path: Path) -> None:
    inner = packed(**{f"{i}.md": "x" for i in range(10)})
    path = given(tmp_path, packed(**{f"{i}.zip": inner for i in range(5)}))
    with pytest.raises(DocumentTooLargeError):
        problems(path, archive_files=40)


@pytest.mark.parametrize("encoding", ["gb18030", "utf-8"])
def test_names_in_any_script_are_read_with_and_without_the_utf8_mark(tmp_path: Path, encoding: str) -> None:
    name = "课程/第一章 过滤器.md"
    entry = zipfile.ZipInfo(name.encode(encoding).decode("cp437"))
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr(entry, "内容")
    # The library marks names outside ASCII as UTF-8; programs on Windows do not, and write them as they are.
    raw = held.getvalue().replace(
        entry.filename.encode(), name.encode(encoding).ljust(len(entry.filename.encode()), b"_")
    )
    content = bytearray(raw)
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = content.index(mark) + flags
        content[place : place + 2] = b"\0\0"
    path = given(tmp_path, bytes(content))
    (member,) = unfold(path)
    assert member.name.rstrip("_") == name
    with open_file(path / member.name) as file:
        assert file.read().decode() == "内容"


def test_hidden_files_locked_files_and_doubles_are_told_apart(tmp_path: Path) -> None:
    content = bytearray(packed(**{"a.md": "one", "__MACOSX/a.md": "x", ".git/config": "x"}))
    content[content.index(b"PK\x01\x02") + 8] |= 1
    assert list(problems(given(tmp_path, bytes(content)))) == ["a.md"]
    assert "password" in problems(tmp_path / "docs.zip")["a.md"]
    assert not is_gone(tmp_path / "docs.zip" / "a.md")
    assert is_gone(tmp_path / "docs.zip" / "gone.md")
    assert is_gone(tmp_path / "other.zip" / "a.md")


async def test_a_member_that_left_its_archive_is_pruned_and_one_that_was_renamed_is_moved(documents, tmp_path, ingest):
    given(tmp_path, packed(**{"a.md": "# A\n\napples", "b.md": "# B\n\nbananas", "c.md": "# C\n\ncherries"}))
    await ingest(documents, tmp_path)
    before = {Path(one.path).name: one.document_id for one in await documents.documents(reader="local")}
    given(tmp_path, packed(**{"a.md": "# A\n\napples", "d.md": "# B\n\nbananas"}))

    stale = {Path(one.path).name: one.state for one in await documents.documents(reader="local")}
    assert stale == {"a.md": "ready", "b.md": "stale", "c.md": "stale"}
    results = {
        Path(result.path).name: result.status
        async for result, _, _ in documents.ingest([tmp_path], owner="local", collection="default", prune=True)
    }

    assert results == {"docs.zip": "skipped", "a.md": "unchanged", "d.md": "updated", "c.md": "deleted"}
    after = {Path(one.path).name: one.document_id for one in await documents.documents(reader="local")}
    assert after == {"a.md": before["a.md"], "d.md": before["b.md"]}


async def test_an_archive_that_is_gone_takes_its_documents_along_and_one_that_broke_does_not(
    documents, tmp_path, ingest
):
    path = given(tmp_path, packed(**{"a.md": "# A\n\napples"}))
    (tmp_path / "b.md").write_text("bananas")
    await ingest(documents, tmp_path)
    path.write_bytes(b"PK but broken")
    async for _ in documents.ingest([tmp_path], owner="local", collection="default", prune=True):
        pass
    listed = {Path(one.path).name: one.state for one in await documents.documents(reader="local")}
    assert listed["a.md"] == "stale"
    path.unlink()
    async for _ in documents.ingest([tmp_path], owner="local", collection="default", prune=True):
        pass
    assert [Path(one.path).name for one in await documents.documents(reader="local")] == ["b.md"]


@pytest.mark.parametrize(
    "content",
    [b"", b"PK\x03\x04 but no more", b"words", packed(**{"a.md": "a" * 900})[:-30]],
    ids=["empty", "begun", "words", "cut"],
)
async def test_a_broken_archive_is_one_failed_file(documents, tmp_path, ingest, content):
    (result,) = await ingest(documents, given(tmp_path, content))
    assert result.status == "failed"
    assert "Give an intact copy" in result.reason
