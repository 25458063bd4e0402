"""What became of a question in the planner's queries."""

import pytest

from nodes.conversational import is_for_a_tool, needs_documents, searches_nothing
from nodes.rewriting import lost_literals, other_language


@pytest.mark.parametrize(
    ("question", "queries", "lost"),
    [
        ("E4021 在 2.4.1 版里怎么处理？", ["错误 E4021 处理"], ["2.4.1"]),
        ("server.port 的默认值？", ["server port default"], ["server.port"]),
        ("getUserById 做什么？", ["ｇｅｔＵｓｅｒＢｙＩｄ 的作用"], []),
        ("What changed on 2024-05-31?", ["changes in May 2024"], ["2024-05-31"]),
        ("限额是 500 元吗", ["限额 5000 元"], ["500"]),
        ("过滤器怎么用？", ["filter"], []),
    ],
)
def test_r10_what_no_query_keeps_is_found(question: str, queries: list[str], lost: list[str]) -> None:
    assert lost_literals(question, queries) == lost


def test_r10_a_query_in_another_language_is_told_apart() -> None:
    assert other_language("过滤器怎么配置？", ["过滤器 配置", "configure a filter"]) == ["configure a filter"]
    assert other_language("How is HttpServlet used?", ["HttpServlet usage"]) == []


@pytest.mark.parametrize(
    "message",
    [
        "你好",
        "谢谢！",
        "好的，谢谢",
        "Hi there!",
        "ok, thanks a lot",
        "记住我叫林然",
        "忘掉我的地址",
        "Remember that I live in Turin",
        "在吗",
    ],
)
def test_small_talk_and_memory_requests_search_nothing(message: str) -> None:
    assert searches_nothing(message)


@pytest.mark.parametrize(
    "message",
    [
        "你好，报销流程是什么？",
        "谢谢，那年假呢？",
        "记住我叫林然，然后告诉我报销流程",
        "garbage collection",
        "程序出了问题",
        "How do filters work?",
    ],
)
def test_what_asks_for_something_beside_it_is_searched(message: str) -> None:
    assert not searches_nothing(message)


def test_a_sum_and_todays_date_are_for_a_tool() -> None:
    assert all(
        map(
            is_for_a_tool,
            ["计算 (37+5)*4", "18 乘以 9 等于多少？", "What is 12% of 350?", "今天星期几？", "What time is it?"],
        )
    )
    assert not any(
        map(is_for_a_tool, ["逾期 30 天罚多少？", "限额是 500 元吗", "今天的菜单是什么？", "What is the fee?"])
    )


@pytest.mark.parametrize("message", ["总结借阅规则", "出三道复习题", "Summarize this document", "Quiz me on leases"])
def test_summaries_and_review_questions_need_documents(message: str) -> None:
    assert needs_documents(message)


@pytest.mark.parametrize("message", ["程序出了问题", "Summarize this", "总结一下上面的回答"])
def test_statements_and_the_conversation_itself_need_none(message: str) -> None:
    assert not needs_documents(message)
