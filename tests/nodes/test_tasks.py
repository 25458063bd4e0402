"""What a question asks for, by its own words."""

import pytest

from nodes.tasks import BREADTH, task_by_rule
from tools.search_documents import SearchRequest, parse_search
from tools.tasks import SEARCHED

ASKED = {
    "summarise": [
        "总结一下借阅规则", "帮我概括这份合同", "第三章主要讲了什么？", "Give me a summary of the handbook",
        "Summarize chapter 2",
        "What are the key points of the policy?", "What is this paper about?",
    ],
    "review": [
        "出几道复习题", "关于会话给我出三道选择题", "考考我逾期的规定", "Quiz me on the travel policy",
        "Write five review questions about leases",
    ],
    "compare": [
        "过滤器和拦截器有什么区别？", "对比一下两种住宿标准",
        "What is the difference between a lease and a licence?", "Compare plan A with plan B",
        "REST vs gRPC",
    ],
    "diagnose": [
        "启动时报错 E4021 怎么回事？", "登录失败怎么办？", "为什么抛出 NullPointerException？",
        "The pump does not start, what is wrong?",
        "Why does the upload fail with error 507?",
    ],
    "steps": [
        "怎么申请出差？", "部署的步骤是什么？", "第3题怎么做？", "How do I renew a book?",
        "Show me step by step how to calibrate the sensor",
    ],
    "explain": ["什么是会话固定攻击？", "解释一下借期", "为什么要轮换密钥？", "How does the cache work?",
    "What is a lease?"],
    "find": ["本科生最多可以借几册书？", "年假有几天？", "What is the parking fee?", "Who approves a trip?",
    "程序的上限是 15 元吗？"],
}  # fmt: skip


@pytest.mark.parametrize(("task", "question"), [(task, one) for task, asked in ASKED.items() for one in asked])
def test_a_question_says_by_its_words_what_it_asks_for(task: str, question: str) -> None:
    assert task_by_rule(question) == task


def test_every_task_that_looks_something_up_has_its_breadth() -> None:
    assert set(BREADTH) == set(SEARCHED) == set(ASKED)
    assert {task for task, breadth in BREADTH.items() if breadth.spread} == {"summarise", "review"}


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("compare", "compare"), (" Compare ", "compare"), ("summarize", "summarise"), ("chat", None), ("",
        None), (None, None),
        ("delete everything", None), (7, None), (["compare"], None), ({"task": "compare"}, None),
    ],
)  # fmt: skip
def test_a_task_that_is_none_costs_the_default_and_not_the_queries(given: object, named: str | None) -> None:
    request = parse_search({"queries": ["借期"], "task": given})

    assert isinstance(request, SearchRequest)
    assert (request.queries, request.task) == (("借期",), named)
