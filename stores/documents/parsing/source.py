"""A file as the parsers get it: its path and bytes, and the limits that are checked before anything is read."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from stores.documents.archives import file_size, open_file
from stores.documents.document import ParsedDocument
from stores.documents.reading_rules import DEFAULT_RULES, ReadingRules
from stores.errors import DocumentEmptyError, DocumentError, DocumentTooLargeError


@dataclass(frozen=True, slots=True)
class Source:
    """One file in memory."""

    path: Path
    data: bytes
    rules: ReadingRules = DEFAULT_RULES

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


def read_source(path: Path, rules: ReadingRules = DEFAULT_RULES) -> Source:
    """The file's bytes; its size is judged before the first byte is read. The path may lead into an archive.

    Raises:
        DocumentTooLargeError: over the size limit.
        DocumentEmptyError: zero bytes.
        DocumentError: the file system refuses.
    """
    try:
        size = file_size(path)
        if size > rules.file_bytes:
            raise DocumentTooLargeError(
                f"{path.name} is {size / 1e6:.0f} MB; the limit is {rules.file_bytes / 1e6:.0f} MB. "
                "Split the file, or raise RECITE_MAX_FILE_MB."
            )
        with open_file(path) as file:
            data = file.read(size + 1)  # not more: the whole limit would be reserved for every file
    except OSError as error:
        raise DocumentError(
            f"{path.name} cannot be read ({error.strerror}). Check that the file exists and its permissions."
        ) from error
    if not data:
        raise DocumentEmptyError(f"{path.name} is empty (0 bytes). Give a file with content.")
    return Source(path, data, rules)
