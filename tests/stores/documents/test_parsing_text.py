"""Markdown, HTML, plain text and configuration: structure, places, encodings."""

from pathlib import Path

import pytest

from stores.documents.document import Block, ParsedDocument
from stores.documents.parsing import parse
from stores.errors import DocumentDamagedError, DocumentEmptyError, DocumentEncodingError

ZH = "今天讨论数据库连接池的配置方法，以及如何处理超时。"
TRADITIONAL = "資料庫連線逾時，請檢查設定。"


def given_file(tmp_path: Path, name: str, content: str | bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def parts(document: ParsedDocument) -> list[tuple[str, str]]:
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks]


def holding(document: ParsedDocument, words: str) -> Block:
    (found,) = [block for block in document.blocks if words in document.text[block.start : block.end]]
    return found


@pytest.mark.parametrize("suffix", [".txt", ".java", ".md"])
@pytest.mark.parametrize(
    ("encoding", "recorded"),
    [("gbk", "gb18030"), ("gb18030", "gb18030"), ("utf-8-sig", "utf-8-sig"), ("utf-8", "utf-8"), ("utf-16", "utf-16")],
)
@pytest.mark.parametrize("text", [ZH, "中文", "// 用户登录\nclass A { }", "姓名,年龄\n张三,18"])
def test_i01_encodings_are_read_and_recorded(
    tmp_path: Path, suffix: str, encoding: str, recorded: str, text: str
) -> None:
    document = parse(given_file(tmp_path, f"a{suffix}", text.encode(encoding)))
    assert (document.text, document.encoding) == (text, recorded)


@pytest.mark.parametrize(
    ("text", "encoding", "recorded"),
    [
        (TRADITIONAL, "big5", "big5"),
        ("繁體中文", "big5", "big5"),
        (TRADITIONAL, "gbk", "gb18030"),
        ("Crème brûlée naïve façade", "cp1252", "cp1252"),
        ("日本語のテキストです。漢字とかな。", "euc_jp", "euc_jp"),
        ("日本語のテキストです。漢字とかな。", "shift_jis", "cp932"),
        ("안녕하세요 세계입니다", "euc_kr", "euc_kr"),
        ("Привет, как дела? Это тест кодировки.", "cp1251", "cp1251"),
        ("plain words without a mark", "utf-16-le", "utf-16-le"),
    ],
)
def test_i01_other_encodings_are_not_taken_for_chinese(tmp_path: Path, text: str, encoding: str, recorded: str) -> None:
    document = parse(given_file(tmp_path, "a.txt", text.encode(encoding)))
    assert (document.text, document.encoding) == (text, recorded)


@pytest.mark.parametrize(
    "content",
    [
        ("正常的文字" * 20).encode() + b"\xff\xfe" + "更多".encode(),
        "你好世界".encode()[:-1],
        b"\x80\x81\x8d\x8f" * 10,
        b"\xff\xfea",
    ],
)
def test_i01_what_cannot_be_decoded_is_an_error_and_never_garbage(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(DocumentEncodingError, match=r"a\.txt"):
        parse(given_file(tmp_path, "a.txt", content))


def test_line_ends_and_mark_are_normalised_and_nothing_else(tmp_path: Path) -> None:
    document = parse(given_file(tmp_path, "a.txt", "\ufeffＡ①\r\nb\rc\u3000d\n"))
    assert document.text == "Ａ①\nb\nc\u3000d\n"


@pytest.mark.parametrize("content", [b"", b"  \n\t \r\n", "\ufeff \u3000\n".encode()])
@pytest.mark.parametrize("suffix", [".txt", ".md", ".html", ".java", ".yml"])
def test_an_empty_file_is_refused(tmp_path: Path, content: bytes, suffix: str) -> None:
    with pytest.raises(DocumentEmptyError):
        parse(given_file(tmp_path, f"a{suffix}", content))


@pytest.mark.parametrize("content", [b"abc\x00def", b"\x00\x01\x02\x03", bytes(range(1, 32)) * 10])
def test_binary_under_a_text_name_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(DocumentDamagedError, match="binary"):
        parse(given_file(tmp_path, "a.md", content))


MARKDOWN = """---
title: Front
---

# 手册 `v2`

引言。

## 安装
### Linux

```bash
# 不是标题
apt install x
```

| 参数 | 值 |
|---|---|
| a | 1 |

后记。

Setext
------

尾。
"""


def test_markdown_knows_headings_code_tables_and_lines(tmp_path: Path) -> None:
    document = parse(given_file(tmp_path, "a.md", MARKDOWN))
    assert document.title == "手册 v2"
    assert [kind for kind, _ in parts(document)] == [
        "configuration",
        "prose",
        "prose",
        "code",
        "table",
        "prose",
        "prose",
    ]
    code = holding(document, "不是标题")
    assert code.location.heading == ("手册 v2", "安装", "Linux")
    assert code.location.lines == (12, 15)
    table = holding(document, "| a | 1 |")
    assert table.header == "| 参数 | 值 |\n|---|---|"
    assert table.location.lines == (17, 19)
    assert holding(document, "尾。").location.heading == ("手册 v2", "Setext")
    # A bare heading stands in the block of the deeper one below it.
    assert holding(document, "## 安装") == holding(document, "### Linux")


def test_markdown_loses_no_line(tmp_path: Path) -> None:
    text = "[a]: http://example.com\n\n<div>\nraw\n</div>\n\n- x\n\n      deep\n\n***\n\n> # quoted\n\n" + MARKDOWN
    document = parse(given_file(tmp_path, "a.md", text))
    held = "".join(part for _, part in parts(document))
    assert "".join(held.split()) == "".join(document.text.split())
    assert all(not block.location.heading or "quoted" not in block.location.heading for block in document.blocks)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("正文", "file"),
        ("## 二级\n\n正文", "file"),
        ("---\ntitle: '题目'\n---\n正文", "题目"),
        ("正文\n\n# 后来", "后来"),
    ],
)
def test_the_title_is_the_first_heading_else_the_front_matter_else_the_name(
    tmp_path: Path, text: str, title: str
) -> None:
    assert parse(given_file(tmp_path, "file.md", text)).title == title


HTML = """<html><head><title>Page</title><style>p{color:red}</style></head><body>
<nav>Home About</nav><script>var secret = 1;</script>
<h1>总览</h1><p>First <b>bold</b> word.<br>Next line.</p>
<div hidden>not shown</div><div style="display: none">unseen</div><!-- remark -->
<h2>Data</h2><table><thead><tr><th>年</th><th>值</th></tr></thead>
<tr><td rowspan="2">2024</td><td>1</td></tr><tr><td>2</td></tr></table>
<ul><li>one</li><li>two</li></ul><pre>int a;
  int b;</pre></body></html>"""


def test_html_gives_the_visible_text_with_its_structure(tmp_path: Path) -> None:
    document = parse(given_file(tmp_path, "a.html", HTML))
    assert document.title == "Page"
    assert document.text == (
        "总览\n\nFirst bold word.\nNext line.\n\nData\n\n"
        "| 年 | 值 |\n| --- | --- |\n| 2024 | 1 |\n| 2024 | 2 |\n\n- one\n- two\n\nint a;\n  int b;"
    )
    assert holding(document, "| 2024 | 2 |").header == "| 年 | 值 |\n| --- | --- |"
    assert holding(document, "int a;").kind == "code"
    assert holding(document, "- one").location.heading == ("总览", "Data")


def test_a_declared_encoding_is_believed_when_it_fits(tmp_path: Path) -> None:
    page = '<meta charset="{}"><p>数据库</p>'
    assert parse(given_file(tmp_path, "a.html", page.format("gb2312").encode("gbk"))).text == "数据库"
    assert parse(given_file(tmp_path, "b.html", page.format("iso-8859-1").encode())).text == "数据库"
    jsp = '<%@ page contentType="text/html; charset=GBK" pageEncoding="GBK" %>\n<p>数据库</p>'
    assert "数据库" in parse(given_file(tmp_path, "c.jsp", jsp.encode("gbk"))).text


def test_a_page_that_shows_nothing_is_empty(tmp_path: Path) -> None:
    with pytest.raises(DocumentEmptyError):
        parse(given_file(tmp_path, "a.html", "<html><body><script>x()</script><p hidden>y</p></body></html>"))


def test_xhtml_with_a_declaration_is_read_as_a_page(tmp_path: Path) -> None:
    text = '<?xml version="1.0" encoding="UTF-8"?>\n<ui:composition><p>正文</p></ui:composition>'
    assert parse(given_file(tmp_path, "a.xhtml", text)).text == "正文"


def test_xml_is_cut_at_the_elements_below_the_root(tmp_path: Path) -> None:
    text = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<web-app>\n  <!-- 过滤 -->\n'
        "  <filter>\n    <name>a</name>\n  </filter>\n"
        "  <servlet>\n    <name>b</name>\n  </servlet>\n</web-app>\n"
    )
    document = parse(given_file(tmp_path, "web.xml", text))
    assert document.title == "web.xml"
    assert {block.kind for block in document.blocks} == {"configuration"}
    assert holding(document, "过滤").location.lines == (3, 6)
    assert holding(document, "<servlet>").location.lines == (7, 10)
    assert holding(document, "<servlet>").header == "<web-app>"


def test_xml_that_is_broken_is_still_read(tmp_path: Path) -> None:
    text = "<project>\n<a>1</a>\n<b>2\n</project>"
    document = parse(given_file(tmp_path, "pom.xml", text))
    assert "".join(part for _, part in parts(document)).replace("\n", "") == text.replace("\n", "")


@pytest.mark.parametrize(
    ("name", "text", "starts"),
    [
        ("a.yml", "# 端口\nserver:\n  port: 80\nspring:\n  a: b\n", ["# 端口", "spring:"]),
        ("a.toml", "x = 1\n[one]\na = 1\n# next\n[two]\nb = 2\n", ["x = 1", "[one]", "# next"]),
        ("a.ini", "[one]\na=1\n\n[two]\nb=2\n", ["[one]", "[two]"]),
        ("a.properties", "a=1\nb=\\u4f60\n\n# 组\nc=2\n", ["a=1", "# 组"]),
        ("a.json", '{\n  "a": {\n    "x": 1\n  },\n  "b": 2\n}\n', ["{", '  "a"', '  "b"']),
    ],
)
def test_settings_are_cut_at_their_keys_and_stay_as_written(
    tmp_path: Path, name: str, text: str, starts: list[str]
) -> None:
    document = parse(given_file(tmp_path, name, text))
    assert document.text == text
    found = [part for _, part in parts(document)]
    assert all(block.kind == "configuration" and block.location.lines for block in document.blocks)
    # An opening brace alone is no block worth having; it may stand before the first key.
    assert [part.split("\n")[0][: len(start)] for part, start in zip(found, starts, strict=True)] == starts
