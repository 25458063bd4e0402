"""Which sentences want a source."""

import pytest

from nodes.citations.statements import is_frame, states_something


@pytest.mark.parametrize(
    "sentence",
    [
        "你好！",
        "根据资料：",
        "Here is what I found:",
        "# 住宿标准",
        "## 3. Access control",
        "您想了解哪一个城市？",
        "Which city do you mean?",
        "如果还有其他问题，请随时告诉我。",
        "Let me know if you need more details.",
        "希望对您有帮助！",
        "以下是相关内容：",
        "According to the documents:",
        "过滤器和拦截器的区别如下：",
        "**过滤器**：",
        "资料中没有提到停车费。",
        "The documents do not mention parking fees.",
        "---",
        "|---|---|",
        "[1]",
        "",
        "好的，我记住了。",
        "Differences:",
        "Sure! Here's what the documents say:",
    ],
)
def test_greetings_headings_questions_and_lead_ins_state_nothing(sentence: str) -> None:
    assert not states_something(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "住宿标准是 500 元。",
        "好的，住宿标准是 500 元。",
        "Filters run first.",
        "可以。",
        "Java.",
        "It is forbidden.",
        "Tomcat 比 Jetty 快，原因如下：",
        "资料没有提到停车费，但一般是 20 元。",
        "难道不是 500 元吗？",
        "## 标准是 500 元",
        "根据资料，住宿标准是 500 元。",
        "According to the documents, filters run first:",
        "Sure, filters run first.",
        "希望对您有帮助，住宿标准是 500 元。",
    ],
)
def test_a_claim_in_friendly_words_is_a_claim(sentence: str) -> None:
    assert states_something(sentence)


@pytest.mark.parametrize(
    ("line", "states"),
    [
        ("The documents say, in their own language:", False),
        ("资料中的原文是：", False),
        ("文档写道：", False),
        ("The documents say: X is 5", True),
        ("The documents say the limit is 5:", True),
        ("资料中的原文是：上限是5。", True),
    ],
)
def test_a_frame_states_nothing_but_a_claim_behind_it_does(line: str, states: bool) -> None:
    assert states_something(line) is states


@pytest.mark.parametrize(
    "line",
    [
        "The documents say:",
        "According to the library's borrowing rules [1]:",
        "根据《借阅规则》[2]：",
        "The policy of the library on borrowing says:",
        "关于借书数量，资料的说法是：",
        "规则里是这样写的：",
        "Here is what the passages state about borrowing:",
    ],
)
def test_a_line_that_says_whose_words_follow_is_a_frame(line: str) -> None:
    assert is_frame(line)


@pytest.mark.parametrize(
    "line",
    [
        "根据规定，最多借 12 册：",
        "According to the rules, filters must run first:",
        "借书是免费的：",
        "资料写道“免费”：",
        "The documents say so.",
    ],
)
def test_a_line_that_itself_says_something_is_no_frame(line: str) -> None:
    assert not is_frame(line)
