"""How the command line speaks: results on stdout, one clear line on stderr when a request fails."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import typer

T = TypeVar("T")

FAILED = 1
WRONG_USAGE = 2
PARTLY_DONE = 3
INTERRUPTED = 128 + 2
READER_GONE = 128 + 13
"""What a shell reports for a program that writes into a closed pipe."""
TERMINATED = 128 + 15
LONGEST_WORD = 240
"""Characters without a space that a line repeats in full: most paths are shorter."""


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a command's coroutine. What a user can cause or mend ends in one line and a status, never in a traceback."""
    try:
        result = asyncio.run(_stoppable(work))
        sys.stdout.flush()
    except KeyboardInterrupt:
        _end("Interrupted. What was finished before stays; nothing half done is kept.", INTERRUPTED)
    except asyncio.CancelledError:
        _end("Terminated. What was finished before stays; nothing half done is kept.", TERMINATED)
    except BrokenPipeError:
        _forget_output()
        raise typer.Exit(READER_GONE) from None
    except (typer.Exit, typer.Abort):
        raise
    except Exception as error:
        _end(explain(error), WRONG_USAGE if _is_wrong_usage(error) else FAILED)
    return result


async def _stoppable(work: Coroutine[Any, Any, T]) -> T:
    """The work; SIGTERM cancels it, so that everything open is closed as after Ctrl-C."""
    task = asyncio.current_task()
    if task is not None:
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await work


def _end(line: str, status: int) -> NoReturn:
    complain(line)
    raise typer.Exit(status) from None


def _forget_output() -> None:
    """Whoever read the output has gone: what is still buffered goes nowhere, so that the exit does not fail on it."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _is_wrong_usage(error: BaseException) -> bool:
    from stores.errors import InputRefusedError  # noqa: PLC0415 - keeps `recite --help` fast

    return isinstance(error, InputRefusedError)


def explain(error: BaseException) -> str:
    """One line about an error: its own words if it was written for the user, else its kind and first line."""
    from graph.failures import is_expected, system_reason  # noqa: PLC0415 - keeps `recite --help` fast

    first = str(error).strip().splitlines()[0] if str(error).strip() else ""
    if is_expected(error):
        return " ".join(str(error).split())
    if (reason := system_reason(error)) is not None:
        return f"{reason}. Check the place, its permissions and the free space."
    return f"Unexpected {type(error).__name__}: {first}. Run `recite doctor`; if it finds nothing, please report this."


def complain(line: str) -> None:
    """One line on stderr, if anybody can still read it: what it repeats from the input is shortened and harmless."""
    with contextlib.suppress(OSError):
        sys.stderr.write(f"recite: {_readable(line)}\n")
        sys.stderr.flush()


def _readable(line: str) -> str:
    """Without what a terminal would obey, and with endless words cut in the middle."""
    seen = "".join(one if one.isprintable() else repr(one)[1:-1] for one in line)
    return " ".join(
        word if len(word) <= LONGEST_WORD else f"{word[: LONGEST_WORD // 2]}…{word[-LONGEST_WORD // 4 :]}"
        for word in seen.split(" ")
    )


def print_json(value: Any) -> None:
    """One JSON document on stdout, characters as they are."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n")


def open_streams() -> None:
    """Write UTF-8 whatever the terminal's locale says: answers hold Chinese. A closed stream becomes an empty one.

    Were it left closed, the next file opened would take its number, and stray output would land in that file.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - open to the end
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="replace")
