"""What comes in at the edges: names, numbers and texts that cannot be, refused in one line by every door."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from commands import Recite, run
from scripted import OpenAgent
from starlette.applications import Starlette

from graph.http import Access, routes
from nodes.refusal import WORDLESS_EN, WORDLESS_ZH
from stores.errors import InputRefusedError
from stores.names import collection_name, thread_name, user_name

NAMES = ["", "   ", "\n", "a\nb", "tab\there", "\x07", "\u202eevil", "\u200b", " alice", "x" * 201, "\ud800"]
BYTES = os.fsdecode(b"caf\xe9 \xff")


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_nobody_can_see_or_type_is_refused(name: str) -> None:
    for check in (user_name, thread_name, collection_name):
        with pytest.raises(InputRefusedError) as caught:
            check(name)
        assert len(str(caught.value).splitlines()) == 1
        assert str(caught.value).isprintable()


@pytest.mark.parametrize("name", ["local", "课程 一", "john-doe@example.com", "x" * 100, "👩\u200d🔬", "a'b\"c;--"])
def test_a_name_in_any_script_is_taken_as_it_is(name: str) -> None:
    assert (user_name(name), thread_name(name), collection_name(name)) == (name, name, name)


@pytest.mark.parametrize(
    "arguments",
    [
        ("ask", "hi", "--user", ""),
        ("ask", "hi", "--user", "  "),
        ("ask", "hi", "--user", "x" * 5_000),
        ("ask", "hi", "--thread", ""),
        ("ask", "hi", "--collection", ""),
        ("ingest", ".", "--user", ""),
        ("ingest", ""),
        ("ingest", ".", " "),
        ("ingest", ".", "--collection", "a\nb"),
        ("search", "hi", "--user", "\u202eevil"),
        ("search", "hi", "--k", "0"),
        ("search", "hi", "--k", "-1"),
        ("search", "hi", "--k", "many"),
        ("chat", "--user", ""),
        ("documents", "list", "--user", ""),
        ("documents", "show", "feed", "--user", " "),
        ("documents", "delete", "feed", "--user", " "),
        ("memory", "list", "--user", ""),
        ("memory", "add", "hello there", "--user", "\x00"),
        ("memory", "forget-all", "--yes", "--user", ""),
        ("threads", "list", "--user", ""),
        ("threads", "show", ""),
        ("jobs", "retry", "-1"),
        ("jobs", "retry", "9" * 30),
        ("threads", "delete", "a\nb"),
        ("ask",),
        ("nonsense",),
        ("ask", "hi", "--wrong"),
    ],
)
def test_wrong_usage_is_one_line_and_status_2_and_makes_nothing(
    recite: Recite, home: Path, arguments: tuple[str, ...]
) -> None:
    recite.fails(*arguments, status=2)

    assert not home.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("ask", BYTES),
        ("ask", "hi", "--user", BYTES),
        ("ask", "hi", "--thread", BYTES),
        ("search", BYTES),
        ("ingest", BYTES),
        ("memory", "add", BYTES),
        ("documents", "show", BYTES),
        ("threads", "show", BYTES),
        ("tools", "search", BYTES),
    ],
)
def test_bytes_that_are_no_utf8_are_named_and_nothing_is_lost(
    recite: Recite, home: Path, arguments: tuple[str, ...]
) -> None:
    assert "caf\\xe9 \\xff" in recite.fails(*arguments, status=2)
    assert not home.exists()


def test_a_file_name_that_is_no_utf8_is_one_failed_file(recite: Recite, library: Path) -> None:
    try:
        (library / f"{BYTES}.md").write_text("text", encoding="utf-8")
    except OSError:
        pytest.skip("this file system takes only UTF-8 names")

    files = recite.json("ingest", str(library), status=3)["files"]

    assert sorted(file["status"] for file in files) == ["added", "failed"]
    assert any("not valid UTF-8" in (file["reason"] or "") for file in files)


@pytest.mark.parametrize(
    "arguments", [("documents", "show", "f" * 5_000), ("ingest", "y" * 5_000), ("tools", "show", "\x1b[31mred\x07")]
)
def test_a_line_repeats_the_input_shortly_and_harmlessly(recite: Recite, arguments: tuple[str, ...]) -> None:
    line = recite.fails(*arguments)

    assert len(line) < 500
    assert line.isprintable()


@pytest.mark.parametrize("name", ["recite.db", "threads.db", "owner.lock", "index"])
def test_a_data_directory_with_something_else_in_a_files_place_is_said_so(
    recite: Recite, home: Path, name: str
) -> None:
    home.mkdir()
    if name == "index":
        (home / name).write_text("a file")
    else:
        (home / name).mkdir()

    line = recite.fails("ask", "hi")

    assert str(home) in line
    assert "Unexpected" not in line


@pytest.mark.parametrize(("name", "value"), [("RECITE_COLLECTION", " "), ("RECITE_COLLECTION", "a\tb")])
def test_a_setting_follows_the_same_rule(
    recite: Recite, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)

    assert name in recite.fails("ask", "hi")


def test_an_empty_home_is_an_unset_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RECITE_HOME", " ")

    assert run("memory", "list").exit_code == 0
    assert run("--home", "", "memory", "list").exit_code == 0
    assert [path.name for path in tmp_path.iterdir()] == [".recite"]


async def test_the_notebook_refuses_by_the_same_rule(open_scripted: OpenAgent) -> None:
    async with open_scripted() as agent:
        for refused in (
            agent.ask("hi", user=""),
            agent.ask("hi", thread=" "),
            agent.ask("hi", collection=""),
            agent.ask("half \ud800"),
            agent.search("hi", user="a\nb"),
            agent.search("half \udfff"),
            agent.search("hi", k=0),
            agent.search("hi", k=-1),
            agent.search("hi", k=10**9),
            agent.ingest(".", user=""),
            agent.ingest(""),
            agent.history(user=""),
            agent.memories(user=""),
            agent.delete_thread(thread=""),
        ):
            with pytest.raises(InputRefusedError):
                await refused
        assert await agent.services.conversations.list("local") == []


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    access = Access()
    access.token = "t"
    transport = httpx.ASGITransport(Starlette(routes=routes(access)))
    async with httpx.AsyncClient(
        transport=transport, base_url="http://recite", headers={"Authorization": "Bearer t"}
    ) as opened:
        yield opened


@pytest.mark.parametrize(
    "body",
    [
        b'{"query": "\\ud800", "reader": "local"}',
        b'{"query": "\xff", "reader": "local"}',
        b'{"\\udfff": 1}',
        b"[" * 100_000,
        b"[]",
        b"no json",
    ],
)
async def test_a_body_that_cannot_be_stored_or_sent_is_refused(client: httpx.AsyncClient, body: bytes) -> None:
    answer = await client.post("/recite/documents/search", content=body)

    assert answer.status_code == 422
    assert answer.json()["error"] == "BadRequestError"


@pytest.mark.parametrize(
    ("question", "before", "said"),
    [
        ("？？？", None, WORDLESS_ZH),
        ("...", None, f"{WORDLESS_ZH} {WORDLESS_EN}"),
        ("👍", "图书馆几点开门？", WORDLESS_ZH),
        ("?!", "When does it open?", WORDLESS_EN),
    ],
)
async def test_a_question_without_words_gets_one_clear_line(
    open_offline: OpenAgent, question: str, before: str | None, said: str
) -> None:
    async with open_offline() as agent:
        if before:
            await agent.ask(before)
        reply = await agent.ask(question)

    assert (reply.status, reply.answer, list(reply.citations)) == ("clarify", said, [])
    assert list(reply.missing) == []
