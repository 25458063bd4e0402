"""Exactly one process owns a data directory, and the others find it."""

import asyncio
import json
import os
import signal
import stat
import subprocess
import sys
import threading
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from stores.errors import IndexInUseError, StoreError
from stores.owner import Owner, Ownership, find_owner, own

HOLDER = """
import asyncio, sys
from pathlib import Path
from stores.owner import own

async def main():
    async with own(Path(sys.argv[1])) as ownership:
        if len(sys.argv) > 2:
            await ownership.announce(sys.argv[2])
        print("ready", flush=True)
        await asyncio.sleep(60)

asyncio.run(main())
"""


class Silent(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(404)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def url():
    server = HTTPServer(("127.0.0.1", 0), Silent)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def holder(home):
    """Starts another process that owns the directory; at the end it is killed."""
    started = []

    def start(*url):
        process = subprocess.Popen([sys.executable, "-c", HOLDER, str(home), *url], stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout.readline() == "ready\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


async def test_the_owner_announces_itself_privately_and_takes_it_back(home, url):
    async with own(home) as ownership:
        assert isinstance(ownership, Ownership)
        assert find_owner(home) is None
        owner = await ownership.announce(url)
        assert find_owner(home) == owner
        assert (owner.pid, owner.url, owner.token) == (os.getpid(), url, ownership.token)
        assert stat.S_IMODE((home / "owner.json").stat().st_mode) == 0o600
    assert find_owner(home) is None
    assert not (home / "owner.json").exists()


async def test_serving_is_announced_at_once_and_ends_with_the_ownership(home, url):
    served = []

    @asynccontextmanager
    async def serve(token):
        served.append(token)
        yield url
        served.append("ended")

    async with own(home, serve) as ownership:
        assert find_owner(home).token == ownership.token == served[0]
        assert served[1:] == []
    assert served[1:] == ["ended"]


async def test_two_owners_have_two_tokens(home):
    tokens = set()
    for _ in range(2):
        async with own(home) as ownership:
            tokens.add(ownership.token)
    assert len(tokens) == 2


async def test_i17_a_second_process_finds_the_first_one(home, url, holder):
    process = await asyncio.to_thread(holder, url)
    async with own(home) as other:
        assert isinstance(other, Owner)
        assert (other.pid, other.url) == (process.pid, url)
    assert find_owner(home) == other


async def test_i17_a_second_opening_in_one_process_is_told_too(home, url):
    async with own(home) as first:
        await first.announce(url)
        async with own(home) as second:
            assert isinstance(second, Owner)
        assert find_owner(home) is not None


async def test_i17_an_owner_that_says_no_address_is_one_clear_line_with_its_pid(home, holder):
    process = await asyncio.to_thread(holder)
    with pytest.raises(IndexInUseError, match=f"process {process.pid}") as caught:
        async with own(home, patience_s=0.3):
            pass
    assert "\n" not in str(caught.value)
    assert str(home) in str(caught.value)


async def test_i17_an_owner_whose_address_does_not_answer_is_one_clear_line(home, holder):
    process = await asyncio.to_thread(holder, "http://127.0.0.1:9")
    with pytest.raises(IndexInUseError, match=f"process {process.pid}"):
        async with own(home, patience_s=0.3):
            pass


async def test_an_owner_that_was_killed_leaves_the_directory_free(home, url, holder):
    process = await asyncio.to_thread(holder, url)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert json.loads((home / "owner.json").read_text())["pid"] == process.pid
    assert find_owner(home) is None
    async with own(home) as ownership:
        assert isinstance(ownership, Ownership)
        assert not (home / "owner.json").exists()


async def test_one_who_waits_takes_over_when_the_owner_ends(home, holder):
    process = await asyncio.to_thread(holder)

    async def end():
        await asyncio.sleep(0.3)
        process.kill()

    ending = asyncio.create_task(end())
    async with own(home, patience_s=30) as ownership:
        assert isinstance(ownership, Ownership)
    await ending


async def test_one_who_waits_finds_an_owner_that_announces_itself_late(home, url):
    async with own(home) as ownership:

        async def announce():
            await asyncio.sleep(0.3)
            await ownership.announce(url)

        announcing = asyncio.create_task(announce())
        async with own(home, patience_s=30) as other:
            assert isinstance(other, Owner)
        await announcing


async def test_an_error_inside_frees_the_directory(home):
    with pytest.raises(ZeroDivisionError):
        async with own(home):
            raise ZeroDivisionError
    async with own(home) as ownership:
        assert isinstance(ownership, Ownership)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"pid": "x"}'])
async def test_an_unreadable_address_is_no_address(home, content):
    async with own(home):
        (home / "owner.json").write_text(content)
        assert find_owner(home) is None


async def test_a_directory_that_cannot_be_made_is_one_clear_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="RECITE_HOME"):
        async with own(tmp_path / "file" / "home"):
            pass


def test_nobody_owns_what_is_not_there(home):
    assert find_owner(home) is None
    assert not home.exists()
