"""A file as the parsers get it: its path and bytes, and the limits that are checked before anything is read."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from stores.documents.document import ParsedDocument
from stores.errors import DocumentEmptyError, DocumentError, DocumentTooLargeError

MAX_BYTES = 200_000_000
"""Size limit of one file."""

MAX_PAGES = 5_000
"""Page limit of one document."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file in memory."""

    path: Path
    data: bytes

    @property
    def name(self) -> str:
        """The file's name with its suffix, as messages show it."""
        return self.path.name

    @property
    def suffix(self) -> str:
        """The suffix in lower case, with its dot."""
        return self.path.suffix.lower()


Parser = Callable[[Source], ParsedDocument]
"""Makes a parsed document of a file.

Raises:
    DocumentError: one of its children, with a sentence for the user.
"""


def read_source(path: Path) -> Source:
    """The file's bytes; its size is judged before the first byte is read.

    Raises:
        DocumentTooLargeError: more than `MAX_BYTES`.
        DocumentEmptyError: zero bytes.
        DocumentError: the file system refuses.
    """
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise DocumentTooLargeError(
                f"{path.name} is {size / 1e6:.0f} MB; the limit is {MAX_BYTES // 1_000_000} MB. Split the file."
            )
        data = path.read_bytes()
    except OSError as error:
        raise DocumentError(
            f"{path.name} cannot be read ({error.strerror}). Check that the file exists and its permissions."
        ) from error
    if not data:
        raise DocumentEmptyError(f"{path.name} is empty (0 bytes). Give a file with content.")
    return Source(path, data)
