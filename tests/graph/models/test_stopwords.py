"""Content words of a Chinese question: what asks, binds or points goes, words that only hold such a character stay."""

import pytest

from graph.models.wording import content_words


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("怎样一步一步申请报销？", ["申请报销"]),
        ("请申请公司邀请函", ["申请公司邀请函"]),
        ("请假需要提前几天？", ["请假", "提前"]),
        ("请问年假的有效期是多久？", ["年假", "有效期"]),
        ("请帮我查一下在线支付的目的", ["在线支付", "目的"]),
        ("在线程中怎么等待？", ["线程中", "等待"]),
        ("过滤器和拦截器的区别是什么？", ["过滤器", "拦截器", "区别"]),
        ("其他城市的限额是多少？", ["其他城市", "限额"]),
        ("几何级数的和", ["几何级数"]),
    ],
)
def test_words_that_hold_a_function_character_stay_whole(question: str, words: list[str]) -> None:
    assert content_words(question) == words
