"""What comes back from a call, bounded: a huge result keeps its head and tail, an error its first line."""

import json

from tools.errors import ToolError
from tools.redaction import redact

RESULT_LIMIT = 20_000
"""Bytes of UTF-8 that a result may take up in the conversation."""

_ERROR_LIMIT = 300
_MARKER_ROOM = 60


def bounded(text: str, limit: int = RESULT_LIMIT) -> str:
    """`text` if it takes at most `limit` bytes of UTF-8, else its head and tail around "n bytes dropped"."""
    raw = text.encode()
    if len(raw) <= limit:
        return text
    room = max(limit - _MARKER_ROOM, 0)
    head = raw[: room // 2].decode(errors="ignore")
    tail = raw[len(raw) - (room - room // 2) :].decode(errors="ignore")
    dropped = len(raw) - len(head.encode()) - len(tail.encode())
    return f"{head}\n[… {dropped} bytes dropped …]\n{tail}"


def as_text(result: object) -> str:
    """A tool's result as text that UTF-8 can carry; anything but a string is written as JSON."""
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, default=str)
    return text.encode(errors="replace").decode()


def as_error(error: BaseException) -> str:
    """What the model and the user may read of an error: no trace, no secret, bounded.

    Our own errors are written to be read and come whole; of any other, the class and the first line.
    """
    if isinstance(error, ToolError):
        return as_text(redact(str(error)))
    lines = str(error).strip().splitlines()
    line = redact(lines[0]) if lines else ""
    told = f"{type(error).__name__}: {line}" if line else type(error).__name__
    return as_text(told if len(told) <= _ERROR_LIMIT else f"{told[:_ERROR_LIMIT]}…")
