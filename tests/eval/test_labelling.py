"""`python -m eval new`: typed into a pipe, as a person would type it."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from labelled import ROWS, run_eval, write_rows

from eval.labelling import _Choice
from eval.own_set import read_rows


def label(tmp_path: Path, documents: Path, *typed: str) -> Any:
    done = run_eval("new", "mine.jsonl", "--documents", documents, cwd=tmp_path, typed="".join(f"{t}\n" for t in typed))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_questions_are_kept_with_quotations_that_the_measurement_finds(tmp_path: Path, documents: Path) -> None:
    shown = label(
        tmp_path, documents,
        "滤芯多久更换一次？", "1", "滤芯每 45 天更换一次", "fact",
        "火星上的天气怎么样？", "none", "",
        "Is the ferry free for bicycles?", "s", "bicycles free of charge", "１", "nowhere written", "", "",
        "skipped question", "",
        "  滤芯多久 更换一次? ",
        "q",
    )  # fmt: skip

    rows = read_rows(tmp_path / "mine.jsonl")
    assert [(row.question, row.kind, len(row.labels)) for row in rows] == [
        ("滤芯多久更换一次？", "fact", 1),
        ("火星上的天气怎么样？", "", 0),
        ("Is the ferry free for bicycles?", "", 1),
    ]
    assert (rows[0].labels[0].document, rows[0].labels[0].quote) == ("泵站/维护手册.md", "滤芯每 45 天更换一次")
    assert "Bicycles travel free of charge." in rows[2].labels[0].quote
    assert rows[2].labels[0].document == "ferry.md"
    assert "line 1 of mine.jsonl asks this already" in shown
    assert "That does not stand in the passage." in shown
    assert "skipped" in shown
    assert shown.endswith("3 questions added to mine.jsonl, 3 in all.\n")
    done = run_eval("retrieval", "mine.jsonl", "--documents", documents, "--pipelines", "keyword", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "2 questions and 1 without an answer" in done.stdout


def test_an_existing_set_is_continued_also_if_its_last_line_has_no_end(tmp_path: Path, documents: Path) -> None:
    file = write_rows(tmp_path / "mine.jsonl", ROWS)
    file.write_bytes(file.read_bytes().rstrip())

    shown = label(tmp_path, documents, "红灯常亮怎么办？", "1 2", "", "w", "")  # ends where the input does

    rows = read_rows(file)
    assert [row.question for row in rows[:4]] == [row["question"] for row in ROWS]
    assert rows[4].question == "红灯常亮怎么办？"
    assert len(rows[4].labels) == 2
    assert "kept as line 5: 2 quotations" in shown
    assert shown.endswith("1 question added to mine.jsonl, 5 in all.\n")


def test_the_end_of_the_input_keeps_what_was_finished_and_drops_what_was_not(tmp_path: Path, documents: Path) -> None:
    shown = label(tmp_path, documents, "renew_lease", "1", "")
    assert [row.question for row in read_rows(tmp_path / "mine.jsonl")] == ["renew_lease"]
    assert shown.endswith("1 question added to mine.jsonl, 1 in all.\n")

    shown = label(tmp_path, documents, "When does the ferry leave?", "99", "1")
    assert len(read_rows(tmp_path / "mine.jsonl")) == 1
    assert "Not understood: numbers up to" in shown


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 0)])
def test_a_kill_loses_nothing_that_was_told_as_kept_and_ctrl_c_ends_with_a_count(
    tmp_path: Path, documents: Path, sent: signal.Signals, status: int
) -> None:
    root = str(Path(__file__).parents[2])
    running = subprocess.Popen(
        [sys.executable, "-u", "-m", "eval", "new", "mine.jsonl", "--documents", str(documents)],
        cwd=tmp_path, env={"PYTHONPATH": root, "PATH": os.environ["PATH"], "RECITE_PARSE_WORKERS": "0"},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
    )  # fmt: skip
    assert running.stdin is not None and running.stdout is not None
    running.stdin.write("renew_lease\n1\n\ncode\n")
    running.stdin.flush()
    said = ""
    while "kept as line 1" not in said:
        said += running.stdout.readline()
    running.send_signal(sent)
    rest = running.communicate()[0]

    assert running.returncode == status
    assert [row.kind for row in read_rows(tmp_path / "mine.jsonl")] == ["code"]
    if sent is signal.SIGINT:
        assert rest.endswith("1 question added to mine.jsonl, 1 in all.\n")


def test_a_file_that_is_no_own_set_is_left_alone(tmp_path: Path, documents: Path) -> None:
    (tmp_path / "mine.jsonl").write_text("notes\n", encoding="utf-8")

    done = run_eval("new", "mine.jsonl", "--documents", documents, cwd=tmp_path, typed="question\n")

    assert done.returncode == 1
    assert "line 1: no JSON" in done.stderr
    assert (tmp_path / "mine.jsonl").read_text(encoding="utf-8") == "notes\n"


@pytest.mark.parametrize(
    ("typed", "choice"),
    [
        ("", _Choice()),
        ("2, 1，2", _Choice((2, 1))),
        ("1 s", _Choice((1,), again=True)),
        ("None", _Choice(none=True)),
        ("none 1", None),
        ("4", None),
        ("0", None),
        ("-1", None),
        ("what", None),
    ],
)
def test_what_may_be_typed_under_a_list(typed: str, choice: _Choice | None) -> None:
    assert _Choice.of(typed, 3) == choice
