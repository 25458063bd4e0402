"""One contract for the store in this process and the store behind its owner's address; and what only the wire does."""

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

from stores.documents.document import Chunk, Document, FileResult, Hit, Location, Occurrence, SearchResult
from stores.documents.narrowing import Narrowing
from stores.documents.remote import RemoteDocuments
from stores.documents.routes import ANSWERS, PREFIX, STREAMS, with_error_line
from stores.documents.walk import EmptyFolderError, PathNotFoundError
from stores.documents.watch import changes
from stores.documents.wire import dump, error_from_json, error_json, load, status_of
from stores.errors import IndexInUseError, IndexMismatchError, StoreError, UnknownDocumentError

TOKEN = "token-of-the-owner"
FAR_MORE = 400
"""Files: more than are taken in before a caller that went away is missed, on however busy a machine."""


def application(documents, token=TOKEN):
    """The HTTP layer at its thinnest."""

    def guarded(serve):
        async def endpoint(request):
            if request.headers.get("authorization") != f"Bearer {token}":
                return JSONResponse({"detail": "unauthorized"}, status_code=401)
            try:
                return await serve(await request.json())
            except StoreError as error:
                return JSONResponse(error_json(error), status_code=status_of(error))

        return endpoint

    def answering(handler):
        async def serve(body):
            return JSONResponse(await handler(documents, body))

        return guarded(serve)

    def streaming(handler):
        async def serve(body):
            lines = with_error_line(handler(documents, body))
            return StreamingResponse(lines, media_type="application/x-ndjson")

        return guarded(serve)

    routes = [Route(f"{PREFIX}/{name}", answering(handler), methods=["POST"]) for name, handler in ANSWERS.items()]
    routes += [Route(f"{PREFIX}/{name}", streaming(handler), methods=["POST"]) for name, handler in STREAMS.items()]
    return Starlette(routes=routes)


@asynccontextmanager
async def served(app):
    """The URL of the application on a real loopback port."""
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", lifespan="off"))
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event to wait for
        await asyncio.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        await serving


@pytest.fixture(params=["local", "remote"])
async def store(request, documents):
    if request.param == "local":
        yield documents
        return
    async with served(application(documents)) as url, RemoteDocuments(url, TOKEN) as remote:
        yield remote


@pytest.fixture
async def remote(documents):
    async with served(application(documents)) as url, RemoteDocuments(url, TOKEN) as remote:
        yield remote


async def test_passages_are_spread_over_a_document_and_only_its_readers_get_them(store, tmp_path):
    path = tmp_path / "long.md"
    path.write_text("\n\n".join(f"## Part {n}\n\n{f'Valve {n} is checked daily. ' * 30}" for n in range(20)))
    [_] = [step async for step in store.ingest([path], owner="alice", collection="default")]
    [document] = await store.documents(reader="alice")

    few = await store.spread(document.document_id, reader="alice", k=4)
    every = await store.spread(document.document_id, reader="alice", k=50)

    assert [chunk.position for chunk in every] == list(range(document.chunks))
    assert [few[0], few[-1]] == [every[0], every[-1]]
    assert [chunk.position for chunk in few] == [round(step * (document.chunks - 1) / 3) for step in range(4)]
    with pytest.raises(UnknownDocumentError):
        await store.spread(document.document_id, reader="bob", k=4)


async def test_a_folder_goes_in_is_found_shown_and_deleted(store, library, ingest, search):
    progress = [step async for step in store.ingest([library], owner="local", collection="default")]
    assert [(done, total) for _, done, total in progress] == [(1, 3), (2, 3), (3, 3)]
    assert {result.status for result, _, _ in progress} == {"added"}
    listed = await store.documents(reader="alice")
    assert [document.path for document in listed] == sorted(str(path) for path in library.rglob("*.*"))
    [travel] = [document for document in listed if document.path.endswith("travel.md")]
    assert await store.document(travel.document_id[:10], reader="alice") == travel

    result = await store.search("Zanzibar 过滤器", reader="alice", narrowing=Narrowing(collection="default"), k=2)
    assert len(result.hits) == 2
    assert result.query == "Zanzibar 过滤器"
    ids = [hit.chunk.chunk_id for hit in result.hits]
    chunks = await store.chunks([*ids, "unknown"], reader="alice")
    assert [chunks[id_][0] for id_ in ids] == [hit.chunk for hit in result.hits]
    assert list(chunks) == ids

    assert (await store.delete(travel.document_id, owner="local")).document_id == travel.document_id
    assert not any("Zanzibar" in text for text in await search(store, "Zanzibar"))
    assert len(await store.documents(reader="local")) == 2
    assert (await store.health())["documents"] == 2


async def test_a_search_is_narrowed_in_the_same_way_through_its_owner(store, library, ingest, search):
    await ingest(store, library)
    everything = await search(store, "Zanzibar 过滤器")
    [travel] = [one for one in await store.documents(reader="local") if one.path.endswith("travel.md")]
    for narrowed in (
        {"paths": ("**/library/*.md",)},
        {"documents": (travel.document_id[:9],)},
        {"languages": ("en",), "kinds": ("prose",)},
        {"since": "2000-01-01", "until": "9999-12-31", "paths": ("travel*",)},
    ):
        found = await search(store, "Zanzibar 过滤器", **narrowed)
        assert 0 < len(found) < len(everything)
        assert any("Zanzibar" in text for text in found) and not any("过滤器" in text for text in found)
    assert await store.matching(Narrowing(paths=("*.md",)), reader="bob") == 2
    assert await store.matching(Narrowing(kinds=("prose",)), reader="bob") is None
    assert await search(store, "Zanzibar", until="2000-01-01") == []
    with pytest.raises(UnknownDocumentError, match="no document 'feed'"):
        await store.search("Zanzibar", reader="local", narrowing=Narrowing(documents=("feed",)))


async def test_a_body_can_narrow_and_never_name_owners(documents, library, ingest):
    await ingest(documents, library, owner="alice")
    transport = httpx.ASGITransport(app=application(documents))
    headers = {"Authorization": f"Bearer {TOKEN}"}
    asked = {"query": "Zanzibar", "reader": "bob", "paths": ["*"], "min_score": 0}
    async with httpx.AsyncClient(transport=transport, base_url="http://owner", headers=headers) as client:
        answers = {
            name: await client.post(f"{PREFIX}/search", json=asked | more)
            for name, more in {
                "bob": {}, "alice": {"reader": "alice"}, "forged": {"owners": ["alice"]}, "kind": {"kinds": ["poem"]},
                "day": {"since": "2024-13-01"}, "id": {"documents": ["feedbeef"]}, "form": {"paths": "*.md"},
            }.items()
        }  # fmt: skip
    assert {name: answer.status_code for name, answer in answers.items()} == {
        "bob": 200, "alice": 200, "forged": 422, "kind": 422, "day": 422, "id": 404, "form": 422
    }  # fmt: skip
    assert answers["bob"].json()["result"]["hits"] == []
    assert answers["alice"].json()["result"]["hits"]
    assert answers["kind"].json()["message"].startswith("'poem' is no kind.")


async def test_a_folder_is_pruned_and_watched_through_its_owner(store, library, ingest, search):
    await ingest(store, library)
    rounds = 0
    async for _ in changes([library], interval_s=0.01):
        rounds += 1
        if rounds == 1:
            (library / "travel.md").rename(library / "trips.md")
            (library / "dao.py").unlink()
            continue
        told = store.ingest([library], owner="local", collection="default", prune=True)
        results = {Path(result.path).name: result.status async for result, _, _ in told}
        break
    assert results == {"trips.md": "updated", "过滤器.md": "unchanged", "dao.py": "deleted"}
    assert {d.state for d in await store.documents(reader="local")} == {"ready"}
    assert any("Zanzibar" in text for text in await search(store, "Zanzibar"))


async def test_a_second_ingest_is_unchanged_and_reindex_reports_every_file(store, library, ingest, search):
    await ingest(store, library)
    assert {result.status for result in await ingest(store, library)} == {"unchanged"}
    rebuilt = [step async for step in store.reindex()]
    assert [(done, total) for _, done, total in rebuilt] == [(1, 3), (2, 3), (3, 3)]
    assert any("Zanzibar" in text for text in await search(store, "Zanzibar"))


async def test_files_that_fail_come_with_their_reason(store, library, ingest):
    (library / "empty.md").write_text("")
    (library / "x.unknown").write_text("x")
    results = {Path(result.path).name: result for result in await ingest(store, library)}
    assert (results["empty.md"].status, results["x.unknown"].status) == ("failed", "skipped")
    assert results["empty.md"].reason
    assert results["x.unknown"].reason


async def test_errors_are_of_the_same_class_and_words(store, library, tmp_path, ingest):
    (tmp_path / "empty").mkdir()
    with pytest.raises(PathNotFoundError, match="nowhere"):
        await ingest(store, tmp_path / "nowhere")
    with pytest.raises(EmptyFolderError, match="empty"):
        await ingest(store, tmp_path / "empty")
    with pytest.raises(UnknownDocumentError, match="ffff"):
        await store.document("ffff", reader="local")
    with pytest.raises(UnknownDocumentError, match="ffff"):
        await store.delete("ffff", owner="local")


async def test_s04_rights_hold_on_every_way_in(store, library, ingest, search):
    [alices] = await ingest(store, library / "travel.md", owner="alice")
    ids = [hit.chunk.chunk_id for hit in (await store.search("Zanzibar", reader="alice", k=9)).hits]
    assert ids
    assert await search(store, "Zanzibar", reader="bob") == []
    assert await store.chunks(ids, reader="bob") == {}
    assert await store.documents(reader="bob") == []
    with pytest.raises(UnknownDocumentError):
        await store.document(alices.document_id, reader="bob")
    with pytest.raises(UnknownDocumentError):
        await store.delete(alices.document_id, owner="bob")


async def test_two_readers_search_at_once(store, library, ingest, search):
    await ingest(store, library)
    answers = await asyncio.gather(*(search(store, "过滤器", reader=f"user{n}") for n in range(8)))
    assert all(any("过滤器" in text for text in texts) for texts in answers)


async def test_relative_paths_are_those_of_the_caller(remote, library, ingest, monkeypatch):
    monkeypatch.chdir(library)
    [result] = await ingest(remote, Path("travel.md"))
    assert result.path == str(library / "travel.md")


async def test_a_caller_that_goes_away_ends_the_ingest_after_the_running_file(documents, remote, tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    for n in range(FAR_MORE):
        (folder / f"d{n:03}.md").write_text(f"# D{n}\n\nText number {n}.\n")
    results = remote.ingest([folder], owner="local", collection="default")
    await anext(results)
    await results.aclose()
    before = -1
    while (now := len(await documents.documents(reader="local"))) != before:
        before = now
        await asyncio.sleep(1.0)
    assert now < FAR_MORE
    health = await documents.health()
    assert set(health["indexed"].values()) == {health["chunks"]}


async def test_i17_an_owner_that_does_not_answer_is_one_clear_line():
    async with RemoteDocuments("http://127.0.0.1:9", TOKEN) as remote:
        for attempt in (remote.documents(reader="local"), anext(remote.reindex())):
            with pytest.raises(IndexInUseError, match=r"does not answer at http://127\.0\.0\.1:9") as caught:
                await attempt
            assert "\n" not in str(caught.value)


async def test_a_wrong_token_and_a_stranger_on_the_port_are_told(documents):
    async with served(application(documents)) as url, RemoteDocuments(url, "wrong") as remote:
        for attempt in (remote.health(), anext(remote.reindex())):
            with pytest.raises(IndexInUseError, match="401"):
                await attempt
    stranger = httpx.MockTransport(lambda request: httpx.Response(200, text="<html>"))
    async with RemoteDocuments("http://127.0.0.1:1", TOKEN, transport=stranger) as remote:
        with pytest.raises(IndexInUseError, match="not understood"):
            await remote.documents(reader="local")


async def test_a_connection_that_breaks_in_the_middle_is_told(documents, library):
    async def breaking():
        yield json.dumps({"result": dump(FileResult(path="a", status="added")), "done": 1, "total": 2}).encode() + b"\n"
        raise httpx.ReadError("gone")

    broken = httpx.MockTransport(lambda request: httpx.Response(200, content=breaking()))
    async with RemoteDocuments("http://127.0.0.1:1", TOKEN, transport=broken) as remote:
        results = remote.ingest([library], owner="local", collection="default")
        assert (await anext(results))[0].path == "a"
        with pytest.raises(IndexInUseError, match="does not answer"):
            await anext(results)


async def test_proxies_of_the_environment_are_not_used(documents, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    async with served(application(documents)) as url, RemoteDocuments(url, TOKEN) as remote:
        assert (await remote.health())["state"] == "ready"


@pytest.mark.parametrize(
    ("route", "body"),
    [
        ("search", {}),
        ("search", {"query": "x", "reader": "local", "k": "many"}),
        ("search", {"query": "x", "reader": "local", "surprise": 1}),
        ("list", {"reader": 7}),
        ("list", []),
    ],
)
async def test_a_request_that_is_not_understood_says_what_is_wrong(documents, route, body):
    async with served(application(documents)) as url, httpx.AsyncClient(trust_env=False) as client:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        answer = await client.post(f"{url}{PREFIX}/{route}", json=body, headers=headers)
    assert answer.status_code == 422
    assert answer.json()["error"] == "BadRequestError"


async def test_a_relative_path_is_refused_by_the_owner(documents):
    async with served(application(documents)) as url, httpx.AsyncClient(trust_env=False) as client:
        body = {"paths": ["notes.md"], "owner": "local", "collection": "default"}
        answer = await client.post(f"{url}{PREFIX}/ingest", json=body, headers={"Authorization": f"Bearer {TOKEN}"})
    assert json.loads(answer.text)["error"] == "BadRequestError"


def test_objects_survive_the_wire():
    location = Location(lines=(1, 2), heading=("一", "b"), symbol="A.b")
    chunk = Chunk(
        chunk_id="c", document_id="d", position=0, text="文", start=3, end=4, kind="table", language="zh",
        location=location, context="标题",
    )  # fmt: skip
    document = Document(
        document_id="d", owner="o", collection="c", path="/p", title="t", media_type="m", encoding=None, pages=3,
        chunks=1, sha256="0", revision=2, state="ready", reason=None, updated_at="2026-11-30T00:00:00+00:00",
    )  # fmt: skip
    hit = Hit(chunk=chunk, title="t", path="/p", score=0.5, source="both", keyword_rank=1, fused_score=0.03)
    place = Occurrence(chunk_id="e", document_id="f", title="u", path="/q", location=location)
    hit = replace(hit, also_in=(place,))
    result = SearchResult(query="q", hits=(hit,), degraded=("vector",), ms={"total": 1.5})
    chunks = {"c": (chunk, document)}
    assert load(SearchResult, json.loads(json.dumps(dump(result)))) == result
    assert load(dict[str, tuple[Chunk, Document]], json.loads(json.dumps(dump(chunks)))) == chunks
    with pytest.raises(StoreError, match="same version"):
        load(Document, {"document_id": "d"})


@pytest.mark.parametrize("error", [IndexMismatchError("built with X"), PathNotFoundError("no /p"), StoreError("s")])
def test_errors_survive_the_wire(error):
    back = error_from_json(json.loads(json.dumps(error_json(error))))
    assert type(back) is type(error)
    assert str(back) == str(error)


def test_only_store_errors_come_off_the_wire():
    for name in ("SystemExit", "ValueError", "NeverHeardOf", None):
        assert type(error_from_json({"error": name, "message": "m"})) is StoreError


@pytest.mark.parametrize(
    ("route", "body", "error"),
    [
        ("search", {"query": "x", "reader": "local", "k": 0}, "LimitRefusedError"),
        ("search", {"query": "x", "reader": "local", "k": -1}, "LimitRefusedError"),
        ("search", {"query": "x", "reader": ""}, "NameRefusedError"),
        ("list", {"reader": "a\nb"}, "NameRefusedError"),
        ("list", {"reader": "local", "collection": " "}, "NameRefusedError"),
        ("delete", {"document_id": "feed", "owner": "x" * 201}, "NameRefusedError"),
    ],
)
async def test_a_name_or_number_that_cannot_be_is_refused_in_one_line(documents, route, body, error):
    async with served(application(documents)) as url, httpx.AsyncClient(trust_env=False) as client:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        answer = await client.post(f"{url}{PREFIX}/{route}", json=body, headers=headers)
    assert (answer.status_code, answer.json()["error"]) == (422, error)
    assert "\n" not in answer.json()["message"]
