"""The shared data set `formats`: 122 real files, each read or refused as its traits say."""

import json
from pathlib import Path

import pytest
from apart import Apart

from stores.documents.document import ParsedDocument
from stores.documents.ingest import settled
from stores.documents.walk import find_files

REFUSED = {
    "encrypted": "password-protected",
    "zero-bytes": "0 bytes",
    "empty": "holds",
    "legacy": "Save it as",
    "strict-ooxml": "Save it as",
}


def expected(entry):
    """Status and words of the reason of a file that gives no text; `("read", "")` for one that does."""
    for trait, refusal in REFUSED.items():
        if trait in entry["traits"]:
            return "failed", refusal
    pages = (entry["seen"] or {}).get("chars_per_page")
    if pages and not any(pages):
        return "failed", "no text layer"
    return ("skipped" if entry["file"].startswith(("image/", "zip/")) else "read"), ""


def assert_exact(document: ParsedDocument) -> None:
    """Blocks are in order, do not overlap, and hold everything but white space."""
    position = 0
    for block in document.blocks:
        assert position <= block.start < block.end
        assert not document.text[position : block.start].strip()
        position = block.end
    assert document.text.strip()
    assert not document.text[position:].strip()


def outcome(file, apart):
    known = settled(file, None, apart.rules)
    if known is not None:
        return known.status, known.reason
    document = apart.read(Path(file.path))
    if isinstance(document, str):
        return "failed", document
    assert_exact(document)
    return "read", ""


def test_i01_to_i05_every_real_file_gets_the_status_that_its_traits_say(data) -> None:
    folder = data / "formats"
    if not folder.is_dir():
        pytest.skip("the data set `formats` is not here")
    entries = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["files"]
    files = {file.path: file for file in find_files([folder])}
    wrong = []
    with Apart() as apart:
        for entry in entries:
            got, reason = outcome(files[str((folder / entry["file"]).resolve())], apart)
            want, words = expected(entry)
            if got != want or words not in reason:
                wrong.append((entry["file"], got, reason))
    assert not wrong
    assert len(entries) >= 122
