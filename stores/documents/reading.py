"""Reading: files become parsed documents within bounds of time and memory; a parser that fails takes nothing along.

Small text files are read in this process. Kinds whose parsers unpack, decode or draw (PDF, Office, mail, pictures),
and everything big, go to processes apart: those can be ended when the time is up, have a limit on their memory, and
may crash. Several files are read side by side.
"""

import asyncio
import contextlib
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from stores.documents.archives import file_size
from stores.documents.attempt import crashed, parsed_or_reason, too_slow
from stores.documents.document import ParsedDocument
from stores.documents.parsing import PARSERS
from stores.documents.reading_process import BOOT, LENGTH_BYTES
from stores.documents.reading_rules import ReadingRules
from stores.documents.wire import dump, load
from stores.errors import DocumentError, StoreError

Parse = Callable[[Path], Awaitable[ParsedDocument | str]]
"""A file to what a parser makes of it, or to the reason why it cannot be read."""

APART = frozenset({"pdf", "docx", "pptx", "xlsx", "eml", "image"})
"""Parser modules that run in a process apart, whatever the size of the file."""
APART_FROM = 100_000
"""Bytes from which every file is read there: parsers of text take square time over what nobody would write."""

ENDING_SECONDS = 5.0
"""For a process whose pipe is closed to be gone."""


@asynccontextmanager
async def reading(rules: ReadingRules) -> AsyncIterator[Parse]:
    """Read with at most `rules.workers` processes apart, each begun when it is first needed; they end with the block.

    Raises (when a file is read):
        StoreError: no process can be started.
    """
    pool = ReadingPool(rules)
    try:
        yield pool.read
    finally:
        await pool.close()


def goes_apart(path: Path) -> bool:
    """Whether the file is of a kind, or a size, that is read in a process apart."""
    if PARSERS.get(path.suffix.lower(), "").partition(":")[0] in APART:
        return True
    try:
        return file_size(path) > APART_FROM
    except (OSError, DocumentError):
        return False


class ReadingPool:
    """Up to `rules.workers` processes, each reading one file at a time."""

    def __init__(self, rules: ReadingRules) -> None:
        self._rules = rules
        self._room = asyncio.Semaphore(max(1, rules.workers))
        self._idle: list[Process] = []
        self._all: set[Process] = set()

    async def read(self, path: Path) -> ParsedDocument | str:
        """The file parsed, or why it cannot be."""
        if not self._rules.workers or not await asyncio.to_thread(goes_apart, path):
            return await asyncio.to_thread(parsed_or_reason, path, self._rules)
        async with self._room:
            worker = self._idle.pop() if self._idle else await self._start()
            try:
                answer = await asyncio.wait_for(_asked(worker, path), self._rules.seconds)
            except TimeoutError:
                await self._end(worker)
                return too_slow(path, self._rules)
            except (OSError, EOFError):
                return crashed(path, await self._end(worker, ending=True))
            except BaseException:
                await self._end(worker)
                raise
            self._idle.append(worker)
        reason = answer.get("reason")
        return reason if isinstance(reason, str) else await asyncio.to_thread(load, ParsedDocument, answer["parsed"])

    async def close(self) -> None:
        """End all processes."""
        for worker in list(self._all):
            await self._end(worker)

    async def _start(self) -> Process:
        try:
            worker = await asyncio.create_subprocess_exec(
                sys.executable,
                "-c",
                BOOT,
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL,
                # Ctrl-C is for the process that the user sees; it ends its workers itself.
                start_new_session=True,
            )
        except OSError as error:
            raise StoreError(
                f"No process can be started to read files ({error.strerror}). Set RECITE_PARSE_WORKERS=0."
            ) from error
        self._all.add(worker)
        if worker.stdin is not None:
            worker.stdin.write(_line({"path": sys.path, "rules": dump(self._rules)}))
        return worker

    async def _end(self, worker: Process, *, ending: bool = False) -> str:
        """Kill the process; how it ended, or was ended. One that seems to be `ending` is given a moment for it.

        To kill a process that is dead already takes its exit status from whoever waits for it.
        """
        self._all.discard(worker)
        if ending:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(worker.wait(), ENDING_SECONDS)
        if worker.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                worker.kill()
        status = await worker.wait()
        if worker.stdin is not None:
            worker.stdin.close()
        return f"signal {-status}" if status < 0 else f"exit status {status}"


async def _asked(worker: Process, path: Path) -> dict[str, Any]:
    """One question to a process.

    Raises:
        OSError, EOFError: it has ended.
    """
    if worker.stdin is None or worker.stdout is None:
        raise AssertionError("a worker has pipes")
    worker.stdin.write(_line({"file": str(path)}))
    await worker.stdin.drain()
    length = int.from_bytes(await worker.stdout.readexactly(LENGTH_BYTES), "big")
    answer = await worker.stdout.readexactly(length)
    fields: dict[str, Any] = await asyncio.to_thread(json.loads, answer)
    return fields


def _line(message: object) -> bytes:
    return json.dumps(message).encode("ascii") + b"\n"
