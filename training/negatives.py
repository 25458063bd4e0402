"""Hard negatives: passages of the same set that a keyword search takes for an answer and that are none."""

import random
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from stores.documents.entry import IndexEntry
from stores.documents.filters import Filter
from stores.documents.keywords import KeywordIndex
from training.examples import Example

_EVERY = Filter(owners=("train",))
HARD = 12
"""Mined for each example; the loop draws a few of them each time it meets the example."""
RANDOM = 2
ASKED_OF_PASSAGE = 160
"""Characters of the right passage that are searched for where query and passage share no language."""


def mined(examples: Sequence[Example], others: Mapping[str, Sequence[str]], *, seed: int = 11) -> list[Example]:
    """The examples with their given negatives, then mined ones, then a few random ones, none of them known as right.

    `others`: more passages by set, beside the examples' own. A negative is in the language of the right passage.
    """
    groups: dict[tuple[str, str], list[Example]] = defaultdict(list)
    for one in examples:
        groups[one.source, one.passage_language].append(one)
    found: list[Example] = []
    for (source, _), group in sorted(groups.items()):
        passages = list(dict.fromkeys([*(one.positive for one in group), *others.get(source, ())]))
        found += _mined_within(group, passages, random.Random(seed))  # noqa: S311 - a sample, not a secret
    return found


def _mined_within(group: Sequence[Example], passages: Sequence[str], draw: random.Random) -> list[Example]:
    right: dict[str, set[str]] = defaultdict(set)
    for one in group:
        right[one.query] |= {one.positive, *one.also_right}
    with tempfile.TemporaryDirectory() as folder:
        index = KeywordIndex.open(Path(folder))
        index.add(_entries(passages))
        index.commit()
        found = [replace(one, negatives=_negatives(one, index, passages, right, draw)) for one in group]
        index.close()
    return found


def _negatives(
    example: Example,
    index: KeywordIndex,
    passages: Sequence[str],
    right: Mapping[str, set[str]],
    draw: random.Random,
) -> tuple[str, ...]:
    alike = example.passage_language in {example.query_language, "code"}
    asked = example.query if alike else example.positive[:ASKED_OF_PASSAGE]
    hits = index.search(asked, within=_EVERY, limit=3 * HARD)
    hard = [passages[int(one)] for one, _ in hits]
    chance = draw.sample(passages, min(RANDOM, len(passages)))
    wrong = [text for text in hard if text not in right[example.query]][:HARD]
    every = dict.fromkeys([*example.negatives, *wrong, *chance])
    return tuple(text for text in every if text not in right[example.query])


def _entries(passages: Sequence[str]) -> Iterable[IndexEntry]:
    for number, text in enumerate(passages):
        yield IndexEntry(chunk_id=str(number), document_id=str(number), owner="train", collection="", text=text)
