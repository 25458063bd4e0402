"""A process killed at any step of an ingest, an update or a deletion loses nothing and shows nothing half."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pytest

CHILD = """
import asyncio, importlib.util, os, signal, sys
from pathlib import Path

conftest, home, action, target, step = sys.argv[1:]
spec = importlib.util.spec_from_file_location("documents_conftest", conftest)
shared = importlib.util.module_from_spec(spec)
spec.loader.exec_module(shared)
armed = False

def checkpoint(name):
    if armed and name == step:
        os.kill(os.getpid(), signal.SIGKILL)

async def main():
    global armed
    async with shared.open_local(Path(home), shared.TermEmbedder(), checkpoint=checkpoint) as documents:
        armed = True
        if action == "delete":
            await documents.delete(target, owner="local")
        else:
            await shared.take_in(documents, Path(target))

asyncio.run(main())
"""

OLD = "# Notes\n\n## Kept\n\nThe kept part tells of marmots.\n\n## Old\n\nAbout wombats.\n"
NEW = OLD.replace("About wombats", "About numbats").replace("# Notes", "# Newer notes")
FILLER = "\n\n## More\n\n" + "Filler sentence number one. " * 120


def killed_at(step, action, target, home):
    conftest = Path(__file__).with_name("conftest.py")
    command = [sys.executable, "-c", CHILD, str(conftest), str(home), action, str(target), step]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, cwd=Path(__file__).parents[3]
    )
    assert done.returncode == -signal.SIGKILL, done.stderr


async def whole(documents):
    """Manifest and both indexes agree, and nothing waits for repair."""
    health = await documents.health()
    assert health["problem"] is None
    assert set(health["indexed"].values()) == {health["chunks"]}
    return health


@pytest.mark.parametrize("step", ["journaled", "added", "indexed", "switched"])
def test_a_process_killed_while_it_adds_a_document(step, home, tmp_path, embedder, open_store, ingest, search):
    first, second = tmp_path / "first.md", tmp_path / "second.md"
    first.write_text(OLD + FILLER)
    second.write_text("# Second\n\nAbout capybaras.\n" + FILLER)

    async def before():
        async with open_store(embedder) as documents:
            await ingest(documents, first)

    async def after():
        async with open_store(embedder) as documents:
            await whole(documents)
            known = [document.title for document in await documents.documents(reader="local")]
            assert known == (["Notes", "Second"] if step == "switched" else ["Notes"])
            assert any("wombats" in text for text in await search(documents, "wombats"))
            shown = any("capybaras" in text for text in await search(documents, "capybaras"))
            assert shown == (step == "switched")
            [result] = await ingest(documents, second)
            assert result.status == ("unchanged" if step == "switched" else "added")
            assert (await whole(documents))["pending"] == 0
            assert any("capybaras" in text for text in await search(documents, "capybaras"))

    asyncio.run(before())
    killed_at(step, "ingest", second, home)
    asyncio.run(after())


@pytest.mark.parametrize("step", ["journaled", "added", "indexed", "switched", "dropped"])
def test_a_process_killed_while_it_updates_a_document(step, home, tmp_path, embedder, open_store, ingest, search):
    file = tmp_path / "notes.md"
    file.write_text(OLD + FILLER)
    switched = step in {"switched", "dropped"}

    async def before():
        async with open_store(embedder) as documents:
            await ingest(documents, file)
        file.write_text(NEW + FILLER)

    async def after():
        async with open_store(embedder) as documents:
            await whole(documents)
            [document] = await documents.documents(reader="local")
            assert (document.title, document.revision) == (("Newer notes", 2) if switched else ("Notes", 1))
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

    asyncio.run(before())
    killed_at(step, "ingest", file, home)
    asyncio.run(after())


@pytest.mark.parametrize("step", ["forgotten", "removed", "dropped"])
def test_a_process_killed_while_it_deletes_a_document(
    step, home, tmp_path, embedder, open_store, ingest, search, holding
):
    stays, goes = tmp_path / "stays.md", tmp_path / "goes.md"
    stays.write_text(OLD + FILLER)
    goes.write_text("# Secret\n\nThe password is zyzzyva42.\n")

    async def before():
        async with open_store(embedder) as documents:
            _, gone = await ingest(documents, stays, goes)
            return gone.document_id

    async def after():
        async with open_store(embedder) as documents:
            await whole(documents)
            titles = {document.title for document in await documents.documents(reader="local")}
            assert titles == ({"Notes", "Secret"} if step == "forgotten" else {"Notes"})
            shown = any("zyzzyva42" in text for text in await search(documents, "zyzzyva42"))
            assert shown == (step == "forgotten")
            if step == "forgotten":
                await documents.delete(document_id, owner="local")
            assert (await whole(documents))["pending"] == 0
            assert holding(["zyzzyva42"]) == []
            assert any("wombats" in text for text in await search(documents, "wombats"))

    document_id = asyncio.run(before())
    killed_at(step, "delete", document_id, home)
    asyncio.run(after())
