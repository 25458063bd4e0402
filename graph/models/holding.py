"""Holding: the units of some passages, and how well each holds what a question asks about."""

from collections.abc import Iterator, Sequence
from functools import cached_property

from graph.models.language import Language
from graph.models.units import PassageText, Unit, units_of
from graph.models.wording import Question, Rarity, coverage, keys_of, worth

_OWN, _NEAR, _WHOLE = 1.0, 0.75, 0.5
"""What a term is worth in the unit itself, in its heading and neighbours, elsewhere in its passage."""


class Holding:
    """Passages, cut into units once, with everything that a term may match in and around each unit."""

    def __init__(self, passages: Sequence[PassageText]) -> None:
        self.passages = passages
        self.units = [unit for passage in passages for unit in units_of(passage)]
        self.keys = [keys_of(unit.text) for unit in self.units]

    @cached_property
    def rarity(self) -> Rarity:
        """How telling a term is among the units."""
        return Rarity(self.keys)

    @cached_property
    def whole(self) -> dict[int, frozenset[str]]:
        """By passage number: everything that the passage and its description hold."""
        return {p.number: keys_of(f"{p.title}\n{p.place}\n{p.context}\n{p.text}") for p in self.passages}

    @cached_property
    def spoken(self) -> dict[Language, frozenset[int]]:
        """The passages that hold sentences of each language: where the question's own is among them, its words tell."""
        return {
            language: frozenset(u.passage.number for u in self.units if u.kind != "code" and u.language == language)
            for language in ("zh", "en")
        }

    @cached_property
    def about(self) -> list[frozenset[str]]:
        """For each unit: what its heading, its columns' names, its passage's context and title hold."""
        return [
            keys_of(f"{unit.heading}\n{' '.join(unit.header)}\n{unit.passage.context}\n{unit.passage.title}")
            for unit in self.units
        ]

    @cached_property
    def near(self) -> list[frozenset[str]]:
        """For each unit: what it is about, and what its neighbours hold."""
        return [
            about.union(*(self.keys[other] for other in self.neighbours(index)))
            for index, about in enumerate(self.about)
        ]

    def neighbours(self, index: int) -> Iterator[int]:
        """The units before and behind one, in the same passage."""
        for other in (index - 1, index + 1):
            if 0 <= other < len(self.units) and self.units[other].passage is self.units[index].passage:
                yield other

    def share(self, question: Question, index: int) -> float:
        """The share of the question's terms, 0..1, that a unit holds; less for those only around it."""
        return coverage(question, self._layers(index), self.rarity)

    def own_share(self, own: Question, index: int) -> float:
        """The same without what only a neighbour or the rest of the passage says: the unit itself does not say it."""
        return coverage(own, ((self.keys[index], _OWN), (self.about[index], _NEAR)), self.rarity)

    def weakest(self, question: Question, index: int) -> float:
        """What the least well held of the question's words is worth in a unit: 0 if its passage lacks one of them."""
        layers = self._layers(index)
        return min((worth(term, layers) for term in question.pillars), default=1.0)

    def absent(self, question: Question, number: int) -> float:
        """The share of the question's terms, 0..1, that a passage lacks."""
        return 1.0 - coverage(question, ((self.whole[number], 1.0),), self.rarity)

    def _layers(self, index: int) -> tuple[tuple[frozenset[str], float], ...]:
        return (
            (self.keys[index], _OWN),
            (self.near[index], _NEAR),
            (self.whole[self.units[index].passage.number], _WHOLE),
        )


def is_foreign(question: Question, unit: Unit) -> bool:
    """Whether words cannot tell, because the unit is in the other language. Code is in none."""
    return unit.kind != "code" and unit.language != question.language
