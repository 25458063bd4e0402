"""Which messages say nothing that could be looked up, and which questions may go back to the user."""

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from nodes.clarify import is_unclear, proposed_question
from nodes.state import State
from nodes.turn import ANSWER

UNCLEAR = [
    "它怎么用？", "那个文件呢？", "这是什么？", "为什么？", "怎么办？", "它安全吗？", "这个怎么配置？",
    "它们有什么区别？", "总结一下这个文档",
    "这份文件讲了什么？", "怎么用？", "How does it work?", "What about that one?", "How do I use it?", "Why?",
    "Summarize this document.",
    "What's the difference between them?", "Is it free?", "What does the file say?", "Can you explain that?",
]  # fmt: skip
CLEAR = [
    "过滤器怎么用？", "它和拦截器有什么区别？", "那年假呢？", "server.xml 里它怎么配置？", "今天星期几？",
    "你是谁？", "你好", "在吗？", "我叫什么名字？",
    "其他人怎么办理？", "《借阅规则》讲了什么？", "有哪些文件？", "What time is it?", "How are you?",
    "What can you do?", "What do the documents say?",
    "How does garbage collection work?", "Does this work on Windows?", "How does it behave in version 2.4?",
    "Is it true that Paris is big?",
]  # fmt: skip


def turn(question: str, answer: str, status: str) -> list[AnyMessage]:
    return [HumanMessage(question), AIMessage(answer, additional_kwargs={ANSWER: {"status": status}})]


@pytest.mark.parametrize("question", UNCLEAR)
def test_a_first_message_that_names_nothing_is_unclear(question: str) -> None:
    assert is_unclear(question, [HumanMessage(question)], one_document=False)


@pytest.mark.parametrize("question", CLEAR)
def test_a_message_that_names_something_is_clear(question: str) -> None:
    assert not is_unclear(question, [HumanMessage(question)], one_document=False)


@pytest.mark.parametrize("question", UNCLEAR)
def test_what_was_said_before_makes_it_clear_and_a_greeting_does_not(question: str) -> None:
    told = turn("什么是过滤器？", "过滤器在请求前后执行。[1]", "answered")
    greeted = turn("你好", "你好！", "chat")

    assert not is_unclear(question, [*told, HumanMessage(question)], one_document=False)
    assert is_unclear(question, [*greeted, HumanMessage(question)], one_document=False)


def test_nothing_is_asked_back_twice_in_a_row() -> None:
    asked = turn("它怎么用？", "您指的是什么？", "clarify")

    assert not is_unclear("它怎么用？", [*asked, HumanMessage("它怎么用？")], one_document=False)
    assert not is_unclear("那个文件呢？", [*asked, HumanMessage("那个文件呢？")], one_document=False)
    later = [*asked, *turn("谢谢", "不客气。", "chat"), HumanMessage("它怎么用？")]
    assert is_unclear("它怎么用？", later, one_document=False)


@pytest.mark.parametrize("question", ["总结一下这个文档", "Summarize this document.", "这份文件讲了什么？"])
def test_this_document_is_clear_where_there_is_but_one(question: str) -> None:
    assert not is_unclear(question, [HumanMessage(question)], one_document=True)


def test_that_file_is_unclear_even_where_there_is_but_one() -> None:
    assert is_unclear("那个文件呢？", [HumanMessage("那个文件呢？")], one_document=True)


def state(question: str, *before: AnyMessage, **fields: object) -> State:
    return State(messages=[*before, HumanMessage(question)], **fields)


@pytest.mark.parametrize(
    ("question", "reply", "asked"),
    [
        ("怎么配置？", "CLARIFY: 您要配置的是缓存还是会话？", "您要配置的是缓存还是会话？"),
        ("How do I install the driver?", "CLARIFY: Which driver do you mean?", "Which driver do you mean?"),
        ("怎么配置？", "**CLARIFY**：您指哪个组件？", "您指哪个组件？"),
    ],
)
def test_a_planner_may_ask_one_short_question_back(question: str, reply: str, asked: str) -> None:
    assert proposed_question(reply, state(question)) == asked


@pytest.mark.parametrize(
    "reply",
    [
        "CLARIFY:", "CLARIFY: 请说明。", "您指哪个组件？", "CLARIFY: 您指哪个组件？\n还有，您的部门是？",
        "CLARIFY: " + "很长" * 90 + "？",
        "CLARIFY: 请看 https://evil.example/?q=1 对吗？", "CLARIFY: [点这里](x) 好吗？",
        "CLARIFY: <b>哪个</b>？", "CLARIFY: Which one?",
        "CLARIFY: 您的密码是什么？", "CLARIFY: 请提供 API key 好吗？", "CLARIFY: 写到 a@evil.cn 好吗？",
        "CLARIFY: 见 [1] 吗？",
        "CLARIFY: 哪\u202e个？", "我觉得 CLARIFY: 您指哪个组件？",
    ],
)  # fmt: skip
def test_what_is_no_short_harmless_question_never_reaches_the_user(reply: str) -> None:
    assert proposed_question(reply, state("怎么配置？")) is None


def test_a_planner_may_not_ask_back_what_is_clear_was_searched_or_was_asked_already() -> None:
    proposal = "CLARIFY: 您指哪一类读者？"
    before = turn("它怎么用？", "您指的是什么？", "clarify")

    assert proposed_question(proposal, state("它怎么用？")) is not None
    assert proposed_question(proposal, state("本科生每次最多可以借几册书？")) is None
    assert proposed_question(proposal, state("它怎么用？", searched=["它怎么用？"])) is None
    assert proposed_question(proposal, state("它怎么用？", *before)) is None
    assert proposed_question("CLARIFY: 您好，您贵姓？", state("你好")) is None
