"""ParsePool: files read by worker processes, so that one that crashes or hangs is that file's failure only."""

import asyncio
import contextlib
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from stores.documents.document import ParsedDocument
from stores.documents.parse_worker import LENGTH_BYTES
from stores.documents.reading import Parse
from stores.documents.wire import load
from stores.errors import StoreError

PARSE_SECONDS = 300.0
"""How long one file may take."""
GRACE_S = 10
"""So much later a worker ends itself, in case nobody is left to end it."""
BOOT = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from stores.documents.parse_worker import serve
serve(int(sys.argv[2]))
"""
"""Not `multiprocessing`: that runs the main module again, which a script without a guard does not survive."""


@asynccontextmanager
async def in_workers(count: int, *, seconds: float = PARSE_SECONDS) -> AsyncIterator[Parse]:
    """Read with at most `count` processes, each started when it is first needed; they end with the block.

    Raises (when a file is read):
        StoreError: no process can be started.
    """
    pool = ParsePool(count, seconds=seconds)
    try:
        yield pool.parse
    finally:
        await pool.close()


class ParsePool:
    """Up to `count` workers, each reading one file at a time."""

    def __init__(self, count: int, *, seconds: float) -> None:
        self._seconds = seconds
        self._room = asyncio.Semaphore(count)
        self._idle: list[Process] = []
        self._all: set[Process] = set()

    async def parse(self, path: Path) -> ParsedDocument | str:
        """The file parsed, or why it cannot be."""
        async with self._room:
            worker = self._idle.pop() if self._idle else await self._start()
            try:
                answer = await asyncio.wait_for(_asked(worker, path), self._seconds)
            except TimeoutError:
                await self._end(worker)
                return f"The file cannot be read within {self._seconds:g} seconds."
            except (OSError, EOFError):
                return f"The file cannot be parsed: the parser crashed ({await self._end(worker)})."
            except BaseException:
                await self._end(worker)
                raise
            self._idle.append(worker)
        reason = answer.get("reason")
        return reason if isinstance(reason, str) else await asyncio.to_thread(load, ParsedDocument, answer["parsed"])

    async def close(self) -> None:
        """End all workers."""
        for worker in list(self._all):
            await self._end(worker)

    async def _start(self) -> Process:
        arguments = ("-c", BOOT, json.dumps(sys.path), str(int(self._seconds) + GRACE_S))
        try:
            worker = await asyncio.create_subprocess_exec(
                sys.executable,
                *arguments,
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
        return worker

    async def _end(self, worker: Process) -> str:
        """Kill the worker; how it ended, or was ended."""
        self._all.discard(worker)
        with contextlib.suppress(ProcessLookupError):
            worker.kill()
        status = await worker.wait()
        if worker.stdin is not None:
            worker.stdin.close()
        return f"signal {-status}" if status < 0 else f"exit status {status}"


async def _asked(worker: Process, path: Path) -> dict[str, Any]:
    """One question to a worker.

    Raises:
        OSError, EOFError: it has ended.
    """
    if worker.stdin is None or worker.stdout is None:
        raise AssertionError("a worker has pipes")
    worker.stdin.write(json.dumps(str(path)).encode("ascii") + b"\n")
    await worker.stdin.drain()
    length = int.from_bytes(await worker.stdout.readexactly(LENGTH_BYTES), "big")
    answer = await worker.stdout.readexactly(length)
    fields: dict[str, Any] = await asyncio.to_thread(json.loads, answer)
    return fields
