"""Wire: how documents, hits and errors become JSON and come back: the one place that server and client share."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

from stores.counting import counted
from stores.errors import (
    IndexDamagedError,
    IndexInUseError,
    IndexMismatchError,
    IndexUnreachableError,
    InputRefusedError,
    StoreError,
    UnknownDocumentError,
)

_T = TypeVar("_T")


class BadRequestError(InputRefusedError):
    """The request's body is not what its route takes."""


def dump(value: object) -> Any:
    """Dataclasses, and lists and dicts of them, as plain JSON values; tuples become lists."""
    return to_jsonable_python(value)


def load(kind: type[_T], value: object) -> _T:
    """The inverse of `dump`, for a dataclass or a list or dict of dataclasses.

    Raises:
        StoreError: the value is not one; the two ends are of different versions.
    """
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        raise StoreError(
            f"The other process answers in another form than expected ({counted(error.error_count(), 'difference')}). "
            "Start both from the same version of Recite."
        ) from error


def error_json(error: StoreError) -> dict[str, str]:
    """An error as it travels."""
    return {"error": type(error).__name__, "message": str(error)}


def error_from_json(fields: Mapping[str, Any]) -> StoreError:
    """The same error at the other end; a class that this end does not know becomes a plain `StoreError`."""
    message = str(fields.get("message") or "The document store failed without saying why.")
    known = {kind.__name__: kind for kind in _family(StoreError)}
    return known.get(str(fields.get("error")), StoreError)(message)


def status_of(error: StoreError) -> int:
    """The HTTP status of an error."""
    match error:
        case UnknownDocumentError():
            return 404
        case IndexMismatchError() | IndexInUseError():
            return 409
        case IndexDamagedError() | IndexUnreachableError():
            return 503
        case InputRefusedError():
            return 422
        case _:
            return 400


def _family(kind: type[StoreError]) -> list[type[StoreError]]:
    return [kind, *(one for child in kind.__subclasses__() for one in _family(child))]
