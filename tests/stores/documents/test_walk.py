"""Which files an ingest is about."""

import os
from pathlib import Path

import pytest

from stores.documents.walk import EmptyFolderError, PathNotFoundError, find_files


def names(files, under):
    return [os.path.relpath(file.path, under) for file in files]


def fill(folder, *paths):
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(f"text of {path}")


def test_folders_are_walked_recursively_by_name_without_hidden_and_generated_ones(tmp_path):
    fill(
        tmp_path, "b.md", "a/z.md", "a/b/c.md", ".git/config", ".venv/x.py", "a/node_modules/m.js", "a/__pycache__/p.py"
    )
    fill(tmp_path, "a/.hidden.md", "课程/第一课.md")
    assert names(find_files([tmp_path]), tmp_path) == ["a/b/c.md", "a/z.md", "b.md", "课程/第一课.md"]


def test_what_the_user_names_is_looked_at_even_if_it_is_hidden(tmp_path):
    fill(tmp_path, ".notes/a.md", ".b.md")
    assert names(find_files([tmp_path / ".notes", tmp_path / ".b.md"]), tmp_path) == [".notes/a.md", ".b.md"]


def test_a_file_reached_on_several_ways_is_one_file(tmp_path):
    fill(tmp_path, "a.md", "d/b.md")
    (tmp_path / "d" / "again.md").symlink_to(tmp_path / "a.md")
    files = find_files([tmp_path, tmp_path / "a.md", tmp_path / "d", tmp_path / "d" / ".." / "a.md"])
    assert names(files, tmp_path) == ["a.md", "d/b.md"]


def test_loops_of_links_end_and_are_reported(tmp_path):
    fill(tmp_path, "d/a.md")
    (tmp_path / "d" / "up").symlink_to(tmp_path)
    (tmp_path / "d" / "self").symlink_to(tmp_path / "d" / "self")
    (tmp_path / "d" / "dead.md").symlink_to(tmp_path / "nowhere.md")
    files = {Path(file.path).name: file for file in find_files([tmp_path])}
    assert set(files) == {"a.md", "up", "self", "dead.md"}
    assert files["a.md"].problem is None
    assert all(files[name].problem for name in ("up", "self", "dead.md"))


def test_a_named_link_to_a_folder_is_followed(tmp_path):
    fill(tmp_path, "real/a.md")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert names(find_files([tmp_path / "link"]), tmp_path) == ["real/a.md"]


def test_a_pipe_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.md")
    [file] = find_files([tmp_path])
    assert "regular" in file.problem


def test_a_name_that_is_no_utf8_is_a_problem_that_can_be_printed(tmp_path):
    (tmp_path / os.fsdecode(b"bad\xff.md")).write_text("text")
    [found] = find_files([tmp_path])
    assert "UTF-8" in found.problem
    found.path.encode()


def test_the_data_directory_is_left_out(tmp_path):
    fill(tmp_path, "a.md", "data/index.md")
    assert names(find_files([tmp_path], leave_out=tmp_path / "data"), tmp_path) == ["a.md"]


def test_a_missing_path_stops_everything_with_one_line(tmp_path):
    fill(tmp_path, "a.md")
    with pytest.raises(PathNotFoundError, match="nowhere") as caught:
        find_files([tmp_path, tmp_path / "nowhere"])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [(), (".hidden/a.md", ".b.md")])
def test_a_folder_without_files_is_an_error_that_names_it(tmp_path, content):
    (tmp_path / "empty").mkdir()
    fill(tmp_path / "empty", *content)
    with pytest.raises(EmptyFolderError, match="empty"):
        find_files([tmp_path / "empty"])


async def test_unsupported_files_are_skipped_in_a_folder_and_fail_when_named(documents, tmp_path, ingest):
    folder = tmp_path / "mixed"
    fill(folder, "a.md", "b.xyz", "Makefile")
    inside = {Path(r.path).name: r for r in await ingest(documents, folder)}
    assert {name: result.status for name, result in inside.items()} == {
        "a.md": "added",
        "b.xyz": "skipped",
        "Makefile": "skipped",
    }
    assert ".xyz" in inside["b.xyz"].reason
    [named] = await ingest(documents, folder / "b.xyz")
    assert named.status == "failed"
    assert named.reason


async def test_what_would_have_been_read_fails_and_what_is_no_document_is_passed_over(documents, tmp_path, ingest):
    folder = tmp_path / "mixed"
    fill(folder, "a.md", "x.md/inner.md")
    (folder / "dead.md").symlink_to(folder / "nowhere.md")
    (folder / "loop.md").symlink_to(folder / "loop.md")
    (folder / "up").symlink_to(folder)
    (folder / os.fsdecode(b"bad\xff.md")).write_text("text")
    os.mkfifo(folder / "pipe.md")
    results = {Path(r.path).name: r.status for r in await ingest(documents, folder)}
    assert results == {
        "a.md": "added",
        "inner.md": "added",
        "dead.md": "failed",
        "loop.md": "failed",
        "bad?.md": "failed",
        "up": "skipped",
        "pipe.md": "skipped",
    }
    [named] = await ingest(documents, folder / "pipe.md")
    assert named.status == "failed"
