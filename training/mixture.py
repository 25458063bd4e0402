"""The mixture: how often each set is drawn, and the endless order in which examples are met."""

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from training.examples import Example

SHARES: Mapping[str, float] = {
    # asked by people, Chinese
    "stard_zh": 13, "drcd_test": 9, "cmrc2018": 7, "drcd": 5, "cmrc2017": 4,
    # asked by people, both languages and across them
    "xquad": 12, "js_questions": 1,
    # asked by people, English
    "squad2_dev_part": 7, "scifact": 3, "pubmedqa": 4, "cosqa": 4,
    # made from headings, descriptions, templates and docstrings
    "medquad": 3, "tldr": 3, "tidb_docs": 4, "paddle_docs": 2, "react_docs": 3, "iotdb_docs": 3, "seatunnel_docs": 1.5,
    "dolphinscheduler_docs": 1.5, "d2l_zh": 3, "echarts_docs": 1, "gnome_help": 1, "debian_handbook": 1.5,
    "python_code": 4,
}  # fmt: skip
"""Per cent of the lists. Templates are many and teach little, so their share is small whatever their number."""
BEIR = ("stard_zh", "scifact", "cosqa", "cmrc2018", "drcd")
"""Labelled sets, of which the development questions are trained on, but for those held back."""


def order(examples: Sequence[Example], shares: Mapping[str, float], *, seed: int) -> Iterator[Example]:
    """The examples without end: the set by its share, within a set a new shuffle each time it is used up.

    The same seed gives the same order, so a position in it is all that a checkpoint has to keep.

    Raises:
        ValueError: no example is of a set that has a share.
    """
    by_set: dict[str, list[Example]] = defaultdict(list)
    for one in examples:
        by_set[one.source].append(one)
    names = sorted(name for name in by_set if shares.get(name, 0) > 0)
    if not names:
        raise ValueError("None of the examples is of a set that has a share.")
    draw = random.Random(seed)  # noqa: S311 - a sample, not a secret
    rounds = {name: _rounds(by_set[name], random.Random(f"{seed} {name}")) for name in names}  # noqa: S311
    while True:
        yield next(rounds[draw.choices(names, [shares[name] for name in names])[0]])


def capped(examples: Sequence[Example], shares: Mapping[str, float], lists: int, *, seed: int) -> list[Example]:
    """As many examples of each set as `lists` draws can meet once; what is not met need not be mined for."""
    total = sum(shares.values())
    left = {name: max(1, round(lists * share / total)) for name, share in shares.items()}
    shuffled = list(examples)
    random.Random(seed).shuffle(shuffled)  # noqa: S311 - a sample, not a secret
    kept = []
    for one in shuffled:
        if left.get(one.source, 0) > 0:
            left[one.source] -= 1
            kept.append(one)
    return kept


def _rounds(examples: list[Example], draw: random.Random) -> Iterator[Example]:
    while True:
        once = list(examples)
        draw.shuffle(once)
        yield from once
