"""Threads belong to one user each, have names, and stay deleted."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.ext.asyncio import AsyncEngine

from stores.conversations import Conversations, thread_id
from stores.database import open_database, sqlite_url
from stores.errors import ForeignThreadError, UnknownThreadError

SOME_ID = "3F2504E0-4F89-41D3-9A0C-0305E82C3301"


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[AsyncEngine]:
    async with open_database(sqlite_url(tmp_path / "recite.db")) as opened:
        yield opened


@pytest.fixture
def conversations(engine: AsyncEngine) -> Conversations:
    return Conversations(engine)


def test_a_name_that_is_an_id_stays_itself() -> None:
    assert thread_id("alice", SOME_ID) == SOME_ID.lower()
    assert thread_id("alice", "t1") == thread_id("alice", "t1") != thread_id("bob", "t1")


@given(st.tuples(st.text(min_size=1), st.text(min_size=1)), st.tuples(st.text(min_size=1), st.text(min_size=1)))
def test_m64_two_users_or_names_never_share_a_thread_id(one: tuple[str, str], other: tuple[str, str]) -> None:
    first, second = thread_id(*one), thread_id(*other)
    assert UUID(first).version == 5
    assert (first == second) == (one == other)


async def test_a_name_opens_the_same_thread_again_also_at_once(conversations: Conversations) -> None:
    opened = await asyncio.gather(*(conversations.open("alice", "旅行") for _ in range(5)))
    assert {one.thread_id for one in opened} == {thread_id("alice", "旅行")}
    assert [one.name for one in await conversations.list("alice")] == ["旅行"]


async def test_m64_look_alike_users_have_threads_of_their_own(conversations: Conversations) -> None:
    users = ["john-doe", "john_doe", "john-doe2", "john%", "JOHN-DOE"]
    opened = {user: await conversations.open(user, "t1") for user in users}
    assert len({one.thread_id for one in opened.values()}) == len(users)
    for user in users:
        assert await conversations.list(user) == [opened[user]]
        for other in users:
            if other != user:
                with pytest.raises(ForeignThreadError):
                    await conversations.claim(opened[other].thread_id, user)
                with pytest.raises(UnknownThreadError):
                    await conversations.find(user, opened[other].thread_id)
                with pytest.raises(UnknownThreadError):
                    await conversations.delete(user, opened[other].thread_id)
    assert len(await conversations.all()) == len(users)


async def test_a_thread_begun_elsewhere_is_registered_with_its_first_question_as_title(
    conversations: Conversations,
) -> None:
    claimed = await conversations.claim(SOME_ID, "alice", "什么是\n过滤器？ " + "很长" * 60)
    assert claimed.thread_id == SOME_ID.lower()
    assert claimed.title.startswith("什么是 过滤器？") and len(claimed.title) == 80
    assert (await conversations.claim(SOME_ID.lower(), "alice", "another")).title == claimed.title
    with pytest.raises(ForeignThreadError):
        await conversations.claim(SOME_ID, "bob")
    with pytest.raises(ForeignThreadError):
        await conversations.open("bob", SOME_ID)


async def test_an_untitled_conversation_gets_its_title_from_the_first_question(conversations: Conversations) -> None:
    opened = await conversations.open("alice", "t1")
    assert opened.title == ""
    assert (await conversations.claim(opened.thread_id, "alice", "How are you?")).title == "How are you?"
    assert (await conversations.find("alice", "t1")).title == "How are you?"


async def test_a_conversation_is_found_by_name_id_and_beginning(conversations: Conversations) -> None:
    one = await conversations.open("alice", "t1")
    await conversations.open("alice", "t2")
    for wanted in ("t1", one.thread_id, one.thread_id.upper(), one.thread_id[:10]):
        assert await conversations.find("alice", wanted) == one
    for wrong in ("", "t", one.thread_id[:3], "t3", "%"):
        with pytest.raises(UnknownThreadError):
            await conversations.find("alice", wrong)


async def test_touching_a_thread_brings_it_to_the_top(conversations: Conversations) -> None:
    first = await conversations.open("alice", "t1")
    await conversations.open("alice", "t2")
    assert await conversations.touch(first.thread_id)
    assert [one.name for one in await conversations.list("alice")] == ["t1", "t2"]


async def test_m73_a_late_write_does_not_revive_a_deleted_thread(conversations: Conversations) -> None:
    opened = await conversations.open("alice", "t1")
    await conversations.delete("alice", "t1")
    assert await conversations.is_deleted(opened.thread_id)
    assert not await conversations.touch(opened.thread_id)
    with pytest.raises(UnknownThreadError):
        await conversations.claim(opened.thread_id, "alice", "late")
    with pytest.raises(UnknownThreadError):
        await conversations.open("alice", opened.thread_id)
    assert await conversations.list("alice") == []


async def test_m73_a_thread_deleted_between_check_and_registration_is_not_revived(
    conversations: Conversations, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = await conversations.open("alice", "t1")
    await conversations.delete("alice", "t1")

    async def not_yet(*_: object) -> bool:
        return False

    monkeypatch.setattr("stores.conversations._is_deleted", not_yet)
    with pytest.raises(UnknownThreadError):
        await conversations.claim(opened.thread_id, "alice", "late")
    assert await conversations.list("alice") == []


async def test_m73_the_name_of_a_deleted_thread_begins_a_new_one(conversations: Conversations) -> None:
    ids = set()
    for _ in range(3):
        ids.add((await conversations.open("alice", "t1")).thread_id)
        await conversations.delete("alice", "t1")
    assert len(ids) == 3


async def test_m74_deleting_what_is_not_there_is_an_error(conversations: Conversations) -> None:
    with pytest.raises(UnknownThreadError):
        await conversations.delete("alice", "nothing")
