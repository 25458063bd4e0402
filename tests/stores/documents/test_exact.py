"""Exact identifiers: what counts as one, and how exactly a passage has it."""

import pytest

from stores.documents.exact import DEFINED, IN_CONTEXT, IN_TEXT, exactness, identifiers
from stores.documents.terms import index_terms


def frequencies(**known: int):
    """A corpus of 1,000 passages."""
    return lambda terms: ({term: known.get(term, 3) for term in terms}, 1000)


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("哪里定义了 doFilter？", ["doFilter"]),
        ("@OnOpen 用在哪些类上？", ["@OnOpen"]),
        ("<tei-class> 写的是哪个类？", ["<tei-class>"]),
        ("which servlet handles /async/stockticker", ["/async/stockticker"]),
        ("sessions.title", ["sessions.title"]),
        ("scripting-invalid", ["scripting-invalid"]),
        ("MAX_RETRY 和 server.port", ["MAX_RETRY", "server.port"]),
        ('allow="127.0.0.0/8"', ["127.0.0.0/8"]),
        ("What does ORA-00942 mean?", ["ORA-00942"]),
        ("客户端收到错误 40P01 以后该怎么做？", ["40P01"]),
        ("two-dimensional flow of an incompressible fluid, e.g. in the U.S.", []),
        ("and/or input in 2018, 3.5 percent", []),
        ("过滤器在请求之前执行吗？", []),
    ],
)
def test_tokens_written_like_code_are_identifiers_and_prose_holds_none(query, named):
    assert identifiers(query) == named


def test_the_whole_identifier_counts_and_its_parts_do_not():
    passages = [("", "<dynamic-attributes>true</dynamic-attributes>"), ("", "implements DynamicAttributes")]
    assert exactness("dynamic-attributes", passages, frequencies()) == [IN_TEXT, 0]


def test_the_text_counts_more_than_the_class_around_it_and_the_definition_most_where_it_is_asked():
    passages = [
        ("class Guess", "return true;"),
        ("", "new Guess()"),
        ("", "public class Guess implements Serializable {"),
    ]
    asked = [("class CamelGuess", "return true;"), ("", "new CamelGuess()"), ("", "public class CamelGuess {")]
    assert exactness("Guess", passages, frequencies()) == [0, 0, 0]
    assert exactness("CamelGuess 在哪里定义？", asked, frequencies()) == [IN_CONTEXT, IN_TEXT, DEFINED]
    assert exactness("who calls CamelGuess here", asked, frequencies()) == [IN_CONTEXT, IN_TEXT, IN_TEXT]


def test_an_identifier_that_stands_everywhere_or_nowhere_moves_nothing():
    passages = [("", "HttpServlet"), ("", "text")]
    (whole,) = index_terms("HttpServlet")[:1]
    for count in (0, 400):
        assert exactness("HttpServlet", passages, frequencies(**{whole: count})) == [0, 0]
    assert exactness("HttpServlet", passages, frequencies(**{whole: 10})) == [IN_TEXT, 0]


def test_without_the_keyword_leg_nobody_knows_what_is_rare():
    assert exactness("HttpServlet", [("", "HttpServlet")], None) == [0]
