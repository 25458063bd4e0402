"""Which documents an ingest with `prune` deletes, and which it never does."""

import shutil
from pathlib import Path

import pytest

from stores.documents.prune import lost
from stores.documents.walk import PathNotFoundError


async def pruned(store, *paths, owner="local", collection="default"):
    results = store.ingest(paths, owner=owner, collection=collection, prune=True)
    return {Path(result.path).name: result.status async for result, _, _ in results}


async def names(store):
    return {Path(document.path).name for document in await store.documents(reader="local")}


async def test_i14_a_document_whose_file_is_gone_is_deleted_and_told(documents, library, ingest, search, holding):
    await ingest(documents, library)
    (library / "travel.md").unlink()
    assert await pruned(documents, library) == {
        "dao.py": "unchanged", "过滤器.md": "unchanged", "travel.md": "deleted"
    }  # fmt: skip
    assert not any("Zanzibar" in text for text in await search(documents, "Zanzibar"))
    assert holding(["Zanzibar", "zanzibar"]) == []
    assert await pruned(documents, library) == {"dao.py": "unchanged", "过滤器.md": "unchanged"}


async def test_i14_without_prune_nothing_is_deleted(documents, library, ingest):
    await ingest(documents, library)
    (library / "travel.md").unlink()
    await ingest(documents, library)
    assert "travel.md" in await names(documents)


async def test_i14_only_this_folder_this_owner_and_this_collection_are_pruned(documents, library, tmp_path, ingest):
    other = tmp_path / "library-2"
    shutil.copytree(library, other)
    await ingest(documents, library, other)
    await ingest(documents, library, collection="notes")
    await ingest(documents, library, owner="alice")
    for folder in (library, other):
        (folder / "travel.md").unlink()
    assert list((await pruned(documents, library)).values()).count("deleted") == 1
    left = [d for d in await documents.documents(reader="alice") if d.path.endswith("travel.md")]
    assert {(d.owner, d.collection, d.path.split("/")[-2]) for d in left} == {
        ("local", "default", "library-2"), ("local", "notes", "library"), ("alice", "default", "library")
    }  # fmt: skip


async def test_a_moved_file_is_not_pruned(documents, library, ingest, embedder):
    before = {Path(result.path).name: result.document_id for result in await ingest(documents, library)}
    (library / "travel.md").rename(library / "课程 一" / "trips.md")
    assert (await pruned(documents, library))["trips.md"] == "updated"
    after = {Path(d.path).name: d.document_id for d in await documents.documents(reader="local")}
    assert after["trips.md"] == before["travel.md"]
    assert "travel.md" not in after


async def test_a_folder_that_is_missing_is_never_pruned(documents, library, ingest):
    await ingest(documents, library)
    shutil.rmtree(library)
    with pytest.raises(PathNotFoundError):
        await pruned(documents, library)
    assert len(await names(documents)) == 3


async def test_a_folder_that_cannot_be_read_is_never_pruned(documents, library, ingest, monkeypatch):
    await ingest(documents, library)
    known = await documents.documents(reader="local")
    (library / "travel.md").unlink()
    real = Path.iterdir

    def refused(path):
        if path == library:
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(Path, "iterdir", refused)
    assert lost(known, [library]) == []
    await pruned(documents, library)
    assert len(await names(documents)) == 3


async def test_an_emptied_folder_is_pruned(documents, library, ingest):
    await ingest(documents, library)
    shutil.rmtree(library)
    library.mkdir()
    assert set((await pruned(documents, library)).values()) == {"deleted"}


async def test_a_file_that_moves_while_its_folder_is_taken_in_is_not_pruned(documents, library, ingest, embedder):
    await ingest(documents, library)
    before = {Path(d.path).name: d.document_id for d in await documents.documents(reader="local")}
    results = documents.ingest([library], owner="local", collection="default", prune=True)
    await anext(results)
    (library / "travel.md").rename(library / "a-trip.md")
    assert "deleted" not in [result.status async for result, _, _ in results]
    embedder.embedded.clear()
    assert (await pruned(documents, library))["a-trip.md"] == "updated"
    after = {Path(d.path).name: d.document_id for d in await documents.documents(reader="local")}
    assert after["a-trip.md"] == before["travel.md"]
    assert embedder.embedded == []
