"""The keys texts are found under."""

import pytest
from growth import LINEAR, growth
from hypothesis import given
from hypothesis import strategies as st

from stores.documents.terms import index_terms, query_terms


def test_chinese_gives_overlapping_pairs_and_lone_characters():
    assert index_terms("低头思故乡，茶") == ["低头", "头思", "思故", "故乡", "茶"]


def test_a_lone_function_character_is_dropped():
    assert index_terms("的 茶 了") == ["茶"]


def test_chinese_and_latin_glued_together_are_told_apart():
    assert index_terms("用Filter过滤3次") == ["用", "filter", "过滤", "3", "次"]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("getUserById", {"getuserbyid", "get", "user", "by", "id"}),
        ("get_user_by_id", {"get_user_by_id", "get", "user", "by", "id"}),
        ("@GetMapping", {"@getmapping", "getmapping", "get", "mapping"}),
        ("server.port", {"server.port", "server", "port"}),
        ("HttpServletRequest", {"httpservletrequest", "http", "servlet", "request"}),
        ("XMLHttpRequest", {"xmlhttprequest", "xml", "http", "request"}),
        ("MAX_RETRY", {"max_retry", "max", "retry"}),
        ("src/main/App.java", {"src/main/app.java", "src", "main", "app", "java"}),
        (r"C:\temp\a.txt", {r"c:\temp\a.txt", "c", "temp", "a", "txt"}),
        ("org.acme.OrderService", {"org.acme.orderservice", "org", "acme", "orderservice", "order", "service"}),
        ("user@example.com", {"user@example.com", "user", "example", "com"}),
        ("ORA-00942", {"ora-00942", "ora", "00942"}),
        ("X200", {"x200"}),
        ("Java17", {"java17", "java", "17"}),
        ("v1.2.3", {"1.2.3"}),
        ("3.14", {"3.14"}),
        ("1,577,000", {"1577000"}),
        ("C++", {"c++", "c"}),
        ("C#", {"c#", "c"}),
    ],
)
def test_r14_identifiers_give_themselves_and_their_parts(text, terms):
    assert set(index_terms(text)) == terms


def test_versions_are_never_taken_apart():
    assert not set(index_terms("v1.2.3")) & set(index_terms("1.2.4"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("資料庫連線逾時", "资料库连线逾时"),
        ("ＦＩＬＴＥＲ　１２３", "filter 123"),
        ("Libraries and filters", "library and filter"),
        ("company's", "company"),
        ("classes", "classe"),
        ("1,577", "1577"),
        ("V2.0.1", "2.0.1"),
    ],
)
def test_r13_other_forms_of_a_word_have_the_same_key(one, other):
    assert index_terms(one) == index_terms(other)


@pytest.mark.parametrize("word", ["class", "status", "bus", "this", "is", "os"])
def test_an_s_that_is_no_plural_stays(word):
    assert index_terms(word) == [word]


def test_a_query_asks_for_what_it_is_about():
    assert query_terms("What is the capital of France?") == ["capital", "france"]
    assert "什么" not in query_terms("过滤器是什么")
    assert {"过滤", "滤器"} <= set(query_terms("过滤器是什么"))


@pytest.mark.parametrize("query", ["what is it", "什么", "the who"])
def test_a_query_of_nothing_but_function_words_is_searched_as_it_stands(query):
    assert query_terms(query)


@pytest.mark.parametrize("blank", ["", "   ", "？！。", "\n\t", "…—"])
def test_r02_marks_and_spaces_give_no_terms(blank):
    assert index_terms(blank) == query_terms(blank) == []


@given(st.text(max_size=200))
def test_terms_of_any_text_are_folded_words_without_spaces(text):
    for term in index_terms(text):
        assert term == term.lower()
        assert not any(character.isspace() for character in term)


@given(st.text(alphabet="abAB_.-1,中文字@的 ", max_size=60))
def test_what_is_searched_in_its_own_words_is_found(text):
    assert set(query_terms(text)) <= set(index_terms(text))


@pytest.mark.parametrize("unit", ["中", "aB", "a.", "a_1", "1,234,", "@", "a'", "v1.1", "x"])
def test_time_grows_with_length_and_no_faster(unit):
    assert growth(index_terms, unit * (160_000 // len(unit))) < LINEAR
