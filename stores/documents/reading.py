"""Reading: files become parsed documents, in this process or, safer, in workers that may crash and hang."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from stores.documents.attempt import parsed_or_reason
from stores.documents.document import ParsedDocument

Parse = Callable[[Path], Awaitable[ParsedDocument | str]]
"""A file to what a parser makes of it, or to the reason why it cannot be read."""
Reading = Callable[[], AbstractAsyncContextManager[Parse]]
"""Makes what one ingest reads its files with."""


@asynccontextmanager
async def in_this_process() -> AsyncIterator[Parse]:
    """Read in a thread: nothing has to be started, and a parser that crashes takes the process with it."""

    async def read(path: Path) -> ParsedDocument | str:
        return await asyncio.to_thread(parsed_or_reason, path)

    yield read
