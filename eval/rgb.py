"""RGB files: questions with passages that answer them, passages that do not, and passages that were made wrong."""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from eval.errors import DatasetError

CaseClass = Literal["answerable", "negative", "integration", "conflict", "other subject", "own"]
"""answerable: right passages among others. negative: only such as do not answer. integration: the answer stands in
several passages. conflict: right passages beside wrong ones. other subject: asked of documents about something else.
own: what those documents answer.
"""
PASSAGES = 5
"""Given with a question, as in the paper (Chen et al. 2024, AAAI)."""
NOISE = 0.4
"""The share of them that does not answer."""
_BESIDE = 2
"""Right passages, and as many wrong ones, in a conflict."""


@dataclass(frozen=True, slots=True)
class Case:
    """A question with what it is asked of. `answer`: every group must be met by one of its spellings."""

    case_id: str
    kind: CaseClass
    question: str
    passages: tuple[str, ...]
    answer: tuple[tuple[str, ...], ...]
    wrong: tuple[tuple[str, ...], ...] = ()
    right: frozenset[str] = frozenset()
    """The given passages that answer."""

    @property
    def answerable(self) -> bool:
        """Whether an answer is expected."""
        return self.kind not in {"negative", "other subject"}


def read_cases(source: Path, *, limit: int | None = None) -> list[Case]:
    """The cases of a file, or of every `*.jsonl` of a folder; of each file only the first `limit` questions.

    Raises:
        DatasetError: there is no such file, or a row is not one of RGB's.
    """
    files = sorted(source.glob("*.jsonl")) if source.is_dir() else [source]
    if not files:
        raise DatasetError(f"{source} holds no .jsonl file.")
    return [case for file in files for row in _rows(file)[:limit] for case in _cases(row)]


def _rows(file: Path) -> list[dict[str, Any]]:
    rows = [{"id": f"{file.stem}-{number}"} | row for number, row in enumerate(json_rows(file), start=1)]
    for number, row in enumerate(rows, start=1):
        if not {"query", "answer", "positive", "negative"} <= row.keys():
            raise DatasetError(f"{file}, question {number}: expected `query`, `answer`, `positive` and `negative`.")
    return rows


def json_rows(file: Path) -> list[dict[str, Any]]:
    """The objects of a JSON Lines file.

    Raises:
        DatasetError: it cannot be read, is empty, or a line is no JSON object.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{file} cannot be read ({error}).") from error
    rows = [_row(file, number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    if not rows:
        raise DatasetError(f"{file} holds no question.")
    return rows


def _row(file: Path, number: int, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise DatasetError(f"{file}, line {number} is no JSON ({error}).") from error
    if not isinstance(row, dict):
        raise DatasetError(f"{file}, line {number} is no JSON object.")
    return row


def _cases(row: dict[str, Any]) -> Iterator[Case]:
    """The cases that one row makes. The draw of passages depends on the row's id alone."""
    draw = random.Random(str(row["id"]))  # noqa: S311 - a sample, not a secret
    groups = [_texts(group) for group in row["positive"] if isinstance(group, list)]
    several = bool(groups)
    positive, negative = _texts(row["positive"]), _texts(row["negative"])
    draw.shuffle(negative)
    right = _drawn(groups or [positive], round(PASSAGES * (1 - NOISE)), draw)
    answer = spellings(row["answer"])
    if right:
        given = _shuffled([*right, *negative[: max(0, PASSAGES - len(right))]], draw)
        kind: CaseClass = "integration" if several else "answerable"
        yield Case(str(row["id"]), kind, row["query"], given, answer, right=frozenset(right))
    if negative:
        yield Case(f"{row['id']} negative", "negative", row["query"], tuple(negative[:PASSAGES]), answer)
    if (made := _texts(row.get("positive_wrong", ()))) and positive:
        wrong = draw.sample(made, min(_BESIDE, len(made)))
        beside = draw.sample(positive, min(_BESIDE, len(positive)))
        yield Case(
            f"{row['id']} conflict", "conflict", row["query"], _shuffled([*beside, *wrong], draw), answer,
            wrong=spellings(row.get("fakeanswer", ())), right=frozenset(beside),
        )  # fmt: skip


def spellings(answer: Any) -> tuple[tuple[str, ...], ...]:
    """RGB's answers: a string, a list of which all are due, and in it lists of which one will do."""
    due = [answer] if isinstance(answer, str) else list(answer)
    return tuple((one,) if isinstance(one, str) else tuple(map(str, one)) for one in due)


def _texts(passages: Any) -> list[str]:
    """The passages of a row, those of groups one after the other; each text once, blank ones left out."""
    flat = [text for one in passages for text in (one if isinstance(one, list) else [one])]
    return [text for text in dict.fromkeys(map(str, flat)) if text.strip()]


def _drawn(groups: Sequence[Sequence[str]], count: int, draw: random.Random) -> list[str]:
    """One passage of each group, then others, until there are `count`."""
    first = [draw.choice(group) for group in groups if group][:PASSAGES]
    rest = [text for group in groups for text in group if text not in first]
    draw.shuffle(rest)
    return list(dict.fromkeys([*first, *rest[: max(0, count - len(first))]]))


def _shuffled(passages: list[str], draw: random.Random) -> tuple[str, ...]:
    draw.shuffle(passages)
    return tuple(passages)
