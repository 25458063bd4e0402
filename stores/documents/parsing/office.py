"""What Word, PowerPoint and Excel files share: opening the package safely."""

from collections.abc import Callable
from io import BytesIO
from typing import TypeVar
from zipfile import ZipFile

from stores.documents.archives import BROKEN
from stores.documents.parsing.source import Source
from stores.errors import DocumentDamagedError, DocumentTooLargeError, DocumentUnsupportedError

Opened = TypeVar("Opened")

_STRICT = b"http://purl.oclc.org/ooxml/officeDocument"


def open_package(source: Source, main_part: str, kind: str, opener: Callable[[BytesIO], Opened]) -> Opened:
    """The opened file. `main_part` is the part that makes it this kind of document, `kind` its name for messages.

    Raises:
        DocumentDamagedError: truncated, or another kind of archive.
        DocumentTooLargeError: it unpacks to more than an archive may.
        DocumentUnsupportedError: it is written in the strict variant of the format.
    """
    try:
        with ZipFile(BytesIO(source.data)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
            names = set(archive.namelist())
            strict = "_rels/.rels" in names and _STRICT in archive.read("_rels/.rels")
    except (*BROKEN, OSError) as error:
        raise DocumentDamagedError(f"{source.name} is a broken archive ({error}). Give an intact copy.") from error
    if unpacked > source.rules.archive_bytes:
        raise DocumentTooLargeError(f"{source.name} unpacks to {unpacked / 1e6:.0f} MB. Split the file.")
    if main_part not in names:
        raise DocumentDamagedError(f"{source.name} is an archive, but no {kind} file. Rename or convert it.")
    if strict:
        raise DocumentUnsupportedError(
            f"{source.name} is written as Strict Open XML. Save it as an ordinary {kind} file."
        )
    try:
        return opener(BytesIO(source.data))
    except (*BROKEN, KeyError, TypeError, SyntaxError, OSError, AttributeError) as error:
        raise DocumentDamagedError(f"{source.name} cannot be read as a {kind} file ({error}).") from error
