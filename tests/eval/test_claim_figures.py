"""The figures of checked claims on hand-made examples, and a run through the command line."""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from labelled import run_eval, write_rows

from eval.claims.chart import draw
from eval.claims.checking import Checked, Judgement, Verdict, check_delivered, check_pairs, cited, product, summed_up
from eval.claims.figures import calibration_error, figures, reliability
from eval.claims.pairs import Label, Language, Pair
from eval.claims.report import as_markdown, dataset_name, report
from graph.parts import support_for
from graph.settings import Settings, read_settings
from nodes.citations.features import Asked
from nodes.citations.opinions import BY_WORDS, SupportCheck


def checked(
    label: Label, verdict: Verdict, score: float, *, kind: str = "paraphrase", language: Language = "en", form: str = ""
) -> Checked:
    pair = Pair(
        pair_id="p",
        claim="A claim|here.",
        document="A text.",
        label=label,
        kind=kind,
        language=language,
        source=kind,
        form=form,
    )
    return Checked(pair, Judgement(verdict, score, "ok" if verdict == "supported" else "negation", "detail"), 4.0)


TEN = [
    checked("SUPPORT", "supported", 0.95),
    checked("SUPPORT", "supported", 0.9),
    checked("SUPPORT", "supported", 0.85),
    checked("SUPPORT", "unknown", 0.25),
    checked("CONTRADICT", "contradicted", 0.1, kind="number", form="literal"),
    checked("CONTRADICT", "unknown", 0.15, kind="number", form="literal"),
    checked("CONTRADICT", "supported", 0.8, kind="number", language="zh", form="free"),
    checked("NOT_ENOUGH_INFO", "unknown", 0.2, kind="near"),
    checked("NOT_ENOUGH_INFO", "contradicted", 0.0, kind="near"),
    checked("NOT_ENOUGH_INFO", "supported", 0.55, kind="near", language="zh"),
]


def test_the_figures_of_ten_claims_are_those_worked_out_by_hand() -> None:
    found = figures(TEN)

    # right: 3 supported of 4, 2 caught of 3, 2 caught of 3; the majority is "not supported", 6 of 10
    assert (found["accuracy"], found["majority"]) == (0.7, 0.6)
    assert found["precision"] == 0.6  # 3 of 5 let through
    assert found["recall"] == 0.75
    # three-way: 3 supported, 1 contradicted, 1 unknown are right; the majority is SUPPORT, 4 of 10
    assert (found["three_way"]["accuracy"], found["three_way"]["majority"]) == (0.5, 0.4)
    assert found["confusion"] == {
        "SUPPORT": {"supported": 3, "contradicted": 0, "unknown": 1},
        "CONTRADICT": {"supported": 1, "contradicted": 1, "unknown": 1},
        "NOT_ENOUGH_INFO": {"supported": 1, "contradicted": 1, "unknown": 1},
    }
    assert found["interval"][0] < 0.7 < found["interval"][1]
    assert found["over_majority"][0] == pytest.approx(0.1)


def test_each_kind_form_and_language_has_its_own_share() -> None:
    found = figures(TEN)

    assert found["by_kind"]["number"]["caught"] == pytest.approx(0.6667)
    assert "false_alarms" not in found["by_kind"]["number"]
    assert found["by_kind"]["paraphrase"]["false_alarms"] == 0.25
    assert found["altered"]["pairs"] == 3
    assert {name: of["caught"] for name, of in found["by_form"].items()} == {
        "free, number": 0.0,
        "literal, number": 1.0,
    }
    assert found["by_language"]["zh"]["right"] == 0.0
    assert found["by_language"]["en"]["altered"]["caught"] == 1.0
    assert found["by_reason"]["ok"] == {"SUPPORT": 3, "CONTRADICT": 1, "NOT_ENOUGH_INFO": 1}
    assert found["latency_ms"] == {"p50": 4.0, "p95": 4.0}


def test_the_reliability_curve_compares_the_score_with_the_truth() -> None:
    rows = {row["from"]: row for row in reliability(TEN)}

    assert rows[0.9] == {"from": 0.9, "to": 1.0, "pairs": 2, "score": 0.925, "supported": 1.0}
    assert (rows[0.2]["pairs"], rows[0.2]["supported"]) == (2, 0.5)
    assert 0.3 not in rows
    assert reliability([checked("SUPPORT", "supported", 1.0)])[0]["from"] == 0.9
    assert calibration_error([checked("SUPPORT", "supported", 0.75), checked("CONTRADICT", "unknown", 0.25)]) == 0.25


def test_a_set_without_anything_supported_has_figures_too() -> None:
    found = figures([checked("CONTRADICT", "unknown", 0.1)])

    assert (found["accuracy"], found["majority"], found["precision"], found["recall"]) == (1.0, 1.0, 0.0, 0.0)
    assert found["altered"] == {"pairs": 0}
    assert "| contradicted | 0 | 0 | 1 |" in as_markdown(
        report([checked("CONTRADICT", "unknown", 0.1)], dataset="x", part="all")
    )


def test_the_markdown_tells_figures_and_failures_by_kind() -> None:
    text = as_markdown(report(TEN, dataset="mine", part="report"), chart="a b.png")

    assert text.startswith("## mine, the report part: 10 claims on 3 documents\n\n![mine](<a b.png>)\n")
    assert '"supported": precision 0.600, recall 0.750' in text
    assert "| altered, all kinds | 3 | 66.7%" in text
    assert "### near: told wrong, all 1" in text
    assert r"| A claim\|here. | supported (0.80) | ok: detail |" in text
    assert "told wrong" not in as_markdown(report(TEN, dataset="mine", part="report"), failures=0)


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_a_chart_of_kinds_and_reliability_is_drawn(tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("matplotlib")
    draw(report(TEN, dataset="断言 \u1234", part="all"), tmp_path / f"chart{suffix}")
    assert (tmp_path / f"chart{suffix}").read_bytes()[:5] in {b"\x89PNG\r", b"<?xml"}


def test_a_set_is_named_by_its_file_or_by_its_folder() -> None:
    assert dataset_name([Path("x/scifact/pairs.jsonl"), Path("y/mine.jsonl")]) == "scifact + mine"


async def test_a_claim_is_as_good_as_its_worst_sentence() -> None:
    passage = "The ferry leaves at nine. Bicycles travel free of charge. There is no service in January."

    check = product(BY_WORDS)

    true = await check("The ferry leaves at nine. Bicycles travel free of charge.", passage)
    wrong = await check("The ferry leaves at nine. There is service in January.", passage)
    missing = await check("The ferry leaves at nine. Dogs wear a muzzle.", passage)

    assert (true.verdict, true.reason) == ("supported", "ok")
    assert (wrong.verdict, wrong.reason) == ("contradicted", "negation")
    assert (missing.verdict, missing.score < true.score) == ("unknown", True)


TOLD_OTHERWISE = "Taking a bike along costs nothing."
FERRY = "The ferry leaves at nine. Bicycles travel free of charge. There is no service in January."


def settings(monkeypatch: pytest.MonkeyPatch, support: str) -> Settings:
    monkeypatch.setenv("RECITE_SUPPORT", support)
    return read_settings(_env_file=None)


async def test_claims_are_checked_with_the_model_that_is_delivered(monkeypatch: pytest.MonkeyPatch) -> None:
    by_default = await product(support_for(settings(monkeypatch, "")))(TOLD_OTHERWISE, FERRY)
    by_words = await product(support_for(settings(monkeypatch, "words")))(TOLD_OTHERWISE, FERRY)
    assert (by_default.verdict, by_default.reason) == ("supported", "ok")
    assert (by_words.verdict, by_words.reason) == ("unknown", "low_overlap")


async def test_a_judge_reads_the_claim_before_it_is_checked() -> None:
    class Judge:
        async def read(self, asked: Sequence[Asked]) -> Mapping[Asked, float]:
            return dict.fromkeys(asked, 0.83)

    judged = await product(SupportCheck(judge=Judge()))(TOLD_OTHERWISE, FERRY)
    assert (judged.verdict, judged.score) == ("supported", 0.83)


async def test_a_run_asks_the_model_that_the_setting_names(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = dataclasses.replace(TEN[0].pair, claim=TOLD_OTHERWISE, document=FERRY)
    for named, reason in (("local", "ok"), ("words", "low_overlap")):
        (found,) = await check_delivered([pair], settings(monkeypatch, named), lambda *_: None)
        assert found.judgement.reason == reason


def test_every_sentence_of_a_claim_gets_the_citation() -> None:
    assert cited("One. Two!\nThree") == "One. [1]\nTwo! [1]\nThree [1]"
    assert summed_up([]).verdict == "unknown"


async def test_another_checker_can_be_measured() -> None:
    async def credulous(claim: str, document: str) -> Judgement:
        return Judgement("supported", len(claim) / 100, "ok")

    found = await check_pairs([one.pair for one in TEN], credulous, lambda *_: None)

    assert figures(found)["recall"] == 1.0
    assert figures(found)["accuracy"] == 0.4


ROWS = [
    {"claim": "Bicycles travel free of charge.", "document": "Bicycles travel free of charge.", "label": "SUPPORT"},
    {
        "claim": "The ferry leaves at ten.",
        "document": "The ferry leaves at nine.",
        "label": "CONTRADICT",
        "kind": "number",
    },
    {"claim": "月费是三十元。", "document": "月费是二十元。", "label": "CONTRADICT", "kind": "number"},
]


def test_the_command_line_reports_a_tiny_file(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    write_rows(tmp_path / "tiny.jsonl", ROWS)

    done = run_eval(
        "citations", "tiny.jsonl", "--json", "out.json", "--markdown", "out.md", "--chart", "out.svg", cwd=tmp_path
    )

    assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert told["accuracy"] == told["precision"] == told["recall"] == 1.0
    assert told["majority"] == pytest.approx(0.6667)
    assert set(told["by_kind"]) == {"support", "number"}
    assert set(told["confusion"]) == {"SUPPORT", "CONTRADICT", "NOT_ENOUGH_INFO"}
    assert "## tiny: 3 claims on 3 documents" in done.stdout
    assert "![tiny](<out.svg>)" in (tmp_path / "out.md").read_text(encoding="utf-8")


def test_the_command_line_ends_in_one_line_for_a_bad_row(tmp_path: Path) -> None:
    write_rows(tmp_path / "bad.jsonl", [*ROWS, ROWS[0] | {"label": "true"}])

    done = run_eval("citations", "bad.jsonl", cwd=tmp_path)

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("eval: bad.jsonl, line 4: `label` is 'true'")
    assert "Traceback" not in done.stderr
