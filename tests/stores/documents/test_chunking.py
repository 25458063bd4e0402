"""Chunks: exact offsets, limits, borders of the structure, stable ids."""

import itertools
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from stores.documents.chunking import chunk_document
from stores.documents.document import Block, Chunk, Location, ParsedDocument
from stores.documents.parsing import parse

ROOT = Path(__file__).parents[3]
TOKENIZER = Tokenizer.from_file(str(ROOT / "stores/embeddings/e5_small_zh_en/tokenizer.json"))
TOKENIZER.no_truncation()
TOKENIZER.no_padding()


def words(text: str) -> list[tuple[int, int]]:
    """A plain tokenizer: words, and every other visible character by itself."""
    return [match.span() for match in re.finditer(r"[A-Za-z0-9]+|\S", text)]


def e5(text: str) -> list[tuple[int, int]]:
    return list(TOKENIZER.encode(text, add_special_tokens=False).offsets)


def chunks(document: ParsedDocument, **changes: object) -> list[Chunk]:
    options: dict[str, object] = {"document_id": "d", "owner": "local", "token_spans": words} | changes
    return chunk_document(document, **options)  # type: ignore[arg-type]


def check(document: ParsedDocument, made: list[Chunk], *, spans=words, size: int = 500, window: int = 512) -> None:
    position = 0
    for number, chunk in enumerate(made):
        assert chunk.position == number
        assert document.text[chunk.start : chunk.end] == chunk.text
        assert chunk.text.strip()
        assert chunk.start <= position or not document.text[position : chunk.start].strip()
        assert len(spans(chunk.text)) <= size
        assert len(spans(chunk.text)) + len(spans(chunk.context)) <= window - 8
        position = max(position, chunk.end)
    assert not document.text[position:].strip()
    assert len({chunk.chunk_id for chunk in made}) == len(made)


def written(tmp_path: Path, name: str, text: str) -> ParsedDocument:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return parse(path)


def sentences_zh(count: int) -> str:
    return "".join(f"第{number}条规定说明了办理第{number}号事项的步骤。" for number in range(count))


def test_i06_rows_stay_whole_and_continuations_carry_the_header(tmp_path: Path) -> None:
    header = "| 编号 | 名称 | 说明 |\n| --- | --- | --- |"
    rows = [f"| {n} | 参数{n} | 第 {n} 个参数的含义 with words |" for n in range(60)]
    document = written(tmp_path, "t.md", "# 手册\n\n表一：全部参数\n\n" + "\n".join([header, *rows]) + "\n")
    made = chunks(document, size=200)
    check(document, made, size=200)
    assert len(made) > 2
    lines = [line for chunk in made for line in chunk.text.split("\n") if line.startswith("| ") and "参数" in line]
    assert lines == rows
    assert sum(chunk.text.count("表一") for chunk in made) == 1
    for chunk in made[1:]:
        assert header not in chunk.text
        assert chunk.context.endswith(header)
        assert chunk.kind == "table"
    assert header in made[0].text
    assert header not in made[0].context


@pytest.mark.parametrize("length", range(3, 9))
def test_i06_a_header_is_never_left_without_a_row(tmp_path: Path, length: int) -> None:
    for name in range(15):
        header = f"| 编号 | 名称{name} |\n| --- | --- |"
        rows = "\n".join(f"| {n} | 参数{n} |" for n in range(40))
        document = written(tmp_path, "t.md", f"# 手册\n\n{'说明文字很多。' * length}\n\n{header}\n{rows}\n")
        for chunk in chunks(document, size=100, window=160, overlap=0):
            assert not chunk.text.endswith(("| --- | --- |", f"| 名称{name} |"))
            assert not chunk.text.startswith("| ---")


def test_i06_a_row_longer_than_the_window_is_cut_and_nothing_is_lost(tmp_path: Path) -> None:
    document = written(tmp_path, "t.md", "| a | b |\n|---|---|\n| 1 | " + "很长的内容" * 400 + " |\n| 2 | 短 |\n")
    check(document, chunks(document))


def test_i07_chinese_prose_is_cut_after_its_stops(tmp_path: Path) -> None:
    document = written(tmp_path, "t.txt", sentences_zh(80))
    made = chunks(document, size=200)
    check(document, made, size=200)
    assert len(made) > 3
    assert all(chunk.text.endswith("。") for chunk in made)
    assert {chunk.language for chunk in made} == {"zh"}


def test_overlap_repeats_whole_sentences_and_stays_within_its_limit(tmp_path: Path) -> None:
    document = written(tmp_path, "t.txt", sentences_zh(80))
    made = chunks(document, size=200, overlap=50)
    for before, after in itertools.pairwise(made):
        repeated = document.text[after.start : before.end]
        assert 0 < len(words(repeated)) <= 50
        assert repeated.startswith("第")
        assert repeated.endswith("。")
    apart = chunks(document, size=200, overlap=0)
    assert all(before.end <= after.start for before, after in itertools.pairwise(apart))


@pytest.mark.parametrize(("text", "spans"), [("汉字" * 3000, e5), ("汉字" * 3000, words), ("abc" * 4000, e5)])
def test_i09_text_without_a_stop_is_cut_by_the_embedders_tokens(tmp_path: Path, text: str, spans) -> None:
    document = written(tmp_path, "t.txt", text)
    made = chunks(document, token_spans=spans)
    check(document, made, spans=spans)
    assert "".join(chunk.text for chunk in made) == text


def test_i10_a_sentence_twice_has_two_places(tmp_path: Path) -> None:
    same = "同一句话出现两次。"
    document = written(tmp_path, "t.md", f"# 甲\n\n{same}\n\n# 乙\n\n{'别的内容。' * 60}\n\n# 丙\n\n{same}\n")
    made = [chunk for chunk in chunks(document, size=100, window=128) if same in chunk.text]
    assert len(made) == 2
    assert made[0].start != made[1].start
    assert all(document.text[chunk.start : chunk.end] == chunk.text for chunk in made)
    assert [chunk.location.lines for chunk in made] == [(1, 3), (9, 11)]


def test_i09_a_tokenizer_that_asks_more_of_a_text_alone_is_still_obeyed(tmp_path: Path) -> None:
    def costly_start(text: str) -> list[tuple[int, int]]:
        return [(n, n + 1) for n in range(min(30, len(text)))] + [(a, b) for a, b in words(text) if a >= 30]

    document = written(tmp_path, "t.txt", "some plain words stand here without end " * 200)
    made = chunks(document, token_spans=costly_start, size=100)
    check(document, made, spans=costly_start, size=100)


def slides(*texts: str) -> ParsedDocument:
    blocks, position = [], 0
    for number, text in enumerate(texts, start=1):
        blocks.append(Block(start=position, end=position + len(text), kind="prose", location=Location(slide=number)))
        position += len(text) + 1
    return ParsedDocument(text="\n".join(texts), blocks=tuple(blocks), title="deck", media_type="x")


def test_i11_equal_slides_and_equal_files_keep_their_own_ids() -> None:
    deck = slides("谢谢观看", "谢谢观看")
    ids = [
        chunk.chunk_id
        for owner in ("a", "b")
        for doc in ("1", "2")
        for chunk in chunks(deck, owner=owner, document_id=doc)
    ]
    assert len(set(ids)) == 8
    assert all(re.fullmatch("[0-9a-f]{24}", one) for one in ids)


def test_i11_equal_paragraphs_of_one_section_have_different_ids() -> None:
    text = "same words here. " * 40
    document = ParsedDocument(
        text=text,
        blocks=(Block(start=0, end=len(text), kind="prose", location=Location(lines=(1, 1))),),
        title="t",
        media_type="x",
    )
    made = chunks(document, size=30, overlap=0)
    assert len({chunk.text for chunk in made}) < len(made)
    assert len({chunk.chunk_id for chunk in made}) == len(made)


JAVA = (
    "package com.example.shop;\n\nimport java.util.List;\n\npublic class OrderService {\n\n    private int total;\n\n"
    "    /** 计算。 */\n    public int compute(List<Integer> items) {\n"
    + "".join(f"        total += items.get({n}); // step {n}\n" for n in range(200))
    + "        return total;\n    }\n\n"
    + "".join(
        f"    public String handle{n}(String order) {{\n        String text = order + {n};\n"
        + "".join(f"        text = text.replace({line}, total);\n" for line in range(12))
        + "        return text;\n    }\n\n"
        for n in range(10)
    )
    + "}\n"
)


def test_i12_code_is_cut_on_method_borders_with_the_class_in_the_context(tmp_path: Path) -> None:
    document = written(tmp_path, "OrderService.java", JAVA)
    made = chunks(document)
    check(document, made)
    long = [chunk for chunk in made if chunk.location.symbol == "OrderService.compute"]
    assert len(long) > 2
    assert long[0].text.lstrip().startswith("/** 计算。 */")
    assert all("package com.example.shop;" in chunk.context for chunk in long)
    assert all("public class OrderService" in chunk.context for chunk in long)
    assert all("public int compute(List<Integer> items)" in chunk.context for chunk in long[1:])
    assert not any("handle" in chunk.text for chunk in long)
    for number in range(10):
        (chunk,) = [chunk for chunk in made if f"handle{number}(" in chunk.text]
        assert chunk.text.rstrip().endswith("}")
        assert chunk.location.symbol == f"OrderService.handle{number}"
        first, last = chunk.location.lines or (0, 0)
        assert document.text.split("\n")[first - 1].strip() == f"public String handle{number}(String order) {{"
        assert document.text.split("\n")[last - 1].strip() == "}"
    assert {chunk.language for chunk in made} == {"code"}


def test_getters_of_one_class_are_merged_but_long_methods_are_not(tmp_path: Path) -> None:
    getters = "".join(f"    int get{n}() {{ return f{n}; }}\n" for n in range(8))
    document = written(tmp_path, "A.java", f"class A {{\n{getters}}}\n")
    made = chunks(document)
    assert len(made) == 1
    assert made[0].location.symbol is None or made[0].location.symbol == "A"


def test_small_sections_under_one_heading_are_merged_and_say_so(tmp_path: Path) -> None:
    text = "# 手册\n\n## 一\n\n短。\n\n## 二\n\n也短。\n\n# 别册\n\n" + sentences_zh(30)
    made = chunks(written(tmp_path, "t.md", text), size=300)
    assert made[0].text == "# 手册\n\n## 一\n\n短。\n\n## 二\n\n也短。"
    assert made[0].location.heading == ("手册",)
    assert made[0].location.lines == (1, 9)
    assert all(chunk.location.heading == ("别册",) for chunk in made[1:])


def test_pages_are_never_merged() -> None:
    text = "one\ntwo"
    blocks = tuple(
        Block(start=start, end=start + 3, kind="prose", location=Location(page=page))
        for start, page in ((0, 1), (4, 2))
    )
    made = chunks(ParsedDocument(text=text, blocks=blocks, title="t", media_type="x"))
    assert [(chunk.text, chunk.location.page) for chunk in made] == [("one", 1), ("two", 2)]


@pytest.mark.parametrize("name", ["t.md", "t.txt"])
def test_i13_an_insertion_at_the_start_leaves_later_ids_alone(tmp_path: Path, name: str) -> None:
    body = "\n\n".join(
        f"Paragraph {n} tells how part {n} of the machine is built. It was tested {n} times in room {n * 7}. "
        f"第{n}段介绍了第{n}个部件，以及它在第{n * 3}号车间的安装方法。"
        for n in range(120)
    )
    before = chunks(written(tmp_path, name, body), size=120)
    after = chunks(written(tmp_path, name, "新加的一段话，在最前面。\n\nA new one.\n\n" + body), size=120)
    new = {chunk.chunk_id for chunk in after} - {chunk.chunk_id for chunk in before}
    assert len(before) > 30
    assert len(new) < len(before) / 3
    assert after[-1].chunk_id == before[-1].chunk_id


def test_i13_cuts_find_back_to_their_places_without_any_paragraph(tmp_path: Path) -> None:
    sentences = [f"Part {n:03d} weighs ten grams." for n in range(600)]
    before = chunks(written(tmp_path, "t.txt", " ".join(sentences)), size=120)
    for added in ("One more.", "One more. And another one follows here.", "A " + "very " * 40 + "long one."):
        after = chunks(written(tmp_path, "t.txt", f"{added} {' '.join(sentences)}"), size=120)
        new = {chunk.chunk_id for chunk in after} - {chunk.chunk_id for chunk in before}
        assert len(before) > 50
        assert len(new) < len(before) / 4


def test_the_context_names_title_headings_and_stays_short(tmp_path: Path) -> None:
    deep = "".join(f"{'#' * level} 很长的标题{level}{'字' * 60}\n\n" for level in range(1, 7))
    document = written(tmp_path, "t.md", deep + sentences_zh(100))
    made = chunks(document, token_spans=e5)
    check(document, made, spans=e5)
    assert all(len(e5(chunk.context)) <= 90 for chunk in made)
    short = chunks(written(tmp_path, "s.md", "# 手册\n\n## 安装\n\n正文。"))
    assert short[0].context == "手册 > 安装"


@pytest.mark.parametrize("bad", [{"window": 8}, {"size": 0}, {"overlap": 500}, {"overlap": -1}])
def test_limits_that_make_no_sense_are_refused(bad: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="window"):
        chunks(slides("a"), **bad)


_LINES = st.sampled_from(
    (
        *("# 标题", "## Part two", "正文一句。第二句！", "Some English words. And more.", ""),
        *("| a | b |", "|---|---|", "| 1 | 2 |", "```java", "int a = b[1];", "```", "- item one", "1. 第一"),
        *("x" * 90, "字" * 90, "> quote", "    indented", "---"),
    )
)


@settings(max_examples=60, deadline=None)
@given(
    lines=st.lists(_LINES, min_size=1, max_size=60),
    size=st.integers(5, 200),
    window=st.integers(32, 200),
    real=st.booleans(),
)
def test_any_markdown_keeps_offsets_limits_and_unique_ids(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], size: int, window: int, real: bool
) -> None:
    text = "\n".join(lines)
    if not text.strip():
        return
    document = written(tmp_path_factory.mktemp("m"), "t.md", text)
    spans = e5 if real else words
    made = chunks(document, token_spans=spans, size=size, window=window, overlap=size // 5)
    check(document, made, spans=spans, size=size, window=window)
    again = chunks(document, token_spans=spans, size=size, window=window, overlap=size // 5)
    assert again == made
    for chunk in made:
        first, last = chunk.location.lines or (0, 0)
        assert first == document.text.count("\n", 0, chunk.start) + 1
        assert last == document.text.count("\n", 0, chunk.end) + 1


@settings(max_examples=50, deadline=None)
@given(text=st.text(min_size=1, max_size=400).filter(str.strip), kind=st.sampled_from(["prose", "table", "code"]))
def test_any_text_keeps_offsets_and_limits_with_the_real_tokenizer(text: str, kind) -> None:
    block = Block(start=0, end=len(text), kind=kind, location=Location(lines=(1, 1)))
    document = ParsedDocument(text=text, blocks=(block,), title="标题 title", media_type="x")
    made = chunks(document, token_spans=e5, size=20, window=48, overlap=5)
    position = 0
    for chunk in made:
        assert document.text[chunk.start : chunk.end] == chunk.text
        assert chunk.start <= position or not text[position : chunk.start].strip()
        # A single character may be more tokens than any limit; nothing else may exceed it.
        assert len(e5(chunk.text)) <= 20 or len(chunk.text) == 1
        position = max(position, chunk.end)
    assert not text[position:].strip()
    assert len({chunk.chunk_id for chunk in made}) == len(made)


def test_short_sections_under_different_headings_stay_passages_of_their_own(tmp_path: Path) -> None:
    sections = [f"## Rule {i}\n\n" + " ".join(f"word{i}x{j}" for j in range(70)) + "." for i in range(4)]

    made = chunks(written(tmp_path, "rules.md", "# Rules\n\n" + "\n\n".join(sections) + "\n"))

    assert [chunk.location.heading[-1] for chunk in made[-3:]] == ["Rule 1", "Rule 2", "Rule 3"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1. Servlet 的生命周期有哪几个阶段？\n2. Filter 在什么时候执行？\n3. 请写出一个例子。", "question"),
        ("1. Which scope lives longest?\nA. page\nB. request\nC. application\n2. What is JSP?\nA. a\nB. b", "question"),
        ("什么是会话？会话保存在服务器上。它有一个编号。超时后失效。", "prose"),
        ('Sessions expire. "Really?" Yes. They do so after half an hour.', "prose"),
        ("How do I reset my password?", "question"),
        ("12. 34. 56.", "prose"),
    ],
)
def test_prose_that_mostly_asks_is_of_kind_question(tmp_path: Path, text: str, kind: str) -> None:
    assert [chunk.kind for chunk in chunks(written(tmp_path, "a.txt", text))] == [kind]
