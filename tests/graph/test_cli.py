"""The command line: exit statuses, JSON shapes, and one clear line for every kind of bad input."""

import math
import os
import re
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from commands import Recite


def test_help_is_quick_to_import() -> None:
    heavy = [
        "chromadb",
        "langgraph",
        "langchain_core",
        "sqlalchemy",
        "onnxruntime",
        "tantivy",
        "numpy",
        "httpx",
        "uvicorn",
    ]
    code = f"import sys, graph.cli; print([m for m in {heavy!r} if m in sys.modules])"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_ingest_with_prune_says_which_documents_it_deleted(recite: Recite, library: Path) -> None:
    file = next(library.iterdir())
    recite.json("ingest", str(library))
    file.unlink()

    pruned = recite.json("ingest", str(library), "--prune")
    printed = recite("ingest", str(library), "--prune").stdout

    assert [(one["path"], one["status"]) for one in pruned["files"]] == [(str(file), "deleted")]
    assert set(pruned["files"][0]) == {
        "path", "status", "reason", "document_id", "chunks", "pages", "encoding", "ms"
    }  # fmt: skip
    assert "no files" in printed
    assert recite.json("documents", "list") == []


def test_ingest_with_prune_of_a_missing_folder_deletes_nothing(recite: Recite, library: Path) -> None:
    recite.json("ingest", str(library))
    library.rename(library.with_name("away"))

    assert str(library) in recite.fails("ingest", str(library), "--prune")

    [document] = recite.json("documents", "list")
    assert document["state"] == "stale"


def test_ingest_ask_search_and_list_have_the_promised_shapes(recite: Recite, library: Path) -> None:
    ingested = recite.json("ingest", str(library))
    again = recite.json("ingest", str(library))
    asked = recite.json("ask", "本科生每次最多借几册？", "--thread", "一")
    found = recite.json("search", "本科生借书")

    assert set(ingested) == {"files", "seconds"}
    assert {"path", "status", "reason", "document_id", "chunks", "pages", "encoding", "ms"} == set(ingested["files"][0])
    assert [file["status"] for file in again["files"]] == ["unchanged"]
    assert set(asked) >= {
        "answer",
        "status",
        "thread",
        "user",
        "citations",
        "missing",
        "searched",
        "memories",
        "tools",
        "steps",
        "usage",
    }
    assert asked["status"] == "answered"
    assert "12 册" in asked["answer"]
    assert set(asked["citations"][0]) >= {
        "number",
        "chunk_id",
        "document_id",
        "title",
        "path",
        "location",
        "quote",
        "support",
    }
    assert asked["citations"][0]["location"]["lines"] == [3, 3]
    assert set(found) == {"query", "hits", "degraded", "ms"}
    assert set(found["hits"][0]) >= {
        "chunk_id",
        "document_id",
        "path",
        "title",
        "location",
        "language",
        "content",
        "score",
        "retrieval_source",
        "keyword_rank",
        "vector_rank",
        "rerank_score",
    }
    [document] = recite.json("documents", "list")
    assert document["document_id"] == ingested["files"][0]["document_id"]
    assert [row["name"] for row in recite.json("threads", "list")] == ["一"]
    shown = recite.json("threads", "show", "一")
    assert [message["role"] for message in shown["messages"]] == ["human", "ai"]
    assert shown["messages"][1]["citations"][0]["quote"] == asked["citations"][0]["quote"]


def test_some_failed_files_are_status_3_and_the_others_are_in(recite: Recite, library: Path) -> None:
    (library / "空.md").write_text("", encoding="utf-8")
    (library / "图.md").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    (library / "假.pdf").write_text("not a pdf", encoding="utf-8")

    report = recite.json("ingest", str(library), status=3)

    statuses = {Path(file["path"]).name: file["status"] for file in report["files"]}
    assert statuses == {"借阅.md": "added", "空.md": "failed", "图.md": "failed", "假.pdf": "failed"}
    assert all(file["reason"] for file in report["files"] if file["status"] == "failed")


def test_r07_gibberish_finds_nothing_and_what_is_below_the_threshold_says_so(recite: Recite, library: Path) -> None:
    recite.json("ingest", str(library))

    lines = recite("search", "asdf qwer").stdout.splitlines()
    hits = recite.json("search", "asdf qwer")["hits"]

    assert lines[0].startswith("Nothing relevant was found.")
    assert lines[1].startswith("Below the threshold 0.7")
    assert not any(line.startswith("1.") for line in lines)
    assert all(hit["score"] < 0.7 for hit in hits)


def test_r01_only_what_reaches_the_threshold_is_numbered_as_found(recite: Recite, library: Path) -> None:
    (library / "花园.md").write_text("# Garden\n\nRoses grow there.\n", encoding="utf-8")
    recite.json("ingest", str(library))

    found, _, below = recite("search", "本科生每次最多借几册", "--explain").stdout.partition("Below the threshold")

    assert found.startswith("1. ") and "借阅.md" in found and "花园.md" not in found
    assert "花园.md" in below
    assert "matched 本科 · 科生" in found and "no term matched" in below
    plain = recite.json("search", "本科生每次最多借几册")["hits"]
    assert len(plain) == 2 and all("matched" not in hit for hit in plain)


def test_explaining_lists_what_the_threshold_cut_with_its_scores(recite: Recite, library: Path) -> None:
    (library / "花园.md").write_text("# Garden\n\nRoses grow there.\n", encoding="utf-8")
    recite.json("ingest", str(library))

    explained = recite.json("search", "本科生每次最多借几册", "--explain")
    below = recite("search", "本科生每次最多借几册", "--explain").stdout.partition("Below the threshold")[2]
    nothing = recite.json("search", "asdf qwer", "--explain")

    [hit], [cut] = explained["hits"], explained["cut"]
    assert "借阅.md" in hit["path"] and hit["matched"] and hit["score"] >= 0.7
    assert "花园.md" in cut["path"] and not cut["matched"] and cut["score"] < 0.7
    assert below.splitlines()[1].startswith(f"cut {math.floor(cut['score'] * 100) / 100:.2f} ")
    assert (nothing["hits"], len(nothing["cut"])) == ([], 2)
    assert "cut" not in recite.json("search", "本科生每次最多借几册")


def test_the_trace_says_how_many_passages_the_threshold_cut(recite: Recite, library: Path) -> None:
    recite.json("ingest", str(library))

    printed = recite("ask", "公司食堂周五供应什么菜？", "--trace").stdout

    assert re.search(r"retrieve +[\d.]+ ms .*nothing found; below_threshold: 1\b", " ".join(printed.split()))


def test_files_that_failed_are_no_documents_and_one_is_not_plural(recite: Recite, library: Path) -> None:
    (library / "空.md").write_text("", encoding="utf-8")

    ingested = recite("ingest", str(library)).stdout
    listed = recite("documents", "list").stdout
    findings = {f["subject"]: f["told"] for f in recite.json("doctor")["findings"]}
    asked = recite("ask", "本科生每次最多借几册？", "--trace").stdout

    assert ingested.splitlines()[-1].startswith("1 added, 1 failed in")
    assert listed.splitlines()[-1] == "1 document, 1 file could not be taken in"
    assert findings["documents"] == "1 document, 1 chunk; 1 file could not be taken in"
    for said in (ingested, listed, asked, *findings.values()):
        assert not re.search(r"\b1 (?:chunks|documents|files|pages|jobs|passages|calls)\b", said)


def test_reindex_says_what_became_of_every_document_and_loses_none(recite: Recite, library: Path) -> None:
    recite.json("ingest", str(library))
    (library / "借阅.md").rename(library / "新名.md")

    rebuilt = recite.json("documents", "reindex")["files"]

    assert [(file["status"], "indexed again" in file["reason"]) for file in rebuilt] == [("unchanged", True)]
    assert "12 册" in recite.json("ask", "本科生每次最多借几册？")["answer"]
    assert [file["status"] for file in recite.json("ingest", str(library))["files"]] == ["updated"]
    assert len(recite.json("documents", "list")) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ask", ""), "empty"),
        (("ask", "   "), "empty"),
        (("search", " "), "empty"),
        (("ask", "长" * 100_000), "tokens"),
        (("ingest", "nowhere/at/all"), "nowhere"),
        (("documents", "show", "feedbeef"), "feedbeef"),
        (("documents", "delete", "feedbeef"), "feedbeef"),
        (("threads", "show", "没有这个"), "没有这个"),
        (("threads", "delete", "没有这个"), "没有这个"),
        (("memory", "show", "nothing"), "nothing"),
        (("memory", "forget", "nothing"), "nothing"),
        (("memory", "add", "好"), "4"),
        (("tools", "show", "calculater"), "calculator"),
        (("jobs", "retry", "4711"), "4711"),
    ],
)
def test_bad_input_costs_one_clear_line(recite: Recite, arguments: tuple[str, ...], said: str) -> None:
    assert said in recite.fails(*arguments)


def test_an_empty_folder_is_said_so(recite: Recite, tmp_path: Path) -> None:
    (tmp_path / "nothing here").mkdir()

    assert "nothing here" in recite.fails("ingest", str(tmp_path / "nothing here"))


@pytest.mark.parametrize("arguments", [("ask",), ("nonsense",), ("search", "x", "--k", "0"), ("ask", "x", "--wrong")])
def test_wrong_usage_is_status_2(recite: Recite, arguments: tuple[str, ...]) -> None:
    assert recite(*arguments).exit_code == 2


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("RECITE_TOP_K", "many"),
        ("RECITE_MIN_SCORE", "7"),
        ("RECITE_VECTOR_STORE", "pinecone"),
        ("RECITE_VECTOR_STORE", "chroma://nowhere"),
        ("RECITE_VECTOR_STORE", "chroma://host:99999"),
        ("RECITE_VECTOR_STORE", "milvus:"),
        ("RECITE_VECTOR_STORE", "milvus:./folder"),
        ("RECITE_VECTOR_STORE", "milvus:ftp://host:1"),
        ("RECITE_CHAT_MODEL", "gpt-9"),
    ],
)
def test_a_wrong_setting_is_one_line_with_name_and_value(
    recite: Recite, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)

    line = recite.fails("ask", "你好")

    assert name in line
    assert value in line


def test_a_secret_is_never_in_a_message(recite: Recite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0000EXAMPLE0000")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")

    line = recite.fails("ask", "你好")

    assert "127.0.0.1:9" in line
    assert "EXAMPLE" not in line
    assert "failed" in recite("threads", "show", "default").stdout


def test_a_broken_database_is_said_so_and_left_alone(recite: Recite, library: Path, home: Path) -> None:
    recite.json("ingest", str(library))
    (home / "recite.db").write_bytes(b"this is no database at all, not even a little" * 100)
    for extra in home.glob("recite.db-*"):
        extra.unlink()

    assert "recite.db" in recite.fails("ask", "你好")
    assert (home / "recite.db").read_bytes().startswith(b"this is no database")


def test_broken_threads_are_said_so(recite: Recite, home: Path) -> None:
    recite.json("ask", "你好")
    for extra in home.glob("threads.db*"):
        extra.unlink()
    (home / "threads.db").write_bytes(b"rubbish" * 1_000)

    assert "threads.db" in recite.fails("ask", "你好")


def test_a_data_directory_that_is_a_file_is_said_so(recite: Recite, home: Path) -> None:
    home.write_text("a file", encoding="utf-8")

    assert str(home) in recite.fails("ask", "你好")


def test_two_processes_on_one_data_directory_work_through_the_owner(recite: Recite, home: Path, library: Path) -> None:
    environment = os.environ | {"RECITE_HOME": str(home), "RECITE_CHAT_MODEL": "offline"}
    command = [sys.executable, "-m", "graph.cli", "chat"]
    chat = subprocess.Popen(
        command,
        cwd=Path(__file__).parents[2],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert chat.stdin is not None and chat.stdout is not None
    try:
        chat.stdout.readline()
        assert [file["status"] for file in recite.json("ingest", str(library))["files"]] == ["added"]
        assert "12 册" in recite.json("ask", "本科生每次最多借几册？")["answer"]
        output, _ = chat.communicate("本科生每次最多借几册？\n/quit\n", timeout=60)
    finally:
        chat.kill()

    assert "12 册" in output


def test_chat_understands_its_commands(recite: Recite, library: Path) -> None:
    recite.json("ingest", str(library))
    lines = [
        "/help",
        "/thread 课程",
        "本科生每次最多借几册？",
        "/history",
        "/remember 我在图书馆工作",
        "/memories",
        "/tools",
        "/trace",
        "你好",
        "/threads",
        "/reset",
        "/nonsense",
        "/clear",
        "/quit",
    ]

    result = recite("chat", typed="\n".join(lines) + "\n")

    assert result.exit_code == 0
    for said in ("/remember TEXT", "12 册", "我在图书馆工作", "calculator", "recall_memory", "thread 课程-2"):
        assert said in result.stdout
    assert "/nonsense" in result.stderr


def test_what_one_user_remembers_another_does_not_see(recite: Recite) -> None:
    added = recite.json("memory", "add", "我喜欢喝美式咖啡", "--user", "john-doe")

    assert recite.json("memory", "list", "--user", "john_doe") == []
    assert "forgotten" in recite("memory", "forget", added["id"], "--user", "john-doe").stdout
    assert recite.json("memory", "list", "--user", "john-doe") == []


def test_tools_are_listed_and_found(recite: Recite) -> None:
    names = [tool["name"] for tool in recite.json("tools", "list")]

    assert names == ["search_documents", "calculator", "current_date"] or set(names) == {
        "search_documents",
        "calculator",
        "current_date",
    }
    assert recite.json("tools", "search", "算术 calculate")[0]["name"] == "calculator"


def test_doctor_says_how_everything_is(recite: Recite) -> None:
    findings = recite.json("doctor")["findings"]

    assert {finding["subject"] for finding in findings} >= {"settings", "chat model", "documents", "embedder"}
    assert all(finding["state"] == "ok" for finding in findings)


def test_memory_jobs_are_worked_on_after_the_answer(recite: Recite) -> None:
    recite.json("ask", "请记住：我在杭州的青禾示例公司做测试工程师", "--thread", "a")

    memories = recite.json("memory", "list")
    assert any("青禾示例" in memory["content"] for memory in memories)
    assert recite.json("jobs", "list") == [] or all(job["state"] == "done" for job in recite.json("jobs", "list"))


def test_the_database_uses_write_ahead_logging(recite: Recite, home: Path) -> None:
    recite.json("memory", "list")

    with sqlite3.connect(home / "recite.db") as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_watching_keeps_a_folder_in_step_until_it_is_interrupted(recite: Recite, library: Path) -> None:
    command = [sys.executable, "-m", "graph.cli", "--home", str(recite.home), "ingest", str(library), "--watch"]
    [file] = library.iterdir()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None

        def told(status: str) -> str:
            for line in process.stdout or ():
                if line.startswith(status):
                    return line
            raise AssertionError(process.stderr and process.stderr.read())

        assert str(file) in told("added")
        moved = file.rename(library / "moved.md")
        assert "Moved from" in told("updated")
        assert [one["path"] for one in recite.json("documents", "list")] == [str(moved)]
        moved.unlink()
        assert str(moved) in told("deleted")
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in complaint
    assert recite.json("documents", "list") == []


def test_a_hit_says_where_else_its_passage_stands(recite: Recite, tmp_path: Path) -> None:
    text = "# 停车\n\n访客停车前两小时免费，之后每小时 6 元。\n"
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        recite.json("ingest", str(tmp_path / name))

    hits = recite.json("search", "访客停车怎么收费")["hits"]
    printed = recite("search", "访客停车怎么收费").stdout

    assert len(hits) == 2
    [place] = hits[0]["also_in"]
    assert place == {key: hits[1][key] for key in ("chunk_id", "document_id", "path", "title", "location")}
    assert hits[1]["also_in"] == []
    assert [line.split("also in ")[1].split(" ")[0] for line in printed.splitlines() if "also in" in line] == [
        place["path"]
    ]
