"""PDF, Word and PowerPoint, refusals by content, and the real files of the shared data."""

import io
import re
import zipfile
from pathlib import Path
from types import SimpleNamespace

import docx
import pptx
import pytest
from docx.document import Document as WordDocument
from docx.oxml import parse_xml
from fpdf import FPDF
from fpdf.enums import AccessPermission
from PIL import Image, ImageDraw, ImageFont
from pptx.util import Inches

from nodes.citations.verdicts import Passage
from stores.documents.chunking import chunk_document
from stores.documents.document import Location, ParsedDocument
from stores.documents.parsing import PARSERS, SUPPORTED, ocr, parse, parser_of, pdf
from stores.documents.reading_rules import ReadingRules
from stores.errors import (
    DocumentDamagedError,
    DocumentEmptyError,
    DocumentEncryptedError,
    DocumentError,
    DocumentTooLargeError,
    DocumentUnsupportedError,
)


def pdf_file(tmp_path: Path, *pages: str, **encryption: object) -> Path:
    made = FPDF()
    made.set_font("helvetica", size=12)
    for page in pages:
        made.add_page()
        if page.startswith("#"):
            made.start_section(page[1:])
            made.cell(text=page[1:], new_x="LMARGIN", new_y="NEXT")
            made.cell(text="below the heading")
        elif page:
            made.multi_cell(w=0, text=page)
        else:
            made.rect(10, 10, 50, 50, style="F")
    if encryption:
        made.set_encryption(**encryption)  # type: ignore[arg-type]
    path = tmp_path / "a.pdf"
    made.output(str(path))
    return path


def words_of(document: ParsedDocument) -> str:
    return " ".join(document.text.split())


def test_a_pdf_gives_text_with_pages_and_outline(tmp_path: Path) -> None:
    document = parse(pdf_file(tmp_path, "#Introduction", "More of it.", "", "#Results"))
    assert document.pages == 4
    places = [(block.location.page, block.location.heading) for block in document.blocks]
    assert places == [(1, ("Introduction",)), (2, ("Introduction",)), (4, ("Results",))]
    assert document.text.count("Introduction") == 1


def test_i02_a_user_password_is_named_and_a_print_restriction_is_no_obstacle(tmp_path: Path) -> None:
    locked = pdf_file(tmp_path, "secret", owner_password="o", user_password="u")
    with pytest.raises(DocumentEncryptedError, match=r"a\.pdf is password-protected"):
        parse(locked)
    restricted = pdf_file(tmp_path, "open text", owner_password="o", permissions=AccessPermission.none())
    assert parse(restricted).text == "open text"


def test_i03_a_pdf_of_pictures_has_no_text_layer(tmp_path: Path) -> None:
    with pytest.raises(DocumentEmptyError, match=r"no text layer.*RECITE_OCR=true"):
        parse(pdf_file(tmp_path, "", ""))


def test_i04_limits_are_checked_before_anything_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    huge = tmp_path / "huge.pdf"
    with huge.open("wb") as file:
        file.truncate(ReadingRules().file_bytes + 1)
    with pytest.raises(DocumentTooLargeError, match="200 MB"):
        parse(huge)
    path = pdf_file(tmp_path, "one", "two", "three")
    monkeypatch.setattr(pdf, "read_page", lambda *_: pytest.fail("a page was read"))
    with pytest.raises(DocumentTooLargeError, match="3 pages"):
        parse(path, ReadingRules(pages=2))
    with pytest.raises(DocumentTooLargeError, match="RECITE_MAX_FILE_MB"):
        parse(path, ReadingRules(file_bytes=100))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.98])
def test_a_truncated_pdf_is_damaged(tmp_path: Path, share: float) -> None:
    path = pdf_file(tmp_path, *["some text here " * 20] * 10)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(DocumentDamagedError):
        parse(path)


def test_a_pdf_that_could_be_mended_by_guessing_is_still_called_truncated(tmp_path: Path) -> None:
    path = pdf_file(tmp_path, "some text here", "and there")
    path.write_bytes(path.read_bytes().rstrip()[:-5])
    with pytest.raises(DocumentDamagedError, match="truncated"):
        parse(path)


def text_box(words: str) -> str:
    box = f"<w:txbxContent><w:p><w:r><w:t>{words}</w:t></w:r></w:p></w:txbxContent>"
    return (
        '<w:p xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
        ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
        ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
        ' xmlns:v="urn:schemas-microsoft-com:vml"><w:r><mc:AlternateContent>'
        f'<mc:Choice Requires="wps"><wps:txbx>{box}</wps:txbx></mc:Choice>'
        f"<mc:Fallback><v:textbox>{box}</v:textbox></mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )


def word_document() -> WordDocument:
    made = docx.Document()
    made.add_heading("员工手册", level=0)
    made.add_heading("假期", level=1)
    made.add_paragraph("年假为十天。")
    made.add_heading("Sick leave", level=2)
    table = made.add_table(rows=2, cols=2)
    for cell, words in zip((c for row in table.rows for c in row.cells), ["种类", "天数", "病假", "12"], strict=True):
        cell.text = words
    made.element.body.insert(len(made.element.body) - 1, parse_xml(text_box("文本框里的话")))
    made.add_paragraph("列表项", style="List Bullet")
    return made


def test_i05_word_tables_and_text_boxes_stand_in_their_place(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    word_document().save(str(path))
    document = parse(path)
    assert document.title == "员工手册"
    assert document.text.count("文本框里的话") == 1
    order = [document.text.index(words) for words in ("年假", "| 种类 | 天数 |", "| 病假 | 12 |", "文本框", "- 列表项")]
    assert order == sorted(order)
    (table,) = [block for block in document.blocks if block.kind == "table"]
    assert table.location.heading == ("假期", "Sick leave")
    assert table.header == "| 种类 | 天数 |\n| --- | --- |"


def test_i05_word_footnotes_follow_their_paragraph_and_deleted_words_are_gone(tmp_path: Path) -> None:
    made = docx.Document()
    made.add_paragraph("正文一。")
    made.add_paragraph("正文二。")
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    run = parse_xml(f'<w:r {space}><w:footnoteReference w:id="2"/></w:r>')
    made.paragraphs[0]._p.append(run)
    made.paragraphs[1]._p.append(parse_xml(f"<w:del {space}><w:r><w:delText>删去</w:delText></w:r></w:del>"))
    made.paragraphs[1]._p.append(parse_xml(f"<w:r {space}><w:rPr><w:vanish/></w:rPr><w:t>隐藏</w:t></w:r>"))
    path = tmp_path / "a.docx"
    made.save(str(path))
    notes = (
        f'<w:footnotes {space}><w:footnote w:type="separator" w:id="0"><w:p/></w:footnote>'
        '<w:footnote w:id="2"><w:p><w:r><w:t>脚注内容</w:t></w:r></w:p></w:footnote></w:footnotes>'
    )
    _add_part(path, "word/footnotes.xml", notes, "footnotes")
    assert words_of(parse(path)) == "正文一。[^2] [^2]: 脚注内容 正文二。"


def _add_part(path: Path, name: str, xml: str, kind: str) -> None:
    with zipfile.ZipFile(path) as archive:
        files = {entry: archive.read(entry) for entry in archive.namelist()}
    base = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    files["[Content_Types].xml"] = files["[Content_Types].xml"].replace(
        b"</Types>", f'<Override PartName="/{name}" ContentType="{base}.{kind}+xml"/></Types>'.encode()
    )
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    files["word/_rels/document.xml.rels"] = files["word/_rels/document.xml.rels"].replace(
        b"</Relationships>",
        f'<Relationship Id="rNote" Type="{relation}/{kind}" Target="{kind}.xml"/></Relationships>'.encode(),
    )
    files[name] = xml.encode()
    with zipfile.ZipFile(path, "w") as archive:
        for entry, data in files.items():
            archive.writestr(entry, data)


def test_i05_slides_hold_groups_tables_and_notes(tmp_path: Path) -> None:
    deck = pptx.Presentation()
    for number in (1, 2):
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = f"第{number}讲"
        inner = slide.shapes.add_group_shape().shapes.add_group_shape()
        inner.shapes.add_textbox(Inches(1), Inches(1), Inches(2), Inches(1)).text_frame.text = f"组内文字{number}"
        table = slide.shapes.add_table(2, 2, Inches(1), Inches(3), Inches(4), Inches(1)).table
        for row, column, words in ((0, 0, "名"), (0, 1, "值"), (1, 0, "a"), (1, 1, str(number))):
            table.cell(row, column).text = words
        slide.notes_slide.notes_text_frame.text = f"备注{number}"
    path = tmp_path / "a.pptx"
    deck.save(str(path))
    document = parse(path)
    assert (document.title, document.pages) == ("第1讲", 2)
    for words in ("组内文字2", "| a | 2 |", "备注2"):
        (block,) = [b for b in document.blocks if words in document.text[b.start : b.end]]
        assert block.location.slide == 2
        assert block.location.heading == ("第2讲",)


def archive(**files: str) -> bytes:
    """The same bytes at any time: some name a test, and every process that runs tests must find the same ones."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        for name, text in files.items():
            made.writestr(zipfile.ZipInfo(name), text)
    return buffer.getvalue()


OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600
PNG = b"\x89PNG\r\n\x1a\n" + b"\x00" * 20


@pytest.mark.parametrize(
    ("name", "content", "error", "words"),
    [
        ("a.txt", b"%PDF-1.7\n%%EOF", DocumentDamagedError, "PDF"),
        ("a.md", PNG, DocumentDamagedError, "PNG"),
        ("a.pdf", PNG, DocumentDamagedError, "PNG"),
        ("a.pdf", b"just words %%EOF", DocumentDamagedError, "does not begin like"),
        ("a.pdf", b"%PDF-1.7 nothing %%EOF", DocumentDamagedError, "cannot be read"),
        ("a.docx", archive(a="b"), DocumentDamagedError, "no Word file"),
        ("a.pptx", archive(a="b"), DocumentDamagedError, "no PowerPoint file"),
        ("a.docx", OLD_OFFICE, DocumentDamagedError, "old Office document"),
        ("a.docx", OLD_OFFICE + "EncryptedPackage".encode("utf-16-le"), DocumentEncryptedError, "password"),
        ("a.docx", archive(a="b" * 500)[:60], DocumentDamagedError, "broken archive"),
        ("a.doc", OLD_OFFICE, DocumentUnsupportedError, r"\.doc"),
        ("a.xyz", b"words", DocumentUnsupportedError, r"\.xyz"),
        ("Makefile", b"words", DocumentUnsupportedError, "no suffix"),
        ("a.docx", b"", DocumentEmptyError, "0 bytes"),
        ("a.pdf", b"", DocumentEmptyError, "0 bytes"),
    ],
)
def test_a_file_is_judged_by_its_content(
    tmp_path: Path, name: str, content: bytes, error: type[DocumentError], words: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(error, match=words) as raised:
        parse(path)
    assert type(raised.value) is error
    assert name in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_deck_under_a_word_name_is_refused_and_an_upper_case_suffix_is_not(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    pptx.Presentation().save(str(path))
    with pytest.raises(DocumentDamagedError, match="no Word file"):
        parse(path)
    loud = tmp_path / "READ.TXT"
    loud.write_text("words")
    assert parse(loud).text == "words"


def test_a_missing_file_and_a_folder_are_file_errors(tmp_path: Path) -> None:
    for path in (tmp_path / "gone.txt", tmp_path / "folder.txt"):
        if path.stem == "folder":
            path.mkdir()
        with pytest.raises(DocumentError, match="cannot be read"):
            parse(path)


def test_empty_office_files_are_empty(tmp_path: Path) -> None:
    docx.Document().save(str(tmp_path / "a.docx"))
    pptx.Presentation().save(str(tmp_path / "a.pptx"))
    for name in ("a.docx", "a.pptx"):
        with pytest.raises(DocumentEmptyError):
            parse(tmp_path / name)


def test_supported_is_the_table() -> None:
    assert frozenset(PARSERS) == SUPPORTED
    assert all(callable(parser_of(name)) for name in PARSERS.values())
    assert all(suffix == suffix.lower() and suffix.startswith(".") for suffix in SUPPORTED)


def picture_of(words: str) -> io.BytesIO:
    """A picture of large black letters."""
    drawn = Image.new("RGB", (900, 160), "white")
    ImageDraw.Draw(drawn).text((30, 40), words, fill="black", font=ImageFont.load_default(size=60))
    held = io.BytesIO()
    drawn.save(held, "PNG")
    held.seek(0)
    return held


def scanned_pdf(tmp_path: Path, words: str, *, text: str = "") -> Path:
    made = FPDF()
    made.set_font("helvetica", size=12)
    made.add_page()
    made.image(picture_of(words), w=180)
    if text:
        made.add_page()
        made.multi_cell(w=0, text=text)
    path = tmp_path / "scan.pdf"
    made.output(str(path))
    return path


def test_i03_pages_of_images_of_outlines_and_blank_ones_are_told_apart(tmp_path: Path) -> None:
    blank = FPDF()
    blank.add_page()
    blank.output(str(tmp_path / "blank.pdf"))
    for path, words in (
        (scanned_pdf(tmp_path, "words"), "of images"),
        (pdf_file(tmp_path, ""), "drawn as outlines"),
        (tmp_path / "blank.pdf", "all blank"),
    ):
        with pytest.raises(DocumentEmptyError, match=rf"no text layer.*{words}.*RECITE_OCR=true"):
            parse(path)


def test_i04_pages_that_gave_no_text_are_counted_and_named(tmp_path: Path) -> None:
    document = parse(scanned_pdf(tmp_path, "words", text="a second page with words enough to be a page"))
    assert document.pages == 2
    assert document.note == "1 of 2 pages gave no text (1): images, outlines or broken."
    assert parse(pdf_file(tmp_path, "some text here")).note is None


def test_i04_a_thousand_pages_are_read_with_their_numbers(tmp_path: Path) -> None:
    document = parse(pdf_file(tmp_path, *(f"words of page {number}" for number in range(1, 1001))))
    assert document.pages == 1000
    assert [block.location.page for block in document.blocks] == list(range(1, 1001))
    last = document.blocks[-1]
    assert document.text[last.start : last.end] == "words of page 1000"


def test_i03_a_scanned_page_is_read_by_ocr_where_that_is_on(tmp_path: Path) -> None:
    pytest.importorskip("rapidocr")
    document = parse(scanned_pdf(tmp_path, "Quokka 4711", text="a second page"), ReadingRules(ocr=True))
    assert "4711" in document.text.split("a second page")[0]
    assert [(block.location.page, block.location.ocr) for block in document.blocks] == [(1, True), (2, False)]
    assert document.note is None


def test_c16_a_recognised_page_and_its_passages_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "text_of", lambda *_, **__: "Wombat 4711 is recognised on this page.")
    document = parse(scanned_pdf(tmp_path, "drawn", text="This page has a text layer."), ReadingRules(ocr=True))
    chunks = chunk_document(
        document,
        document_id="d",
        owner="local",
        token_spans=lambda text: [match.span() for match in re.finditer(r"\S+", text)],
    )
    assert [(chunk.location.page, chunk.location.ocr) for chunk in chunks] == [(1, True), (2, False)]
    assert [Passage.of(1, chunk).ocr for chunk in chunks] == [True, False]
    assert [str(Location.from_json(chunk.location.as_json())) for chunk in chunks] == ["page 1 · OCR", "page 2"]


def test_i03_a_picture_is_read_by_ocr_where_that_is_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = tmp_path / "a.png"
    picture.write_bytes(picture_of("x").getvalue())
    read = SimpleNamespace(txts=("Numbat 42", "noise"), scores=(0.99, 0.1))
    monkeypatch.setattr(ocr, "_engine", lambda: lambda _: read)
    document = parse(picture, ReadingRules(ocr=True))
    assert document.text == "Numbat 42"
    assert [block.location.ocr for block in document.blocks] == [True]


def test_i03_ocr_that_is_off_or_missing_is_offered_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = tmp_path / "a.png"
    picture.write_bytes(picture_of("x").getvalue())
    with pytest.raises(DocumentEmptyError, match="RECITE_OCR=true"):
        parse(picture)
    monkeypatch.setattr(ocr, "find_spec", lambda _: None)
    with pytest.raises(DocumentEmptyError, match=r"pip install 'recite-agent\[ocr\]'"):
        parse(picture)
    monkeypatch.setattr(ocr, "_engine", lambda: __import__("rapidocr_that_is_not_there"))
    with pytest.raises(DocumentUnsupportedError, match=r"pip install 'recite-agent\[ocr\]'"):
        parse(picture, ReadingRules(ocr=True))
    picture.write_text("no picture")
    with pytest.raises(DocumentDamagedError, match="no picture"):
        parse(picture)
