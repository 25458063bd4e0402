"""A true claim gets one wrong fact, the same on every machine, or none at all where it could stay true."""

import json
from pathlib import Path

import pytest

from eval.claims.altering import ALTERATIONS, Alteration, altered
from eval.claims.generate import generated
from eval.claims.pairs import Language, language_of, read_pairs

SETS = Path(__file__).parents[2] / "eval" / "sets" / "claims"
OTHER_DEPARTMENTS = (
    "The finance department pays. The legal department, marketing department and sales department do not."
)
EXAMPLES = Path(__file__).parents[2] / "examples" / "差旅制度"


@pytest.mark.parametrize(
    ("kind", "claim", "wrong"),
    [
        ("number", "The hall seats 40 people.", {"The hall seats 60 people."}),
        ("number", "Claims are filed within 28 days.", {"Claims are filed within 17 days."}),
        ("number", "Keep at least three copies.", {"Keep at least five copies.", "Keep at least six copies."}),
        ("number", "押金为二十元。", {"押金为三十元。"}),
        ("unit", "The lamp burns for 12 hours.", {"The lamp burns for 12 minutes.", "The lamp burns for 12 days."}),
        ("unit", "收到后 7 日内付款。", {"收到后 7 小时内付款。"}),
        ("date", "The rule applies from 2025-03-01.", {"The rule applies from 2025-06-01."}),
        ("date", "The course starts in March.", {"The course starts in May."}),
        ("date", "办法自 2024 年 5 月 1 日起施行。", {"办法自 2024 年 9 月 1 日起施行。"}),
        ("date", "开馆时间为 9:30。", {"开馆时间为 14:30。"}),
        ("entity", "The finance department pays.", {"The legal department pays."}),
        ("entity", "财务部负责解释。", {"人力资源部负责解释。"}),
        ("negation", "Dogs are allowed.", {"Dogs are not allowed."}),
        ("negation", "Dogs must not bark.", {"Dogs must bark."}),
        ("negation", "员工不得转让门卡。", {"员工可以转让门卡。"}),
        ("comparison", "Stay at least two nights.", {"Stay at most two nights."}),
        ("comparison", "温度高于 30 度时报警。", {"温度低于 30 度时报警。"}),
    ],
)
def test_each_kind_of_fact_is_made_wrong(kind: Alteration, claim: str, wrong: set[str]) -> None:
    assert altered(claim, claim, language_of(claim), kind) in wrong


@pytest.mark.parametrize(
    ("kind", "claim", "passage"),
    [
        ("number", "An invoice is needed above 75 euros.", "An invoice is needed above 75 euros."),
        ("number", "If it arrives within 5 hours, take the train.", "If it arrives within 5 hours, take the train."),
        ("number", "The team lead agrees to 900 euros.", "The team lead agrees to courses above 800 euros."),
        ("number", "工作满三年的加薪。", "工作满三年的加薪。"),
        ("number", "满一份合同即可。", "满一份合同即可。"),
        ("entity", "The finance department pays.", OTHER_DEPARTMENTS),
        ("entity", "税收行政部门负责监督。", "税收行政部门负责监督。"),
        ("negation", "Nobody is charged twice, which is rare.", "Nobody is charged twice, which is rare."),
        ("comparison", "Wash before lunch and before dinner.", "Wash before lunch and before dinner."),
    ],
)
def test_a_claim_that_could_stay_true_is_left_alone(kind: Alteration, claim: str, passage: str) -> None:
    assert altered(claim, passage, language_of(claim), kind) is None


def test_who_may_within_a_time_is_given_a_longer_one() -> None:
    assert altered("可以在七日内退货。", "可以在七日内退货。", "zh", "number") == "可以在十日内退货。"


def test_nothing_is_put_in_that_the_passage_knows() -> None:
    passage = "The hall seats 40 people, the studio 60 and the cellar 24."

    found = altered("The hall seats 40 people.", passage, "en", "number")

    assert found is not None
    assert not {"60", "24"} & set(found.split())


def test_the_same_documents_give_the_same_rows_with_ids_of_their_own() -> None:
    written = read_pairs(SETS / "written.jsonl")

    once, again = (generated([EXAMPLES], written, each=3) for _ in range(2))

    assert once == again
    assert len({row["id"] for row in once}) == len(once)
    assert {row["kind"] for row in once} == {"literal", *ALTERATIONS}


def test_the_stored_set_is_what_the_documents_give() -> None:
    stored = {json.loads(line)["id"] for line in (SETS / "altered.jsonl").read_text(encoding="utf-8").splitlines()}

    rows = generated([EXAMPLES], read_pairs(SETS / "written.jsonl"), each=18)

    assert {row["id"] for row in rows} <= stored


def test_the_stored_sets_hold_enough_of_each_kind_and_language() -> None:
    written, rows = read_pairs(SETS / "written.jsonl"), read_pairs(SETS / "altered.jsonl")
    by_hand = [one.language for one in written if one.kind == "paraphrase"]

    assert len(written) + len(rows) >= 600
    assert min(by_hand.count("zh"), by_hand.count("en")) >= 80
    languages: tuple[Language, ...] = ("zh", "en")
    for language in languages:
        for kind in ALTERATIONS:
            assert sum(one.kind == kind and one.language == language for one in rows) >= 10
    assert {one.part for one in (*written, *rows)} == {"calibration", "report"}


def test_no_paraphrase_is_a_sentence_of_its_passage() -> None:
    for one in read_pairs(SETS / "written.jsonl"):
        assert one.claim not in one.document


def test_every_altered_claim_differs_from_its_passage() -> None:
    for one in read_pairs(SETS / "altered.jsonl"):
        assert (one.claim in one.document) == (one.kind == "literal"), one.claim
