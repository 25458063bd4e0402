"""Example: a query, a passage that answers it and passages that look as if they did; and where examples come from."""

import gzip
import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from eval.beir import Dataset, load
from stores.documents.chunking import language_of
from stores.documents.entry import passage_text
from training.errors import TrainingError

HELD_BACK = 60
"""So many labelled questions of every BEIR folder are never trained on: on them the combination's weight is chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One thing to learn. Languages are `zh`, `en` or `code`."""

    source: str
    """The set it is of."""
    query: str
    positive: str
    query_language: str
    passage_language: str
    also_right: tuple[str, ...] = ()
    """Other passages that answer the query: never negatives."""
    negatives: tuple[str, ...] = field(default=())


def pair_examples(file: Path) -> list[Example]:
    """The examples of a file of (query, positive) pairs.

    Raises:
        TrainingError: the file cannot be read, or a line is not a pair.
    """
    name = file.name.split(".")[0]
    try:
        return [_pair(name, row) for row in read_rows(file)]
    except (OSError, ValueError, KeyError) as error:
        raise TrainingError(f"{file} is no file of pairs ({error!r}).") from error


def beir_examples(folder: Path) -> list[Example]:
    """One example per labelled (question, passage) of a BEIR folder, without the held-back questions."""
    data = load(folder)
    back = held_back(data)
    return [
        _labelled(data, number, passage)
        for number, query in enumerate(data.queries)
        if query.query_id not in back
        for passage in query.relevant
    ]


def beir_passages(folder: Path, *, limit: int, seed: int = 7) -> list[str]:
    """All labelled passages of a BEIR folder and a sample of the others, `limit` in all."""
    data = load(folder)
    labelled = {one for query in data.queries for one in query.relevant}
    others = sorted(data.passages.keys() - labelled)
    random.Random(seed).shuffle(others)  # noqa: S311 - a sample, not a secret
    kept = [*sorted(labelled), *others][: max(limit, len(labelled))]
    return [_text(data, one) for one in kept]


def held_back(data: Dataset) -> frozenset[str]:
    """The ids of the questions that choose the weight and are not trained on; the same in every run."""
    answered = sorted(query.query_id for query in data.queries if query.relevant)
    random.Random(7).shuffle(answered)  # noqa: S311 - a sample, not a secret
    return frozenset(answered[:HELD_BACK])


def read_rows(file: Path) -> Iterator[dict[str, Any]]:
    """The rows of a JSON Lines file, gzipped if its name says so."""
    reader = gzip.open if file.suffix == ".gz" else open
    with reader(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def write_examples(file: Path, examples: list[Example]) -> None:
    """Write examples as JSON Lines, gzipped."""
    with gzip.open(file, "wt", encoding="utf-8", compresslevel=4) as out:
        for one in examples:
            out.write(json.dumps(asdict(one), ensure_ascii=False) + "\n")


def read_examples(file: Path) -> list[Example]:
    """What `write_examples` wrote.

    Raises:
        TrainingError: it cannot be read.
    """
    known: dict[str, str] = {}  # a passage stands in many examples; in memory it is one string
    try:
        return [_example(row, known) for row in read_rows(file)]
    except (OSError, ValueError, TypeError) as error:
        raise TrainingError(f"{file} holds no examples ({error!r}). Prepare them again.") from error


def _example(row: dict[str, Any], known: dict[str, str]) -> Example:
    lists = {name: tuple(known.setdefault(text, text) for text in row[name]) for name in ("also_right", "negatives")}
    return Example(**row | lists)


def _pair(name: str, row: Mapping[str, Any]) -> Example:
    return Example(
        source=name,
        query=row["query"],
        positive=row["positive"],
        query_language=row["lang_query"],
        passage_language=row["lang_positive"],
        negatives=tuple(row.get("negatives") or ()),
    )


def _labelled(data: Dataset, number: int, passage: str) -> Example:
    query = data.queries[number]
    text = _text(data, passage)
    return Example(
        source=data.name,
        query=query.text,
        positive=text,
        query_language=language_of(query.text, "prose"),
        passage_language="code" if data.name == "cosqa" else language_of(text, "prose"),
        also_right=tuple(_text(data, one) for one in query.relevant if one != passage),
    )


def _text(data: Dataset, passage: str) -> str:
    return passage_text(data.passages[passage].title, data.passages[passage].text)
