"""`python -m eval retrieval`: a small BEIR folder measured, wrong folders refused."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from eval.beir import load
from eval.errors import DatasetError, StaleLabelsError

CORPUS = {
    "d1": ("泵", "过滤器堵塞时泵会停止。"),
    "d2": ("泵", "滤芯每 45 天更换一次。"),
    "d3": ("Boats", "The ferry leaves the north pier at nine."),
    "d4": ("Code", "def renew_lease(key):\n    return store.put(key)"),
}
QUERIES = {"q1": "滤芯多久更换？", "q2": "When does the ferry leave?", "q3": "renew_lease", "q4": "火星上的天气"}
LABELS = "query-id\tcorpus-id\tscore\nq1\td2\t1\nq2\td3\t1\nq3\td4\t1\nq4\td1\t0\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "tiny set"
    (made / "qrels").mkdir(parents=True)
    rows = [json.dumps({"_id": one, "title": title, "text": text}) for one, (title, text) in CORPUS.items()]
    with gzip.open(made / "corpus.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(rows))
    asked = "\n".join(json.dumps({"_id": one, "text": text}) for one, text in QUERIES.items())
    (made / "queries.jsonl").write_text(asked, encoding="utf-8")
    (made / "qrels" / "test.tsv").write_text(LABELS, encoding="utf-8")
    return made


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).parents[2]
    return subprocess.run(
        [sys.executable, "-m", "eval", *arguments],
        cwd=cwd, env={"PYTHONPATH": str(root), "PATH": "/usr/bin:/bin", "COLUMNS": "200"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_every_pipeline_is_measured_and_the_second_run_takes_the_cached_index(folder: Path, tmp_path: Path) -> None:
    arguments = ("retrieval", str(folder), "--json", "out.json", "--markdown", "out.md")

    first = run(*arguments, cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    report = json.loads((tmp_path / "out.json").read_text())
    built = sorted((tmp_path / ".recite-eval").rglob("built.json"))
    stamp = built[0].stat().st_mtime_ns
    again = run(*arguments, cwd=tmp_path)

    assert again.returncode == 0, again.stderr
    assert built[0].stat().st_mtime_ns == stamp
    assert set(report["pipelines"]) == {"keyword", "vector", "hybrid", "stock"}
    assert report["queries"] == 3
    assert report["unanswerable"] == 1
    hybrid = report["pipelines"]["hybrid"]
    assert hybrid["ndcg@10"] == pytest.approx(1.0)
    assert hybrid["false_answer_rate"] == 0.0
    assert set(hybrid["latency_ms"]) == {"p50", "p95"}
    assert report["failures"]["hybrid"] == []
    assert "| hybrid | 1.000 |" in (tmp_path / "out.md").read_text()


def test_e04_labels_that_point_to_nothing_stop_the_run_with_their_list(folder: Path) -> None:
    (folder / "qrels" / "test.tsv").write_text(LABELS + "q1\tgone-7\t1\n", encoding="utf-8")

    with pytest.raises(StaleLabelsError, match="gone-7"):
        load(folder)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("queries.jsonl", "{not json", "line 1 is no JSON"),
        ("queries.jsonl", '{"_id": "q1"}', "line 1: expected an object"),
        ("qrels/test.tsv", "head\nq1\td2\n", "line 2"),
        ("qrels/test.tsv", "head\nother\td2\t1\n", "labels none"),
        ("corpus.jsonl.gz", "not gzipped", "cannot be read"),
    ],
)
def test_a_broken_folder_is_told_by_file_and_line(folder: Path, name: str, content: str, said: str) -> None:
    (folder / name).write_text(content, encoding="utf-8")

    with pytest.raises(DatasetError, match=said):
        load(folder)


def test_a_wrong_folder_and_a_wrong_pipeline_are_one_clear_line(tmp_path: Path, folder: Path) -> None:
    missing = run("retrieval", "nowhere", cwd=tmp_path)
    wrong = run("retrieval", str(folder), "--pipelines", "magic", cwd=tmp_path)

    assert (missing.returncode, wrong.returncode) == (1, 2)
    assert "no BEIR folder" in missing.stderr
    assert "magic" in wrong.stderr
    assert "Traceback" not in missing.stderr + wrong.stderr


def test_figures_come_by_kind_of_question_where_the_queries_name_one(folder: Path, tmp_path: Path) -> None:
    rows = [
        {"_id": "q1", "text": QUERIES["q1"], "type": "fact"},
        {"_id": "q2", "text": "xylophone", "metadata": {"type": "fact"}},
        {"_id": "q3", "text": QUERIES["q3"], "metadata": {"type": "identifier"}},
        {"_id": "q4", "text": QUERIES["q4"], "type": "nothing there"},
    ]
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    done = run("retrieval", str(folder), "--pipelines", "keyword", "--json", "out.json", cwd=tmp_path)

    by_type = json.loads((tmp_path / "out.json").read_text())["pipelines"]["keyword"]["by_type"]
    assert {kind: figures["queries"] for kind, figures in by_type.items()} == {"fact": 2, "identifier": 1}
    assert (by_type["fact"]["ndcg@10"], by_type["identifier"]["ndcg@10"]) == (0.5, 1.0)
    assert "| nDCG@10 by kind of question | fact (2) | identifier (1) |" in done.stdout
    assert "| keyword | 0.500 | 1.000 |" in done.stdout


def test_a_set_without_kinds_has_no_table_of_them(folder: Path, tmp_path: Path) -> None:
    done = run("retrieval", str(folder), "--pipelines", "keyword", "--json", "out.json", cwd=tmp_path)

    assert "by_type" not in json.loads((tmp_path / "out.json").read_text())["pipelines"]["keyword"]
    assert "by kind of question" not in done.stdout


def test_the_same_passages_in_another_order_are_another_corpus(folder: Path) -> None:
    first = load(folder).fingerprint
    assert load(folder).fingerprint == first
    rows = [json.dumps({"_id": one, "title": title, "text": text}) for one, (title, text) in reversed(CORPUS.items())]
    with gzip.open(folder / "corpus.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(rows))
    assert load(folder).fingerprint != first
