"""Measuring answers: what a row of RGB becomes, how answers are compared, and a whole run through the graph."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from eval.__main__ import app
from eval.answering import holds, plain
from eval.answers import AnswersRequest, measured_answers
from eval.answers_report import answers_markdown
from eval.curve import area, band, points, refused_at
from eval.errors import DatasetError, EvaluationError
from eval.own_answers import own_cases
from eval.rgb import read_cases, spellings
from graph.settings import Settings

RIGHT = [f"灯塔的高度是 61 米，建于 190{n} 年。" for n in range(4)]
WRONG = [f"灯塔的高度是 87 米，建于 190{n} 年。" for n in range(3)]
OTHER = [f"码头 {n} 号仓库存放渔网和绳索。" for n in range(6)]
ROW: dict[str, Any] = {
    "id": "sea-1", "query": "灯塔的高度是多少？", "answer": ["61 米"], "fakeanswer": "87 米",
    "positive": RIGHT, "negative": OTHER, "positive_wrong": WRONG,
}  # fmt: skip
SEVERAL = {
    "id": "sea-2", "query": "灯塔的高度是多少？仓库存放什么？", "answer": ["61 米", ["渔网", "鱼网"]],
    "positive": [RIGHT, OTHER[:2]], "negative": ["渡轮每天开两班，周日停航。", "海滩上不许生火。"],
}  # fmt: skip


def written(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_row_becomes_a_mixed_a_negative_and_a_conflicting_case(tmp_path: Path) -> None:
    mixed, negative, conflict = read_cases(written(tmp_path / "sea.jsonl", ROW))

    assert (mixed.kind, negative.kind, conflict.kind) == ("answerable", "negative", "conflict")
    assert len(mixed.passages) == 5
    assert len(mixed.right) == 3
    assert mixed.right < set(RIGHT)
    assert set(negative.passages) <= set(OTHER)
    assert not negative.answerable
    assert len(set(conflict.passages) & set(RIGHT)) == len(set(conflict.passages) & set(WRONG)) == 2
    assert conflict.wrong == (("87 米",),)


def test_groups_of_passages_are_all_drawn_from(tmp_path: Path) -> None:
    case = read_cases(written(tmp_path / "sea.jsonl", SEVERAL))[0]

    assert case.kind == "integration"
    assert set(case.passages) & set(RIGHT)
    assert set(case.passages) & set(OTHER[:2])


def test_the_draw_depends_on_the_row_alone(tmp_path: Path) -> None:
    alone = read_cases(written(tmp_path / "a.jsonl", ROW))
    behind = read_cases(written(tmp_path / "b.jsonl", SEVERAL, ROW))

    assert alone == behind[-3:]


@pytest.mark.parametrize("text", ["not json", '{"query": "?"}', "[1]", ""])
def test_a_row_that_is_none_of_rgbs_is_refused_with_its_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.jsonl").write_text(text, encoding="utf-8")

    with pytest.raises(DatasetError, match=r"bad\.jsonl"):
        read_cases(tmp_path / "bad.jsonl")


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"no \.jsonl"):
        read_cases(tmp_path)


@pytest.mark.parametrize(
    ("text", "answer", "held"),
    [
        ("高度为６１米。", ["61 米"], True),
        ("灯塔高 161 米。", "61米", True),  # as in the paper, a string is looked for, whatever stands around it
        ("共 1,313,851 辆", [["1313851", "131万"]], True),
        ("獲得冠軍的是山東泰山", "山东泰山", True),
        ("Released July 21, 2017.", [["July 21 2017"]], True),
        ("涨幅为 2.3%", "23%", False),
        ("只有 61 米", ["61 米", "渔网"], False),
        ("什么都没有", [], False),
    ],
)
def test_answers_are_compared_without_width_case_script_spaces_and_punctuation(
    text: str, answer: Any, held: bool
) -> None:
    assert holds(text, spellings(answer)) is held


def test_a_decimal_point_stays() -> None:
    assert plain("2.3 %.") == "2.3%"


def test_the_curve_by_hand() -> None:
    right, wrong = [0.9, 0.8, 0.4], [0.5, 0.3, 0.4]

    assert area(right, wrong) == pytest.approx((3 + 3 + 1.5) / 9)
    assert refused_at(right, wrong, 0.0) == pytest.approx(1 / 3)  # below 0.4 only 0.3 is refused
    assert refused_at(right, wrong, 0.34) == pytest.approx(1.0)
    assert points(right, wrong)[-1][:2] == (1.0, 1.0)


def test_the_curve_comes_with_an_interval_that_holds_it() -> None:
    right = [0.3 + 0.01 * n for n in range(60)]
    wrong = [0.01 * n for n in range(60)]

    rows = band(right, wrong, (0.0, 0.15, 1.0))

    assert [row[0] for row in rows] == [0.0, 0.15, 1.0]
    for share, refused, low, high in rows:
        assert refused == pytest.approx(refused_at(right, wrong, share), abs=1e-4)
        assert low <= refused <= high
    assert rows[1][2] < rows[1][3]
    assert rows[2] == [1.0, 1.0, 1.0, 1.0]
    assert band(right, wrong, (0.15,)) == rows[1:2]


def test_a_curve_needs_both_kinds() -> None:
    with pytest.raises(ValueError, match="with an answer"):
        area([], [0.5])


def test_own_questions_without_an_answer_are_about_another_subject(tmp_path: Path) -> None:
    file = written(tmp_path / "own.jsonl", {"query": "a?", "answer": "x"}, {"query": "b?", "answer": None})

    assert [case.kind for case in own_cases(file)] == ["own", "other subject"]
    with pytest.raises(DatasetError, match="line 1"):
        own_cases(written(tmp_path / "bad.jsonl", {"query": "a?"}))


async def measured(tmp_path: Path, **request: Any) -> dict[str, Any]:
    source = written(tmp_path / "sea.jsonl", ROW, SEVERAL)
    settings = Settings(home=tmp_path / "home", chat_model="offline", _env_file=None)
    asked = AnswersRequest(source=source, cache=tmp_path / "cache", **request)
    return await measured_answers(asked, settings, lambda *_: None)


async def test_every_class_is_asked_through_the_graph_and_told_with_its_costs(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "bakery.md").write_text("# 面包房\n\n面包房早上 6 点开门，全麦面包每个 9 元。\n", encoding="utf-8")
    own = written(
        tmp_path / "own.jsonl",
        {"query": "全麦面包多少钱一个？", "answer": "9 元"},
        {"query": "Who painted the ceiling?", "answer": None},
    )

    report = await measured(tmp_path, other=folder, questions=own)

    assert {"accuracy", "refused_negative", "refused_answerable", "by_class"} <= report.keys()
    classes = report["by_class"]
    assert {kind: of["questions"] for kind, of in classes.items()} == {
        "answerable": 1, "integration": 1, "negative": 2, "conflict": 1, "own": 1, "other subject": 3,
    }  # fmt: skip
    assert report["accuracy"] == 1.0
    assert report["refused_negative"] == 1.0
    assert report["refused_answerable"] == 0.0
    assert classes["own"]["accuracy"][0] == 1.0
    assert classes["other subject"]["refused"][0] == 1.0
    assert classes["answerable"]["unresolved_numbers"] == 0
    assert classes["answerable"]["cites_right"] == 1.0
    assert classes["answerable"]["model_calls"] == 2
    assert classes["answerable"]["input_tokens"] > 0
    assert set(classes["negative"]["latency_ms"]) == {"p50", "p95"}
    assert report["curves"]["offline model"]["auc"] == 1.0
    told = answers_markdown(report)
    assert "| negative | 2 |" in told
    assert "| 15% false refusals |" in told


async def test_documents_and_own_questions_belong_together(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="belong together"):
        await measured(tmp_path, other=tmp_path)


def test_what_cannot_be_read_is_one_line_and_status_1(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["answers", str(tmp_path / "none.jsonl")])

    assert result.exit_code == 1
    assert "none.jsonl cannot be read" in result.stderr
    assert "Traceback" not in result.stderr
