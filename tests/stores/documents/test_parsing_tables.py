"""Spreadsheets, CSV, mail, notebooks, TypeScript, old formats: what is taken out of them and where it stands."""

import json
from datetime import date
from email.message import EmailMessage
from pathlib import Path

import pytest
from openpyxl import Workbook

from stores.documents.chunking import chunk_document
from stores.documents.document import ParsedDocument
from stores.documents.parsing import parse
from stores.documents.reading_rules import ReadingRules
from stores.errors import (
    DocumentDamagedError,
    DocumentEmptyError,
    DocumentTooLargeError,
    DocumentUnsupportedError,
)


def given(tmp_path: Path, name: str, content: str | bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def words(document: ParsedDocument) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks]


def workbook(tmp_path: Path, **sheets: list[list[object]]) -> Path:
    made = Workbook()
    made.remove(made.active)
    for title, rows in sheets.items():
        sheet = made.create_sheet(title)
        for row in rows:
            sheet.append(row)
    path = tmp_path / "表格.xlsx"
    made.save(path)
    return path


def test_i06_every_part_of_a_long_sheet_repeats_its_header(tmp_path: Path) -> None:
    rows = [["2026 年报销标准"], ["城市", "上限", "备注"], *[[f"城市{i}", i, "元每晚"] for i in range(300)]]
    document = parse(workbook(tmp_path, 标准=rows))
    title, table = document.blocks
    assert words(document)[0].split() == ["标准", "2026", "年报销标准"]
    assert table.header == "| 城市 | 上限 | 备注 |\n| --- | --- | --- |"
    assert table.location.heading == title.location.heading == ("标准",)
    chunks = chunk_document(
        document, document_id="d", owner="o", token_spans=lambda t: [(i, i + 1) for i in range(len(t))], size=200
    )
    parts = [chunk for chunk in chunks if chunk.kind == "table"][1:]  # the title stands before the first
    assert len(parts) > 10
    assert all(line.startswith("| ") and line.endswith(" |") for chunk in parts for line in chunk.text.split("\n"))
    assert all("城市 | 上限" in chunk.context + chunk.text for chunk in parts)


def test_a_workbook_gives_its_visible_sheets_with_values_as_a_reader_sees_them(tmp_path: Path) -> None:
    path = workbook(tmp_path, 一=[["日期", "数"], [date(2026, 3, 1), 2.0], [None, 0.5]], 空=[])
    document = parse(path)
    assert "| 2026-03-01 | 2 |" in document.text
    assert "|  | 0.5 |" in document.text
    assert document.pages == 2


def test_a_workbook_of_empty_sheets_is_empty_and_one_of_too_many_cells_too_large(tmp_path: Path) -> None:
    with pytest.raises(DocumentEmptyError):
        parse(workbook(tmp_path, a=[]))
    with pytest.raises(DocumentTooLargeError, match="cells"):
        parse(workbook(tmp_path, a=[[1, 2, 3]] * 10), ReadingRules(cells=20))


def test_csv_stays_as_written_with_its_header_and_lines(tmp_path: Path) -> None:
    document = parse(given(tmp_path, "a.csv", "姓名;年龄\n张三;18\n李四;20\n"))
    (table,) = document.blocks
    assert document.text == "姓名;年龄\n张三;18\n李四;20\n"
    assert (table.kind, table.header, table.location.lines) == ("table", "姓名;年龄", (1, 3))


def test_csv_rows_over_several_lines_become_one_line_each(tmp_path: Path) -> None:
    document = parse(given(tmp_path, "a.csv", 'q,a\n"first\nsecond","x ""y"""\n'))
    assert document.text == 'q,a\n"first second","x ""y"""\n'
    assert document.blocks[0].location.lines is None


@pytest.mark.parametrize(
    ("text", "header"),
    [("1,2\n3,4\n", ""), ("Title,,\na,b,c\n1,2,3\n", "a,b,c"), ("a\tb\n1\t2", "a\tb"), ("only,one,row", ""), ('"', "")],
)
def test_the_header_of_csv_is_the_first_full_row_of_words(tmp_path: Path, text: str, header: str) -> None:
    assert parse(given(tmp_path, "a.csv", text)).blocks[-1].header == header


def mail() -> EmailMessage:
    made = EmailMessage()
    made["Subject"], made["From"], made["To"] = "报销单", "张三 <a@example.com>", "b@example.com"
    made.set_content("纯文本正文。\n")
    made.add_alternative("<p>HTML body</p><script>evil()</script>", subtype="html")
    return made


def test_mail_gives_head_body_and_readable_attachments(tmp_path: Path) -> None:
    made = mail()
    made.add_attachment("# 附件标题\n\n附件内容。\n", subtype="markdown", filename="附件.md")
    made.add_attachment(b"\x00\x01", maintype="application", subtype="octet-stream", filename="x.bin")
    inner = mail()
    inner.replace_header("Subject", "Forwarded one")
    made.add_attachment(inner)
    document = parse(given(tmp_path, "a.eml", made.as_bytes()))
    assert document.title == "报销单"
    assert "From: 张三 <a@example.com>" in document.text
    assert document.text.count("纯文本正文") == 2
    assert "evil" not in document.text
    (attached,) = [block for block in document.blocks if "附件内容" in document.text[block.start : block.end]]
    assert attached.location.heading == ("报销单", "附件.md")
    assert "x.bin is of a kind that is not read" in document.text
    assert "Forwarded one" in document.text


def test_mail_in_html_only_is_read_without_scripts_and_a_text_file_is_no_mail(tmp_path: Path) -> None:
    made = EmailMessage()
    made["Subject"] = "s"
    made.set_content("<p>Seen</p><script>evil()</script>", subtype="html")
    document = parse(given(tmp_path, "a.eml", made.as_bytes()))
    assert "Seen" in document.text and "evil" not in document.text
    with pytest.raises(DocumentDamagedError, match="no head"):
        parse(given(tmp_path, "b.eml", "just some words\n"))


def test_i01_mail_in_gbk_is_decoded_also_when_its_charset_is_a_lie(tmp_path: Path) -> None:
    for charset in ("gb2312", "utf-8"):
        raw = f"Subject: s\nContent-Type: text/plain; charset={charset}\n\n".encode() + "报销制度的正文。".encode("gbk")
        assert "报销制度的正文。" in parse(given(tmp_path, "a.eml", raw)).text


def notebook(*cells: dict[str, object]) -> str:
    return json.dumps({"cells": list(cells), "nbformat": 4, "nbformat_minor": 5, "metadata": {}})


def test_a_notebook_gives_sections_code_and_results(tmp_path: Path) -> None:
    text = notebook(
        {
            "cell_type": "markdown",
            "source": ["# 课程\n", "导言。\n", "```\n", "# no heading\n", "```\n", "## 第一节\n"],
        },
        {
            "cell_type": "code",
            "source": "print(6*7)",
            "outputs": [
                {"output_type": "stream", "text": ["42\n"]},
                {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo="}},
            ],
        },
    )
    document = parse(given(tmp_path, "a.ipynb", text))
    assert document.title == "课程"
    assert [(b.kind, b.location.heading) for b in document.blocks] == [
        ("prose", ("课程",)),
        ("prose", ("课程", "第一节")),
        ("code", ("课程", "第一节")),
        ("code", ("课程", "第一节")),
    ]
    assert words(document)[-2:] == ["print(6*7)", "42"]
    assert "iVBOR" not in document.text


@pytest.mark.parametrize("text", ["{}", "[1]", '{"cells": 3}', "not json", '{"cells": [1, null]}'])
def test_what_is_no_notebook_is_damaged_or_empty(tmp_path: Path, text: str) -> None:
    with pytest.raises((DocumentDamagedError, DocumentEmptyError)):
        parse(given(tmp_path, "a.ipynb", text))


def test_half_a_surrogate_pair_does_not_reach_the_stores(tmp_path: Path) -> None:
    text = '{"cells": [{"cell_type": "markdown", "source": "# t\\ud800\\n\\nbad \\udfff end"}]}'
    document = parse(given(tmp_path, "a.ipynb", text))
    assert (document.title, document.blocks[0].location.heading) == ("t\ufffd", ("t\ufffd",))
    document.text.encode()


def test_i12_typescript_is_cut_at_its_declarations(tmp_path: Path) -> None:
    text = (
        "import a from 'b';\n\nexport interface User { id: number; name: string }\n\n"
        "export class Dao<T> {\n  private rows: T[] = [];\n"
        "  find(id: number): T | undefined { return this.rows[id]; }\n}\n\n"
        "export const twice = (x: number): number => x * 2;\n\nexport enum Kind { A, B }\n"
    )
    symbols = [block.location.symbol for block in parse(given(tmp_path, "a.ts", text)).blocks]
    assert {"User", "Dao", "Dao.find", "twice", "Kind"} <= set(symbols)
    jsx = "export function App(props: {n: number}) {\n  return <div>{props.n}</div>;\n}\n"
    assert [block.location.symbol for block in parse(given(tmp_path, "a.tsx", jsx)).blocks] == ["App"]


@pytest.mark.parametrize(
    ("name", "instead"), [("a.doc", ".docx"), ("a.xls", ".xlsx"), ("a.ppt", ".pptx"), ("a.msg", ".eml")]
)
def test_old_binary_formats_are_refused_with_what_to_do(tmp_path: Path, name: str, instead: str) -> None:
    with pytest.raises(DocumentUnsupportedError, match=f"Save it as {instead}"):
        parse(given(tmp_path, name, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)))
