"""How the command line speaks: results on stdout, one clear line on stderr when a request fails."""

import asyncio
import json
import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

import typer

T = TypeVar("T")

FAILED = 1
PARTLY_DONE = 3
INTERRUPTED = 130


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a command's coroutine. What a user can cause or mend ends in one line and status 1, never in a traceback."""
    try:
        return asyncio.run(work)
    except KeyboardInterrupt:
        complain("Interrupted. Nothing half done is kept.")
        raise typer.Exit(INTERRUPTED) from None
    except (typer.Exit, typer.Abort):
        raise
    except Exception as error:
        complain(explain(error))
        raise typer.Exit(FAILED) from None


def explain(error: BaseException) -> str:
    """One line about an error: its own words if it was written for the user, else its kind and first line."""
    from graph.failures import is_expected  # noqa: PLC0415 - keeps `recite --help` fast

    first = str(error).strip().splitlines()[0] if str(error).strip() else ""
    if is_expected(error):
        return " ".join(str(error).split())
    return f"Unexpected {type(error).__name__}: {first}. Run `recite doctor`; if it finds nothing, please report this."


def complain(line: str) -> None:
    """One line on stderr."""
    sys.stderr.write(f"recite: {line}\n")


def print_json(value: Any) -> None:
    """One JSON document on stdout, characters as they are."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n")


def use_utf8() -> None:
    """Write UTF-8 whatever the terminal's locale says: answers hold Chinese."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="replace")
