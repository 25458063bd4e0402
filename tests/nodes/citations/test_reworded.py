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
        ("表装满四分之三以上就扩容，新容量是原来的两倍。", "装填因子超过 0.75 时，容量扩大一倍。"),
        ("教师能借的册数是学生的三倍。", "学生可借 10 册，教师可借 30 册。"),
        ("Three quarters of them agreed.", "Of those asked, 75 percent agreed."),
        ("They printed one sixth of all the books.", "A sixth of all books were printed by them."),
        ("One in six books of the time was theirs.", "They printed a sixth of all the books of the time."),
        ("固定期限三年以上的劳动合同，试用期六个月。", "三年以上固定期限和无固定期限的劳动合同，试用期六个月。"),
        ("It gets only two thirds as far.", "In frost the range shrinks by a third."),
        ("There is twice as much water in it now.", "The water in it has doubled since then."),
        ("周六、周日晚些关门。", "周末延长开放。"),
        ("密码有12个字符。", "密码为 12 位。"),
        ("每晚睡七八个小时。", "每晚睡眠 7 到 8 小时。"),
        ("In 3 to 5 days the card is sent.", "The card is sent in three to five days."),
        ("头一周坐 5 号线不要钱。", "5 号线开通首周，乘客可以免费乘坐。"),
        (
            "About 150 printers were active, as the city had had the press since 1469.",
            "The press reached the city in 1469, and it had 150 printers.",
        ),
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
        ("表装满四分之一就扩容。", "装填因子超过 0.75 时，容量扩大一倍。", "number_missing"),
        ("教师能借的册数是学生的两倍。", "学生可借 10 册，教师可借 30 册。", "number_missing"),
        ("Two thirds of them agreed.", "Of those asked, 75 percent agreed.", "number_missing"),
        ("They printed a fifth of all books.", "A sixth of all books were printed by them.", "number_missing"),
        ("It gets only three quarters as far.", "In frost the range shrinks by a third.", "number_missing"),
        ("There is three times as much water in it.", "The water in it has doubled since then.", "number_missing"),
        ("每晚睡五六个小时。", "每晚睡眠 7 到 8 小时。", "number_missing"),
        ("首周坐 5 号线要收费。", "5 号线开通首周，乘客可以免费乘坐。", "opposite"),
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
