"""Questions about the user: answered from what is remembered, in any thread, and never from documents."""

from pathlib import Path

import pytest

from graph.agent import open_agent
from graph.models.offline import OfflineChatModel
from graph.models.phrases import phrase
from nodes.conversational import asks_about_user

REMEMBERED = {
    "zh": (
        "用户住在无锡", "用户叫许安", "用户的猫叫年糕", "用户的猫 2026 年五岁", "用户对芒果过敏",
        "用户在白鹭医院当药剂师",
    ),
    "en": (
        "The user lives in Bruges", "The user is called Omar", "The user's parrot is called Kiwi",
        "The user is allergic to sesame", "The user works as a cook at Heron Foods",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("user", "question", "part", "others"),
    [
        ("zh", "我现在住哪儿？", "无锡", ["年糕", "芒果"]),
        ("zh", "我家的猫叫什么名字？", "年糕", ["许安", "芒果"]),
        ("zh", "我的猫几岁了", "五岁", ["许安"]),
        ("zh", "我叫什么？", "许安", ["年糕"]),
        ("zh", "我对什么东西过敏？", "芒果", ["年糕"]),
        ("zh", "我在哪儿上班？", "白鹭医院", ["芒果"]),
        ("en", "Which city do I live in?", "Bruges", ["Kiwi", "sesame"]),
        ("en", "What's my parrot's name?", "Kiwi", ["Omar"]),
        ("en", "What is my name?", "Omar", ["Kiwi"]),
        ("en", "Am I allergic to anything?", "sesame", ["Kiwi"]),
        ("en", "Where do I work?", "Heron Foods", ["sesame"]),
    ],
)
async def test_m52_a_question_about_the_user_is_answered_from_memory_in_another_thread(
    home: Path, user: str, question: str, part: str, others: list[str]
) -> None:
    async with open_agent(home, model=OfflineChatModel(), work=False) as agent:
        for content in REMEMBERED[user]:
            await agent.services.memories.add(user, content)
        await agent.finish_jobs()

        reply = await agent.ask(question, user=user, thread="another")

    assert (reply.status, reply.searched) == ("chat", [])
    assert part in reply.answer
    assert not any(other in reply.answer for other in others)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("我住在哪个城市？", "zh"),
        ("我女儿几岁了？", "zh"),
        ("我的狗叫什么？", "zh"),
        ("Where do I live?", "en"),
        ("What's my cat called?", "en"),
        ("What do I like to eat?", "en"),
    ],
)
async def test_m59_what_is_not_remembered_is_said_to_be_so(home: Path, question: str, language: str) -> None:
    async with open_agent(home, model=OfflineChatModel(), work=False) as agent:
        reply = await agent.ask(question)

    assert (reply.status, reply.searched) == ("chat", [])
    assert reply.answer == phrase("unknown_user", "zh" if language == "zh" else "en")


@pytest.mark.parametrize(
    "question",
    [
        "我们公司年假几天？", "我的年假有几天？", "我生病了怎么办？", "我的报销多久到账？", "客户住在哪里？",
        "How many days of leave do I get?", "What does my contract say about notice?", "How do I reset my password?",
        "Where do we keep the keys?", "Can I work from home?",
    ],
)  # fmt: skip
def test_m59_what_rules_say_about_the_user_is_a_question_to_the_documents(question: str) -> None:
    assert not asks_about_user(question)
