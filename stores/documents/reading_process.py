"""The process apart that reads files: one JSON object a line on stdin, answers on stdout.

An answer is eight bytes of length and a JSON object: {"parsed": ParsedDocument} or {"reason": "..."}. JSON and not
pickle: whatever a hostile file makes of this process, the one that asks only gets data.
"""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any, BinaryIO

BOOT = """
import json, sys
start = json.loads(sys.stdin.buffer.readline())
sys.path[:] = start["path"]
from stores.documents.reading_process import serve
serve(start["rules"])
"""
"""What `python -c` runs; the first line it is sent names where modules are found, and the rules. Not
`multiprocessing`: that runs the main module again, which a script without a guard does not survive."""

LENGTH_BYTES = 8
GRACE_S = 10
"""So much after its time is up the process ends itself, in case nobody is left to end it."""


def serve(rules: dict[str, Any]) -> None:
    """Answer until stdin ends."""
    from stores.documents.reading_rules import ReadingRules  # noqa: PLC0415 - after the path is set

    answers, held = _private_stdout(), ReadingRules(**rules)
    _limit_memory(held.memory_bytes)
    for line in sys.stdin.buffer:
        _end_in(int(held.seconds) + GRACE_S)
        answer = json.dumps(_answer(Path(json.loads(line)["file"]), held)).encode("ascii")
        answers.write(len(answer).to_bytes(LENGTH_BYTES, "big") + answer)
        answers.flush()
        _end_in(0)


def _answer(path: Path, rules: Any) -> dict[str, Any]:
    from stores.documents.attempt import parsed_or_reason  # noqa: PLC0415 - as above
    from stores.documents.wire import dump  # noqa: PLC0415

    read = parsed_or_reason(path, rules)
    return {"reason": read} if isinstance(read, str) else {"parsed": dump(read)}


def _private_stdout() -> BinaryIO:
    """What the answers go through; whatever a parser prints goes where warnings go."""
    private = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return private


def _end_in(seconds: int) -> None:
    """End this process after so many seconds; 0: not any more."""
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)


def _limit_memory(limit: int) -> None:
    try:
        import resource  # noqa: PLC0415 - not on every system

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (limit if hard < 0 else min(limit, hard), hard))
    except (ImportError, ValueError, OSError):
        return
