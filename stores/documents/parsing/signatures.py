"""What a file is, by its first bytes: a name can say anything."""

from stores.documents.parsing.source import Source
from stores.errors import DocumentDamagedError, DocumentEncryptedError

_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive (as are .docx, .pptx, .xlsx and .jar)"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document (.doc, .ppt, .xls)"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"RIFF", "a RIFF media file"),
    (b"BM", "a bitmap"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x7fELF", "a program (ELF)"),
    (b"MZ\x90", "a Windows program"),
    (b"\xca\xfe\xba\xbe", "a compiled Java class"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"{\\rtf", "a Rich Text document"),
)
_OLD_OFFICE = "an old Office document (.doc, .ppt, .xls)"
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_PDF_HEADER_WITHIN = 1024

_PACKAGE = _SIGNATURES[1][1]
_EXPECTED = {".pdf": "a PDF document", **dict.fromkeys((".docx", ".pptx", ".xlsx", ".xlsm"), _PACKAGE)}
_JUDGES_ITSELF = frozenset(
    {".doc", ".ppt", ".xls", ".msg", ".rtf", ".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff"}
)
"""Suffixes whose parser says what is wrong: old formats are refused in any case, pictures mix up their suffixes."""


def signature(data: bytes) -> str | None:
    """What the first bytes say the file is, in words; `None` for text and for anything unknown."""
    return next((words for mark, words in _SIGNATURES if data.startswith(mark)), None)


def check_signature(source: Source) -> None:
    """Compare what the file is with what its suffix says.

    Raises:
        DocumentEncryptedError: an Office file that is locked with a password.
        DocumentDamagedError: the content is of another kind than the name.
    """
    found, expected = signature(source.data), _EXPECTED.get(source.suffix)
    if found == expected or source.suffix in _JUDGES_ITSELF:
        return
    if expected and found == _OLD_OFFICE:
        _refuse_old_office(source)
    if source.suffix == ".pdf" and b"%PDF-" in source.data[:_PDF_HEADER_WITHIN]:
        return
    if found is not None:
        raise DocumentDamagedError(
            f"{source.name} is {found}, not what its suffix {source.suffix} says. Rename or convert it."
        )
    raise DocumentDamagedError(
        f"{source.name} does not begin like {expected} (first bytes {source.data[:8].hex(' ')}). "
        "It is damaged or wrongly named; give an intact copy."
    )


def is_locked_package(data: bytes) -> bool:
    """Whether this is an Office file of today's format, locked with a password."""
    return _ENCRYPTED_PACKAGE in data


def _refuse_old_office(source: Source) -> None:
    if is_locked_package(source.data):
        raise DocumentEncryptedError(
            f"{source.name} is password-protected. Save a copy without a password and give that."
        )
    raise DocumentDamagedError(
        f"{source.name} is {_OLD_OFFICE} under the suffix {source.suffix}. "
        "Open it in an Office program and save it in the new format."
    )
