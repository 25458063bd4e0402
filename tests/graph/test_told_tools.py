"""Turns that rest on tools alone: what they returned, and why they failed."""

import pytest
from scripted import OpenAgent, tool_calls


@pytest.mark.parametrize(
    "question", ["今天几号？", "现在几点？", "what day is it today?", "明天星期几？", "What time is it?"]
)
async def test_a_question_about_the_date_is_answered_without_a_document(open_offline: OpenAgent, question: str) -> None:
    async with open_offline() as agent:
        reply = await agent.ask(question)
    assert reply.status == "answered"
    assert reply.answer.startswith(("今天是", "Today is"))
    assert not reply.citations


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("1/0等于多少？", "除数为零"),
        ("计算2的100000次方", "2000 位"),
        ("what is 1/0?", "Division by zero"),
        ("2 ** 100000", "more than 2000 digits"),
    ],
)
async def test_t07_why_a_calculation_failed_is_told_in_the_questions_language(
    open_offline: OpenAgent, question: str, reason: str
) -> None:
    async with open_offline() as agent:
        reply = await agent.ask(question)
    assert reply.status == "partial"
    assert reason in reply.answer
    assert "资料" not in reply.answer
    assert "material" not in reply.answer


@pytest.mark.parametrize(
    ("question", "expression", "draft", "told"),
    [
        ("1/0 等于多少？", "1/0", "1/0 等于 0。", "没有成功"),
        ("what is 1/0?", "1/0", "1/0 is 0.", "did not succeed"),
        ("3 个 2 元共多少？", "3*2", "共 7 元。", "calculator：6"),
        ("3 times 2 dollars?", "3*2", "That is 7 dollars.", "calculator: 6"),
    ],
)
async def test_a_forged_result_is_replaced_by_what_the_tool_reported(
    open_scripted: OpenAgent, question: str, expression: str, draft: str, told: str
) -> None:
    call = tool_calls(("calculator", {"expression": expression}, "c1"))
    async with open_scripted({"plan": [call, "NO_SEARCH"], "answer": [draft]}) as agent:
        reply = await agent.ask(question)
    assert reply.status == "partial"
    assert told in reply.answer
    assert draft not in reply.answer
