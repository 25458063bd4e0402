"""Rights: whose documents a reader sees, and why forbidden and unknown look the same."""

from collections.abc import Sequence
from typing import TypeVar

from stores.documents.document import DEFAULT_USER
from stores.errors import UnknownDocumentError

_Found = TypeVar("_Found")


def readable(reader: str) -> list[str]:
    """The owners whose documents a reader sees: themselves and the shared library."""
    return [reader] if reader == DEFAULT_USER else [reader, DEFAULT_USER]


def only(document_id: str, found: Sequence[_Found]) -> _Found:
    """The one document that was found under an id or its beginning, among those that the asker may see.

    Raises:
        UnknownDocumentError: none, or more than one. Documents of others are not among `found`, so the message
            cannot tell whether there are any.
    """
    if len(found) == 1:
        return found[0]
    if found:
        raise UnknownDocumentError(
            f"{len(found)} documents have an id that begins with {document_id!r}. Write more of it."
        )
    raise UnknownDocumentError(f"There is no document {document_id!r}. `recite documents list` shows yours.")
