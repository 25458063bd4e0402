"""BEIR folders: `corpus.jsonl[.gz]`, `queries.jsonl[.gz]`, `qrels/test.tsv`."""

import csv
import gzip
import hashlib
import json
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.errors import DatasetError, StaleLabelsError

_SHOWN = 10


@dataclass(frozen=True)
class Passage:
    """A passage of the corpus."""

    title: str
    text: str


@dataclass(frozen=True)
class Query:
    """A question with its labels: passage id to grade above 0. No labels: the corpus does not answer it."""

    query_id: str
    text: str
    relevant: Mapping[str, float]
    kind: str = ""
    """The kind of question, where the set says so: `type` of the row or of its `metadata`."""


@dataclass(frozen=True)
class Dataset:
    """A corpus and the questions asked of it."""

    name: str
    passages: Mapping[str, Passage]
    queries: tuple[Query, ...]
    fingerprint: str
    """Of the corpus alone: a cached index belongs to it."""


def load(folder: Path, *, queries: Path | None = None, limit: int | None = None) -> Dataset:
    """Read a folder; `queries` is another folder whose queries and labels are asked of the same corpus.

    Raises:
        DatasetError: a file is missing or a line is not what it should be.
        StaleLabelsError: labels name passages that the corpus does not hold.
    """
    passages = {
        str(row["_id"]): Passage(str(row.get("title") or ""), str(row["text"])) for row in _rows(folder, "corpus")
    }
    asked = queries or folder
    rows = {str(row["_id"]): row for row in _rows(asked, "queries")}
    labels = _labels(asked / "qrels" / "test.tsv", rows)
    stale = sorted({one for relevant in labels.values() for one in relevant} - passages.keys())
    if stale:
        more = f" and {len(stale) - _SHOWN} more" if len(stale) > _SHOWN else ""
        raise StaleLabelsError(
            f"{len(stale)} labels of {asked} name passages that the corpus of {folder} does not hold: "
            f"{', '.join(stale[:_SHOWN])}{more}. Label them anew, or take the corpus that they were made for."
        )
    found = tuple(Query(one, str(rows[one]["text"]), labels[one], _kind(rows[one])) for one in labels)[:limit]
    return Dataset(folder.name, passages, found, _fingerprint(passages))


def _kind(row: Mapping[str, Any]) -> str:
    metadata = row.get("metadata")
    kind = row.get("type") or (metadata.get("type") if isinstance(metadata, dict) else None)
    return str(kind or "")


def _labels(file: Path, asked: Container[str]) -> dict[str, dict[str, float]]:
    """Grades above 0 by query, in the order of the file. A query whose grades are all 0 has no answer."""
    labels: dict[str, dict[str, float]] = {}
    try:
        with file.open(encoding="utf-8", newline="") as lines:
            for number, row in enumerate(csv.reader(lines, delimiter="\t"), start=1):
                if number == 1 or not row:
                    continue
                query, passage, grade = row[0], row[1], float(row[2])
                if query in asked:
                    relevant = labels.setdefault(query, {})
                    if grade > 0:
                        relevant[passage] = grade
    except OSError as error:
        raise DatasetError(f"{file} cannot be read ({error.strerror}). A BEIR folder has qrels/test.tsv.") from error
    except (ValueError, IndexError, UnicodeDecodeError) as error:
        raise DatasetError(
            f"{file}, line {number}: expected query-id, corpus-id and a number, parted by tabs."
        ) from error
    if not labels:
        raise DatasetError(f"{file} labels none of the queries beside it.")
    return labels


def _rows(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    file = next((path for path in (folder / f"{name}.jsonl", folder / f"{name}.jsonl.gz") if path.is_file()), None)
    if file is None:
        raise DatasetError(f"{folder} holds no {name}.jsonl or {name}.jsonl.gz: it is no BEIR folder.")
    reader = gzip.open if file.suffix == ".gz" else open
    try:
        with reader(file, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _row(file, number, line)
    except (UnicodeDecodeError, OSError, EOFError) as error:
        raise DatasetError(f"{file} cannot be read to its end ({error}).") from error


def _row(file: Path, number: int, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise DatasetError(f"{file}, line {number} is no JSON ({error}).") from error
    if not isinstance(row, dict) or not {"_id", "text"} <= row.keys():
        raise DatasetError(f"{file}, line {number}: expected an object with `_id` and `text`.")
    return row


def _fingerprint(passages: Mapping[str, Passage]) -> str:
    digest = hashlib.sha256()
    for one, passage in passages.items():  # in their order: that of the vectors kept for it
        digest.update(f"{one}\0{passage.title}\0{passage.text}\0".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]
