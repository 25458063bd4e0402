"""Files read by worker processes: what they answer, and what becomes of a file that ends or holds up its worker."""

import asyncio
from functools import partial
from pathlib import Path

import pytest

from stores.documents import parse_pool
from stores.documents.attempt import parsed_or_reason
from stores.documents.parse_pool import in_workers

# A worker whose parser crashes at, or hangs on, files of these names.
TREACHEROUS = parse_pool.BOOT.replace(
    "serve(",
    """
import os, time
import stores.documents.parse_worker as worker
real = worker.parsed_or_reason
def treacherous(path):
    if "crash" in path.name:
        print("noise", flush=True)
        os.kill(os.getpid(), 11)
    if "hang" in path.name:
        time.sleep(60)
    print("noise on stdout")
    return real(path)
worker.parsed_or_reason = treacherous
serve(""",
    1,
)


@pytest.fixture
def _treacherous(monkeypatch):
    monkeypatch.setattr(parse_pool, "BOOT", TREACHEROUS)


async def test_workers_read_what_this_process_reads(library, tmp_path):
    (tmp_path / "空.md").write_text(" ")
    (tmp_path / "odd.bin").write_text("x")
    files = [*library.rglob("*.*"), tmp_path / "空.md", tmp_path / "odd.bin", tmp_path / "nowhere.md"]
    async with in_workers(2) as parse:
        answers = await asyncio.gather(*(parse(file) for file in files))
    assert answers == [parsed_or_reason(file) for file in files]


@pytest.mark.usefixtures("_treacherous")
async def test_i04_a_file_that_crashes_or_hangs_its_parser_is_that_files_failure_only(open_store, library, embedder):
    for name in ("crash.md", "hang.md"):
        (library / name).write_text("# T\n\nText.\n")
    async with open_store(embedder, reading=partial(in_workers, 2, seconds=8.0)) as documents:
        results = {
            Path(result.path).name: result
            async for result, _, _ in documents.ingest([library], owner="local", collection="default")
        }
        assert {name: result.status for name, result in results.items()} == {
            "travel.md": "added", "过滤器.md": "added", "dao.py": "added", "crash.md": "failed", "hang.md": "failed"
        }  # fmt: skip
        assert "crashed (signal 11)" in results["crash.md"].reason
        assert "within 8 seconds" in results["hang.md"].reason


async def test_no_worker_outlives_its_ingest(library):
    async with in_workers(2) as parse:
        pool = parse.__self__
        await asyncio.gather(*(parse(file) for file in library.rglob("*.*")))
        workers = set(pool._all)
        waiting = asyncio.create_task(parse(next(library.rglob("*.md"))))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
    assert 1 <= len(workers) <= 2
    assert all(worker.returncode is not None for worker in workers)
    assert pool._all == set()
