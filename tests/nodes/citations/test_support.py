"""The support check without a model: what it lets pass and what it must not."""

import pytest
from growth import LINEAR, growth

from nodes.citations.support import CROSS_LANGUAGE_CEILING, OCR_FLOOR, Reason, check_sentence, rests_on

TRAVEL = (
    "出差住宿标准：一线城市每晚不超过 500 元，二线城市每晚不超过 400 元。员工应在出差结束后 10 个工作日内提交报销申请，"
    "并附上发票原件。未经部门经理批准，不得报销超标费用。"
)
TABLE = "| 城市 | 住宿（元/晚） | 餐补（元/天） |\n|---|---|---|\n| 一线城市 | 500 | 100 |\n| 二线城市 | 400 | 80 |\n"
SESSIONS = (
    "The default session timeout is 30 minutes. Sessions are not persisted after a restart unless "
    "`spring.session.store-type` is set. The maximum upload size is 10 MB; at least Java 17 is required. "
    "Jetty was written by Greg Wilkins. The X200 gateway supports HTTP/2."
)
CODE = (
    'public class UserDao {\n  public User findByName(String name) {\n    return jdbc.query("select", name);\n  }\n}\n'
)


@pytest.mark.parametrize(
    ("sentence", "passage"),
    [
        ("一线城市的住宿标准是每晚最多 500 元。[1]", TRAVEL),
        ("二线城市住宿上限为 400 元/晚。", TRAVEL),
        ("出差结束后需要在十个工作日内提交报销申请。", TRAVEL),
        ("超标费用未经部门经理批准不能报销。", TRAVEL),
        ("報銷時須附發票原件。", TRAVEL),
        ("二线城市住宿标准为 400 元/晚，餐补 80 元/天。", TABLE),
        ("The session timeout defaults to 30 minutes.", SESSIONS),
        ("Java 17 or newer is required.", SESSIONS),
        ("The X-200 gateway supports HTTP/2.", SESSIONS),
        ("`UserDao.findByName` 按 name 查询 User。", CODE),
        ("默认会话超时为 30 分钟。", SESSIONS),
        ("The first-tier city limit is 500 yuan per night.", TRAVEL),
    ],
)
def test_what_the_passage_says_is_supported(sentence: str, passage: str) -> None:
    support = check_sentence(sentence, [passage])
    assert support.ok, support


@pytest.mark.parametrize(
    ("sentence", "passage", "reason"),
    [
        ("一线城市的住宿标准为 500 美元。", TRAVEL, "number_missing"),
        ("三线城市每晚不超过 400 元。", TRAVEL, "number_missing"),
        ("默认会话超时为 20 分钟。", SESSIONS, "number_missing"),
        ("The first-tier city limit is 600 yuan per night.", TRAVEL, "number_missing"),
        ("二线城市的住宿标准是每晚最多 500 元。", TRAVEL, "number_elsewhere"),
        ("二线城市餐补为 400 元/天。", TABLE, "number_elsewhere"),
        ("二线城市住宿标准为 500 元。", TABLE, "number_elsewhere"),
        ("一线城市住宿至少 500 元/晚。", TRAVEL, "opposite"),
        ("出差结束前 10 个工作日内提交报销申请。", TRAVEL, "opposite"),
        ("The minimum upload size is 10 MB.", SESSIONS, "opposite"),
        ("超标费用未经部门经理批准可以报销。", TRAVEL, "negation"),
        ("报销时无需附发票原件。", TRAVEL, "negation"),
        ("Sessions are persisted after a restart.", SESSIONS, "negation"),
        ("超标费用未经财务总监批准，不得报销。", TRAVEL, "name_missing"),
        ("Jetty was written by Bruce Wayne.", SESSIONS, "name_missing"),
        ("会话超时由 Tomcat 设为 30 分钟。", SESSIONS, "name_missing"),
        ("`spring.session.type` must be set after a restart.", SESSIONS, "identifier_missing"),
        ("The X2000 gateway supports HTTP/2.", SESSIONS, "identifier_missing"),
        ("`UserDao.findById` 按 name 查询。", CODE, "identifier_missing"),
        ("制度写道“员工应在出差前提交申请”。", TRAVEL, "quote_missing"),
        ("The passage says “sessions expire after an hour”.", SESSIONS, "quote_missing"),
        ("火星表面存在液态水与微生物活动迹象。", TRAVEL, "low_overlap"),
        ("Penguins hatch their eggs on floating ice.", SESSIONS, "low_overlap"),
    ],
)
def test_what_the_passage_does_not_say_is_not_supported(sentence: str, passage: str, reason: Reason) -> None:
    support = check_sentence(sentence, [passage])
    assert support.reason == reason, support
    assert support.score <= CROSS_LANGUAGE_CEILING


def test_a_sentence_that_cites_nothing_is_uncited() -> None:
    assert check_sentence("三天。", []).reason == "uncited"


def test_a_literal_sentence_has_full_support() -> None:
    assert check_sentence("未经部门经理批准，不得报销超标费用。", [TRAVEL]).score == 1.0


def test_part_of_a_negated_sentence_is_not_taken_for_a_literal_one() -> None:
    assert not check_sentence("员工可以在工作时间饮酒。", ["员工不可以在工作时间饮酒。"]).ok


def test_two_passages_support_together_what_neither_supports_alone() -> None:
    sentence = "过滤器的超时为 30 秒，拦截器的超时为 60 秒。"
    passages = ["过滤器的超时为 30 秒。", "拦截器的超时为 60 秒。"]
    assert check_sentence(sentence, passages).ok
    assert not any(check_sentence(sentence, [one]).ok for one in passages)


def test_between_languages_the_score_is_capped_and_facts_decide() -> None:
    support = check_sentence("上传大小上限为 10 MB。", [SESSIONS])
    assert support.ok
    assert support.score <= CROSS_LANGUAGE_CEILING
    assert not check_sentence("上传大小上限为 20 MB。", [SESSIONS]).ok
    assert not check_sentence("会话在 `session.restart` 之后保留。", [SESSIONS]).ok


def test_c16_scanned_text_with_one_wrong_character_in_twenty_still_supports() -> None:
    clean = "员工应在出差结束后十个工作日内提交报销申请，并附上发票原件，逾期不予受理。"
    scanned = "员工应在出差结朿后十个工作日内提交报销中请，并附上发票原件，逾期不予受埋。"
    quoting = "制度要求“在出差结束后十个工作日内提交报销申请”。"
    assert check_sentence(quoting, [scanned]).reason == "quote_missing"
    support = check_sentence(quoting, [scanned], ocr=True)
    assert support.ok
    assert support.floor == OCR_FLOOR
    assert check_sentence(clean, [scanned], ocr=True).ok
    assert not check_sentence("员工应在出差结束后二十个工作日内提交报销申请。", [scanned], ocr=True).ok


def test_c17_chinese_text_without_blanks_gives_a_number_never_nan() -> None:
    support = check_sentence("。", ["。"])
    assert 0.0 <= support.score <= 1.0
    assert check_sentence("过滤器先执行。拦截器后执行。", ["过滤器先执行。拦截器后执行。"]).score == 1.0


@pytest.mark.parametrize(
    ("sentence", "free", "ok"),
    [
        ("12 乘以 7 等于 84。", "{'expression': '12*7'} 84", True),
        ("12 times 7 is 84.", "{'expression': '12*7'} 84", True),
        ("12 乘以 7 等于 85。", "{'expression': '12*7'} 84", False),
        ("今天是 2026 年 11 月 30 日，星期一。", "2026-11-30 Monday", True),
        ("今天是星期二。", "2026-11-30 Monday", False),
        ("您住在杭州。", "用户住在杭州", True),
        ("您住在北京。", "用户住在杭州", False),
        ("共有 84 个接口需要在上线之前完成回归测试。", "84", False),
        ("过滤器在拦截器之前执行。", "84", False),
    ],
)
def test_tool_results_and_memories_need_no_citation_but_are_no_licence(sentence: str, free: str, ok: bool) -> None:
    assert rests_on(sentence, [free]).ok is ok


@pytest.mark.parametrize(
    "text",
    [
        "甲" * 4_000,
        "1 元，" * 1_000,
        "`" * 4_000,
        "“" * 4_000,
        "a.b" * 1_000,
        "甲·" * 2_000,
        "押金 1 元，租金 2 元，" * 300,
    ],
)
def test_a_hostile_text_is_checked_in_time_that_grows_in_line_with_it(text: str) -> None:
    assert growth(lambda passage: check_sentence("乙" + text[:500], [passage]), text) < LINEAR
