"""The ledger of writes: replay, conflict, progress, and a bound on what is kept."""

import asyncio
from datetime import UTC, datetime

import pytest

from tools import ledger as ledger_module
from tools.errors import ToolConflictError
from tools.ledger import CallLedger, key_of
from tools.tool import ToolContext


def context(**fields):
    given = {"user_id": "u", "thread_id": "t", "call_id": "c", "now": datetime.now(UTC)}
    return ToolContext(**given | fields)


def test_the_key_is_the_callers_or_the_calls_own_and_never_crosses_users():
    assert key_of("pay", {"idempotency_key": "k"}, context()) == ("u", "t", "pay", "k")
    assert key_of("pay", {}, context()) == ("u", "t", "pay", "c")
    assert key_of("pay", {}, context(user_id="v")) != key_of("pay", {}, context())


async def test_a_finished_write_is_replayed_and_a_running_or_other_one_is_a_conflict():
    ledger, started = CallLedger(), []

    async def write():
        started.append(1)
        await asyncio.sleep(0)
        return "done"

    task = ledger.task(("k",), {"n": 1}, write)
    with pytest.raises(ToolConflictError, match="in progress"):
        ledger.task(("k",), {"n": 1}, write)
    await task
    with pytest.raises(ToolConflictError, match="other arguments"):
        ledger.task(("k",), {"n": 2}, write)

    assert await ledger.task(("k",), {"n": 1}, write) == "done"
    assert started == [1]


async def test_a_failed_write_can_be_tried_again():
    ledger, outcomes = CallLedger(), [RuntimeError("down"), "done"]

    async def write():
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    with pytest.raises(RuntimeError):
        await ledger.task(("k",), {}, write)

    assert await ledger.task(("k",), {}, write) == "done"


async def test_only_the_newest_finished_writes_are_kept(monkeypatch):
    monkeypatch.setattr(ledger_module, "_KEPT", 3)
    ledger, started = CallLedger(), []

    async def write():
        started.append(1)
        return "done"

    for number in range(6):
        await ledger.task((str(number),), {}, write)
    await ledger.task(("5",), {}, write)
    assert len(started) == 6
    await ledger.task(("0",), {}, write)
    assert len(started) == 7
