"""CommandLine: what surrounds every command. Its arguments are text; wrong usage ends in one line and status 2."""

import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from typer.core import TyperGroup
from typer.exceptions import Abort, TyperException

from graph.console import FAILED, WRONG_USAGE, complain, open_streams
from stores.errors import InputRefusedError
from stores.names import is_text

NAME = "recite"


class CommandLine(TyperGroup):
    """The root of all commands."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> NoReturn:
        """Run the command that the arguments name, and exit with its status."""
        del prog_name, standalone_mode
        open_streams()
        given = list(sys.argv[1:] if args is None else args)
        sys.exit(self._status(given, complete_var, windows_expand_args, extra))

    def _status(self, given: list[str], complete_var: str | None, expand: bool, extra: dict[str, Any]) -> int:
        try:
            _check(given)
            return int(
                super().main(
                    given,
                    prog_name=NAME,
                    complete_var=complete_var,
                    standalone_mode=False,
                    windows_expand_args=expand,
                    **extra,
                )
                or 0
            )
        except InputRefusedError as error:
            complain(str(error))
            return WRONG_USAGE
        except TyperException as error:
            if told := " ".join(error.format_message().split()):  # nothing if the help was shown instead
                complain(f"{told.rstrip('.')}. `{_path(error)} --help` shows the usage.")
            return error.exit_code
        except Abort:
            complain("Stopped. Nothing was changed.")
            return FAILED


def _check(given: Sequence[str]) -> None:
    """Arguments that are no UTF-8 arrive as lone surrogates, which nothing can store, send or print.

    Raises:
        InputRefusedError: naming the argument as it was given.
    """
    for argument in given:
        if not is_text(argument):
            shown = os.fsencode(argument).decode("utf-8", "backslashreplace")
            raise InputRefusedError(
                f"The argument '{shown}' is not valid UTF-8. Write it in UTF-8; rename a file whose name is not."
            )


def _path(error: TyperException) -> str:
    context = getattr(error, "ctx", None)
    return context.command_path if context is not None else NAME
