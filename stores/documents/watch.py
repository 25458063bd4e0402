"""Watch: says when files under some paths have changed and come to rest.

By looking again and again, not by the operating system's notices: those do not come from network drives and
containers, and their number is limited. Looking costs at most a tenth of the time.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from time import perf_counter

from stores.documents.walk import FileStamp, find_files
from stores.errors import StoreError

INTERVAL_S = 1.0
IDLE_SHARE = 9
"""Times as long as a look takes that nothing is done after it."""
LONGEST_UNREST = 10
"""Looks after which a change is told although files go on changing: a log file never rests."""

Sleep = Callable[[float], Awaitable[object]]
_Seen = dict[str, FileStamp | None]


async def changes(
    paths: Sequence[Path],
    *,
    leave_out: Path | None = None,
    interval_s: float = INTERVAL_S,
    sleep: Sleep = asyncio.sleep,
) -> AsyncIterator[None]:
    """Yields once at the beginning and then after every change that two looks in a row saw alike; never ends.

    While a path is missing or out of reach nothing is told: what was in it is not known to be gone.
    """
    told: _Seen | None = None
    before: _Seen | None = None
    unrest = 0
    while True:
        started = perf_counter()
        seen = await asyncio.to_thread(_look, paths, leave_out)
        spent = perf_counter() - started
        unrest = 0 if seen == told else unrest + 1
        if seen is not None and seen != told and (told is None or seen == before or unrest >= LONGEST_UNREST):
            told, unrest = seen, 0
            yield
        before = seen
        await sleep(max(interval_s, IDLE_SHARE * spent))


def _look(paths: Sequence[Path], leave_out: Path | None) -> _Seen | None:
    """The stamp of every file, or `None` if a path is out of reach."""
    try:
        return {file.path: file.stamp for file in find_files(paths, leave_out=leave_out, may_be_empty=True)}
    except (StoreError, OSError):
        return None
