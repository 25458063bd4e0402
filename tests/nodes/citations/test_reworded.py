"""Facts told in other words, numbers in other units, and what must not be taken for them."""

import pytest

from nodes.citations.support import Reason, check_sentence


@pytest.mark.parametrize(
    ("sentence", "passage"),
    [
        ("静放三十分钟之后再测酸碱度。", "搅拌一分钟，静置半小时后测量酸碱度。"),
        ("两天（48小时）之内可以用同一个键重试。", "同一个键在 48 小时内可以重试。"),
        ("平行样偏差大于10%的整批重做。", "平行样相对偏差超过一成的，整批重做。"),
        ("验收后付到95%。", "验收后付至九成五。"),
        ("补偿为日工资的三倍。", "按照日工资的300%支付补偿。"),
        ("夜里十点以后可以乘出租车。", "晚上十点以后可以乘坐出租车。"),
        ("从20世纪30年代起它就是大剧院。", "From the 1930s on it was a grand theatre."),
        ("每秒最多可以发100次请求。", "Live keys may make 100 requests per second."),
        ("三月开始招生。", "Enrolment begins in March."),
        ("伊恩·卡马是塞雷茨的儿子。", "塞雷茨·卡马的儿子伊恩·卡马后来担任总统。"),
        ("他称之为“重力”，数值为 9.8。", "He calls it gravity; its value is 9.8."),
        (
            "VMs have no copy of their own.",
            "Virtual machines are never copied: they are built again, and no copy is kept.",
        ),
        ("Half an hour later the sample is measured.", "The sample is measured 30 minutes later."),
        (
            "Whoever is on call is phoned when pressure falls under 1.5 bar.",
            "The controller phones the person on call if pressure falls under 1.5 bar.",
        ),
    ],
)
def test_the_same_in_other_words_is_no_missing_fact(sentence: str, passage: str) -> None:
    support = check_sentence(sentence, [passage])
    assert support.reason in {"ok", "low_overlap"}, support


@pytest.mark.parametrize(
    ("sentence", "passage", "reason"),
    [
        ("静放二十分钟之后再测。", "静置半小时后测量。", "number_missing"),
        ("平行样偏差大于20%的整批重做。", "平行样相对偏差超过一成的，整批重做。", "number_missing"),
        ("称十千克土。", "称十克土，加水。", "number_missing"),
        ("早上十点以后可以乘出租车。", "晚上十点以后可以乘坐出租车。", "number_missing"),
        (
            "Stop if the difference is over 5 percent.",
            "4. Stop if the difference is over 0.5 percent.\n5. Go on.",
            "number_missing",
        ),
        ("收到货之前15日内要验收完。", "货物到达后十五日内完成验收。", "opposite"),
        ("伊恩·卡恩后来担任总统。", "塞雷茨·卡马的儿子伊恩·卡马后来担任总统。", "name_missing"),
        ("由王建国负责审批。", "由部门主管负责审批。", "name_missing"),
        (
            "With a live key you can send 100 calls a minute.",
            "Live keys may make 100 requests per second.",
            "number_missing",
        ),
    ],
)
def test_another_fact_is_found_behind_other_words(sentence: str, passage: str, reason: Reason) -> None:
    assert check_sentence(sentence, [passage]).reason == reason
