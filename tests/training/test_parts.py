"""Parts: what is asked was never trained on, and can be found in its corpus."""

import json
from pathlib import Path

from eval.beir import load
from training.examples import HELD_BACK, beir_examples
from training.parts import write_parts


def write_set(folder: Path, questions: int) -> None:
    (folder / "qrels").mkdir(parents=True)
    corpus = [{"_id": f"d{i}", "title": "", "text": f"passage {i}"} for i in range(3 * questions)]
    asked = [{"_id": f"q{i}", "text": f"question {i}"} for i in range(questions)]
    labels = [f"q{i}\td{i}\t1" for i in range(questions)]
    for name, rows in (("corpus", corpus), ("queries", asked)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "qrels" / "test.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *labels]) + "\n")


def test_questions_of_a_trained_set_are_trained_on_or_asked_and_never_both(tmp_path):
    write_set(tmp_path / "data" / "scifact", questions=HELD_BACK + 40)
    assert write_parts(tmp_path / "data", tmp_path / "parts") == ["scifact"]
    part = load(tmp_path / "parts" / "scifact")
    trained = {one.query for one in beir_examples(tmp_path / "data" / "scifact")}
    asked = {query.text for query in part.queries}
    assert len(asked) == HELD_BACK and len(trained) == 40 and not asked & trained


def test_of_an_unseen_set_everything_in_the_sample_is_asked(tmp_path):
    write_set(tmp_path / "data" / "cranfield", questions=HELD_BACK + 40)
    write_parts(tmp_path / "data", tmp_path / "parts")
    part = load(tmp_path / "parts" / "cranfield")
    assert len(part.queries) == HELD_BACK + 40
    assert {passage for query in part.queries for passage in query.relevant} <= part.passages.keys()
