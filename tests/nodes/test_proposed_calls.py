"""A planner's calls as the turn keeps them: an id of its own for each, and nothing that a checkpoint cannot hold."""

import json

import pytest
from langchain_core.messages import AIMessageChunk

from nodes.characters import begun, whole
from nodes.plan import proposed_calls
from nodes.turn import call_record


def reply(*calls: tuple[str | None, str]) -> AIMessageChunk:
    chunks = [
        {"id": call_id, "name": "f", "args": args, "index": at, "type": "tool_call_chunk"}
        for at, (call_id, args) in enumerate(calls)
    ]
    return AIMessageChunk(content="", tool_call_chunks=chunks)


@pytest.mark.parametrize("given", ["", " ", "\n\t", None, "call-0", "a", "call-3"])
def test_every_call_of_a_turn_has_an_id_of_its_own(given: str | None) -> None:
    first = proposed_calls(reply((given, "{}"), (given, "{}"), ("call-1", "{}")), before=[])
    second = proposed_calls(reply((given, "{}"), ("call-1", "{}")), before=[call_record(first)])

    ids = [call.call_id for call in first + second]
    assert len(set(ids)) == 5
    assert all(call_id.strip() for call_id in ids)


def test_an_id_that_is_free_stays() -> None:
    [call] = proposed_calls(reply(("abc", "{}")), before=[])

    assert call.call_id == "abc"


@pytest.mark.parametrize(
    "arguments",
    [
        '{"a":' * 300 + "1" + "}" * 300,
        '{"s": "]]]]]]", "a": ' + "[" * 60 + "]" * 60 + "}",
        '{"a": "\\ud83d"}',
        '{"\\udc00": 1}',
        "[" * 100_000,
        '{"a": [1',
        "null",
    ],
)
def test_arguments_that_cannot_be_kept_as_an_object_stay_text(arguments: str) -> None:
    [call] = proposed_calls(reply(("a", arguments)), before=[])

    assert call.arguments == arguments


@pytest.mark.parametrize("arguments", ['{"a": [[[1]]], "b": {"c": "\\ud83d\\ude00"}}', '{"q": ["滤芯", "[[[[[["]}', ""])
def test_other_arguments_become_an_object(arguments: str) -> None:
    [call] = proposed_calls(reply(("a", arguments)), before=[])

    assert call.arguments == json.loads(arguments or "{}")


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a\ud83d\ude00b", "a\U0001f600b"), ("a\ud83db", "a\ufffdb"), ("\ude00", "\ufffd"), ("纯文本", "纯文本")],
)
def test_halves_of_characters_are_joined_or_replaced(text: str, shown: str) -> None:
    assert whole(text) == shown


def test_a_first_half_at_the_end_waits_for_the_second() -> None:
    assert (begun("ab\ud83d"), begun("ab\ude00"), begun("ab")) == (2, 3, 2)
