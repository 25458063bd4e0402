"""Altering: a true claim with one fact made wrong, the same on every machine.

Each rule gives up where the altered claim could still be true: a limit is only made stricter, a condition is left
alone, and what is put in must stand nowhere in the passage.
"""

import hashlib
import re
from collections.abc import Callable, Sequence
from typing import Literal, get_args

from eval.claims.dates import other_date
from eval.claims.pairs import Language
from eval.claims.quantities import other_number, other_unit
from eval.claims.wordings import other_comparison, other_entity, other_polarity

Alteration = Literal["number", "date", "entity", "negation", "unit", "comparison"]
ALTERATIONS: tuple[Alteration, ...] = get_args(Alteration)

_RULES: dict[Alteration, Callable[[str, str, Language], list[str]]] = {
    "number": other_number,
    "date": other_date,
    "entity": other_entity,
    "negation": other_polarity,
    "unit": other_unit,
    "comparison": other_comparison,
}


def altered(claim: str, passage: str, language: Language, kind: Alteration) -> str | None:
    """The claim with one fact of this kind made wrong; `None` if no rule applies for certain."""
    found = _RULES[kind](claim, passage, language)
    candidates = [well for one in found if (well := _well_formed(one, language)) != claim and well not in passage]
    return chosen(candidates, f"{kind} {claim}") if candidates else None


def _well_formed(claim: str, language: Language) -> str:
    """With the article that the new word wants, and a capital at the beginning."""
    if language == "zh":
        return claim
    claim = re.sub(r"\b([Aa])n?(?= (?:[aeio]|un(?!i)|hour))", r"\1n", claim)
    claim = re.sub(r"\b([Aa])n(?= (?!hour|honest|heir)[b-df-hj-np-tv-z])", r"\1", claim)
    return claim[:1].upper() + claim[1:]


def chosen(candidates: Sequence[str], seed: str) -> str:
    """One of them, by a hash of the seed: as good as drawn, but the same everywhere."""
    return candidates[hash_of(seed) % len(candidates)]


def hash_of(text: str) -> int:
    """A number that depends on the text alone."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
