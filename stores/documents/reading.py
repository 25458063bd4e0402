"""Reader: files become parsed documents within bounds of time and memory; a parser that fails takes nothing along.

Small text files are read in this process. Kinds whose parsers unpack, decode or draw (PDF, Office, mail, pictures),
and everything big, go to a process apart: it can be ended when the time is up, has a limit on its memory, and may
crash.
"""

import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock, Timer
from time import monotonic
from typing import Any

from stores.documents.archives import file_size
from stores.documents.document import ParsedDocument
from stores.documents.parsing import PARSERS, parse
from stores.documents.reading_process import BOOT, receive, send
from stores.documents.reading_rules import DEFAULT_RULES, ReadingRules
from stores.documents.wire import dump, error_from_json, load
from stores.errors import DocumentDamagedError, DocumentTooLargeError

APART = frozenset({"pdf", "docx", "pptx", "xlsx", "eml", "image"})
"""Parser modules that run in the process apart, whatever the size of the file."""

APART_FROM = 100_000
"""Bytes from which every file is read there: parsers of text take square time over what nobody would write."""


class Reader:
    """Reads one file at a time. The process apart is begun with the first file that needs it."""

    def __init__(self, rules: ReadingRules = DEFAULT_RULES) -> None:
        self.rules = rules
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = Lock()

    def read(self, path: Path) -> ParsedDocument:
        """As `stores.documents.parsing.parse`.

        Raises:
            DocumentTooLargeError: also when it takes more time or memory than the rules allow.
            DocumentDamagedError: also when its parser crashed.
        """
        if not self._goes_apart(path):
            return parse(path, self.rules)
        with self._lock:
            return self._read_apart(path)

    def rest(self) -> None:
        """End the process apart, unless a file is being read there (for another ingest, which will end it)."""
        if self._lock.acquire(blocking=False):
            try:
                self.close()
            finally:
                self._lock.release()

    def close(self) -> None:
        """End the process apart; a file being read there has failed. The next one begins a new process."""
        process, self._process = self._process, None
        if process is not None:
            _end(process)

    def _goes_apart(self, path: Path) -> bool:
        if PARSERS.get(path.suffix.lower(), "").partition(":")[0] in APART:
            return True
        try:
            return file_size(path) > APART_FROM
        except OSError:
            return False

    def _read_apart(self, path: Path) -> ParsedDocument:
        process = self._process = self._process or _begin(self.rules)
        timer = Timer(self.rules.seconds, process.kill)
        timer.daemon, started = True, monotonic()
        timer.start()
        try:
            answer = _asked(process, path)
        finally:
            timer.cancel()
        if answer is None:
            self.close()
            raise _gone(path, self.rules, timed_out=monotonic() - started >= self.rules.seconds)
        if "error" in answer:
            raise error_from_json(answer)
        return load(ParsedDocument, answer["document"])


def _begin(rules: ReadingRules) -> "subprocess.Popen[bytes]":
    process = subprocess.Popen(  # noqa: S603 - this interpreter, our own module
        [sys.executable, "-c", BOOT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # Ctrl-C is for the process that the user sees; this one ends when its input does.
        start_new_session=True,
    )
    with suppress(OSError):
        send(process.stdin, {"path": sys.path, "rules": dump(rules)})
    return process


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError, ValueError):
                pipe.close()
    process.wait()


def _asked(process: "subprocess.Popen[bytes]", path: Path) -> Mapping[str, Any] | None:
    """The answer; `None` if the process is gone."""
    try:
        send(process.stdin, {"file": str(path)})
        return receive(process.stdout)
    except (OSError, ValueError):
        return None


def _gone(path: Path, rules: ReadingRules, *, timed_out: bool) -> DocumentTooLargeError | DocumentDamagedError:
    if timed_out:
        return DocumentTooLargeError(
            f"{path.name} was not read within {rules.seconds:g} seconds. Split the file, or raise RECITE_PARSE_SECONDS."
        )
    return DocumentDamagedError(f"{path.name} made its parser crash. It is damaged; give an intact copy.")
