"""The registry: unique names, permissions, catalogue search."""

import pytest

from tools import builtin_tools
from tools.errors import DuplicateToolError, UnknownToolError
from tools.registry import OFFER_LIMIT, Registry, near_names
from tools.tool import Tool


def make(name, description="A tool.", *, arguments=(), permission=None):
    return Tool(
        name=name,
        description=description,
        parameters={"type": "object", "properties": {each: {"type": "string"} for each in arguments}},
        run=None,
        permission=permission,
    )


def names(tools):
    return [tool.name for tool in tools]


def crowd(count=40):
    return [make(f"filler_{number}", f"Filler number {number}.") for number in range(count)]


@pytest.mark.parametrize("other", ["search", "Search", "SEARCH"])
def test_t10_a_second_tool_of_the_same_name_is_refused(other):
    with pytest.raises(DuplicateToolError, match="search"):
        Registry([make("search"), make(other)])


def test_t10_a_dash_does_not_make_another_name_of_an_underscore():
    with pytest.raises(DuplicateToolError):
        Registry([make("send_mail"), make("send-mail")])
    assert Registry([make("a_search"), make("b_search")]).names() == ["a_search", "b_search"]


def test_an_unknown_name_is_an_error_that_names_similar_ones():
    with pytest.raises(UnknownToolError, match="calculator"):
        Registry(builtin_tools()).get("calculater")
    with pytest.raises(UnknownToolError):
        Registry([make("a")], pinned=["b"])


def test_few_tools_are_all_offered_whatever_is_asked():
    registry = Registry([make(f"tool_{number}") for number in range(OFFER_LIMIT)])

    assert len(registry.candidates("unrelated words", limit=3)) == OFFER_LIMIT


def test_a_tool_without_permission_is_never_offered():
    registry = Registry([make("mail_send", permission="mail"), make("mail_read")])
    many = Registry(
        [*crowd(), make("mail_send", permission="mail"), make("mail_post", permission="mail")], pinned=["mail_send"]
    )

    assert names(registry.candidates("send mail")) == ["mail_read"]
    assert names(registry.candidates("send mail", permissions={"mail"})) == ["mail_send", "mail_read"]
    assert not {"mail_send", "mail_post"} & set(names(many.candidates("send mail")))
    assert {"mail_send", "mail_post"} <= set(names(many.candidates("send mail", permissions={"mail"})))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("What's the exchange rate between the euro and the yen?", "convertCurrency"),
        ("把一百欧元换算成日元的汇率是多少", "huilv"),
        ("book two tickets for the train to Hangzhou", "book_train"),
        ("查一下明天上海的天气", "weather"),
        ("用订单号查物流", "track"),
    ],
)
def test_the_right_tool_is_found_by_name_description_or_argument_in_both_languages(query, expected):
    tools = [
        make("convertCurrency", "Exchange rates of currencies such as euro, dollar and yen."),
        make("huilv", "查询汇率，换算货币。"),
        make("book_train", "Buy railway tickets."),
        make("weather", "天气预报：气温、降雨。", arguments=["city"]),
        make("track", "Where a parcel is. 物流查询。", arguments=["订单号"]),
    ]
    registry = Registry([*crowd(), *tools])

    assert names(registry.candidates(query, limit=3))[0] == expected


def test_pinned_tools_come_first_and_count_within_the_limit():
    registry = Registry([*crowd(), *builtin_tools()], pinned=names(builtin_tools()))

    offered = names(registry.candidates("filler number 7", limit=5))

    assert offered[:3] == names(builtin_tools())
    assert offered[3] == "filler_7"
    assert len(offered) == 5
    assert names(registry.candidates("你好", limit=1)) == names(builtin_tools())


def test_words_that_no_tool_shares_find_nothing():
    registry = Registry(crowd())

    assert registry.search("") == []
    assert registry.search("the of and please") == []
    assert registry.search("量子纠缠") == []


def test_search_orders_by_score_and_keeps_to_its_limit():
    registry = Registry([*crowd(), make("weather_report", "Weather report for a city.")])

    found = registry.search("weather report number", limit=4)

    assert found[0][0].name == "weather_report"
    assert len(found) == 4
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


def test_one_of_two_thousand_tools_is_found_in_either_language():
    registry = Registry([*crowd(2_000), make("weather_report", "Weather report for a city. 天气预报")])

    assert names(registry.candidates("Please send me the weather report")).index("weather_report") < OFFER_LIMIT
    assert "weather_report" in names(registry.candidates("北京的天气预报"))


def test_t08_near_names_are_those_spelled_alike_or_sharing_a_word():
    offered = ["delete_note", "calculator", "search_documents"]

    assert near_names("delete_everything", offered) == ["delete_note"]
    assert near_names("calculater", offered) == ["calculator"]
    assert near_names("searchDocuments", offered) == ["search_documents"]
    assert near_names("发送邮件", offered) == []
