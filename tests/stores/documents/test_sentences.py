"""Sentences in Chinese and English, with code and citation markers left whole."""

import pytest
from growth import LINEAR, growth
from hypothesis import given
from hypothesis import strategies as st

from stores.documents.sentences import code_spans, split_sentences


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我在等你。天黑了！你来吗？好；走吧……再见", ["我在等你。", "天黑了！", "你来吗？", "好；", "走吧……", "再见"]),
        (
            "One is done. Two follows! Is it three? Yes; four",
            ["One is done.", "Two follows!", "Is it three?", "Yes;", "four"],
        ),
        ("第一段\n\n第二段", ["第一段", "第二段"]),
        ("a wrapped\nline goes on. Next", ["a wrapped\nline goes on.", "Next"]),
    ],
)
def test_i07_a_cut_comes_after_the_stop_and_the_stop_stays_with_its_sentence(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "升级到 v1.2.3 之后再试",
        "Upgrade to v10.4.17-rc.2 and retry",
        "发到 user@example.com 或 li.si@mail.example.cn 都行",
        "修改 application.yml 和 web.xml 两个文件",
        "HttpServlet.service() 会调用 doGet()",
        "圆周率约为 3.14159，不是 3.2",
        "Use a cache, e.g. Redis or i.e. anything fast",
        "Dr. Smith and Prof. Li met Mr. Wang",
        "See No. 5, Fig. 3 and p. 12 of vol. 2",
        "Open https://example.com/a.b?x=1.5&y=2;z=3 now",
        "The U.S. market and J. K. Rowling",
        "等待 Wait... then go on",
    ],
)
def test_i08_a_dot_inside_a_word_never_cuts(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("试用期为三天。[1]之后转正。[2][3]", ["试用期为三天。[1]", "之后转正。[2][3]"]),
        ("It takes three days. [2] Then it ends [3].", ["It takes three days. [2]", "Then it ends [3]."]),
        ("可以。【1】不行。［2］也许。[1, 2]", ["可以。【1】", "不行。［2］", "也许。[1, 2]"]),
        ("Done.[1-3] Next.", ["Done.[1-3]", "Next."]),
        ("完了。[见这里](x.md)", ["完了。", "[见这里](x.md)"]),
        ("See it. [1](https://example.com) is a link.", ["See it.", "[1](https://example.com) is a link."]),
    ],
)
def test_a_citation_after_the_stop_belongs_to_the_sentence_before_it(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("他说：“好的。”然后走了。", ["他说：“好的。”", "然后走了。"]),
        ("（完毕。）下一步", ["（完毕。）", "下一步"]),
        ('She said "stop." Then she left.', ['She said "stop."', "Then she left."]),
        ("**重要。** 下一句。", ["**重要。**", "下一句。"]),
        ("三天。**注意**：别迟到", ["三天。", "**注意**：别迟到"]),
    ],
)
def test_closing_marks_stay_with_their_sentence(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_items_headings_and_rows_are_sentences_of_their_own() -> None:
    text = "# 步骤\n说明如下\n1. 打开文件 [1]\n2. 保存 [2]\n- 完成\n| a | b |\n| 1 | 2 |\n结束"
    assert sentences(text) == [
        "# 步骤",
        "说明如下",
        "1. 打开文件 [1]",
        "2. 保存 [2]",
        "- 完成",
        "| a | b |",
        "| 1 | 2 |",
        "结束",
    ]


def test_c07_code_stays_whole_in_spans_and_fences() -> None:
    fence = "```java\nint[] a = b[10]; // 好。完。\n\nfoo();\n```"
    text = f"用法：\n{fence}\n[1]\n然后调用 `a. B. c。d` 即可。完"
    assert sentences(text) == ["用法：", f"{fence}\n[1]", "然后调用 `a. B. c。d` 即可。", "完"]
    assert [text[start:end] for start, end in code_spans(text)] == [fence, "`a. B. c。d`"]


def test_an_unclosed_fence_runs_to_the_end() -> None:
    assert sentences("看：\n~~~\na. B.\n\nc。d") == ["看：", "~~~\na. B.\n\nc。d"]


@given(st.text(alphabet=st.sampled_from("ab字。.!？;\n \t`~#|-*[]1\"'”)（…@v"), max_size=200))
def test_spans_are_ordered_trimmed_and_hold_everything_but_white_space(text: str) -> None:
    spans = split_sentences(text)
    position = 0
    for start, end in spans:
        assert position <= start < end
        assert not text[position:start].strip()
        assert text[start:end] == text[start:end].strip()
        position = end
    assert not text[position:].strip()


@given(st.text(max_size=300))
def test_no_text_is_lost_whatever_it_is(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


@pytest.mark.parametrize(
    "text",
    [
        "[" + "1" * 100_000,
        "。[" * 50_000,
        "字" * 100_000,
        "x" * 100_000,
        "." * 100_000,
        "`" * 3 + "` " * 50_000,
        "`a``b" * 20_000,
        "b;" * 50_000,
        '."' * 50_000,
        "\n " * 50_000,
        "1.保" * 30_000,
    ],
    ids=lambda text: repr(text[:6]),
)
def test_c08_time_grows_in_line_with_the_text(text: str) -> None:
    assert growth(split_sentences, text) < LINEAR
