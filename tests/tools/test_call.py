"""Running calls: every call id gets exactly one answer, whatever happens."""

import asyncio
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools import builtin_tools
from tools.call import NEEDS_CONFIRMATION, OVER_BUDGET, ProposedCall, identified, run_calls
from tools.errors import ToolArgumentsError
from tools.ledger import CallLedger
from tools.registry import Registry
from tools.tool import Tool, ToolContext

CONTEXT = ToolContext(user_id="alice", thread_id="t1", call_id="", now=datetime(2026, 11, 30, tzinfo=UTC))
NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}}


class Recorder:
    """Remembers what really ran."""

    def __init__(self):
        self.ran = []
        self.ended = []
        self.started = asyncio.Event()

    def tool(self, name, act=None, **fields):
        async def run(arguments, context):
            self.ran.append((name, arguments, context.call_id))
            self.started.set()
            try:
                return await act() if act else f"{name} done"
            except asyncio.CancelledError:
                self.ended.append(name)
                raise

        fields = {"description": f"Does {name}.", "parameters": NUMBER} | fields
        return Tool(name=name, run=run, **fields)


@pytest.fixture
def recorder():
    return Recorder()


async def fail():
    raise RuntimeError("disk full, api_key=abc123\nsecond line")


async def hang():
    await asyncio.sleep(60)


def call(name, arguments=None, id="c1", **fields):  # noqa: A002 - the field's name
    return ProposedCall(id=id, name=name, arguments={} if arguments is None else arguments, **fields)


async def run(tools, calls, *, allowed=None, budget=8, context=CONTEXT, **more):
    registry = Registry(tools)
    allowed = registry.names() if allowed is None else allowed
    return await run_calls(calls, registry=registry, context=context, allowed=allowed, budget=budget, **more)


async def test_a_call_runs_with_its_checked_arguments_and_its_own_id(recorder):
    (outcome,) = await run([recorder.tool("count")], [call("count", {"n": 2.0})])

    assert recorder.ran == [("count", {"n": 2}, "c1")]
    assert (outcome.call_id, outcome.name, outcome.status, outcome.content) == (
        "c1",
        "count",
        "ok",
        "count done",
    )
    assert repr(outcome.arguments) == "{'n': 2}"
    assert outcome.attempts == 1


@pytest.mark.parametrize("arguments", ['{"n": 1', "not json", "[]", "null", ""])
async def test_t01_t02_malformed_arguments_are_answered_and_nothing_runs(recorder, arguments):
    (outcome,) = await run([recorder.tool("count")], [call("count", arguments, position=4)])

    assert recorder.ran == []
    assert (outcome.status, outcome.attempts, outcome.arguments) == ("error", 0, {})
    assert "Schema:" in outcome.content


@pytest.mark.parametrize("arguments", [{"n": "one"}, {"n": 1.5}, {"m": 1}])
async def test_t03_arguments_outside_the_schema_are_answered_and_nothing_runs(recorder, arguments):
    (outcome,) = await run([recorder.tool("count")], [call("count", arguments)])

    assert recorder.ran == []
    assert outcome.status == "error"


async def test_t04_one_failing_call_leaves_its_siblings_their_results(recorder):
    tools = [recorder.tool("first"), recorder.tool("second", fail), recorder.tool("third")]

    outcomes = await run(tools, [call("first", id="a"), call("second", id="b"), call("third", id="c")])

    assert [(each.call_id, each.status) for each in outcomes] == [("a", "ok"), ("b", "error"), ("c", "ok")]
    assert outcomes[1].content == "RuntimeError: disk full, api_key=[redacted]"


async def test_calls_run_side_by_side(recorder):
    together = asyncio.Barrier(3)

    async def meet():
        await together.wait()
        return "met"

    tools = [recorder.tool(name, meet, timeout_s=5) for name in ("a", "b", "c")]

    outcomes = await run(tools, [call(name, id=name) for name in ("a", "b", "c")])

    assert [each.content for each in outcomes] == ["met"] * 3


async def test_t08_an_unknown_or_forbidden_tool_is_answered_with_names_the_user_may_use(recorder):
    tools = [
        recorder.tool("delete_note"),
        recorder.tool("delete_all", permission="admin"),
        recorder.tool("hidden"),
    ]
    offered = ["delete_note", "delete_all"]

    outcomes = await run(
        tools,
        [call("delete_everything", id="a"), call("delete_all", id="b"), call("hidden", id="c")],
        allowed=offered,
    )

    assert recorder.ran == []
    assert [each.status for each in outcomes] == ["error"] * 3
    assert "Near it: delete_note." in outcomes[0].content
    assert "delete_all" not in outcomes[0].content
    assert "hidden" not in outcomes[0].content + outcomes[1].content


async def test_a_permitted_user_may_call_it(recorder):
    context = ToolContext(user_id="root", thread_id="t", call_id="", now=CONTEXT.now, permissions=frozenset({"admin"}))

    (outcome,) = await run([recorder.tool("wipe", permission="admin")], [call("wipe")], context=context)

    assert outcome.status == "ok"


async def test_t09_a_tool_that_was_removed_but_is_still_offered_is_no_key_error(recorder):
    (outcome,) = await run([recorder.tool("kept")], [call("removed")], allowed=["kept", "removed"])

    assert outcome.status == "error"
    assert recorder.ran == []


async def test_a_call_of_high_impact_is_never_run_silently(recorder):
    tools = [recorder.tool("pay", impact="high")]

    outcomes = await run(tools, [call("pay", {"n": 1}, id="a"), call("pay", {"n": "x"}, id="b")])

    assert recorder.ran == []
    assert [each.status for each in outcomes] == ["rejected", "error"]
    assert outcomes[0].content == NEEDS_CONFIRMATION
    assert outcomes[0].arguments == {"n": 1}


@pytest.mark.parametrize(("budget", "ran"), [(0, 0), (2, 2), (-1, 0), (9, 4)])
async def test_calls_over_the_budget_are_rejected(recorder, budget, ran):
    calls = [call("count", {"n": number}, id=f"c{number}") for number in range(4)]

    outcomes = await run([recorder.tool("count")], calls, budget=budget)

    assert len(recorder.ran) == ran
    assert [each.status for each in outcomes] == ["ok"] * ran + ["rejected"] * (4 - ran)
    assert all(each.content == OVER_BUDGET for each in outcomes[ran:])


async def test_a_tool_that_hangs_is_ended_at_its_time_limit(recorder):
    tools = [recorder.tool("slow", hang, timeout_s=0.05), recorder.tool("quick")]

    slow, quick = await run(tools, [call("slow", id="a"), call("quick", id="b")])

    assert (slow.status, quick.status) == ("error", "ok")
    assert "within 0.05 s" in slow.content
    assert recorder.ended == ["slow"]


async def test_a_tool_that_will_not_be_cancelled_does_not_hold_the_turn(recorder):
    over = asyncio.Event()

    async def stubborn():
        while not over.is_set():
            try:
                await over.wait()
            except asyncio.CancelledError:
                continue

    (outcome,) = await run([recorder.tool("stubborn", stubborn, timeout_s=0.05)], [call("stubborn")])
    over.set()

    assert outcome.status == "error"


async def test_cancelling_ends_every_running_tool(recorder):
    tools = [recorder.tool(name, hang) for name in ("a", "b")]
    running = asyncio.create_task(run(tools, [call("a", id="1"), call("b", id="2")]))
    await recorder.started.wait()
    await asyncio.sleep(0)

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    assert sorted(recorder.ended) == ["a", "b"]


@pytest.mark.parametrize(("idempotent", "attempts", "status"), [(True, 3, "ok"), (False, 1, "error")])
async def test_only_an_idempotent_tool_is_tried_again(recorder, idempotent, attempts, status):
    async def twice_down():
        if len(recorder.ran) < 3:
            raise ConnectionError("down")
        return "up"

    tools = [recorder.tool("flaky", twice_down, retries=2, idempotent=idempotent)]

    (outcome,) = await run(tools, [call("flaky")])

    assert (outcome.status, outcome.attempts, len(recorder.ran)) == (status, attempts, attempts)


async def test_arguments_that_the_tool_itself_refuses_are_not_tried_again(recorder):
    async def refuse():
        raise ToolArgumentsError("There is no city of that name.")

    (outcome,) = await run([recorder.tool("weather", refuse, retries=3, idempotent=True)], [call("weather")])

    assert (outcome.content, outcome.attempts) == ("There is no city of that name.", 1)


@pytest.mark.parametrize("error", [SystemExit(3), asyncio.CancelledError(), MemoryError(), TimeoutError()])
async def test_whatever_a_tool_raises_is_an_answer(recorder, error):
    async def burst():
        raise error

    outcomes = await run([recorder.tool("burst", burst), recorder.tool("calm")], [call("burst"), call("calm", id="d")])

    assert [each.status for each in outcomes] == ["error", "ok"]
    assert outcomes[0].content


async def test_t06_a_huge_result_is_cut_and_the_whole_is_kept_beside_it(recorder):
    async def huge():
        return "x" * 5_000_000

    cut, small = await run([recorder.tool("huge", huge), recorder.tool("small")], [call("huge"), call("small", id="d")])

    assert "bytes dropped" in cut.content
    assert len(cut.content.encode()) <= 20_000
    assert len(cut.whole) == 5_000_000
    assert "xxx" not in repr(cut).replace(repr(cut.content), "")
    assert small.whole is None


async def test_a_schema_only_tool_is_answered_not_run():
    (outcome,) = await run(builtin_tools(), [call("search_documents", {"queries": ["a"]})])

    assert outcome.status == "error"
    assert "step of its own" in outcome.content


async def test_the_built_in_tools_answer():
    outcomes = await run(
        builtin_tools(),
        [
            call("calculator", {"expression": "12×3"}, id="a"),
            call("calculator", {"expression": "1/0"}, id="b"),
            call("current_date", {"offset_days": 1}, id="c"),
        ],
    )

    assert [each.status for each in outcomes] == ["ok", "error", "ok"]
    assert outcomes[0].content == "36"
    assert "Division by zero" in outcomes[1].content
    assert "2026-12-01" in outcomes[2].content


async def test_the_same_id_with_other_arguments_is_another_call_and_with_the_same_a_repetition(recorder):
    calls = [call("count", {"n": 1}), call("count", {"n": 2}), call("count", {"n": 1})]

    first, other, again = await run([recorder.tool("count")], calls)

    assert [each[1]["n"] for each in recorder.ran] == [1, 2]
    assert (first.call_id, first.status, other.status, again.status) == ("c1", "ok", "ok", "rejected")
    assert len({first.call_id, other.call_id, again.call_id}) == 3


async def test_a_repetition_is_seen_behind_any_of_the_calls_that_share_its_id(recorder):
    calls = [call("count", {"n": number}) for number in (1, 2, 2, 1)]

    outcomes = await run([recorder.tool("count")], calls)

    assert [each.status for each in outcomes] == ["ok", "ok", "rejected", "rejected"]
    assert outcomes[1].call_id in outcomes[2].content


async def test_two_equal_calls_without_an_id_are_two_calls(recorder):
    outcomes = await run([recorder.tool("count")], [call("count", id=None), call("count", id=" ")])

    assert [each.status for each in outcomes] == ["ok", "ok"]
    assert len(recorder.ran) == 2


async def test_ids_given_beforehand_are_the_ids_of_the_outcomes(recorder):
    own = identified([call("count", {"n": 1}), call("count", {"n": 1}), call("count", {"n": 3}, id="")])

    outcomes = await run([recorder.tool("count")], own)

    assert [each.call_id for each in outcomes] == [each.id for each in own]
    assert [each.status for each in outcomes] == ["ok", "rejected", "ok"]


async def test_t05_a_write_that_was_late_is_not_done_twice(recorder):
    go = asyncio.Event()

    async def slow_write():
        await go.wait()
        return "order 77"

    tools = [recorder.tool("order", slow_write, impact="write", timeout_s=0.05)]
    ledger = CallLedger()

    (late,) = await run(tools, [call("order", {"n": 1}, id="k")], ledger=ledger)
    (busy,) = await run(tools, [call("order", {"n": 1}, id="k")], ledger=ledger)
    (conflict,) = await run(tools, [call("order", {"n": 2}, id="k")], ledger=ledger)
    go.set()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    (replayed,) = await run(tools, [call("order", {"n": 1}, id="k")], ledger=ledger)

    assert "within 0.05 s" in late.content
    assert "in progress" in busy.content
    assert "other arguments" in conflict.content
    assert (replayed.status, replayed.content) == ("ok", "order 77")
    assert len(recorder.ran) == 1


calls_of_any_kind = st.builds(
    ProposedCall,
    id=st.sampled_from([None, "", " ", "a", "b", "c"]),
    name=st.sampled_from(["good", "bad", "slow", "pay", "secret", "search_documents", "missing", ""])
    | st.text(max_size=8),
    arguments=st.sampled_from([{}, {"n": 1.0}, {"n": "x"}, {"n": float("nan")}, '{"n": 1}', '{"n": ', "", "[]"])
    | st.text(max_size=12)
    | st.dictionaries(st.text(max_size=3), st.none() | st.integers() | st.text(max_size=3), max_size=2),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(calls_of_any_kind, max_size=10), st.integers(min_value=-1, max_value=10), st.booleans())
def test_every_call_is_answered_exactly_once_whatever_it_is(calls, budget, with_ledger):
    recorder = Recorder()
    tools = [
        recorder.tool("good", impact="write"),
        recorder.tool("bad", fail),
        recorder.tool("slow", hang, timeout_s=0.001),
        recorder.tool("pay", impact="high"),
        recorder.tool("secret", permission="root"),
        *builtin_tools(),
    ]

    outcomes = asyncio.run(run(tools, calls, budget=budget, ledger=CallLedger() if with_ledger else None))

    ids = [each.call_id for each in outcomes]
    assert len(outcomes) == len(calls)
    assert len(set(ids)) == len(ids)
    assert {each.id for each in calls if each.id and each.id.strip()} <= set(ids)
    assert all(each.status in {"ok", "error", "rejected"} and each.content for each in outcomes)
    assert len(recorder.ran) <= max(budget, 0)
    assert not {"pay", "secret"} & {name for name, _, _ in recorder.ran}
    for proposed, outcome in zip(calls, outcomes, strict=True):
        assert outcome.status != "ok" or proposed.name == "good"
        "".join([outcome.content, outcome.name]).encode()
