"""A process killed at any step of an ingest, an update, a move, a deletion or a rebuild loses nothing and shows nothing
half, and the next start repairs.
"""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from stores.errors import IndexMismatchError

OLD = "# Notes\n\n## Kept\n\nThe kept part tells of marmots.\n\n## Old\n\nAbout wombats.\n"
NEW = OLD.replace("About wombats", "About numbats").replace("# Notes", "# Newer notes")
FILLER = "\n\n## More\n\n" + "Filler sentence number one. " * 120
WRITE_STEPS = ("journaled", "added", "indexed", "switched")


@pytest.fixture(scope="module")
def _killer():
    command = [sys.executable, str(Path(__file__).with_name("killing.py"))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.stdin.close()


@pytest.fixture
def killed(_killer, home):
    """Does an action in another process, which is killed at a step of it."""

    def at(step, action, target=""):
        order = {"home": str(home), "action": action, "target": str(target), "step": step}
        _killer.stdin.write(json.dumps(order) + "\n")
        _killer.stdin.flush()
        assert int(_killer.stdout.readline()) == -signal.SIGKILL

    return at


async def whole(documents):
    """Manifest and both indexes agree, and nothing waits for repair."""
    health = await documents.health()
    assert health["problem"] is None
    assert set(health["indexed"].values()) == {health["chunks"]}
    return health


async def shows(documents, search, word):
    return any(word in text for text in await search(documents, word))


@pytest.mark.parametrize("step", WRITE_STEPS)
async def test_a_process_killed_while_it_adds_documents(
    step, home, tmp_path, embedder, open_store, ingest, search, killed
):
    first, folder = tmp_path / "first.md", tmp_path / "new"
    first.write_text(OLD + FILLER)
    folder.mkdir()
    for name in ("capybaras", "quokkas"):
        (folder / f"{name}.md").write_text(f"# About {name}\n\nAbout {name}.\n" + FILLER)
    async with open_store(embedder) as documents:
        await ingest(documents, first)

    killed(step, "ingest", folder)
    async with open_store(embedder) as documents:
        await whole(documents)
        known = {document.title for document in await documents.documents(reader="local")}
        assert "Notes" in known
        assert await shows(documents, search, "wombats")
        for name in ("capybaras", "quokkas"):
            assert await shows(documents, search, name) == (f"About {name}" in known)
        if step == "switched":
            assert len(known) > 1
        statuses = {result.status for result in await ingest(documents, folder)}
        assert statuses <= ({"added", "unchanged"} if step == "switched" else {"added"})
        assert (await whole(documents))["pending"] == 0
        assert await shows(documents, search, "capybaras")
        assert await shows(documents, search, "quokkas")


@pytest.mark.parametrize("step", [*WRITE_STEPS, "dropped"])
async def test_a_process_killed_while_it_updates_a_document(
    step, home, tmp_path, embedder, open_store, ingest, search, killed
):
    file = tmp_path / "notes.md"
    file.write_text(OLD + FILLER)
    switched = step in {"switched", "dropped"}
    async with open_store(embedder) as documents:
        await ingest(documents, file)
    file.write_text(NEW + FILLER)

    killed(step, "ingest", file)
    async with open_store(embedder) as documents:
        await whole(documents)
        [document] = await documents.documents(reader="local")
        assert (document.title, document.revision) == (("Newer notes", 2) if switched else ("Notes", 1))
        assert document.state == ("ready" if switched else "stale")
        texts = await search(documents, "wombats numbats marmots")
        assert any("numbats" in text for text in texts) == switched
        assert any("wombats" in text for text in texts) != switched
        assert any("marmots" in text for text in texts)
        [result] = await ingest(documents, file)
        assert result.status == ("unchanged" if switched else "updated")
        assert (await whole(documents))["pending"] == 0
        texts = await search(documents, "wombats numbats marmots")
        assert any("numbats" in text for text in texts)
        assert not any("wombats" in text for text in texts)


async def test_a_process_killed_when_it_has_recognised_a_moved_file(
    home, tmp_path, embedder, open_store, ingest, search, killed
):
    file, elsewhere = tmp_path / "notes.md", tmp_path / "elsewhere.md"
    file.write_text(OLD + FILLER)
    async with open_store(embedder) as documents:
        [before] = await ingest(documents, file)
    file.rename(elsewhere)

    killed("kept", "ingest", elsewhere)
    embedder.embedded.clear()
    async with open_store(embedder) as documents:
        await whole(documents)
        [document] = await documents.documents(reader="local")
        assert (document.document_id, document.path) == (before.document_id, str(elsewhere))
        [again] = await ingest(documents, elsewhere)
        assert (again.status, again.document_id) == ("unchanged", before.document_id)
        assert embedder.embedded == []
        assert await shows(documents, search, "wombats")


@pytest.mark.parametrize("step", WRITE_STEPS)
async def test_a_process_killed_while_it_takes_in_a_file_that_was_moved_and_renamed_to_another_kind(
    step, home, tmp_path, embedder, open_store, ingest, search, killed
):
    file, text = tmp_path / "notes.md", tmp_path / "notes.txt"
    file.write_text(OLD + FILLER)
    async with open_store(embedder) as documents:
        [before] = await ingest(documents, file)
    file.rename(text)

    killed(step, "ingest", text)
    async with open_store(embedder) as documents:
        await whole(documents)
        [document] = await documents.documents(reader="local")
        assert document.document_id == before.document_id
        assert document.path == str(text if step == "switched" else file)
        assert await shows(documents, search, "wombats")
        await ingest(documents, text)
        assert [one.path for one in await documents.documents(reader="local")] == [str(text)]
        assert (await whole(documents))["pending"] == 0


@pytest.mark.parametrize("action", ["delete", "prune"])
@pytest.mark.parametrize("step", ["forgotten", "removed", "dropped"])
async def test_a_process_killed_while_it_deletes_a_document(
    step, action, home, tmp_path, embedder, open_store, ingest, search, holding, killed
):
    folder = tmp_path / "folder"
    folder.mkdir()
    stays, goes = folder / "stays.md", folder / "goes.md"
    stays.write_text(OLD + FILLER)
    goes.write_text("# Secret\n\nThe password is zyzzyva42.\n")
    async with open_store(embedder) as documents:
        results = await ingest(documents, stays, goes)
    if action == "prune":
        goes.unlink()

    killed(step, action, folder if action == "prune" else results[1].document_id)
    async with open_store(embedder) as documents:
        await whole(documents)
        titles = {document.title for document in await documents.documents(reader="local")}
        assert titles == ({"Notes", "Secret"} if step == "forgotten" else {"Notes"})
        assert await shows(documents, search, "zyzzyva42") == (step == "forgotten")
        if step == "forgotten":
            await documents.delete(results[1].document_id, owner="local")
        assert (await whole(documents))["pending"] == 0
        assert holding(["zyzzyva42"]) == []
        assert await shows(documents, search, "wombats")


@pytest.mark.parametrize("step", ["begun", *WRITE_STEPS, "ended"])
async def test_i15_a_process_killed_while_it_rebuilds_the_index(
    step, home, tmp_path, embedder, open_store, ingest, search, killed
):
    file, lost = tmp_path / "notes.md", tmp_path / "lost.md"
    file.write_text(OLD + FILLER)
    lost.write_text("# Lost\n\nAbout capybaras.\n")
    async with open_store(embedder) as documents:
        await ingest(documents, file, lost)
    lost.unlink()

    killed(step, "reindex")
    async with open_store(embedder) as documents:
        assert {one.title for one in await documents.documents(reader="local")} == {"Notes", "Lost"}
        if step != "ended":
            with pytest.raises(IndexMismatchError, match="did not finish"):
                await search(documents, "wombats")
            assert len([result async for result in documents.reindex()]) == 2
        assert (await whole(documents))["pending"] == 0
        assert await shows(documents, search, "wombats")
        assert await shows(documents, search, "capybaras")
        assert len(list((home / "index").iterdir())) == 1
