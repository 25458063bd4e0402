"""The report as Markdown with its chart."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from labelled import run_eval

from eval.chart import draw, ready
from eval.errors import EvaluationError
from eval.report import as_markdown

SPEED = {"p50": 3.0, "p95": 40.0}
FIGURES = {
    "ndcg@10": 0.5, "recall@10": 0.75, "intervals": {"ndcg@10": [0.4, 0.6], "recall@10": [0.7, 0.8]},
    "latency_ms": SPEED, "stages_ms": {"embed": SPEED, "total": SPEED}, "model_calls": 0,
}  # fmt: skip
ROW = {"query": "多少|how many?", "lost": "below threshold", "score": 0.61,
       "instead": [{"passage": "p", "title": "T*", "begins": "a|b"}]}  # fmt: skip
REPORT: dict[str, Any] = {
    "dataset": "差旅制度", "passages": 95, "queries": 26, "unanswerable": 6, "index_seconds": 4.5,
    "index_megabytes": 1.2, "min_score": 0.7, "top_k": 5,
    "pipelines": {
        "keyword": FIGURES,
        "rewrite+hybrid+rerank": FIGURES | {
            "false_answer_rate": 0.25, "false_refusal_rate": 0.125, "reranker_fallbacks": 0.5, "model_calls": 32,
            "model_calls_per_question": 1.0, "input_tokens": 100, "output_tokens": 20,
        },
    },
    "failures": {"keyword": [], "rewrite+hybrid+rerank": [ROW] * 12},
}  # fmt: skip


def test_the_markdown_tells_stages_refusal_costs_and_up_to_ten_failures() -> None:
    text = as_markdown(REPORT, chart="a b.png")

    assert text.startswith("## 差旅制度: 95 passages, 26 questions and 6 without an answer\n\n![差旅制度](<a b.png>)\n")
    assert "| rewrite+hybrid+rerank | 25.0% | 12.5% | 50.0% |" in text
    assert "| keyword | 3.0 / 40.0 | 3.0 / 40.0 |" in text
    assert "- index: 4.5 s to build and 1.2 MB" in text
    assert "- rewrite+hybrid+rerank: 32 model calls, 1 a question, 100 tokens read and 20 written" in text
    assert "- rewrite+hybrid+rerank: 12 questions failed (12 below threshold)" in text
    assert text.count(r"| 多少\|how many? | below threshold (0.61) | T\*: a\|b |") == 10
    assert "the first 10 of 12" in text
    assert "### " not in as_markdown(REPORT, failures=0)


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_a_chart_is_drawn_without_a_display_also_for_names_that_no_font_has(tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("matplotlib")
    for name in ("差旅制度", "plain", "\u1234\U0001f9ff"):  # warnings are errors: a missing glyph would be one
        file = tmp_path / f"chart{suffix}"
        draw(REPORT | {"dataset": name}, file)
        assert file.read_bytes()[:5] in {b"\x89PNG\r", b"<?xml"}


def test_a_chart_without_questions_that_have_answers_is_drawn_too(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    bare = {key: value for key, value in FIGURES.items() if key not in {"ndcg@10", "recall@10", "intervals"}}

    draw(REPORT | {"pipelines": {"keyword": bare}}, tmp_path / "chart.png")

    assert (tmp_path / "chart.png").stat().st_size > 1000


def test_what_keeps_a_chart_from_being_drawn_is_told_before_the_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EvaluationError, match=r"\.png or \.svg"):
        ready(Path("chart.pdf"))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(EvaluationError, match=r"pip install 'recite-agent\[eval\]'"):
        ready(Path("chart.png"))


def test_the_command_writes_all_three_and_the_markdown_links_the_chart(
    tmp_path: Path, own_set: Path, documents: Path
) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "pictures").mkdir()

    done = run_eval(
        "retrieval", own_set, "--documents", documents, "--pipelines", "keyword,hybrid",
        "--json", "out.json", "--markdown", "out.md", "--chart", "pictures/out.svg", cwd=tmp_path,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "![mine](<pictures/out.svg>)" in (tmp_path / "out.md").read_text(encoding="utf-8")
    assert "pipelines" in json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert (tmp_path / "pictures" / "out.svg").stat().st_size > 1000
