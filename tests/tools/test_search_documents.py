"""The search tool's arguments: lenient about repetition, strict about shape."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.errors import ToolArgumentsError
from tools.search_documents import (
    MAX_QUERIES,
    SEARCH_DOCUMENTS,
    SearchRequest,
    parse_search,
    same_query_key,
    search_documents,
)


def test_the_tool_is_a_schema_without_code():
    assert search_documents.name == SEARCH_DOCUMENTS == "search_documents"
    assert search_documents.run is None


def test_queries_are_trimmed_and_blank_ones_dropped():
    assert parse_search({"queries": ["  退货期限  ", "", " \t", "？？"]}) == SearchRequest(queries=("退货期限",))


def test_then_is_taken_over_and_is_answer_by_default():
    assert parse_search({"queries": ["a"]}).then == "answer"
    assert parse_search({"queries": ["a"], "then": "plan"}).then == "plan"
    assert isinstance(parse_search({"queries": ["a"], "then": "stop"}), ToolArgumentsError)


def test_queries_that_differ_in_width_case_space_or_punctuation_are_one():
    request = parse_search(
        {
            "queries": [
                "Return period?",
                "return  period",
                "Ｒｅｔｕｒｎ　ｐｅｒｉｏｄ。",
                "退货，期限",
                "退货期限",
            ]
        }
    )

    assert request.queries == ("Return period?", "退货，期限")


@pytest.mark.parametrize(
    "queries", [["C++ pointers", "C# pointers", "C pointers"], ["-5 度", "5 度"], ["v1.10", "v11.0"]]
)
def test_identifiers_that_differ_by_a_sign_stay_apart(queries):
    assert parse_search({"queries": queries}).queries == tuple(queries)


def test_more_than_five_different_queries_are_cut_after_the_repetitions_are_gone():
    request = parse_search({"queries": ["one", "ONE", "two", "three", "four", "five", "six"]})

    assert request.queries == ("one", "two", "three", "four", "five")
    assert request.repeats == 1


def test_repeats_are_counted_and_blank_queries_are_none() -> None:
    assert parse_search({"queries": ["退货期限", "退货 期限", "", "？", "退货期限。"]}) == SearchRequest(
        queries=("退货期限",), repeats=2
    )


def test_a_query_that_is_too_long_is_cut_and_a_single_string_is_one_query():
    assert len(parse_search({"queries": ["字" * 1_000]}).queries[0]) == 400
    assert parse_search({"queries": "filter or interceptor"}).queries == ("filter or interceptor",)
    assert parse_search('{"queries": ["a"]}').queries == ("a",)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"queries": []},
        {"queries": ["", "  "]},
        {"queries": None},
        {"queries": [1, 2]},
        {"queries": [["a"]]},
        {"queries": {"a": "b"}},
        {"query": "a"},
        {"queries": ["a"], "owner": "someone else"},
        '{"queries": ["a',
        "no JSON",
    ],
)
def test_anything_else_is_an_error_as_a_value(arguments):
    assert isinstance(parse_search(arguments), ToolArgumentsError)


@settings(deadline=None)
@given(st.lists(st.text(max_size=30), max_size=12))
def test_a_request_never_holds_blank_equal_or_too_many_queries(queries):
    request = parse_search({"queries": queries})
    if isinstance(request, ToolArgumentsError):
        return
    keys = [same_query_key(query) for query in request.queries]
    assert 1 <= len(keys) <= MAX_QUERIES
    assert all(keys)
    assert len(set(keys)) == len(keys)
