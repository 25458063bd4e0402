"""The process apart that reads files: asked over its input, it answers over its output, one JSON object a line.

JSON and not pickle: whatever a hostile file makes of this process, the one that asks only gets data.
"""

import json
import sys
from pathlib import Path
from typing import IO, Any

BOOT = (
    "import json, sys; start = json.loads(sys.stdin.buffer.readline()); sys.path[:] = start['path']; "
    "from stores.documents.reading_process import main; main(start['rules'])"
)
"""What `python -c` runs: the first line it is sent names where modules are found, and the rules."""


def send(pipe: IO[bytes] | None, message: object) -> None:
    """Write one message.

    Raises:
        OSError, ValueError: the other end is gone.
    """
    if pipe is None:
        raise BrokenPipeError
    pipe.write(json.dumps(message).encode() + b"\n")
    pipe.flush()


def receive(pipe: IO[bytes] | None) -> dict[str, Any] | None:
    """Read one message; `None` when the other end is gone.

    Raises:
        OSError, ValueError: what came is no message.
    """
    line = pipe.readline() if pipe is not None else b""
    message = json.loads(line) if line.endswith(b"\n") else None
    return message if isinstance(message, dict) else None


def main(rules: dict[str, Any]) -> None:
    """Answer until the input ends."""
    from stores.documents.reading_rules import ReadingRules  # noqa: PLC0415 - after the path is set

    answers, sys.stdout = sys.stdout.buffer, sys.stderr  # what a parser prints must not end up among the answers
    held = ReadingRules(**rules)
    _limit_memory(held.memory_bytes)
    while (question := receive(sys.stdin.buffer)) is not None:
        send(answers, _answer(Path(question["file"]), held))


def _answer(path: Path, rules: Any) -> dict[str, Any]:
    from stores.documents.parsing import parse  # noqa: PLC0415 - as above
    from stores.documents.wire import dump, error_json  # noqa: PLC0415
    from stores.errors import DocumentDamagedError, DocumentTooLargeError, StoreError  # noqa: PLC0415

    try:
        return {"document": dump(parse(path, rules))}
    except StoreError as error:
        return error_json(error)
    except MemoryError:
        limit = f"{rules.memory_bytes / 1e9:.0f} GB"
        return error_json(DocumentTooLargeError(f"{path.name} takes more than {limit} of memory. Split the file."))
    except Exception as error:
        # Parsers of other people meet files of other people here; each is one failed file.
        what = f"{type(error).__name__}: {error}".encode("utf-8", "replace").decode()
        return error_json(DocumentDamagedError(f"{path.name} cannot be parsed ({what}). Give an intact copy."))


def _limit_memory(limit: int) -> None:
    try:
        import resource  # noqa: PLC0415 - not on every system

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (limit if hard < 0 else min(limit, hard), hard))
    except (ImportError, ValueError, OSError):
        return
