"""Owner: exactly one process has a data directory open; others learn its address and ask it.

The lock is the operating system's, on `owner.lock`: it ends with its process, however that ends. `owner.pid` names
the holder, `owner.json` says where it listens (readable by this user alone); without the lock they mean nothing.
"""

import asyncio
import json
import os
import secrets
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx
from filelock import FileLock, Timeout
from pydantic import TypeAdapter, ValidationError

from stores.errors import IndexInUseError, StoreError

LOCK, PID, ADDRESS = "owner.lock", "owner.pid", "owner.json"
PATIENCE_S = 5.0
"""How long an owner may take between locking the directory and answering."""
POLL_S = 0.1
ANSWER_S = 2.0

Serve = Callable[[str], AbstractAsyncContextManager[str]]
"""Given the token to demand, serves while entered and says under which loopback URL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The process that has a data directory open, and how to ask it."""

    pid: int
    url: str
    token: str
    started: str
    """ISO 8601, UTC."""


class Ownership:
    """This process owns the data directory."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.token = secrets.token_urlsafe(32)
        """What a request to this owner has to carry."""

    async def announce(self, url: str) -> Owner:
        """Tell other processes of this user under which URL this one answers."""
        owner = Owner(
            pid=os.getpid(),
            url=url,
            token=self.token,
            started=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        await asyncio.to_thread(_write_private, self.home / ADDRESS, json.dumps(asdict(owner)))
        return owner


@asynccontextmanager
async def own(
    home: Path, serve: Serve | None = None, *, patience_s: float = PATIENCE_S
) -> AsyncIterator[Ownership | Owner]:
    """Own the data directory for the length of the block, or learn who does.

    Yields `Ownership` if this process has it now: with `serve` its address is announced at once, else by
    `Ownership.announce` when it is known. Yields the `Owner` if another process has it and answers.

    Raises:
        IndexInUseError: another process has it and does not answer within `patience_s` seconds.
        StoreError: the directory cannot be written to.
    """
    lock = FileLock(home / LOCK, timeout=0, thread_local=False)
    owner = await _lock_or_owner(home, lock, patience_s)
    if owner is not None:
        yield owner
        return
    try:
        ownership = Ownership(home)
        async with AsyncExitStack() as stack:
            if serve is not None:
                await ownership.announce(await stack.enter_async_context(serve(ownership.token)))
            yield ownership
    finally:
        await asyncio.to_thread(_give_up, home, lock)


def _give_up(home: Path, lock: FileLock) -> None:
    for name in (ADDRESS, PID):
        (home / name).unlink(missing_ok=True)
    lock.release()


def find_owner(home: Path) -> Owner | None:
    """The process that owns the directory now, if it has said where it answers."""
    lock = FileLock(home / LOCK, timeout=0, thread_local=False)
    if not (home / LOCK).exists():
        return None
    try:
        with lock:
            return None
    except Timeout:
        return _read(home)


async def answers(owner: Owner) -> bool:
    """Somebody speaks HTTP at the owner's address."""
    try:
        async with httpx.AsyncClient(trust_env=False, timeout=ANSWER_S) as client:
            await client.get(owner.url)
    except httpx.HTTPError:
        return False
    return True


async def _lock_or_owner(home: Path, lock: FileLock, patience_s: float) -> Owner | None:
    """Take the lock (`None`), or find its holder answering; the holder may end, or begin, while we wait."""
    deadline = asyncio.get_running_loop().time() + patience_s
    while True:
        if await asyncio.to_thread(_locked, home, lock):
            return None
        owner = await asyncio.to_thread(_read, home)
        if owner is not None and await answers(owner):
            return owner
        if asyncio.get_running_loop().time() >= deadline:
            pid = await asyncio.to_thread(_holder, home)
            raise IndexInUseError(
                f"The data directory {home} is in use by process {pid}, which does not answer. "
                "End it, or set RECITE_HOME to another folder."
            )
        await asyncio.sleep(POLL_S)


def _locked(home: Path, lock: FileLock) -> bool:
    """Take the lock if it is free, and clear away what an owner that died has left."""
    try:
        home.mkdir(parents=True, exist_ok=True)
        lock.acquire()
        (home / ADDRESS).unlink(missing_ok=True)
        _write_private(home / PID, str(os.getpid()))
    except Timeout:
        return False
    except OSError as error:
        raise StoreError(
            f"The data directory {home} cannot be written to ({error.strerror}). Set RECITE_HOME to another folder."
        ) from error
    return True


def _read(home: Path) -> Owner | None:
    try:
        return TypeAdapter(Owner).validate_json((home / ADDRESS).read_bytes())
    except (OSError, ValidationError):
        return None


def _holder(home: Path) -> str:
    try:
        return (home / PID).read_text(encoding="utf-8").strip() or "(unknown)"
    except OSError:
        return "(unknown)"


def _write_private(path: Path, content: str) -> None:
    """Write the file at once, readable by this user alone (which is how `mkstemp` makes its files)."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(content)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
