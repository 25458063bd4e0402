"""A worker process: reads one path a line on stdin, answers on stdout with what a parser makes of the file.

An answer is eight bytes of length and a JSON object: {"parsed": ParsedDocument} or {"reason": "..."}.
"""

import json
import os
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO

from stores.documents.attempt import parsed_or_reason

LENGTH_BYTES = 8


def serve(seconds: int) -> None:
    """Answer until stdin ends. A file that takes longer than `seconds` ends the process, also if nobody waits."""
    answers = _private_stdout()
    for line in sys.stdin.buffer:
        if hasattr(signal, "alarm"):
            signal.alarm(seconds)
        answer = _answer(json.loads(line))
        answers.write(len(answer).to_bytes(LENGTH_BYTES, "big") + answer)
        answers.flush()
        if hasattr(signal, "alarm"):
            signal.alarm(0)


def _answer(path: str) -> bytes:
    read = parsed_or_reason(Path(path))
    fields = {"reason": read} if isinstance(read, str) else {"parsed": asdict(read)}
    return json.dumps(fields).encode("ascii")


def _private_stdout() -> BinaryIO:
    """What the answers go through; whatever a parser prints goes where warnings go."""
    private = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return private
