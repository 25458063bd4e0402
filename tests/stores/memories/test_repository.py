"""Long-term memory as rows: one transaction, one user, true erasing."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from stores.database import open_database, sqlite_url
from stores.errors import UnknownMemoryError
from stores.memories.memory import Operation, Verdict
from stores.memories.proposal import parse_proposal
from stores.memories.repository import Memories, MemoryRefusedError
from stores.memories.turn import Turn

LOOK_ALIKES = ["john-doe", "john_doe", "john-doe2", "John-doe", "john%doe", "john doe", "jоhn-doe"]


def turn(*said: str, hours: float = 0) -> Turn:
    return Turn(user_messages=said, time=datetime(2026, 11, 30, 12, 0, tzinfo=UTC) + timedelta(hours=hours))


def add(content: str, confidence: float = 0.95) -> Operation:
    return Operation(action="ADD", type="semantic", content=content, target_id=None, confidence=confidence)


def update(content: str, target: str) -> Operation:
    return Operation(action="UPDATE", type="semantic", content=content, target_id=target, confidence=0.95)


def delete(target: str) -> Operation:
    return Operation(action="DELETE", type=None, content=None, target_id=target, confidence=0.95)


def reasons(verdicts: Sequence[Verdict]) -> list[str | None]:
    return [one.reason for one in verdicts]


async def contents(memories: Memories, user: str) -> list[str]:
    return [one.content for one in await memories.snapshot(user)]


async def learn(
    memories: Memories, content: str, said: str, *, user: str = "alice", job: str = "j", hours: float = 0
) -> Verdict:
    verdicts = await memories.execute(user, [add(content)], turn(said, hours=hours), thread_id="t", job_id=job)
    return verdicts[0]


async def test_m20_the_same_explicit_wish_in_five_threads_is_stored_once_and_never_lost(memories: Memories) -> None:
    found = [await learn(memories, "用户叫林然", "记住，我叫林然", job=f"job{n}") for n in range(5)]
    assert reasons(found) == [None, "duplicate", "duplicate", "duplicate", "duplicate"]
    assert await contents(memories, "alice") == ["用户叫林然"]


async def test_m21_a_wrong_target_stops_nothing_else_and_both_are_audited(memories: Memories) -> None:
    operations = [update("用户住在杭州", "12"), add("用户对花生过敏")]
    verdicts = await memories.execute("alice", operations, turn("我对花生过敏"), thread_id="t", job_id="j")
    assert reasons(verdicts) == ["unknown_target", None]
    assert [(one.action, one.reason) for one in await memories.audit("alice")] == [
        ("ADD", None),
        ("UPDATE", "unknown_target"),
    ]


@pytest.mark.parametrize(
    ("old", "said", "new"),
    [
        ("我在甲公司工作", "我换到乙公司了", "用户在乙公司工作"),
        ("I work at Acme", "I joined Globex now", "The user joined Globex"),
    ],
)
async def test_m25_recall_gives_the_new_and_history_gives_both(
    memories: Memories, old: str, said: str, new: str
) -> None:
    first = await memories.add("alice", old)
    verdicts = await memories.execute("alice", [update(new, first.memory_id)], turn(said), thread_id="t", job_id="j")
    assert reasons(verdicts) == [None]
    [now] = await memories.snapshot("alice")
    assert (now.content, now.version, now.memory_id) == (new, 2, first.memory_id)
    assert [one.content for one in await memories.history("alice", now.memory_id)] == [old]


async def test_m40_one_batch_cannot_store_a_fact_twice(memories: Memories) -> None:
    operations = [
        add("用户喜欢喝茶"),
        Operation(action="ADD", type="procedural", content="用户爱喝茶。", target_id=None, confidence=0.9),
    ]
    verdicts = await memories.execute("alice", operations, turn("我喜欢喝茶"), thread_id="t", job_id="j")
    assert reasons(verdicts) == [None, "duplicate"]


async def test_m45_dropped_entries_are_audited(memories: Memories) -> None:
    proposal = parse_proposal('{"operations": [{"action": "MERGE", "confidence": 0.9}]}')
    await memories.execute(
        "alice", proposal.operations, turn("嗯"), thread_id="t", job_id="j", dropped=proposal.dropped
    )
    assert [(one.action, one.reason) for one in await memories.audit("alice")] == [("DROPPED", "unknown_action")]


async def test_m49_one_job_delivered_twice_at_once_writes_one_row(engine: AsyncEngine) -> None:
    async def deliver() -> list[Verdict]:
        return await Memories(engine).execute(
            "alice", [add("用户对花生过敏")], turn("我对花生过敏"), thread_id="t", job_id="j"
        )

    first, second = await asyncio.gather(deliver(), deliver())
    assert reasons(first) == reasons(second) == [None]
    assert first[0].memory_id == second[0].memory_id
    assert len(await Memories(engine).snapshot("alice")) == 1


async def test_m49_two_jobs_with_one_fact_at_once_write_one_row(engine: AsyncEngine) -> None:
    found = await asyncio.gather(
        *(learn(Memories(engine), "用户对花生过敏", "我对花生过敏", job=f"j{n}") for n in range(6))
    )
    assert sorted(str(one.reason) for one in found) == ["None", *["duplicate"] * 5]
    assert len(await Memories(engine).snapshot("alice")) == 1


async def test_m50_an_update_of_a_memory_that_the_user_edited_meanwhile_is_refused(memories: Memories) -> None:
    first = await memories.add("alice", "用户住在杭州")
    seen = await memories.snapshot("alice")
    await memories.edit("alice", first.memory_id, "用户住在苏州")
    verdicts = await memories.execute(
        "alice",
        [update("用户住在成都", first.memory_id)],
        turn("我搬到成都了"),
        thread_id="t",
        job_id="j",
        snapshot=seen,
    )
    assert reasons(verdicts) == ["stale"]
    assert await contents(memories, "alice") == ["用户住在苏州"]


async def test_m31_one_turn_erases_few_memories(memories: Memories) -> None:
    made = [await memories.add("alice", f"用户的第{n}只猫叫小白") for n in "一二三四五"]
    verdicts = await memories.execute(
        "alice", [delete(one.memory_id) for one in made], turn("请忘掉我的猫"), thread_id="t", job_id="j"
    )
    assert reasons(verdicts) == [None, None, None, "too_many_deletes", "too_many_deletes"]


async def test_m41_an_edit_with_a_wrong_type_changes_nothing(memories: Memories) -> None:
    first = await memories.add("alice", "用户住在杭州")
    with pytest.raises(MemoryRefusedError) as refused:
        await memories.edit("alice", first.memory_id, {"a": 1})  # type: ignore[arg-type]
    assert refused.value.reason == "structure"
    assert await memories.get("alice", first.memory_id) == first


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("abc", "length"),
        ("x" * 401, "length"),
        ("我的手机13800138000", "sensitive"),
        ("My key is sk-test-0000EXAMPLE0000", "sensitive"),
    ],
)
async def test_m67_the_users_own_hand_passes_the_same_hard_checks(
    memories: Memories, content: str, reason: str
) -> None:
    with pytest.raises(MemoryRefusedError) as refused:
        await memories.add("alice", content)
    assert refused.value.reason == reason
    assert content not in str(refused.value)
    assert await memories.snapshot("alice") == []


async def test_m69_the_users_own_hand_confirms_a_personal_matter(memories: Memories) -> None:
    assert (await memories.add("alice", "我有抑郁症")).source == "user"
    assert (await learn(memories, "用户有糖尿病", "我有糖尿病")).reason == "needs_confirmation"


async def test_m67_a_refused_secret_is_in_no_file(memories: Memories, database_file: Path) -> None:
    await learn(memories, "用户的 API key 是 sk-test-0000EXAMPLE0000", "记住我的 API key 是 sk-test-0000EXAMPLE0000")
    assert b"0000EXAMPLE0000" not in every_byte(database_file)
    assert [one.reason for one in await memories.audit("alice")] == ["sensitive"]


async def test_m69_a_quote_with_a_personal_matter_is_not_kept(memories: Memories) -> None:
    await memories.execute(
        "alice",
        [Operation(action="ADD", type="procedural", content="用户希望回答时语气温和", target_id=None, confidence=0.9)],
        turn("我有抑郁症，回答时语气温和些"), thread_id="t", job_id="j",
    )  # fmt: skip
    [kept] = await memories.snapshot("alice")
    assert "抑郁" not in kept.content + (kept.quote or "")


def every_byte(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in path.parent.glob(path.name + "*"))


@pytest.mark.parametrize("content", ["user keeps a zebrafish", "用户养了一条斑马鱼"])
async def test_m57_m72_what_was_forgotten_is_in_no_byte_of_the_database(
    memories: Memories, database_file: Path, content: str
) -> None:
    kept = await memories.add("alice", "用户住在杭州")
    made = await memories.add("alice", content)
    await memories.edit("alice", made.memory_id, content + " 2")
    assert content.encode() in every_byte(database_file)
    await memories.forget("alice", made.memory_id)
    assert content.encode() not in every_byte(database_file)
    assert await memories.snapshot("alice") == [kept]


async def test_m72_erasing_reaches_the_log_while_another_connection_is_open(
    memories: Memories, engine: AsyncEngine, database_file: Path
) -> None:
    async with engine.connect() as other:
        await other.execute(text("SELECT count(*) FROM memories"))
        await other.rollback()
        made = await memories.add("alice", "user keeps a zebrafish")
        assert b"zebrafish" in every_byte(database_file)
        await memories.forget("alice", made.memory_id)
        assert b"zebrafish" not in every_byte(database_file)


async def test_m72_forgetting_everything_leaves_no_content_and_the_other_user_alone(
    memories: Memories, database_file: Path
) -> None:
    for n in range(30):
        await memories.add("alice", f"alice keeps zebrafish number {n}")
    other = await memories.add("bob", "bob keeps a parrot")
    assert await memories.forget_all("alice") == 30
    assert b"zebrafish" not in every_byte(database_file)
    assert await memories.snapshot("alice") == []
    assert await memories.snapshot("bob") == [other]
    assert (await learn(memories, "用户住在杭州", "我住在杭州", hours=-1)).reason == "forgotten"


async def test_m58_equal_text_of_two_users_is_two_rows(memories: Memories) -> None:
    one, other = await memories.add("alice", "喜欢喝乌龙茶"), await memories.add("bob", "喜欢喝乌龙茶")
    await memories.forget("alice", one.memory_id)
    assert await memories.snapshot("bob") == [other]


@pytest.mark.parametrize("memory_id", ["", "nope", "f" * 32, "%"])
async def test_m74_an_unknown_id_is_an_error_and_never_success(memories: Memories, memory_id: str) -> None:
    await memories.add("alice", "用户住在杭州")
    for attempt in (
        memories.get("alice", memory_id),
        memories.forget("alice", memory_id),
        memories.history("alice", memory_id),
        memories.edit("alice", memory_id, "用户住在成都"),
    ):
        with pytest.raises(UnknownMemoryError):
            await attempt
    assert await contents(memories, "alice") == ["用户住在杭州"]


async def test_m71_an_erased_memory_is_not_learnt_again_from_its_old_message(memories: Memories) -> None:
    first = await learn(memories, "用户对花生过敏", "我对花生过敏", job="j1", hours=-1)
    assert first.memory_id is not None
    await memories.forget("alice", first.memory_id)
    assert (await learn(memories, "用户对花生过敏", "我对花生过敏", job="j2", hours=-1)).reason == "forgotten"
    assert (await learn(memories, "用户有花生过敏", "我对花生过敏", job="j3", hours=-1)).reason == "forgotten"
    assert (await learn(memories, "用户对花生过敏", "我对花生过敏", job="j4", hours=1)).reason is None


async def test_m71_the_user_may_write_an_erased_memory_again(memories: Memories) -> None:
    first = await memories.add("alice", "用户对花生过敏")
    await memories.forget("alice", first.memory_id)
    await memories.add("alice", "用户对花生过敏")
    assert (await memories.tombstones("alice")).erased == {}


async def test_m76_a_memory_shows_who_wrote_it_where_and_on_which_words(memories: Memories) -> None:
    await learn(memories, "用户对花生过敏", "对了，我对花生过敏")
    [kept] = await memories.snapshot("alice")
    assert (kept.source, kept.thread_id, kept.quote) == ("extracted", "t", "我对花生过敏")


async def test_a_failure_in_the_middle_writes_nothing(memories: Memories, engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        await connection.execute(
            text(
                "CREATE TRIGGER broken BEFORE INSERT ON memories WHEN NEW.content LIKE '%茶%' "
                "BEGIN SELECT RAISE(FAIL, 'broken'); END"
            )
        )
    with pytest.raises(Exception, match="broken"):
        await memories.execute(
            "alice", [add("用户对花生过敏"), add("用户喜欢茶")], turn("我对花生过敏，喜欢茶"), thread_id="t", job_id="j"
        )
    assert await memories.snapshot("alice") == []
    assert await memories.audit("alice") == []


async def test_m64_look_alike_users_never_meet_on_any_path(memories: Memories) -> None:
    made = {user: await memories.add(user, f"secret of number {n}") for n, user in enumerate(LOOK_ALIKES)}
    for user, own in made.items():
        assert await memories.snapshot(user) == [own]
        for other, foreign in made.items():
            if other != user:
                with pytest.raises(UnknownMemoryError):
                    await memories.get(user, foreign.memory_id)
                with pytest.raises(UnknownMemoryError):
                    await memories.forget(user, foreign.memory_id)
                verdicts = await memories.execute(
                    user, [delete(foreign.memory_id)], turn("请忘掉我的地址"), thread_id="t", job_id=f"{user}{other}"
                )
                assert reasons(verdicts) == ["unknown_target"]


STEP = st.tuples(
    st.sampled_from(["add", "edit", "forget", "forget_all"]),
    st.sampled_from(["alice", "alice2", "Alice"]),
    st.sampled_from(
        [
            "用户喜欢茶",
            "用户很喜欢茶。",
            "用户喜欢咖啡",
            "The user likes tea",
            "the user LIKES tea",
            "用户有 2 只猫",
            "用户有 3 只猫",
        ]
    ),
    st.integers(0, 5),
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(STEP, max_size=8))
async def test_whatever_users_do_their_memories_stay_apart_and_unique(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, str, int]]
) -> None:
    path = tmp_path_factory.mktemp("property") / "recite.db"
    async with open_database(sqlite_url(path)) as engine:
        memories = Memories(engine)
        refusals: list[str] = []
        for action, user, content, pick in steps:
            before = {one: await memories.snapshot(one) for one in ("alice", "alice2", "Alice") if one != user}
            mine = await memories.snapshot(user)
            try:
                if action == "add":
                    await memories.add(user, content)
                elif action == "forget_all":
                    await memories.forget_all(user)
                elif mine:
                    target = mine[pick % len(mine)].memory_id
                    await (memories.edit(user, target, content) if action == "edit" else memories.forget(user, target))
            except MemoryRefusedError as refused:
                refusals.append(refused.reason)
            after = [one.content.casefold().strip("。").replace("很", "") for one in await memories.snapshot(user)]
            assert len(after) == len(set(after))
            assert {one: await memories.snapshot(one) for one in before} == before
        assert set(refusals) <= {"duplicate"}
