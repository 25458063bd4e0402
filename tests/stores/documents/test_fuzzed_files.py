"""Files that nobody wrote: good files with bytes flipped, cut out, doubled, in the file and inside its packed parts."""

import io
import random
import zipfile
from email.message import EmailMessage
from pathlib import Path
from time import monotonic

import docx
import pptx
import pytest
from apart import Apart
from fpdf import FPDF
from openpyxl import Workbook

from stores.documents.archives import unfold
from stores.documents.chunking import chunk_document
from stores.documents.reading_rules import ReadingRules
from stores.errors import DocumentError

PER_SEED = 20
SECONDS = 20


def pdf_seed() -> bytes:
    made = FPDF()
    made.set_font("helvetica", size=12)
    for number in range(3):
        made.add_page()
        made.start_section(f"Part {number}")
        made.multi_cell(w=0, text=f"Part {number}\nsome words of part {number} " * 5)
    return bytes(made.output())


def word_seed() -> bytes:
    made, held = docx.Document(), io.BytesIO()
    made.add_heading("标题", level=1)
    made.add_paragraph("一段文字。 some words")
    table = made.add_table(rows=2, cols=2)
    table.cell(1, 1).text = "单元格"
    made.save(held)
    return held.getvalue()


def deck_seed() -> bytes:
    made, held = pptx.Presentation(), io.BytesIO()
    slide = made.slides.add_slide(made.slide_layouts[1])
    slide.shapes.title.text = "标题"
    slide.notes_slide.notes_text_frame.text = "notes"
    made.save(held)
    return held.getvalue()


def sheet_seed() -> bytes:
    made, held = Workbook(), io.BytesIO()
    for row in (["a", "b"], [1, "二"], [2.5, None]):
        made.active.append(row)
    made.save(held)
    return held.getvalue()


def mail_seed() -> bytes:
    made = EmailMessage()
    made["Subject"], made["From"] = "主题", "a@example.com"
    made.set_content("正文\n")
    made.add_attachment("x,y\n1,2\n", subtype="csv", filename="a.csv")
    return made.as_bytes()


TEXTS = {
    "a.md": "---\ntitle: x\n---\n# 标题\n\n- a\n  - b\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```py\nx\n```\n",
    "a.html": "<title>t</title><h1>标题</h1><table><tr><th>a<tr><td colspan=2>b</table><p>x</html>",
    "a.csv": '姓名,年龄\n张三,18\n"a\nb",2\n',
    "a.ipynb": '{"cells": [{"cell_type": "markdown", "source": ["# t\\n", "x"]}, {"cell_type": "code"}]}',
    "a.xml": "<web-app><!-- c --><filter><name>过滤器</name></filter><servlet/></web-app>",
    "a.yml": "spring:\n  url: x\n# comment\nlist:\n  - a\n",
    "a.json": '{\n  "a": {"b": [1, 2]},\n  "c": "中文"\n}\n',
    "a.java": "package a;\n\npublic class A {\n  /** 说明 */\n  void run(int x) { return; }\n}\n",
    "a.ts": "export class A<T> {\n  f(x: T): void {}\n}\nexport type B = string;\n",
    "a.sql": "-- 表\nCREATE TABLE a (b INT DEFAULT ';');\nINSERT INTO a VALUES ('x''y');\n",
    "a.jsp": "<%@ page pageEncoding='UTF-8' %>\n<html><% if (x) { %>你好<% } %></html>\n",
}
SEEDS = {
    "a.pdf": pdf_seed,
    "a.docx": word_seed,
    "a.pptx": deck_seed,
    "a.xlsx": sheet_seed,
    "a.eml": mail_seed,
    **{name: text.encode for name, text in TEXTS.items()},
}


def mutated(data: bytes, dice: random.Random) -> bytes:
    """One to three wounds: bytes flipped, a stretch cut out, doubled, or overwritten with another stretch."""
    content = bytearray(data)
    for _ in range(dice.randint(1, 3)):
        at, length = dice.randrange(len(content) or 1), dice.choice((1, 4, 64, 512))
        match dice.randrange(5):
            case 0:
                content[at : at + length] = dice.randbytes(min(length, 8))
            case 1:
                del content[at : at + length]
            case 2:
                content[at:at] = content[at : at + length]
            case 3:
                source = dice.randrange(len(content) or 1)
                content[at : at + length] = content[source : source + length]
            case _:
                del content[max(1, at) :]
    return bytes(content)


def wounded(data: bytes, dice: random.Random) -> bytes:
    """A mutation of the file; of a package, half of the time of one part, packed again so that it can be opened."""
    if not data.startswith(b"PK") or dice.random() < 0.5:
        return mutated(data, dice)
    held = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(held, "w") as new:
        names = old.namelist()
        chosen = dice.choice([name for name in names if name.endswith((".xml", ".rels"))])
        for name in names:
            new.writestr(name, mutated(old.read(name), dice) if name == chosen else old.read(name))
    return held.getvalue()


def tried(read):
    """What came of it, or the reason why nothing did; any other error is the test's failure."""
    try:
        return read(), ""
    except DocumentError as error:
        return None, str(error)


@pytest.fixture(scope="module")
def reader():
    with Apart(ReadingRules(seconds=SECONDS, memory_bytes=1_500_000_000)) as made:
        yield made


@pytest.mark.parametrize("name", SEEDS)
def test_a_fuzzed_file_is_read_with_text_or_refused_with_a_reason(reader, tmp_path: Path, name: str) -> None:
    seed, dice = SEEDS[name](), random.Random(name)
    path = tmp_path / name
    for _ in range(PER_SEED):
        path.write_bytes(wounded(seed, dice))
        started = monotonic()
        document = reader.read(path)
        if isinstance(document, str):
            assert name in document
            assert "crash" not in document
        else:
            assert document.text.strip() and document.blocks
            spans = [(match, match + 1) for match in range(len(document.text))]
            for chunk in chunk_document(
                document, document_id="d", owner="o", token_spans=lambda text, spans=spans: spans[: len(text)]
            ):
                assert document.text[chunk.start : chunk.end] == chunk.text
        assert monotonic() - started < SECONDS


def test_fuzzed_archives_are_unfolded_or_refused(reader, tmp_path: Path) -> None:
    held, dice = io.BytesIO(), random.Random("zip")
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in TEXTS.items():
            archive.writestr(f"folder/{name}", text)
        archive.writestr("inner.zip", sheet_seed())
    path = tmp_path / "a.zip"
    for _ in range(2 * PER_SEED):
        path.write_bytes(mutated(held.getvalue(), dice))
        members, reason = tried(lambda: unfold(path))
        assert members is not None or "a.zip" in reason
        for member in members or []:
            assert ".." not in Path(member.name).parts
            if member.problem is None:
                assert reader.read(path / member.name)
