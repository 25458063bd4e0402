"""Parts: of every labelled set a smaller corpus and the questions that nothing was trained on, to compare on."""

import json
import random
from collections.abc import Mapping
from pathlib import Path

from eval.beir import Dataset, Query, load
from training.examples import HELD_BACK, held_back
from training.mixture import BEIR

UNSEEN = ("rgb_zh_retrieval", "financebench_pages", "cranfield")
"""Sets of which nothing is trained on: what the model does on them is what it will do for a user."""
PASSAGES: Mapping[str, int] = {
    "financebench_pages": 168, "cranfield": 1_398, "rgb_zh_retrieval": 1_400,
    "stard_zh": 1_200, "cosqa": 1_200, "scifact": 600, "cmrc2018": 300, "drcd": 300,
}  # fmt: skip
"""Passages of each part, at least."""
QUESTIONS: Mapping[str, int] = {
    "financebench_pages": 84, "cranfield": 112, "rgb_zh_retrieval": 120,
    "stard_zh": 160, "cosqa": 160, "scifact": 120, "cmrc2018": 100, "drcd": 100,
}  # fmt: skip
"""Questions whose right passages are in each part. Of trained sets only those held back are asked."""
SPARE = 200


def write_parts(data: Path, output: Path) -> list[str]:
    """Write the parts of the sets that lie in `data` as BEIR folders; their names.

    Raises:
        DatasetError: a set is not what it should be.
    """
    names = [name for name in (*UNSEEN, *BEIR) if (data / name).is_dir()]
    for name in names:
        whole = load(data / name)
        passages, questions = part_of(whole, PASSAGES[name], QUESTIONS[name])
        back = held_back(whole)
        asked = [one for one in questions if name in UNSEEN or one.query_id in back]
        _write(output / name, whole, passages, asked)
    return names


def part_of(whole: Dataset, passages: int, questions: int) -> tuple[list[str], list[Query]]:
    """Ids of a sample of the passages that holds every right one of a sample of the questions; and these."""
    draw = random.Random(7)  # noqa: S311 - a sample, not a secret
    known = {one.query_id: one for one in whole.queries if one.relevant}
    chosen = sorted(known)
    draw.shuffle(chosen)
    asked = [known[one] for one in chosen[: max(questions, HELD_BACK)]]
    right = list(dict.fromkeys(one for query in asked for one in query.relevant))
    others = sorted(whole.passages.keys() - set(right))
    draw.shuffle(others)
    size = passages if passages >= len(whole.passages) else max(passages, len(right) + SPARE)
    return [*right, *others][:size], asked


def _write(folder: Path, whole: Dataset, passages: list[str], asked: list[Query]) -> None:
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    corpus = [{"_id": one, "title": whole.passages[one].title, "text": whole.passages[one].text} for one in passages]
    _write_rows(folder / "corpus.jsonl", corpus)
    _write_rows(folder / "queries.jsonl", [{"_id": one.query_id, "text": one.text} for one in asked])
    labels = [f"{one.query_id}\t{passage}\t{grade:g}" for one in asked for passage, grade in one.relevant.items()]
    (folder / "qrels" / "test.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *labels]) + "\n", "utf-8")


def _write_rows(file: Path, rows: list[dict[str, str]]) -> None:
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
