"""Reader: a parser that hangs, crashes or eats memory is one failed file, and the next file is read."""

import zipfile
from pathlib import Path

import docx
import pytest

from stores.documents import reading, reading_process
from stores.documents.reading import Reader
from stores.documents.reading_rules import ReadingRules
from stores.errors import DocumentDamagedError, DocumentEmptyError, DocumentTooLargeError

PLAYING_UP = """
import stores.documents.parsing as parsing
from stores.documents import reading_process
import os, time
real = parsing.parse
def parse(path, rules):
    if path.stem == "hangs": time.sleep(600)
    if path.stem == "crashes": os.abort()
    if path.stem == "eats": bytearray(10 ** 12)
    if path.stem == "fails": raise KeyError("no such part")
    if path.stem == "prints": print("noise on the way")
    return real(path, rules)
parsing.parse = parse
"""


@pytest.fixture
def reader(monkeypatch):
    boot = reading_process.BOOT.replace(
        "from stores.documents.reading_process", f"exec({PLAYING_UP!r}); from stores.documents.reading_process"
    )
    monkeypatch.setattr(reading, "BOOT", boot)
    made = Reader(ReadingRules(seconds=8, memory_bytes=2_000_000_000))
    yield made
    made.close()


def word(folder: Path, name: str) -> Path:
    made = docx.Document()
    made.add_paragraph(f"text of {name}")
    made.save(str(folder / name))
    return folder / name


def test_a_parser_that_crashes_eats_or_fails_is_one_failed_file(reader, tmp_path) -> None:
    for name, error, words in (
        ("crashes.docx", DocumentDamagedError, "made its parser crash"),
        ("eats.docx", DocumentTooLargeError, "memory"),
        ("fails.docx", DocumentDamagedError, "KeyError"),
    ):
        with pytest.raises(error, match=words):
            reader.read(word(tmp_path, name))
        assert reader.read(word(tmp_path, "good.docx")).text == "text of good.docx"
    assert reader.read(word(tmp_path, "prints.docx")).text == "text of prints.docx"


def test_i04_a_parser_that_hangs_is_ended_when_its_time_is_up(reader, tmp_path) -> None:
    assert reader.read(word(tmp_path, "good.docx")).text == "text of good.docx"
    reader.rules = ReadingRules(seconds=0.5)
    with pytest.raises(DocumentTooLargeError, match="RECITE_PARSE_SECONDS"):
        reader.read(word(tmp_path, "hangs.docx"))


def test_an_ingest_that_ends_does_not_end_the_reading_of_another(reader, tmp_path) -> None:
    reader.read(word(tmp_path, "good.docx"))
    process = reader._process
    with reader._lock:
        reader.rest()
        assert reader._process is process and process.poll() is None
    reader.rest()
    assert reader._process is None and process.poll() is not None
    assert reader.read(word(tmp_path, "good.docx")).text == "text of good.docx"


def test_small_text_files_need_no_process_and_big_ones_get_one(reader, tmp_path, monkeypatch) -> None:
    path = tmp_path / "a.md"
    path.write_text("# A\n\nwords\n")
    assert reader.read(path).title == "A"
    assert reader._process is None
    monkeypatch.setattr(reading, "APART_FROM", 5)
    assert reader.read(path).title == "A"
    assert reader._process is not None


def test_the_same_errors_come_from_the_process_apart(reader, tmp_path) -> None:
    docx.Document().save(str(tmp_path / "empty.docx"))
    with pytest.raises(DocumentEmptyError, match=r"empty\.docx holds no text"):
        reader.read(tmp_path / "empty.docx")


ENTITIES = '<!DOCTYPE x [<!ENTITY a "ha">' + "".join(
    f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(12)
)
BOMB = f'<?xml version="1.0"?>{ENTITIES}]><x>&m;</x>'
EXTERNAL = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]><x>&e;</x>'
PACKAGE = "application/vnd.openxmlformats-package.relationships+xml"
OFFICE = "application/vnd.openxmlformats-officedocument"
MAIN_PARTS = {
    ".docx": ("word/document.xml", f"{OFFICE}.wordprocessingml.document.main+xml"),
    ".pptx": ("ppt/presentation.xml", f"{OFFICE}.presentationml.presentation.main+xml"),
    ".xlsx": ("xl/workbook.xml", f"{OFFICE}.spreadsheetml.sheet.main+xml"),
}


def office_file(path: Path, xml: str) -> Path:
    """A package whose main part is this XML."""
    main, kind = MAIN_PARTS[path.suffix]
    space = "http://schemas.openxmlformats.org/package/2006"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{space}/content-types"><Default Extension="rels" ContentType="{PACKAGE}"/>'
            f'<Override PartName="/{main}" ContentType="{kind}"/></Types>',
        )
        relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{space}/relationships">'
            f'<Relationship Id="r1" Type="{relation}" Target="{main}"/></Relationships>',
        )
        archive.writestr(main, xml)
    return path


@pytest.mark.parametrize("xml", [BOMB, EXTERNAL], ids=["bomb", "external"])
@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.xlsx", "a.xml", "a.html"])
def test_xml_entities_are_neither_blown_up_nor_fetched(tmp_path: Path, name: str, xml: str) -> None:
    path = tmp_path / name
    if path.suffix in MAIN_PARTS:
        office_file(path, xml)
    else:
        path.write_text(xml)
    host = Path("/etc/hostname").read_text().strip() if Path("/etc/hostname").exists() else ""
    reader = Reader(ReadingRules(seconds=20, memory_bytes=1_500_000_000))
    try:
        text = reader.read(path).text
    except (DocumentDamagedError, DocumentEmptyError):
        text = ""
    finally:
        reader.close()
    assert len(text) <= len(xml)
    assert not host or host not in text
