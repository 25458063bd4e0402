"""Which errors are written for the user: the roots of every layer, and what the system says about a place."""

import sqlite3

from sqlalchemy.exc import DBAPIError

from graph.errors import SettingsError
from graph.models.errors import ModelError
from nodes.errors import InputError
from stores.errors import StoreError
from tools.errors import ToolError

EXPECTED = (SettingsError, ModelError, InputError, StoreError, ToolError)


def is_expected(error: BaseException) -> bool:
    """Whether the message of this error says what happened and what to do."""
    return isinstance(error, EXPECTED)


def system_reason(error: BaseException) -> str | None:
    """What the operating system or a database says is wrong with a file or a connection; `None` if it is neither."""
    match error:
        case OSError(strerror=str(reason), filename=str(place)):
            return f"{place}: {reason}"
        case OSError():
            return error.strerror or str(error) or type(error).__name__
        case DBAPIError():
            return f"The database cannot be used ({error.orig})"
        case sqlite3.Error():
            return f"The database cannot be used ({error})"
        case _:
            return None
