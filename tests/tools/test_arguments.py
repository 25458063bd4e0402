"""Arguments: strictly parsed, fully checked, integers made integers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.arguments import MAX_ARGUMENT_BYTES, checked_arguments, parse_arguments
from tools.errors import ToolArgumentsError
from tools.tool import Tool


def make(properties, **schema):
    return Tool(
        name="demo",
        description="A demo.",
        parameters={"type": "object", "properties": properties} | schema,
        run=None,
    )


CITY = make({"city": {"type": "string"}}, required=["city"])


@pytest.mark.parametrize(
    ("text", "position"), [('{"city": "Par', 9), ('{"city": "巴黎"', 13), ('{"city": }', 9), ("{", 1)]
)
def test_t01_cut_off_arguments_are_answered_with_the_position_and_the_schema(text, position):
    with pytest.raises(ToolArgumentsError) as caught:
        checked_arguments(CITY, text)

    assert f"position {position}" in str(caught.value)
    assert '"required":["city"]' in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["", "   ", "null", "[]", "42", '"Paris"', "I would call it with Paris.", "{'city': 'Paris'}", "{}{}"],
)
def test_t02_text_that_is_no_object_never_becomes_empty_arguments(text):
    with pytest.raises(ToolArgumentsError):
        parse_arguments(text)


def test_t02_the_echo_is_bounded():
    with pytest.raises(ToolArgumentsError) as caught:
        checked_arguments(CITY, "[" + "啊" * 10_000)

    assert len(str(caught.value)) < 1_000


@pytest.mark.parametrize(
    "text",
    [
        '{"city": NaN}',
        '{"city": "a", "city": "b"}',
        '{"city": ' + "[" * 20_000,
        '{"city": ' + "9" * 5_000 + "}",
        '{"city": "' + "a" * MAX_ARGUMENT_BYTES + '"}',
        '{"city": "\\ud800"}',
    ],
)
def test_values_that_json_or_utf8_cannot_carry_are_refused(text):
    with pytest.raises(ToolArgumentsError):
        checked_arguments(CITY, text)


@pytest.mark.parametrize("arguments", [{"city": float("nan")}, {"city": {1}}, ["city"], {"city": "\ud800"}])
def test_already_parsed_arguments_are_no_less_checked(arguments):
    with pytest.raises(ToolArgumentsError):
        checked_arguments(CITY, arguments)


def test_t03_a_false_date_is_refused_and_a_whole_float_is_an_integer():
    tool = make({"d": {"type": "string", "format": "date"}, "n": {"type": "integer"}})

    with pytest.raises(ToolArgumentsError, match="not-a-date"):
        checked_arguments(tool, {"d": "not-a-date", "n": 1.0})
    with pytest.raises(ToolArgumentsError, match=r"1\.5"):
        checked_arguments(tool, {"n": 1.5})
    with pytest.raises(ToolArgumentsError, match="True"):
        checked_arguments(tool, {"n": True})
    n = checked_arguments(tool, {"d": "2026-11-30", "n": 1.0})["n"]
    assert type(n) is int
    assert n == 1


def test_integers_are_found_below_lists_objects_references_and_alternatives():
    whole = {"type": "integer"}
    tool = make(
        {
            "list": {"type": "array", "items": whole},
            "pair": {"type": "array", "prefixItems": [whole, {"type": "number"}]},
            "map": {"type": "object", "additionalProperties": whole},
            "ref": {"$ref": "#/$defs/count"},
            "maybe": {"anyOf": [{"type": "null"}, {"type": "integer"}]},
            "number": {"type": "number"},
            "either": {"type": ["integer", "number"]},
        },
        **{"$defs": {"count": whole}},
    )

    checked = checked_arguments(
        tool,
        {
            "list": [1.0, 2],
            "pair": [1.0, 1.0],
            "map": {"a": 3.0},
            "ref": 4.0,
            "maybe": 5.0,
            "number": 6.0,
            "either": 7.0,
        },
    )

    assert repr(checked["list"]) == "[1, 2]"
    assert repr(checked["pair"]) == "[1, 1.0]"
    assert repr([checked["map"]["a"], checked["ref"], checked["maybe"]]) == "[3, 4, 5]"
    assert repr([checked["number"], checked["either"]]) == "[6.0, 7.0]"


def test_every_problem_is_named_with_its_place_but_not_endlessly():
    tool = make({"list": {"type": "array", "items": {"type": "integer"}}})

    with pytest.raises(ToolArgumentsError) as caught:
        checked_arguments(tool, {"list": ["x"] * 50, "extra": 1})

    assert "$.list[0]" in str(caught.value)
    assert "and 46 more" in str(caught.value)
    assert len(str(caught.value)) < 2_000


@settings(deadline=None)
@given(st.text(max_size=80))
def test_any_text_gives_an_object_or_an_arguments_error(text):
    try:
        parsed = parse_arguments(text)
    except ToolArgumentsError:
        return
    assert isinstance(parsed, dict)
