"""Numbers, units, dates and number words that mean the same compare equal; others do not."""

import pytest

from nodes.citations.numbers import figures, missing_figure
from nodes.citations.units import units_in
from stores.documents.terms import fold


def stated(claim: str, material: str) -> bool:
    given = fold(material)
    wanted = figures(fold(claim), claims=True)
    return missing_figure(wanted, [figures(given, claims=False)], units_in(given.casefold())) is None


@pytest.mark.parametrize(
    ("claim", "material"),
    [
        ("1,200 元", "1200 元"),
        ("1200.0 元", "１２００元"),
        ("三百元", "300 元"),
        ("1.2 万人", "12,000 人"),
        ("两万五千册", "25000 册"),
        ("百分之五", "5%"),
        ("5 percent", "5％"),
        ("2026-11-30", "2026年11月30日"),
        ("November 30, 2026", "2026-11-30"),
        ("30th of November 2026", "二〇二六年十一月三十日"),
        ("2026 年 11 月", "2026-11-30"),
        ("11 月 30 日", "2026-11-30"),
        ("2024 年", "in 2024"),
        ("下午 2 点半", "14:30"),
        ("星期一", "Monday"),
        ("500 元/晚", "每晚 500 元"),
        ("500 yuan per night", "500 元/晚"),
        ("500 元", "住宿（元/晚）\n500"),
        ("twenty-one days", "21 天"),
        ("1.2 million", "1,200,000"),
        ("第三章", "第 3 章"),
        ("Python 3.10", "Python 3.10"),
        ("1. 三天", "3 天"),
        ("十分重要，一般可行", "没有数字"),
        ("¥500", "500 元"),
        ("10 working days", "10 个工作日"),
        ("JDK 8", "JDK8"),
    ],
)
def test_figures_that_mean_the_same_are_found(claim: str, material: str) -> None:
    assert stated(claim, material)


@pytest.mark.parametrize(
    ("claim", "material"),
    [
        ("500 元", "500 美元"),
        ("500 元/晚", "500 元/天"),
        ("1,200 元", "1,201 元"),
        ("三百元", "三千元"),
        ("10 天", "10 个工作日"),
        ("30 秒", "30 分钟"),
        ("12%", "12 元"),
        ("2026-11-30", "2026-11-03"),
        ("2026 年 11 月 30 日", "2026 年 11 月"),
        ("Python 3.10", "Python 3.1"),
        ("三线城市", "二线城市和 3 个城市"),
        ("500 美元", "单价 500"),
        ("-5 度", "5 度"),
        ("3 chapters", "第 4 章"),
        ("14:30", "2:30"),
        ("100 秒", "延迟 100ms，超时 3 秒"),
        ("1.5 倍", "15 倍"),
    ],
)
def test_figures_that_differ_are_missed(claim: str, material: str) -> None:
    assert not stated(claim, material)
