"""Negatives: near, and never an answer."""

from training.examples import Example
from training.negatives import mined


def example(query: str, positive: str, **more) -> Example:
    return Example(
        source="s", query=query, positive=positive, **{"query_language": "en", "passage_language": "en"} | more
    )


def test_a_negative_shares_words_with_the_query_and_is_no_known_answer():
    asked = [
        example("red fox jumps", "the red fox jumps high", also_right=("a red fox jumps over",)),
        example("red fox jumps", "red fox jumps again"),
        example("blue whale", "the blue whale sings"),
    ]
    others = {"s": ["red fox sleeps", "a red fox jumps over", "rain all day"], "t": ["red fox of another set"]}
    found = mined(asked, others)
    first = found[0].negatives
    assert first[0] == "red fox sleeps"
    right = {"the red fox jumps high", "a red fox jumps over", "red fox jumps again", "red fox of another set"}
    assert right.isdisjoint(first)


def test_given_negatives_come_first_unless_they_answer_the_same_query():
    asked = [example("q one", "first answer", negatives=("given", "second answer")), example("q one", "second answer")]
    assert mined(asked, {})[0].negatives == ("given",)


def test_where_the_languages_differ_a_negative_is_like_the_right_passage():
    across = {"query_language": "zh"}
    asked = [example("蓝鲸", "the blue whale sings songs", **across), example("狐狸", "foxes bark", **across)]
    found = mined(asked, {"s": ["the blue whale eats krill", "unrelated words"]})
    assert found[0].negatives[0] == "the blue whale eats krill"


def test_negatives_are_in_the_language_of_the_right_passage():
    asked = [example("fox", "a fox"), example("fox", "一只 fox", passage_language="zh"), example("dog", "a fox dog")]
    by_passage = {one.positive: one.negatives for one in mined(asked, {})}
    assert "一只 fox" not in by_passage["a fox dog"]
