"""Reading: a parser that hangs, crashes or eats memory is one failed file, and the next file is read."""

import asyncio
import zipfile
from pathlib import Path

import docx
import pytest
from apart import Apart

from stores.documents import reading as module
from stores.documents.attempt import parsed_or_reason
from stores.documents.reading import reading
from stores.documents.reading_rules import DEFAULT_RULES, ReadingRules

PLAYING_UP = """
import os, time
import stores.documents.attempt as attempt
real = attempt.parse
def parse(path, rules):
    print("noise on the way", flush=True)
    if path.stem == "hangs": time.sleep(600)
    if path.stem == "crashes": os.kill(os.getpid(), 11)
    if path.stem == "eats": bytearray(10 ** 12)
    if path.stem == "fails": raise KeyError("no such part")
    return real(path, rules)
attempt.parse = parse
"""


@pytest.fixture
def _playing_up(monkeypatch):
    boot = module.BOOT.replace("serve(start", f"exec({PLAYING_UP!r})\nserve(start")
    assert boot != module.BOOT
    monkeypatch.setattr(module, "BOOT", boot)


def word(folder: Path, name: str) -> Path:
    made = docx.Document()
    made.add_paragraph(f"text of {name}")
    made.save(str(folder / name))
    return folder / name


@pytest.mark.usefixtures("_playing_up")
def test_i04_a_parser_that_crashes_hangs_eats_or_fails_is_one_failed_file(tmp_path) -> None:
    with Apart(ReadingRules(seconds=8, memory_bytes=2_000_000_000)) as apart:
        for name, words in (
            ("crashes.docx", "made its parser crash (signal 11)"),
            ("eats.docx", "of memory. Split the file."),
            ("fails.docx", "KeyError"),
            ("hangs.docx", "within 8 seconds. Split the file, or raise RECITE_PARSE_SECONDS"),
        ):
            assert words in apart.read(word(tmp_path, name))
            assert apart.read(word(tmp_path, "good.docx")).text == "text of good.docx"


@pytest.mark.usefixtures("_playing_up")
async def test_i04_in_an_ingest_too(open_store, library, embedder):
    word(library, "crashes.docx")
    word(library, "hangs.docx")
    async with open_store(embedder, rules=ReadingRules(seconds=8)) as documents:
        results = {
            Path(result.path).name: result
            async for result, _, _ in documents.ingest([library], owner="local", collection="default")
        }
    assert {name: result.status for name, result in results.items()} == {
        "travel.md": "added", "过滤器.md": "added", "dao.py": "added", "crashes.docx": "failed", "hangs.docx": "failed"
    }  # fmt: skip


async def test_a_process_apart_reads_what_this_process_reads(library, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "APART_FROM", -1)
    (tmp_path / "空.md").write_text(" ")
    (tmp_path / "odd.bin").write_text("x")
    docx.Document().save(str(tmp_path / "empty.docx"))
    files = [*library.rglob("*.*"), *(tmp_path / name for name in ("空.md", "odd.bin", "empty.docx"))]
    async with reading(DEFAULT_RULES) as parse:
        answers = await asyncio.gather(*(parse(file) for file in files))
    assert answers == [parsed_or_reason(file, DEFAULT_RULES) for file in files]


async def test_no_process_outlives_its_ingest(library, monkeypatch):
    monkeypatch.setattr(module, "APART_FROM", -1)
    async with reading(DEFAULT_RULES) as parse:
        pool = parse.__self__
        await asyncio.gather(*(parse(file) for file in library.rglob("*.*")))
        workers = set(pool._all)
        waiting = asyncio.create_task(parse(next(library.rglob("*.md"))))
        await asyncio.sleep(0.01)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
    assert 1 <= len(workers) <= 2
    assert all(worker.returncode is not None for worker in workers)
    assert pool._all == set()


def test_small_text_files_need_no_process_and_big_ones_get_one(tmp_path, monkeypatch) -> None:
    path = tmp_path / "a.md"
    path.write_text("# A\n\nwords\n")
    with Apart() as apart:
        assert apart.read(path).title == "A"
        assert not apart.pool._all
        monkeypatch.setattr(module, "APART_FROM", 5)
        assert apart.read(path).title == "A"
        assert apart.pool._all


def test_without_workers_everything_is_read_in_this_process(tmp_path) -> None:
    with Apart(ReadingRules(workers=0)) as apart:
        assert apart.read(word(tmp_path, "good.docx")).text == "text of good.docx"
        assert not apart.pool._all


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
    with Apart(ReadingRules(seconds=20, memory_bytes=1_500_000_000)) as apart:
        read = apart.read(path)
    text = "" if isinstance(read, str) else read.text
    assert len(text) <= len(xml)
    assert not host or host not in text
