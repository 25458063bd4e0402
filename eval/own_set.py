"""Own labelled sets: one JSON object a line, a question with the documents and quotations that answer it."""

import json
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.errors import DatasetError

_KEYS = frozenset({"question", "relevant", "type"})
_LABEL_KEYS = frozenset({"document", "quote"})


@dataclass(frozen=True, slots=True)
class Label:
    """A passage that answers the question: it holds this quotation of this document."""

    document: str
    """Its path: relative to the folder of documents, absolute, or only the end of one."""
    quote: str


@dataclass(frozen=True, slots=True)
class Row:
    """A question with its labels; none: the material does not answer it."""

    line: int
    question: str
    labels: tuple[Label, ...] = ()
    kind: str = ""

    def as_json(self) -> str:
        """The line of the file that says this, without its end."""
        row: dict[str, Any] = {"question": self.question}
        row["relevant"] = [{"document": label.document, "quote": label.quote} for label in self.labels]
        if self.kind:
            row["type"] = self.kind
        return json.dumps(row, ensure_ascii=False)


def read_rows(file: Path) -> list[Row]:
    """The rows of a set, in order.

    Raises:
        DatasetError: the file cannot be read, a line is not what it should be, or two lines ask the same.
    """
    try:
        lines = file.read_bytes().decode("utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{file} cannot be read ({error}).") from error
    rows = [_row(file, number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    first: dict[str, int] = {}
    for row in rows:
        known = first.setdefault(same_question_key(row.question), row.line)
        if known != row.line:
            raise DatasetError(f"{file}, line {row.line} asks what line {known} asks: make them one line.")
    return rows


def same_question_key(question: str) -> str:
    """Equal for questions that differ only in width, case and spaces."""
    return "".join(unicodedata.normalize("NFKC", question).casefold().split())


def _row(file: Path, number: int, line: str) -> Row:
    def wrong(what: str) -> DatasetError:
        return DatasetError(f"{file}, line {number}: {what}.")

    try:
        row = json.loads(line)
    except ValueError as error:
        raise wrong(f"no JSON ({error})") from error
    if not isinstance(row, dict) or not _is_text(row.get("question")):
        raise wrong("expected an object with a `question`")
    if unknown := sorted(row.keys() - _KEYS):
        # A mistyped `relevant` would turn an answerable question into one without an answer.
        raise wrong(f"{', '.join(unknown)} is not among `question`, `relevant`, `type`")
    kind, labels = row.get("type") or "", row.get("relevant") or []
    if not isinstance(kind, str) or not isinstance(labels, list):
        raise wrong("`type` is a text and `relevant` a list")
    if not all(_is_label(label) for label in labels):
        raise wrong("each of `relevant` is an object with a `document` and a `quote`, and nothing else")
    read = tuple(Label(label["document"].strip(), label["quote"]) for label in labels)
    return Row(number, row["question"].strip(), read, kind.strip())


def _is_label(label: object) -> bool:
    return isinstance(label, dict) and label.keys() == _LABEL_KEYS and all(map(_is_text, label.values()))


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
