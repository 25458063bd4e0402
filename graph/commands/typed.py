"""What is typed: the lines of the standard input, waited for in a way that can be interrupted."""

import asyncio
import os
import sys

BLOCK = 65_536


class Typed:
    """Lines as they come, without their ends.

    A thread that waits in `readline` cannot be stopped, so that Ctrl-C would only work after another Enter. Where
    the event loop can wait for the input (a terminal, a pipe) it does; a file never makes anybody wait.
    """

    def __init__(self) -> None:
        self._buffer = b""
        self._ended = False

    async def line(self) -> str | None:
        """The next line, `None` at the end of the input.

        Raises:
            UnicodeDecodeError: the line is no UTF-8. The next call gives the line after it.
        """
        while b"\n" not in self._buffer and not self._ended:
            block = await _block()
            self._ended = not block
            self._buffer += block
        if not self._buffer:
            return None
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.rstrip(b"\r").decode()


async def _block() -> bytes:
    """The next bytes; none at the end."""
    try:
        descriptor = sys.stdin.fileno()
    except (OSError, ValueError):  # a stream that is no file, as in tests
        return sys.stdin.readline().encode()
    try:
        await _readable(descriptor)
    except (NotImplementedError, PermissionError):  # Windows; a regular file
        return await asyncio.to_thread(os.read, descriptor, BLOCK)
    return os.read(descriptor, BLOCK)


async def _readable(descriptor: int) -> None:
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(descriptor)
