"""The support model on local features: other words and languages pass, neighbours of the subject do not."""

import pytest

from graph.parts import local_support
from nodes.citations.calibrated import LOCAL_WEIGHTS, SUPPORTED
from nodes.citations.features import Asked, claim_parts, passage_sentences
from nodes.citations.local_support import LocalSupport
from nodes.citations.opinions import Opinions, SupportFailedError
from nodes.citations.support import check_sentence
from stores.errors import StoreError

RANSOMWARE = (
    "Ransomware\n\nIf files are being encrypted, pull the network plug but leave the power on, as memory may hold the "
    "key. Do not attach the tape library to anything until the security team has agreed."
)
TRAVEL = (
    "差旅制度\n\n没有获批的出差，费用不予报销；突发情况可以先口头批准，返回后补交申请。"
    "两名同性员工同住一间标准间时，按一人的限额报销。"
)
SOIL = "土壤检测\n\n土样摊在通风的木盘里阴干，不能在太阳下晒，也不能进烘箱。布袋内外各放一张标签，写明地块和采样人。"


@pytest.fixture(scope="module")
def model() -> LocalSupport:
    return local_support()


@pytest.mark.parametrize(
    ("sentence", "passage"),
    [
        ("事先没批的行程，公司不会给钱；紧急时可先口头同意，回来再补手续。", TRAVEL),
        ("文件正在被加密时，拔掉网线但不要断电，因为内存里可能有密钥。", RANSOMWARE),
        ("Two employees of the same sex who share a twin room are reimbursed up to the limit of one.", TRAVEL),
    ],
)
def test_other_words_and_the_other_language_are_supported(model: LocalSupport, sentence: str, passage: str) -> None:
    support = check_sentence(sentence, [passage], opinions=Opinions(model, likeness=model.likeness))
    assert support.ok, support
    assert support.score >= SUPPORTED


@pytest.mark.parametrize(
    ("sentence", "passage"),
    [
        ("食堂的菜单每周由后勤部门公布在门口的告示栏里。", TRAVEL),
        ("The security team is on call during the night and at weekends.", RANSOMWARE),
        ("备份磁带由快递送到保险库。", RANSOMWARE),
        ("Soil samples are sent to the laboratory by post.", SOIL),
    ],
)
def test_what_is_only_about_the_subject_is_not_supported(model: LocalSupport, sentence: str, passage: str) -> None:
    support = check_sentence(sentence, [passage], opinions=Opinions(model, likeness=model.likeness))
    assert (support.reason, support.ok) == ("unsupported", False), support
    assert support.score < SUPPORTED


UNAPPROVED = "事先没批的行程，公司不会给钱；紧急时可先口头同意，回来再补手续。"
UNPLUG = "Cut the machine off from the network and keep it powered, because the key might still be in memory."


@pytest.mark.parametrize(
    ("made_up", "told", "passage"),
    [
        ("出差期间的通讯费由公司统一结算。", UNAPPROVED, TRAVEL),
        ("出差回来以后要写一份总结，交给部门存档。", UNAPPROVED, TRAVEL),
        ("The security team is on call during the night and at weekends.", UNPLUG, RANSOMWARE),
        ("The tapes are rewound every week by the operators of the library.", UNPLUG, RANSOMWARE),
    ],
)
def test_what_is_near_a_rule_scores_less_than_the_rule_in_other_words(
    model: LocalSupport, made_up: str, told: str, passage: str
) -> None:
    """Where the working point cannot part them, the order still does."""
    near, true = model.score([Asked(made_up, (passage,)), Asked(told, (passage,))])
    assert near < true - 0.05


@pytest.mark.parametrize(
    ("half", "passage"),
    [
        ("没批准的出差不给报销，每年春天公司组织全体员工去海边旅游", TRAVEL),
        ("Leave the power on, and water the plants in the hall twice a week.", RANSOMWARE),
    ],
)
def test_half_a_truth_is_not_supported(model: LocalSupport, half: str, passage: str) -> None:
    assert model.score([Asked(half, (passage,))])[0] < SUPPORTED


def test_a_true_half_does_not_carry_a_made_up_one(model: LocalSupport) -> None:
    true, half = "没批准的出差不给报销", "没批准的出差不给报销，每年春天公司组织全体员工去海边旅游"
    whole, part = model.score([Asked(half, (TRAVEL,)), Asked(true, (TRAVEL,))])
    assert whole < SUPPORTED <= part


def test_a_score_depends_on_nothing_but_the_question(model: LocalSupport) -> None:
    asked = [Asked("土样要阴干。", (SOIL,)), Asked("没批准的出差不报销。", (TRAVEL, SOIL)), Asked("x", (RANSOMWARE,))]
    together = model.score(asked)
    alone = [local_support().score([one])[0] for one in reversed(asked)][::-1]
    assert together == pytest.approx(alone, abs=1e-6)
    assert model.score(asked) == together


def test_two_passages_support_the_halves_of_a_sentence(model: LocalSupport) -> None:
    sentence = "没批准的出差不给报销，土样要在通风的木盘里阴干"
    both, travel, soil = model.score([Asked(sentence, of) for of in ((TRAVEL, SOIL), (TRAVEL,), (SOIL,))])
    assert both > max(travel, soil)


class Broken:
    """A model whose file is damaged, or whose process is gone."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def score(self, asked: object) -> list[float]:
        raise self.error


@pytest.mark.parametrize("error", [StoreError("damaged"), SupportFailedError("gone")])
def test_without_a_model_the_words_decide_and_it_is_known(error: Exception) -> None:
    opinions = Opinions(Broken(error))
    assert check_sentence("没有获批的出差不报销费用。", [TRAVEL], opinions=opinions).ok
    assert check_sentence("火星表面存在液态水与微生物。", [TRAVEL], opinions=opinions).reason == "low_overlap"
    assert opinions.degraded


def test_facts_and_literal_sentences_ask_no_model() -> None:
    opinions = Opinions(Broken(AssertionError("asked")))
    assert check_sentence("按一人的限额报销 300 元。", [TRAVEL], opinions=opinions).reason == "number_missing"
    assert (
        check_sentence("土样摊在通风的木盘里阴干，不能在太阳下晒，也不能进烘箱。", [SOIL], opinions=opinions).score == 1
    )


def test_parts_and_sentences_hold_the_whole_text() -> None:
    assert "".join(claim_parts("甲乙丙丁戊己，庚，辛壬癸子丑寅卯，辰")) == "甲乙丙丁戊己，庚，辛壬癸子丑寅卯，辰"
    assert passage_sentences("短。更长的一句话在这里，还有更多。") == ("短。 更长的一句话在这里，还有更多。",)
    assert passage_sentences("") == ("",)


def test_figures_that_agree_speak_for_a_sentence(model: LocalSupport) -> None:
    told = [
        "没人来的话房间过些时候就放掉。",
        "没人来的话房间过 20 分钟就放掉。",
        "没人来的话 40 人的房间过 20 分钟就放掉。",
    ]
    found = model.features([Asked(sentence, ("会议开始后 20 分钟无人到场，预订自动取消。",)) for sentence in told])
    assert [one["figures"] for one in found] == [0, 0.5, 1]
    assert LOCAL_WEIGHTS["figures"].weight > 0
