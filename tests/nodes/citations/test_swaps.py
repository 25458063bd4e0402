"""A sentence that nearly repeats the material's, with something else in one place."""

import pytest

from nodes.citations.opinions import Opinions
from nodes.citations.support import Reason, check_sentence

RULES = (
    "用人单位支付劳动者的工资不得低于当地最低工资标准。县级以上地方人民政府人力资源部门负责监督检查。"
    "样品从采集到出报告一般为九个工作日。两个版本不一致时以中文版为准。加二十五毫升不含二氧化碳的水。"
)
GUIDE = (
    "The department head decides within 36 hours. Each service is restored by somebody who has never done it. "
    "The diesel set starts after thirty seconds. Keys are remembered for 48 hours."
)


@pytest.mark.parametrize(
    ("sentence", "passage", "reason"),
    [
        ("县级以下地方人民政府人力资源部门负责监督检查。", RULES, "opposite"),
        ("样品从采集到出报告一般为九个月。", RULES, "number_missing"),
        ("两个版本一致时以中文版为准。", RULES, "opposite"),
        ("加二十五毫升含二氧化碳的水。", RULES, "negation"),
        ("行业协会支付劳动者的工资不得低于当地最低工资标准。", RULES, "name_missing"),
        ("Each service is restored by somebody who has always done it.", GUIDE, "opposite"),
        ("The petrol set starts after thirty seconds.", GUIDE, "name_missing"),
        ("The diesel set starts before thirty seconds.", GUIDE, "opposite"),
    ],
)
def test_one_changed_word_in_a_repeated_sentence_is_found(sentence: str, passage: str, reason: Reason) -> None:
    assert check_sentence(sentence, [passage]).reason == reason


@pytest.mark.parametrize(
    ("sentence", "passage"),
    [
        ("两个版本不一致的时候，以中文版为准。", RULES),
        ("支付劳动者的工资不得低于当地最低工资标准。", RULES),
        ("The department head has to decide within 36 hours.", GUIDE),
        ("Keys are remembered for 48 hours in total.", GUIDE),
    ],
)
def test_a_sentence_that_only_adds_or_leaves_out_small_words_passes(sentence: str, passage: str) -> None:
    assert check_sentence(sentence, [passage]).ok


def test_whether_another_word_means_the_same_is_asked_of_the_embedder() -> None:
    sentence = "雇主支付劳动者的工资不得低于当地最低工资标准。"
    assert check_sentence(sentence, [RULES], opinions=Opinions(None, likeness=lambda one, other: 0.96)).ok
    different = check_sentence(sentence, [RULES], opinions=Opinions(None, likeness=lambda one, other: 0.9))
    assert (different.reason, different.detail) == ("name_missing", "雇主")
