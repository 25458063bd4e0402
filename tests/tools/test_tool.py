"""A tool's definition: what is refused, what is closed, what is told."""

import json
from datetime import UTC, datetime

import pytest

from tools import builtin_tools
from tools.errors import InvalidSchemaError, InvalidToolError
from tools.tool import Tool, ToolContext, as_listing, as_openai


async def _run(arguments, context):
    return "done"


def make(parameters=None, **fields):
    fields = {"name": "demo", "description": "A demo.", "run": _run} | fields
    return Tool(parameters=parameters if parameters is not None else {"type": "object"}, **fields)


def accepts(tool, arguments):
    return tool.validator.is_valid(arguments)


@pytest.mark.parametrize("name", ["", "1st", "two words", "名字", "a" * 65, "a.b", "a\n"])
def test_a_name_that_providers_refuse_is_refused(name):
    with pytest.raises(InvalidToolError, match="name"):
        make(name=name)


@pytest.mark.parametrize("fields", [{"description": "  "}, {"timeout_s": 0}, {"retries": -1}])
def test_a_definition_that_cannot_work_is_refused(fields):
    with pytest.raises(InvalidToolError):
        make(**fields)


@pytest.mark.parametrize(
    "parameters",
    [
        {"type": "objekt"},
        {"type": "object", "properties": {"a": {"minimum": "low"}}},
        {"type": "string"},
        {"type": "object", "properties": {"a": {"$ref": "https://example.com/schema.json"}}},
        {"type": "object", "properties": {"a": {"items": {"$ref": "other.json#/a"}}}},
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/missing"}}},
        {"$ref": "#"},
    ],
)
def test_t03_a_schema_that_is_invalid_remote_dangling_or_endless_is_refused_at_registration(parameters):
    with pytest.raises(InvalidSchemaError):
        make(parameters)


@pytest.mark.parametrize("reference", ["https://example.com/a.json", "other.json#/a", "file:///etc/passwd"])
def test_a_reference_out_of_the_schema_is_refused_even_if_an_inner_id_would_resolve_it(reference):
    inner = {"$id": reference.partition("#")[0], "a": {"type": "string"}}

    with pytest.raises(InvalidSchemaError, match="leaves the schema"):
        make({"type": "object", "properties": {"a": {"$ref": reference}}, "$defs": {"inner": inner}})


def test_t03_undeclared_arguments_are_refused_at_every_depth():
    inner = {"type": "object", "properties": {"x": {"type": "integer"}}}
    tool = make({"type": "object", "properties": {"one": inner, "many": {"type": "array", "items": inner}}})

    assert accepts(tool, {"one": {"x": 1}, "many": [{"x": 2}]})
    assert not accepts(tool, {"two": 1})
    assert not accepts(tool, {"one": {"x": 1, "y": 2}})
    assert not accepts(tool, {"many": [{"y": 2}]})


def test_an_object_that_says_otherwise_stays_open():
    free = {"type": "object"}
    said = {"type": "object", "properties": {"x": {}}, "additionalProperties": True}
    tool = make({"type": "object", "properties": {"free": free, "said": said}})

    assert accepts(tool, {"free": {"any": 1}, "said": {"any": 1}})


def test_composed_schemas_are_closed_as_a_whole_and_stay_usable():
    base = {"type": "object", "properties": {"a": {"type": "integer"}}}
    extended = {"allOf": [{"$ref": "#/$defs/base"}, {"properties": {"b": {"type": "integer"}}}]}
    tool = make(
        {
            "type": "object",
            "properties": {"v": extended, "w": {"$ref": "#/$defs/base"}},
            "$defs": {"base": base},
        }
    )

    assert accepts(tool, {"v": {"a": 1, "b": 2}, "w": {"a": 1}})
    assert not accepts(tool, {"v": {"a": 1, "c": 2}})
    assert not accepts(tool, {"w": {"a": 1, "c": 2}})


def test_a_schema_may_refer_to_itself_below_a_value():
    node = {"type": "object", "properties": {"child": {"$ref": "#/$defs/node"}}}
    tool = make({"type": "object", "properties": {"tree": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}})

    assert accepts(tool, {"tree": {"child": {"child": {}}}})
    assert not accepts(tool, {"tree": {"child": {"kid": {}}}})


def test_closing_leaves_the_given_schema_alone():
    given = {"type": "object", "properties": {}}

    make(given)

    assert given == {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("date", "2026-02-28", ["2026-02-30", "28.02.2026", "20260228", "２０２６-02-28"]),
        (
            "date-time",
            "2026-02-28T10:00:00+08:00",
            ["2026-02-28", "2026-02-28T10:00:00", "2026-02-28T25:00:00Z"],
        ),
        ("time", "10:00:00Z", ["10:00", "10:61:00Z"]),
        ("uri", "https://example.com/a?b=c", ["example.com", "https://", "http://a b", "https:"]),
        ("uri", "mailto:a@example.com", [":a"]),
        ("email", "a.b@example.com", ["a.b", "@example.com", "a@", "a b@example.com"]),
        ("duration", "P1DT2H", ["P", "1D", "PT"]),
        ("hostname", "a-b.example.com", ["-a.com", "a..b", "a_b"]),
        ("uuid", "6f1c1b9e-6f0b-4a4e-9d0c-0f6a3f6d9b11", ["6f1c"]),
        ("ipv4", "192.0.2.1", ["192.0.2.256"]),
    ],
)
def test_t03_formats_are_checked_without_optional_packages(name, good, bad):
    tool = make({"type": "object", "properties": {"v": {"type": "string", "format": name}}})

    assert accepts(tool, {"v": good})
    assert [value for value in bad if accepts(tool, {"v": value})] == []


def test_the_schema_for_the_model_is_the_one_that_is_checked():
    tool = make({"type": "object", "properties": {"a": {"type": "string"}}})

    function = as_openai(tool)["function"]

    assert function["name"] == "demo"
    assert function["parameters"] == tool.parameters
    assert function["parameters"]["additionalProperties"] is False
    json.dumps(function)


def test_s06_a_listing_shows_no_header_and_no_key():
    headers = {"Authorization": "Bearer abcdef123456"}

    async def call(arguments, context, headers=headers):
        return str(headers)

    schema = {"type": "object", "properties": {"api_key": {"type": "string", "default": "plainword"}}}
    tool = make(
        schema,
        run=call,
        description="Calls https://user:hunter2@example.com with api_key=abc and sk-proj-1234567890abcdef.",
        permission="mail",
    )

    shown = json.dumps(as_listing(tool)) + repr(tool.name) + repr(call.__name__)

    assert as_listing(tool)["permission"] == "mail"
    assert "run" not in as_listing(tool)
    for secret in ("abcdef123456", "hunter2", "=abc", "1234567890abcdef", "plainword"):
        assert secret not in shown
    assert "abcdef123456" not in repr(tool)


def test_a_context_without_a_time_zone_is_refused():
    with pytest.raises(InvalidToolError, match="time zone"):
        ToolContext(user_id="u", thread_id="t", call_id="c", now=datetime(2026, 1, 1))  # noqa: DTZ001 - on purpose

    assert ToolContext(user_id="u", thread_id="t", call_id="c", now=datetime.now(UTC)).permissions == frozenset()


def test_every_built_in_tool_can_be_offered():
    names = [as_openai(tool)["function"]["name"] for tool in builtin_tools()]

    assert names == ["search_documents", "calculator", "current_date"]
