"""Whether a figure belongs to what the sentence says it of: the right row, the right half of the sentence."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from nodes.citations.material import Clause, Material
from nodes.citations.numbers import Quantity

_YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")
MOST = 40
"""So many stretches of a sentence are looked at; a longer one is no sentence."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Words that stand together with figures: up to and with each clause that holds one."""

    terms: frozenset[str]
    topic: frozenset[str]
    """The words before it in its sentence, which may be its topic too."""
    quantities: tuple[Quantity, ...]
    source: int
    sentence: int

    def states(self, quantity: Quantity, units: Collection[str]) -> bool:
        """Does this stretch state the quantity?"""
        return any(quantity.stated_by(other, units) for other in self.quantities)


def misbound_figure(claim: Material, given: Sequence[Material]) -> str | None:
    """The first figure that the material gives to something else, `None` if there is none.

    A figure is misbound if every stretch of material that states it shares strictly fewer of the clause's words
    than a comparable stretch with another figure. Where the material cannot tell, nothing is said.
    """
    units = frozenset(unit for one in given for unit in one.units)
    stretches = [stretch for at, one in enumerate(given) for stretch in _stretches(one, at)]
    known = frozenset(term for stretch in stretches for term in stretch.terms)
    for told in islice(_stretches(claim, -1), MOST):
        for quantity in dict.fromkeys(told.quantities):
            if _belongs_elsewhere(quantity, told.terms & known, stretches, units):
                return str(quantity)
    return None


def _belongs_elsewhere(
    quantity: Quantity, told: frozenset[str], stretches: Sequence[Stretch], units: Collection[str]
) -> bool:
    holding = [stretch for stretch in stretches if stretch.states(quantity, units)]
    others = [stretch for stretch in stretches if not stretch.states(quantity, units)]
    return bool(holding) and all(
        # A stretch that shares no word may belong to the sentence by what "it" refers to.
        told & held.terms
        and any(_fits_better(told, held, other) and _comparable(quantity, held, other) for other in others)
        for held in holding
    )


def _fits_better(told: frozenset[str], held: Stretch, other: Stretch) -> bool:
    """Does `other` share all words that `held` shares, and more? Parallel halves of a sentence share its topic."""
    if told & held.terms < told & other.terms:
        return True
    parallel = told & held.terms & other.terms
    return (
        bool(parallel)
        and told & (held.terms | held.topic) < told & (other.terms | other.topic)
        and bool(told & other.terms - held.terms - held.topic)
    )


def _comparable(quantity: Quantity, held: Stretch, other: Stretch) -> bool:
    """Is there a figure in `other` of the same kind: of the same unit, or side by side with this one?"""
    side_by_side = held.source == other.source and abs(held.sentence - other.sentence) <= 1
    return any(
        quantity.rivals(q) and _year(q) == _year(quantity) and (q.unit == quantity.unit is not None or side_by_side)
        for q in other.quantities
    )


def _year(quantity: Quantity) -> bool:
    """Could this be a year? A year does not stand where a count does: about 150 printers by 1500."""
    return (
        quantity.unit in {None, "year", "date"}
        and bool(_YEAR.fullmatch(quantity.value[:4]))
        and quantity.value[4:5] in {"", "-"}
    )


def _stretches(text: Material, source: int) -> Iterator[Stretch]:
    terms: frozenset[str] = frozenset()
    topic: frozenset[str] = frozenset()
    sentence = -1
    for clause in text.clauses:
        if clause.sentence != sentence:
            terms, topic, sentence = frozenset(), frozenset(), clause.sentence
        terms |= clause.terms
        quantities = _quantities(clause)
        if quantities:
            yield Stretch(terms, topic, quantities, source, sentence)
            topic |= terms
            terms = frozenset()


def _quantities(clause: Clause) -> tuple[Quantity, ...]:
    dates = tuple(Quantity(str(date), "date") for date in clause.figures.dates if date.month is not None)
    return clause.figures.quantities + dates
