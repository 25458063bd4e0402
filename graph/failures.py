"""Which errors are written for the user: the roots of every layer."""

from graph.errors import SettingsError
from graph.models.errors import ModelError
from nodes.errors import InputError
from stores.errors import StoreError
from tools.errors import ToolError

EXPECTED = (SettingsError, ModelError, InputError, StoreError, ToolError)


def is_expected(error: BaseException) -> bool:
    """Whether the message of this error says what happened and what to do."""
    return isinstance(error, EXPECTED)
