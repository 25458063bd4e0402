"""Recall finds what matters for a question, in both languages, and nothing for a question on something else."""

import pytest
from langchain_core.embeddings import Embeddings
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from stores.embeddings.local import LocalEmbeddings
from stores.memories.recall import Recall
from stores.memories.repository import Memories

FACTS = [
    "用户对花生过敏", "用户住在杭州", "用户叫林然", "用户每周三打羽毛球", "用户的女儿叫小雨", "用户喜欢喝美式咖啡",
    "The user works at Acme Corp as a data engineer", "The user plays the cello", "The user's dog is named Rex",
    "用户在学法语", "The user is training for a marathon in April", "用户的项目使用 PostgreSQL",
]  # fmt: skip


class BrokenEmbeddings(Embeddings):
    name = "broken"

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        raise ConnectionError("down")

    def embed_query(self, text: str) -> list[float]:
        raise ConnectionError("down")


@pytest.fixture(scope="module")
def local() -> LocalEmbeddings:
    return LocalEmbeddings()


async def found(recall: Recall, question: str, user: str = "alice") -> list[str]:
    return [one.content for one in await recall.recall(user, question)]


async def keep(memories: Memories, *contents: str, user: str = "alice") -> None:
    for content in contents:
        await memories.add(user, content)


@pytest.fixture
async def filled(engine: AsyncEngine, memories: Memories, local: LocalEmbeddings) -> Recall:
    await keep(memories, *FACTS)
    recall = Recall(engine, local)
    assert await recall.embed_pending() == len(FACTS)
    return recall


@pytest.mark.parametrize(
    "question",
    [
        "过滤器和拦截器有什么区别？", "光合作用的过程是怎样的", "合同违约金怎么计算", "如何配置 Nginx 反向代理",
        "第二次世界大战是哪年结束的",
        "What is the boiling point of water?", "How does garbage collection work in Java?", "Who wrote War and Peace?",
        "What does article 12 of the act say?", "公司的报销流程是什么？", "How do I install the package?", "总结第三章",
    ],
)  # fmt: skip
async def test_m59_a_general_question_drags_no_memory_in(filled: Recall, question: str) -> None:
    assert await found(filled, question) == []


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("花生", "用户对花生过敏"), ("这道菜有花生吗", "用户对花生过敏"), ("咖啡", "用户喜欢喝美式咖啡"),
        ("羽毛球拍推荐", "用户每周三打羽毛球"),
        ("cello", "The user plays the cello"), ("Which cello strings are good?", "The user plays the cello"),
        ("How do I tune PostgreSQL?", "用户的项目使用 PostgreSQL"),
    ],
)  # fmt: skip
async def test_m60_m61_a_short_query_finds_by_words_also_in_chinese(
    filled: Recall, question: str, content: str
) -> None:
    assert content in await found(filled, question)


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("我叫什么名字？", "用户叫林然"), ("What's my name?", "用户叫林然"), ("我家在哪个城市", "用户住在杭州"),
        ("Where do I live?", "用户住在杭州"),
        ("我在哪里上班", "The user works at Acme Corp as a data engineer"),
        ("What do I do for a living?", "The user works at Acme Corp as a data engineer"),
        ("我的宠物叫什么", "The user's dog is named Rex"), ("What is my daughter's name?", "用户的女儿叫小雨"),
        ("Which language am I learning?", "用户在学法语"), ("我会什么乐器", "The user plays the cello"),
    ],
)  # fmt: skip
async def test_a_question_about_oneself_finds_across_wordings_and_languages(
    filled: Recall, question: str, content: str
) -> None:
    assert content in await found(filled, question)


@pytest.mark.parametrize(
    "question", ["你记得关于我的什么？", "What do you know about me?", "我对花生、咖啡和羽毛球有什么偏好"]
)
async def test_m59_at_most_five_come_back(filled: Recall, question: str) -> None:
    assert 1 <= len(await found(filled, question)) <= 5


async def test_how_to_answer_comes_first_with_every_question_and_at_most_twice(
    engine: AsyncEngine, memories: Memories
) -> None:
    for way in ("以后请用表格回答", "Answer briefly please", "回答时给出公式编号"):
        await memories.add("alice", way, type="procedural")
    await keep(memories, "用户对花生过敏")
    recalled = await Recall(engine).recall("alice", "花生酱怎么做")
    assert [one.type for one in recalled] == ["procedural", "procedural", "semantic"]
    assert len(await Recall(engine).recall("alice", "光合作用")) == 2


async def test_m55_without_a_working_embedder_words_still_find_and_the_rows_wait(
    engine: AsyncEngine, memories: Memories, local: LocalEmbeddings
) -> None:
    await keep(memories, "用户对花生过敏")
    broken = Recall(engine, BrokenEmbeddings())
    assert await broken.embed_pending() == 0
    assert await found(broken, "花生") == ["用户对花生过敏"]
    async with engine.connect() as connection:
        assert await connection.scalar(text("SELECT embedding_status FROM memories")) == "failed"
    assert await Recall(engine, local).embed_pending() == 1
    assert await found(broken, "花生") == ["用户对花生过敏"]


async def test_m55_a_changed_memory_has_no_old_vector(
    engine: AsyncEngine, memories: Memories, local: LocalEmbeddings
) -> None:
    first = await memories.add("alice", "用户在学法语")
    recall = Recall(engine, local)
    await recall.embed_pending()
    await memories.edit("alice", first.memory_id, "用户养了一只橘猫")
    async with engine.connect() as connection:
        assert await connection.scalar(text("SELECT embedding FROM memories")) is None
    assert await recall.embed_pending() == 1
    assert await recall.embed_pending() == 0
    assert await found(recall, "我在学哪门外语") == []


async def test_m57_what_was_forgotten_is_found_by_no_leg(filled: Recall, memories: Memories) -> None:
    for one in await memories.snapshot("alice"):
        if "花生" in one.content or "cello" in one.content:
            await memories.forget("alice", one.memory_id)
    for question in ("花生", "我能吃花生吗", "cello", "Which instrument do I play?"):
        assert not [one for one in await found(filled, question) if "花生" in one or "cello" in one]


async def test_m62_recalling_often_lifts_nothing_above_what_is_newer(
    engine: AsyncEngine, memories: Memories, clock: object
) -> None:
    await memories.add("alice", "项目版本号 1.2 已发布")
    recall = Recall(engine)
    for _ in range(5):
        await recall.recall("alice", "项目版本号")
    clock.advance(60)  # type: ignore[attr-defined]
    await memories.add("alice", "项目版本号 1.3 已发布")
    assert await found(recall, "项目版本号") == ["项目版本号 1.3 已发布", "项目版本号 1.2 已发布"]


async def test_m64_look_alike_users_recall_only_their_own(
    engine: AsyncEngine, memories: Memories, local: LocalEmbeddings
) -> None:
    users = ["john-doe", "john_doe", "john-doe2", "john%doe", "John-Doe"]
    for number, user in enumerate(users):
        await keep(memories, f"用户对花生过敏，等级 {number}", user=user)
    recall = Recall(engine, local)
    await recall.embed_pending()
    for number, user in enumerate(users):
        for question in ("花生", "你记得关于我的什么", "我不能吃什么"):
            assert set(await found(recall, question, user)) <= {f"用户对花生过敏，等级 {number}"}
    assert await found(recall, "花生", "john") == []


@pytest.mark.parametrize("question", ["", "   ", "？", "🙂", "的", "a" * 5000])
async def test_any_question_at_all_is_answered(filled: Recall, question: str) -> None:
    assert len(await found(filled, question)) <= 5


async def test_a_user_without_memories_recalls_nothing(engine: AsyncEngine) -> None:
    assert await found(Recall(engine), "你好") == []
