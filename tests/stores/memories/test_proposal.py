"""A model's reply becomes operations, or a failed attempt; never a silent nothing."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stores.memories.memory import Operation
from stores.memories.proposal import ProposalError, parse_operations, parse_proposal

ADD = {"action": "ADD", "type": "semantic", "content": "用户对花生过敏", "target_id": None, "confidence": 0.95}
DELETE = {"action": "DELETE", "target_id": "abc", "confidence": 0.95}


def reply(*operations: dict[str, object]) -> str:
    return json.dumps({"operations": list(operations)}, ensure_ascii=False)


def test_a_plain_object_gives_its_operations_in_order() -> None:
    assert [one.action for one in parse_operations(reply(ADD, DELETE))] == ["ADD", "DELETE"]
    assert parse_operations(reply(ADD))[0] == Operation(
        action="ADD", type="semantic", content="用户对花生过敏", target_id=None, confidence=0.95
    )


def test_an_empty_list_means_nothing_to_remember() -> None:
    assert parse_operations('{"operations": []}') == []


@pytest.mark.parametrize("broken", ["喜欢\\ud83d", "\\udc00喜欢茶", "likes tea \\ud83d\\ud83d"])
def test_m42_a_lone_surrogate_never_gets_through(broken: str) -> None:
    text = reply(ADD | {"content": "@"}).replace("@", broken)
    content = parse_operations(text)[0].content
    assert content is not None
    content.encode("utf-8")


def test_m42_a_surrogate_pair_stays_a_character() -> None:
    text = reply(ADD | {"content": "@"}).replace("@", "喜欢\\ud83d\\ude00")
    assert parse_operations(text)[0].content == "喜欢😀"


@pytest.mark.parametrize(
    "text",
    [
        "My notes {rough} follow:\n```json\n" + reply(ADD) + "\n```",
        "Sure! {a: 1} {{ }} " + reply(ADD) + " Hope that helps {smile}.",
        "好的，{大致}如下：\n```\n" + reply(ADD) + "\n```\n以上。",
        '{"note": 1}\n' + reply(ADD),
    ],
)
def test_m43_prose_fences_and_stray_braces_are_skipped(text: str) -> None:
    assert [one.content for one in parse_operations(text)] == ["用户对花生过敏"]


@pytest.mark.parametrize(
    "text",
    [
        '<think>maybe {"operations":[{"action":"DELETE","target_id":"a","confidence":1}]}</think>' + reply(ADD),
        '<THINK>\n{"operation":"DELETE"}\n</THINK>\n' + reply(ADD),
        'first {"operations":[{"action":"DELETE","target_id":"a","confidence":1}]}</think>' + reply(ADD),
        reply(ADD) + '<think>or {"operations":[{"action":"DELETE","target_id":"a","confidence":1}]}',
        "<thinking>" + reply(DELETE) + "</thinking>" + reply(ADD),
    ],
)
def test_m44_thinking_is_stripped_before_anything_is_looked_for(text: str) -> None:
    assert [one.action for one in parse_operations(text)] == ["ADD"]


def test_m44_a_reply_that_is_all_unfinished_thinking_is_a_failed_attempt() -> None:
    with pytest.raises(ProposalError):
        parse_operations("<think>" + reply(ADD))


def test_m44_the_tag_inside_a_string_is_text() -> None:
    entry = ADD | {"content": "The user writes <think> tags a lot"}
    assert parse_operations(reply(entry))[0].content == "The user writes <think> tags a lot"


def test_m45_of_a_truncated_reply_only_additions_survive() -> None:
    update = {"action": "UPDATE", "type": "semantic", "content": "用户住在上海", "target_id": "x", "confidence": 0.95}
    cut = reply(update, ADD, DELETE)[:-25]
    proposal = parse_proposal(cut)
    assert [one.action for one in proposal.operations] == ["ADD"]
    assert proposal.repaired


@pytest.mark.parametrize("ending", ["DEL", "UPD", "DELETE", "AD"])
def test_m45_a_verb_cut_short_is_no_verb(ending: str) -> None:
    proposal = parse_proposal(reply(ADD)[:-2] + ', {"action": "' + ending)
    assert [one.action for one in proposal.operations] == ["ADD"]


def test_m45_a_truncated_reply_with_nothing_safe_in_it_is_a_failed_attempt() -> None:
    with pytest.raises(ProposalError):
        parse_operations(reply(DELETE)[:-3])


@pytest.mark.parametrize(
    "text",
    [
        "{“operations”：［{“action”：“ADD”，“type”：“semantic”，“content”：“用户喜欢茶，不喜欢咖啡”，“confidence”：0.95}］}",
        '｛"operations"：[｛"action"："ADD"，"type"："semantic"，"content"："用户喜欢茶，不喜欢咖啡"，"confidence"：0.95｝]｝',
        "{”operations”:[{”action”:”ADD”,”type”:”semantic”,”content”:”用户喜欢茶，不喜欢咖啡”,”confidence”:０．95}]}",
    ],
)
def test_m46_full_width_punctuation_is_mended_outside_strings_only(text: str) -> None:
    assert [one.content for one in parse_operations(text)] == ["用户喜欢茶，不喜欢咖啡"]


@pytest.mark.parametrize(
    "text",
    [
        "抱歉，我无法处理", "I'm sorry, I can't help with that.", "", "   ", "null", "[]", "{}", '{"result": []}',
        '[{"action": "ADD"}]', '{"operations": "none"}', '{"operations": null}', '{"operations": {"action": "ADD"}}',
        "operations: none", "{" * 3000, '{"operations":' + "[" * 200_000,
    ],
)  # fmt: skip
def test_m47_a_refusal_or_another_shape_is_a_failed_attempt(text: str) -> None:
    with pytest.raises(ProposalError):
        parse_operations(text)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"action": "MERGE"}, "unknown_action"), ({"action": 3}, "unknown_action"),
        ({"confidence": "0.95"}, "structure"),
        ({"confidence": 1.5}, "structure"), ({"confidence": None}, "structure"), ({"type": "emotional"}, "structure"),
        ({"content": {"a": 1}}, "structure"), ({"target_id": ["x"]}, "structure"),
    ],
)  # fmt: skip
def test_an_entry_of_another_shape_is_dropped_with_its_reason_and_the_rest_stays(
    change: dict[str, object], reason: str
) -> None:
    proposal = parse_proposal(reply(ADD | change, ADD))
    assert len(proposal.operations) == 1
    assert [(one.index, one.reason) for one in proposal.dropped] == [(0, reason)]


def test_extra_fields_are_ignored() -> None:
    assert parse_operations(reply(ADD | {"why": "said so"})) == parse_operations(reply(ADD))


@given(st.text(max_size=300))
def test_any_text_at_all_is_read_or_refused(text: str) -> None:
    try:
        operations = parse_operations(text)
    except ProposalError:
        return
    for one in operations:
        (one.content or "").encode("utf-8")


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=80))
def test_content_comes_out_as_it_went_in(content: str) -> None:
    assert parse_operations("Here: " + reply(ADD | {"content": content}))[0].content == content
