"""The shared data set `formats`: 122 real files, each read or refused as its traits say."""

import json
from pathlib import Path

import pytest

from stores.documents.document import ParsedDocument
from stores.documents.ingest import settled
from stores.documents.reading import Reader
from stores.documents.walk import find_files
from stores.errors import (
    DocumentEmptyError,
    DocumentEncryptedError,
    DocumentError,
    DocumentUnsupportedError,
)

REFUSED = {
    "encrypted": (DocumentEncryptedError, "password-protected"),
    "zero-bytes": (DocumentEmptyError, "0 bytes"),
    "empty": (DocumentEmptyError, "holds"),
    "legacy": (DocumentUnsupportedError, "Save it as"),
    "strict-ooxml": (DocumentUnsupportedError, "Save it as"),
}


def expected(entry):
    """The error and words of its reason; "skipped"; or `None` for a file that gives text."""
    for trait, refusal in REFUSED.items():
        if trait in entry["traits"]:
            return refusal
    pages = (entry["seen"] or {}).get("chars_per_page")
    if pages and not any(pages):
        return DocumentEmptyError, "no text layer"
    return "skipped" if entry["file"].startswith(("image/", "zip/")) else None


def assert_exact(document: ParsedDocument) -> None:
    """Blocks are in order, do not overlap, and hold everything but white space."""
    position = 0
    for block in document.blocks:
        assert position <= block.start < block.end
        assert not document.text[position : block.start].strip()
        position = block.end
    assert document.text.strip()
    assert not document.text[position:].strip()


def outcome(file, reader):
    known = settled(file, None, reader.rules)
    if known is not None:
        return known.status, known.reason
    try:
        assert_exact(reader.read(Path(file.path)))
    except DocumentError as error:
        return type(error), str(error)
    return None, None


def test_i01_to_i05_every_real_file_gets_the_status_that_its_traits_say(data) -> None:
    folder = data / "formats"
    if not folder.is_dir():
        pytest.skip("the data set `formats` is not here")
    entries = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["files"]
    files = {file.path: file for file in find_files([folder])}
    reader, wrong = Reader(), []
    try:
        for entry in entries:
            got, reason = outcome(files[str((folder / entry["file"]).resolve())], reader)
            want = expected(entry)
            kind, words = want if isinstance(want, tuple) else (want, "")
            if got != kind or words not in (reason or ""):
                wrong.append((entry["file"], got, reason))
    finally:
        reader.close()
    assert not wrong
    assert len(entries) >= 122
