"""Old and closed formats: refused, with the format to save the file in."""

from typing import NoReturn

from stores.documents.parsing.signatures import is_locked_package
from stores.documents.parsing.source import Source
from stores.errors import DocumentEncryptedError, DocumentUnsupportedError

_SAVE_AS = {
    ".doc": ("a Word document of the old binary format", ".docx"),
    ".ppt": ("a PowerPoint deck of the old binary format", ".pptx"),
    ".xls": ("an Excel workbook of the old binary format", ".xlsx or .csv"),
    ".rtf": ("a Rich Text document", ".docx"),
    ".msg": ("an Outlook message", ".eml"),
}


def parse_legacy(source: Source) -> NoReturn:
    """Says what to do instead.

    Raises:
        DocumentEncryptedError: a file of today's format, locked with a password, under an old suffix.
        DocumentUnsupportedError: everything else.
    """
    if is_locked_package(source.data):
        raise DocumentEncryptedError(
            f"{source.name} is password-protected. Save a copy without a password and give that."
        )
    what, instead = _SAVE_AS[source.suffix]
    raise DocumentUnsupportedError(f"{source.name} is {what}, which is not read. Save it as {instead} and give that.")
