"""Other wordings: a claim's polarity, direction of comparison or entity turned into the wrong one.

`turns.tsv` holds what turns a sentence round, `siblings.tsv` the names that can stand for each other.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from eval.claims.pairs import Language

_WITHIN_A_LONGER_NAME = re.compile("国务院(?=[一-鿿]*(?:部门|机构|机关))|部(?=门)")

_NEGATIVE = re.compile(r"\b(?:not|no|never|nobody|nothing|none|neither|cannot|without)\b", re.IGNORECASE)


def other_polarity(claim: str, passage: str, language: Language) -> list[str]:
    """The claim with a negation put in or taken away; none is put beside another, for two might cancel."""
    negative = bool(_NEGATIVE.search(claim))
    rules = [(pattern, other) for pattern, other in _turns("polarity", language) if not (negative and "not" in other)]
    return _turned(claim, passage, rules)


def other_comparison(claim: str, passage: str, language: Language) -> list[str]:
    """The claim with a comparison turned round."""
    return _turned(claim, passage, _turns("comparison", language))


def other_entity(claim: str, passage: str, language: Language) -> list[str]:
    """The claim with a name replaced by another of its kind that the passage does not mention."""
    found = []
    for names in _siblings(language):
        for name in names:
            at = _place(name, claim)
            other = next((one for one in names if one.casefold() not in passage.casefold() and one not in claim), None)
            if at is not None and other is not None:
                found.append(claim[:at] + other + claim[at + len(name) :])
    return found


def rows_of(name: str) -> Iterator[list[str]]:
    """The rows of a table beside this file, without its head."""
    with (Path(__file__).parent / name).open(encoding="utf-8", newline="") as file:
        yield from (row for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row[0][0] != "#")


@cache
def _turns(what: Literal["polarity", "comparison"], language: Language) -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(row[2]), row[3]) for row in rows_of("turns.tsv") if row[:2] == [what, language]]


@cache
def _siblings(language: Language) -> list[list[str]]:
    return [row[1:] for row in rows_of("siblings.tsv") if row[0] == language]


def _place(name: str, claim: str) -> int | None:
    """Where the name stands, as a word of its own, if it stands there once."""
    matches = [match.start() for match in re.finditer(rf"(?<![A-Za-z]){re.escape(name)}(?![A-Za-z])", claim)]
    longer = any(one.end() >= start + len(name) > one.start() >= start
                 for start in matches for one in _WITHIN_A_LONGER_NAME.finditer(claim))  # fmt: skip
    return matches[0] if len(matches) == 1 and not longer else None


def _turned(claim: str, passage: str, rules: Sequence[tuple[re.Pattern[str], str]]) -> list[str]:
    """By the first rule that applies once only: a claim with two such words might stay true with one turned."""
    for pattern, other in rules:
        turned, count = pattern.subn(other, claim)
        if count == 1 and turned not in passage:
            return [turned]
    return []
