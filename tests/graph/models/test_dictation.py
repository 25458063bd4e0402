"""What users tell the offline model about themselves, as far as the application then keeps it."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from langchain_core.messages import HumanMessage, SystemMessage

from graph.models.remembering import propose
from nodes.fences import fence, fence_token
from nodes.prompts import prompt
from stores.memories.memory import Memory
from stores.memories.proposal import parse_proposal
from stores.memories.sameness import Tombstones
from stores.memories.turn import Turn
from stores.memories.validate import Accepted, decide

TOKEN = fence_token("job")
SAID_AT = datetime(2026, 11, 30, 10, tzinfo=timezone(timedelta(hours=8)))
NONE_ERASED = Tombstones(user_id="u")


def kept(text: str, *known: str, earlier: tuple[str, ...] = ()) -> list[tuple[str, str | None]]:
    """What is written, each with the known memory that it replaces."""
    snapshot = [_memory(i, content) for i, content in enumerate(known)]
    parts = [fence("message", said, token=TOKEN, attributes={"time": SAID_AT.isoformat()}) for said in (*earlier, text)]
    parts += [
        fence("memory", memory.content, token=TOKEN, attributes={"id": memory.memory_id, "type": memory.type})
        for memory in snapshot
    ]
    told = [SystemMessage(prompt("extract")), HumanMessage("\n".join(parts))]
    turn = Turn(user_messages=(*earlier, text), assistant_message=None, time=SAID_AT)
    written = []
    for operation in parse_proposal(propose(told, datetime(2030, 1, 1, tzinfo=UTC))).operations:
        outcome = decide(operation, turn=turn, snapshot=snapshot, tombstones=NONE_ERASED)
        if operation.action == "IGNORE":
            continue
        assert isinstance(outcome, Accepted), (operation.content, outcome)
        written.append((outcome.content or "", outcome.target.content if outcome.target else None))
    return written


def contents(text: str, *known: str, earlier: tuple[str, ...] = ()) -> list[str]:
    return [content for content, _ in kept(text, *known, earlier=earlier)]


def _memory(number: int, content: str) -> Memory:
    return Memory(
        memory_id=f"m{number}-0000000",
        user_id="u",
        type="semantic",
        content=content,
        source="extracted",
        thread_id=None,
        quote=None,
        version=1,
        created_at=SAID_AT.isoformat(),
        updated_at=SAID_AT.isoformat(),
    )


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("记一下：我的猫叫年糕，今年五岁了", [["猫叫年糕"], ["猫", "2026 年", "五岁"]]),
        ("我今年三十四岁，帮我记下来", [["2026 年", "三十四岁"]]),
        ("我女儿去年刚满六岁，别忘了", [["女儿", "2025 年", "六岁"]]),
        ("我家的狗上个月满两岁", [["狗", "2026-10", "两岁"]]),
        ("Please remember: my parrot is called Kiwi and she is two years old this year.", [["Kiwi"], ["two", "2026"]]),
        ("Keep in mind that I turn 40 next month.", [["40", "2026-12"]]),
        ("My horse Bela turned nine last year, don't forget", [["horse", "nine", "2025"]]),
        ("I'm 29 this year", [["29"]]),
    ],
)
def test_m16_an_age_is_kept_and_its_year_counts_from_the_message(text: str, parts: list[list[str]]) -> None:
    written = contents(text)

    assert len(written) == len(parts)
    for content, wanted in zip(written, parts, strict=True):
        assert all(part in content for part in wanted), content
        assert not any(word in content for word in ("今年", "去年", "上个月", "this year", "last year", "next month"))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("我叫许安，在白鹭医院当药剂师。", ["许安", "在白鹭医院当药剂师"]),
        ("我姓王，住在西安，是一名律师", ["姓王", "住在西安", "律师"]),
        ("我喜欢爬山，不喜欢游泳", ["喜欢爬山", "不喜欢游泳"]),
        ("大家好，我是许安，今年三十岁，住在大理。", ["许安", "三十岁", "大理"]),
        ("I'm Omar, I teach physics at Linden College", ["Omar", "physics at Linden College"]),
        ("My name is Mei and I live in Lyon", ["Mei", "Lyon"]),
        ("I'm a baker, based in Porto and allergic to sesame", ["baker", "Porto", "sesame"]),
        ("Hi, I'm Theo. I play the cello and I love opera", ["Theo", "cello", "opera"]),
    ],
)
def test_m15_each_fact_of_a_sentence_is_a_memory_of_its_own(text: str, parts: list[str]) -> None:
    written = contents(text)

    assert len(written) == len(parts), written
    assert all(part in content for part, content in zip(parts, written, strict=True)), written


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("我对芒果过敏，请记住。", "对芒果过敏"),
        ("我不吃牛肉。记一下。", "不吃牛肉"),
        ("我每周三晚上有瑜伽课，帮我记下来", "每周三晚上有瑜伽课"),
        ("麻烦记住会议改到三点", "会议改到三点"),
        ("项目代号是海燕，记一下哈", "项目代号是海燕"),
        ("I'm allergic to shellfish. Keep that in mind.", "allergic to shellfish"),
        ("I take my coffee black, please remember", "coffee black"),
        ("Could you make a note that I park on level three?", "on level three"),
        ("Remember that the wifi router is in the hall cupboard", "wifi router is in the hall cupboard"),
    ],
)
def test_m20_what_the_user_asks_to_remember_is_kept_wherever_the_words_for_it_stand(text: str, part: str) -> None:
    written = contents(text)

    assert len(written) == 1, written
    assert part in written[0]


def test_m20_a_bare_wish_to_remember_means_the_message_before_it() -> None:
    assert contents("帮我记住刚才说的", earlier=("我穿 42 码的鞋",)) == ["用户穿 42 码的鞋"]


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("我搬到了昆明，不在沈阳了。", "用户住在沈阳", "昆明"),
        ("我不在沈阳了，如今住无锡", "用户住在沈阳", "无锡"),
        ("我已经从海棠公司离职了，现在在木槿公司", "用户在海棠公司当会计", "木槿公司"),
        ("我从海棠公司跳槽到木槿公司了", "用户在海棠公司工作", "木槿公司"),
        ("I moved from Ghent to Bruges", "The user lives in Ghent", "Bruges"),
        ("I don't live in Ghent any more, now I live in Bruges", "The user lives in Ghent", "Bruges"),
        ("I no longer work at Heron Foods, I'm with Curlew now", "The user works as a cook at Heron Foods", "Curlew"),
        ("I've left Heron Foods and joined Curlew", "The user works at Heron Foods", "Curlew"),
    ],
)
def test_m25_a_new_home_or_employer_takes_the_place_of_the_old(text: str, old: str, new: str) -> None:
    written = kept(text, "用户喜欢下棋", old)

    assert [target for _, target in written] == [old]
    assert new in written[0][0]


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("我不在海棠公司了", "用户在海棠公司当会计"),
        ("我早就不住在沈阳了", "用户住在沈阳"),
        ("I don't live in Ghent any more", "The user lives in Ghent"),
        ("I've left Heron Foods", "The user works at Heron Foods"),
    ],
)
def test_m25_what_is_over_changes_the_memory_of_it_and_no_other(text: str, old: str) -> None:
    assert [target for _, target in kept(text, old)] == [old]
    assert kept(text, "用户住在广州", "The user lives in Oslo") == []


@pytest.mark.parametrize(
    "text",
    [
        "记得帮我查一下年假",
        "我的狗生病了",
        "My son has a fever",
        "我女儿发烧了怎么办",
        "Remember to check the leave policy",
    ],
)
def test_m79_a_task_or_a_state_of_the_moment_is_no_memory(text: str) -> None:
    assert kept(text) == []


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("我叫许安", "用户的狗叫年糕"),
        ("我改名叫许安了", "用户家猫叫年糕"),
        ("我今年四十岁", "用户的女儿 2025 年六岁"),
        ("我搬到了昆明", "用户妈妈住在沈阳"),
        ("My name is Omar", "The user's parrot is called Kiwi"),
        ("I moved from Ghent to Bruges", "The user's brother lives in Ghent"),
    ],
)
def test_m26_what_is_told_of_the_user_never_replaces_what_is_told_of_another(text: str, other: str) -> None:
    assert [target for _, target in kept(text, other)] == [None]
