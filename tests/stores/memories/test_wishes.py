"""Which memory a wish to forget concerns: the named one, and never another."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stores.memories.memory import Memory, Operation
from stores.memories.sameness import Tombstones
from stores.memories.turn import Turn
from stores.memories.validate import validate
from stores.memories.wishes import concerns

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def turn(*messages: str, assistant: str | None = None) -> Turn:
    return Turn(user_messages=messages, time=NOW, assistant_message=assistant)


def kept(content: str, name: str = "m1") -> Memory:
    return Memory(
        memory_id=name, user_id="u", type="semantic", content=content, source="user", thread_id=None, quote=None,
        created_at=NOW.isoformat(), updated_at=NOW.isoformat(), version=1,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("wish", "memory"),
    [
        ("请忘掉我的地址", "用户住在上海浦东"),
        ("能把我的手机号从记忆里删掉吗", "用户的手机号尾数是 8000"),
        ("忘掉我喜欢咖啡这件事", "用户喜欢咖啡"),
        ("忘掉我的地址和手机号", "用户住在上海浦东"),
        ("忘掉我的地址和手机号", "用户的手机号尾数是 8000"),
        ("别再记我的生日了", "用户的生日是 5 月 3 日"),
        ("请删除你记得的我妈妈的生日", "用户妈妈的生日是 5 月 3 日"),
        ("把我在甲公司工作的记忆删掉", "用户在甲公司工作"),
        ("我换工作了。忘掉我的公司", "用户在甲公司工作"),
        ("Please forget my address.", "The user lives in Berlin"),
        ("Please forget my address.", "用户住在柏林"),
        ("Could you forget my phone number?", "用户的手机尾号是 1234"),
        ("忘掉我的过敏", "The user is allergic to peanuts"),
        ("Forget that I like coffee", "The user likes coffee"),
        ("Please delete what you remember about my job", "The user works at Acme as an engineer"),
        ("Remove from your memory that my dog is called Rex", "The user's dog is called Rex"),
    ],
)
def test_m34_a_wish_concerns_the_memory_that_it_names(wish: str, memory: str) -> None:
    assert concerns(turn(wish), memory)


@pytest.mark.parametrize(
    ("wish", "memory"),
    [
        ("请忘掉我的地址", "用户对花生过敏"),
        ("忘掉我喜欢咖啡这件事", "用户喜欢茶"),
        ("忘掉我喜欢绿茶", "用户喜欢红茶"),
        ("请忘掉我的生日", "用户妈妈的生日是 5 月 3 日"),
        ("请忘掉我妈妈的生日", "用户的生日是 5 月 3 日"),
        ("把刚才那条忘掉", "用户喜欢滑雪"),
        ("忘掉我的地址，但保留花生过敏", "用户对花生过敏"),
        ("忘掉我的地址，我对花生过敏", "用户对花生过敏"),
        ("忘掉我的地址。我对花生过敏这点很重要", "用户对花生过敏"),
        ("Please forget my address, not my name", "The user's name is Ann"),
        ("Forget that I like coffee", "The user is allergic to peanuts"),
        ("forget that I live in Berlin", "The user lives in Munich"),
        ("Forget that, please", "The user likes skiing"),
        ("Forget my phone number", "用户的邮箱在公司服务器上"),
    ],
)
def test_a_wish_concerns_no_other_memory(wish: str, memory: str) -> None:
    assert not concerns(turn(wish), memory)


def test_a_wish_that_only_points_is_about_what_was_said_before() -> None:
    assert concerns(turn("我喜欢滑雪", "把刚才那条忘掉"), "用户喜欢滑雪")
    assert not concerns(turn("我喜欢滑雪", "把刚才那条忘掉"), "用户对花生过敏")
    assert concerns(turn("forget that, please", assistant="You told me that you like skiing."), "The user likes skiing")


MEMORIES = (
    "用户对花生过敏",
    "用户喜欢红茶",
    "用户妈妈的生日是 5 月 3 日",
    "The user's dog is called Rex",
    "用户每天跑步",
)
OTHER_WISHES = (
    "请忘掉我的地址",
    "别再记我的名字了",
    "Please forget my age.",
    "把我的公司从记忆里删掉",
    "忘掉我是哪里人",
)


@given(wish=st.sampled_from(OTHER_WISHES), at=st.integers(0, len(MEMORIES) - 1), confidence=st.floats(0.85, 1))
def test_a_delete_of_what_the_wish_does_not_concern_is_never_accepted(wish: str, at: int, confidence: float) -> None:
    snapshot = [kept(content, f"m{n}") for n, content in enumerate(MEMORIES)]
    operation = Operation(action="DELETE", type=None, content=None, target_id=f"m{at}", confidence=confidence)
    verdict = validate(
        operation, turn=turn(wish), snapshot=snapshot, tombstones=Tombstones(user_id="u", erased={}, all_before=None)
    )
    assert (verdict.reason, verdict.memory_id) == ("not_meant", None)
