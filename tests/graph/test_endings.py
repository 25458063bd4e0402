"""How a command ends when it is stopped, or when what it reads from or writes to is gone: no traceback, a status."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import Recite

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "graph.cli"]


def environment(home: Path, **more: str) -> dict[str, str]:
    return os.environ | {"RECITE_HOME": str(home), "RECITE_CHAT_MODEL": "offline"} | more


def shell(home: Path, line: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash in which `recite` is the command line."""
    recite = f'recite() {{ {" ".join(COMMAND)} "$@"; }}; set -o pipefail; '
    return subprocess.run(
        ["bash", "-c", recite + line],
        cwd=ROOT,
        env=environment(home, **more),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    ("number", "status", "said"), [(signal.SIGTERM, 143, "Terminated"), (signal.SIGINT, 130, "Int")]
)
def test_an_ingest_that_is_stopped_keeps_what_was_finished_and_goes_on_later(
    recite: Recite, home: Path, tmp_path: Path, number: int, status: int, said: str
) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for name in range(200):
        (folder / f"{name:03}.md").write_text(f"# {name}\n\n" + f"第 {name} 号规则。" * 300, encoding="utf-8")
    process = subprocess.Popen(
        [*COMMAND, "ingest", str(folder)],
        cwd=ROOT,
        env=environment(home, PYTHONUNBUFFERED="1"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(number)
    _, told = process.communicate(timeout=60)

    assert process.returncode == status
    assert told.splitlines()[-1].startswith(f"recite: {said}")
    assert "Traceback" not in told
    assert 1 <= len(recite.json("documents", "list")) < 200
    assert {finding["state"] for finding in recite.json("doctor")["findings"]} == {"ok"}


@pytest.mark.parametrize(
    ("line", "status", "told"),
    [
        ("recite ask hi | true", 141, ""),
        ("recite ask hi --json | true", 141, ""),
        ("recite ask hi <&-", 0, ""),
        ("recite ask hi >&-", 0, ""),
        ("recite chat <&-", 0, ""),
        ("recite ask hi >/dev/full", 1, "No space left"),
        ("printf 'hi\\n\\xff\\n/quit\\n' | recite chat", 0, "not valid UTF-8"),
    ],
)
def test_what_is_read_from_or_written_to_may_be_gone(home: Path, line: str, status: int, told: str) -> None:
    done = shell(home, line)

    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == bool(told)


def test_a_terminal_of_another_encoding_still_gets_utf8(home: Path) -> None:
    done = shell(home, "recite ask '你好'", PYTHONIOENCODING="ascii", LANG="C", LC_ALL="C")

    assert (done.returncode, done.stderr) == (0, "")
    assert "你" in done.stdout


def test_ctrl_c_at_the_prompt_ends_the_conversation_at_once(home: Path) -> None:
    chat = subprocess.Popen(
        [*COMMAND, "chat"],
        cwd=ROOT,
        env=environment(home),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert chat.stdout is not None
    chat.stdout.readline()
    time.sleep(0.2)
    chat.send_signal(signal.SIGINT)

    assert chat.wait(20) == 130
    assert chat.stderr is not None and "Traceback" not in chat.stderr.read()
    chat.communicate()
