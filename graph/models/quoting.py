"""Choose the sentences, rows and lines that answer a question, or none."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from langchain_core.embeddings import Embeddings

from graph.models.answer_kinds import fits_kind, names_the_column, typed
from graph.models.language import Language, language_of
from graph.models.sufficiency import Judge, Signals, agreement, margins, probability, threshold
from graph.models.units import PassageText, Unit, units_of
from graph.models.values import values_of
from graph.models.wording import Kind, Question, Rarity, coverage, keys_of, worth

MAX_QUOTES = 4
MAX_LISTED = 20
"""A list that was asked for is quoted whole, a table's definition with its columns."""
ENOUGH, ENOUGH_IN_A_GOOD_PASSAGE = 0.50, 0.45
"""The least coverage of an answer. On RGB's development half (other questions' passages: 95 % below 0.38; a
question's own passages: 95 % above 0.53)."""
FEW, ENOUGH_OF_FEW = 4.0, 0.55
"""Of two words, half is the wrong one: `财务电话` is not answered by the telephone of another office."""
ENOUGH_BESIDE_THE_IDENTIFIER = 0.4
"""A unit that holds every identifier of the question is about the right thing already."""
ENOUGH_OF_A_FOLLOW_UP = 0.6
"""A follow-up's own words stand in the unit, its heading or beside it, or it repeats the answer before."""
GOOD_PASSAGE = 0.7
"""The calibrated score from which the application itself takes a passage for relevant."""

FOREIGN_WORDS = 3
"""What says less in the other language is a label. Nor does a passage's score carry over to labels, code and names
in the other language that stand in a text of the question's own: there words do tell."""
_EMBEDDED = 30
"""At most so many units are compared by vector: one costs about 10 ms."""
_OWN, _NEAR, _WHOLE = 1.0, 0.75, 0.5
"""What a term is worth in the unit itself, in its heading and neighbours, elsewhere in its passage."""
_LIKENESS = 1.2
"""Only across languages, where words hardly tell. Within one language vectors confuse neighbouring rows, classes and
methods, and gain nothing (RGB's development half: no better with them)."""
_ABOUT_THE_SAME = 0.4
"""The coverage from which two sentences are taken to speak of what the question asks."""
_READ = 24
"""At most so many units are shown to the cross-encoder: one costs about 10 ms."""
_KIND_BONUS = 0.15
_LITERAL_BONUS = 0.25
_DEFINES_BONUS = 0.3
"""Who asks what something does wants its definition before the lines that use it."""
_QUESTION_MALUS = 0.3
_LONG = 300
_MOST: dict[Kind, int] = {"list": MAX_QUOTES, "reason": 3, "number": 2, "time": 2, "other": 3}
_OTHER_PASSAGE, _SAME_PASSAGE = 0.8, 0.92
"""The share of the best score from which a further unit is worth quoting."""
_CREATES = re.compile(r"CREATE\b", re.IGNORECASE)
_CREATES_TABLE = re.compile(r"CREATE\s+(?:TEMP(?:ORARY)?\s+)?TABLE\b", re.IGNORECASE)
_QUALIFIED = re.compile(r"[.#:/]+")
_DEFINED = re.compile(r"\b(?:class|interface|enum|record|def|function|type|struct)\s+(\w+)")
_DEFINITION = re.compile(r"(?:@\w+|public|private|protected|static|def|class|async|function|export|interface|CREATE)\b")


@dataclass(frozen=True, slots=True)
class _Scored:
    """A unit with how well it answers. `foreign`: it is in the other language, so words cannot tell.

    `own` is the coverage of a follow-up's own words, 1 of any other question.
    """

    unit: Unit
    index: int
    coverage: float
    score: float
    foreign: bool
    own: float = 1.0
    likely: float = 1.0
    """The probability that it answers."""


class Material:
    """The passages of one answer, cut into units once for all parts of the question."""

    def __init__(
        self, passages: Sequence[PassageText], embeddings: Embeddings | None = None, judge: Judge | None = None
    ) -> None:
        self.passages = passages
        self.units = [unit for passage in passages for unit in units_of(passage)]
        self._keys = [keys_of(unit.text) for unit in self.units]
        self._embeddings = embeddings
        self._judge = judge

    def sufficiency(self, question: Question) -> float:
        """The probability, 0..1, that the material answers the question: that of its best unit."""
        judged = self._judge is not None
        return max((probability(one, judged=judged) for one in self.signals(question)), default=0.0)

    def signals(self, question: Question) -> list[Signals]:
        """What is known of each unit beside the question, in the order of `units`."""
        covered = [self._coverage(question, index) for index in range(len(self.units))]
        read, lines = self._judged(question, covered)
        shared = self._shared(question, covered)
        together = agreement(list(lines.values()))
        ahead = dict(zip(lines, margins(list(lines.values())), strict=True))
        behind = min(ahead.values(), default=0.0)
        least = min(lines.values(), default=0.0)
        return [
            Signals(
                score=unit.passage.score,
                read=read.get(unit.passage.number, 0.0),
                line=lines.get(index, least),
                margin=ahead.get(index, behind),
                agreement=together,
                covered=covered[index],
                absent=self._absent(question, unit.passage.number),
                weakest=self._weakest(question, index),
                shared=shared[index],
                typed=typed(question, unit.text),
                foreign=_is_foreign(question, unit),
            )
            for index, unit in enumerate(self.units)
        ]

    def _judged(self, question: Question, covered: Sequence[float]) -> tuple[dict[int, float], dict[int, float]]:
        """What the cross-encoder says of each passage, by number, and of the most promising units, by index."""
        if self._judge is None or not self.units:
            return {}, {}
        told = [f"{p.context}\n{p.text}".strip() for p in self.passages]
        picked = sorted(range(len(self.units)), key=lambda i: (-covered[i], i))[:_READ]
        texts = [*told, *(_told(self.units[index]) for index in picked)]
        said = self._judge([(question.text, text) for text in texts])
        read = {p.number: score for p, score in zip(self.passages, said, strict=False)}
        return read, dict(zip(picked, said[len(told) :], strict=True))

    def _shared(self, question: Question, covered: Sequence[float]) -> list[int]:
        """For each unit: in how many other passages a sentence about the same says one of its values."""
        values = [values_of(unit.text, question.text) for unit in self.units]
        said: dict[str, set[int]] = {}
        for unit, own, share in zip(self.units, values, covered, strict=True):
            for value in own if share >= _ABOUT_THE_SAME else ():
                said.setdefault(value, set()).add(unit.passage.number)
        return [
            max((len(said.get(value, set()) - {unit.passage.number}) for value in own), default=0)
            for unit, own in zip(self.units, values, strict=True)
        ]

    def _weakest(self, question: Question, index: int) -> float:
        """What the least well held of the question's words is worth in a unit: 0 if its passage lacks one of them."""
        layers = self._layers(index)
        return min((worth(term, layers) for term in question.pillars), default=1.0)

    def _absent(self, question: Question, number: int) -> float:
        """The share of the question's terms that a passage lacks."""
        return 1.0 - coverage(question, ((self._whole[number], 1.0),), self._rarity)

    def answers(self, question: Question) -> list[Unit]:
        """The units that answer, best first, at most `MAX_QUOTES`; none if the material does not hold the answer."""
        if not self._holds_literals(question):
            return []
        judged = self._judge is not None
        likely = [probability(one, judged=judged) for one in self.signals(question)]
        scored = [replace(item, likely=likely[item.index], score=item.score + likely[item.index]) for item in self._scored(question)]
        fitting = [item for item in scored if self._suffices(question, item)]
        native = [item for item in fitting if not item.foreign]
        if not question.identifiers and all(self._is_other_code(question, item) for item in native):
            # Lines of code share names with any question; text says more, be it in the other language.
            native = [] if any(item.foreign for item in fitting) else native
            fitting = [item for item in fitting if item.foreign] or fitting
        chosen = self._chosen(question, _ranked(native or self._by_likeness(question, fitting)))
        return self._with_introduced(question, chosen)

    def _is_other_code(self, question: Question, item: _Scored) -> bool:
        """Code that is not the definition of a table that the question names."""
        defines = _announces(item.unit) and question.names and question.names <= self._keys[item.index]
        return item.unit.kind == "code" and not defines

    def nearest(self, sentence: Question, least: float) -> Unit | None:
        """The unit that shares most with a sentence, at least `least` of its terms."""
        scored = _ranked(self._scored(sentence))
        return scored[0].unit if scored and scored[0].coverage >= least else None

    @cached_property
    def _rarity(self) -> Rarity:
        return Rarity(self._keys)

    @cached_property
    def _whole(self) -> dict[int, frozenset[str]]:
        """By passage number: everything that the passage and its description hold."""
        return {p.number: keys_of(f"{p.title}\n{p.place}\n{p.context}\n{p.text}") for p in self.passages}

    @cached_property
    def _spoken(self) -> dict[Language, frozenset[int]]:
        """The passages that hold sentences of each language: where the question's own is among them, its words tell."""
        return {
            language: frozenset(u.passage.number for u in self.units if u.kind != "code" and u.language == language)
            for language in ("zh", "en")
        }

    @cached_property
    def _about(self) -> list[frozenset[str]]:
        """For each unit: what its heading, its columns' names, its passage's context and title hold."""
        return [
            keys_of(f"{unit.heading}\n{' '.join(unit.header)}\n{unit.passage.context}\n{unit.passage.title}")
            for unit in self.units
        ]

    @cached_property
    def _near(self) -> list[frozenset[str]]:
        """For each unit: what it is about, and what its neighbours hold."""
        return [
            about.union(*(self._keys[other] for other in self._neighbours(index)))
            for index, about in enumerate(self._about)
        ]

    def _neighbours(self, index: int) -> Iterator[int]:
        for other in (index - 1, index + 1):
            if 0 <= other < len(self.units) and self.units[other].passage is self.units[index].passage:
                yield other

    def _holds_literals(self, question: Question) -> bool:
        """Every identifier, version, year and rank of the question stands in some passage, most names too."""
        whole = frozenset[str]().union(*self._whole.values())
        foreign = all(_is_foreign(question, unit) for unit in self.units)
        if not all(_is_held(literal, whole) for literal in (question.identifiers if foreign else question.literals)):
            return False
        if not question.names or foreign:
            return True
        return 2 * len(question.names & whole) > len(question.names)

    def _scored(self, question: Question) -> list[_Scored]:
        own = Question(question.own)
        scored: list[_Scored] = []
        for index, unit in enumerate(self.units):
            covered = self._coverage(question, index)
            owned = self._own(own, index) if own.terms else 1.0
            score = covered + _bonus(question, unit) + self._literal_bonus(question, index)
            score += owned if own.terms else 0.0
            scored.append(_Scored(unit, index, covered, score, _is_foreign(question, unit), owned))
        return scored

    def _own(self, own: Question, index: int) -> float:
        """The coverage of a follow-up's own words: what only a neighbour says, the unit does not."""
        return coverage(own, ((self._keys[index], _OWN), (self._about[index], _NEAR)), self._rarity)

    def _literal_bonus(self, question: Question, index: int) -> float:
        """A unit that names the identifier itself comes before its neighbours."""
        if not question.identifiers:
            return 0.0
        return _LITERAL_BONUS * len(question.identifiers & self._keys[index]) / len(question.identifiers)

    def _coverage(self, question: Question, index: int) -> float:
        return coverage(question, self._layers(index), self._rarity)

    def _layers(self, index: int) -> tuple[tuple[frozenset[str], float], ...]:
        return (
            (self._keys[index], _OWN),
            (self._near[index], _NEAR),
            (self._whole[self.units[index].passage.number], _WHOLE),
        )

    def _by_likeness(self, question: Question, fitting: Sequence[_Scored]) -> list[_Scored]:
        """Units in the other language, scored by vector too; those that hold the question's identifiers come first.

        Cosines are spread to 0..1 over the compared units: raw ones lie in a narrow band.
        """
        if self._embeddings is None or not fitting:
            return list(fitting)
        named = [item for item in fitting if question.identifiers and question.identifiers <= self._keys[item.index]]
        picked = _ranked(named or fitting)[:_EMBEDDED]
        vectors = self._embeddings.embed_documents([item.unit.text for item in picked])
        asked = self._embeddings.embed_query(question.text)
        cosines = [sum(a * b for a, b in zip(asked, vector, strict=True)) for vector in vectors]
        least, spread = min(cosines), (max(cosines) - min(cosines)) or 1.0
        return [
            replace(item, score=item.score + _LIKENESS * (cosine - least) / spread)
            for item, cosine in zip(picked, cosines, strict=True)
        ]

    def _suffices(self, question: Question, item: _Scored) -> bool:
        passage = item.unit.passage
        good = passage.score is not None and passage.score >= GOOD_PASSAGE
        whole = self._whole[passage.number]
        literals = question.identifiers if item.foreign else question.literals
        if literals and not any(_is_held(literal, whole) for literal in literals):
            return False
        if not fits_kind(question, item.unit.text) or self._keys[item.index] <= question.keys:
            return False  # the wrong kind of answer, or a heading that only repeats the question
        if item.foreign and item.unit.kind == "code":
            return self._bridged(question, whole)  # words do not tell, and neither does a passage's score for one line
        if item.foreign:
            told = len(self._keys[item.index]) >= FOREIGN_WORDS
            described = f"{passage.title}\n{passage.context}".strip() or passage.text
            # Latin letters under a Chinese title are code and names; Chinese is never anything but text.
            written = item.unit.language == "zh" or language_of(described) == "en"
            alone = passage.number not in self._spoken[question.language]
            return (good and told and written and alone) or self._bridged(question, whole)
        if item.own < ENOUGH_OF_A_FOLLOW_UP:
            return False
        if question.switches:
            return True
        if question.identifiers and question.identifiers <= self._keys[item.index] | self._near[item.index]:
            return item.coverage >= ENOUGH_BESIDE_THE_IDENTIFIER
        return item.likely >= threshold(judged=self._judge is not None)

    @staticmethod
    def _bridged(question: Question, whole: frozenset[str]) -> bool:
        """Whether a passage in the other language holds all the names and identifiers that need no translation."""
        bridge = question.names | question.identifiers
        return bool(bridge) and bridge <= whole

    def _chosen(self, question: Question, fitting: Sequence[_Scored]) -> list[_Scored]:
        """The best, and what comes near it: rows of the same table, the best of other passages."""
        if not fitting:
            return []
        best = fitting[0]
        chosen = [best]
        for item in fitting[1:]:
            if item.own < best.own:
                continue
            rows = _are_rows_of_one_table(best.unit, item.unit)
            if (rows or question.kind == "number") and not self._matches_as_much(question, item.index, best.index):
                continue
            most = MAX_QUOTES if rows else _MOST[question.kind]
            if len(chosen) >= most or _repeats(item.unit, chosen):
                continue
            known = {other.unit.passage.number for other in chosen}
            needed = _SAME_PASSAGE if item.unit.passage.number in known else _OTHER_PASSAGE
            if item.score >= needed * best.score:
                chosen.append(item)
        return chosen

    def _matches_as_much(self, question: Question, index: int, best: int) -> bool:
        """Whether a unit itself holds every term that the best one holds: no other tier, class or product."""
        return question.held_by(self._keys[best]) <= question.held_by(self._keys[index])

    def _with_introduced(self, question: Question, chosen: Sequence[_Scored]) -> list[Unit]:
        """A unit that ends in a colon brings along the list, rows or code it announces.

        Who asks for a list gets all of it, also where the sentence that announces it only follows the chosen one.
        """
        units: list[Unit] = []
        for item in chosen:
            if item.unit.kind == "code":
                units += self._documentation_of(item.index)
            units.append(item.unit)
            if item.unit.introduces or _announces(item.unit):
                units += self._announced_by(item.index)
            elif question.kind == "list":
                units += self._list_of(item)
        return list(dict.fromkeys(units))[:MAX_LISTED]

    def _list_of(self, item: _Scored) -> list[Unit]:
        """The list that a chosen unit belongs to: that which follows it, or that it stands in."""
        following = [index for index in self._neighbours(item.index) if index > item.index][:1]
        for index in following:
            unit = self.units[index]
            if unit.heading == item.unit.heading and unit.introduces:
                return [unit, *self._announced_by(index)]
        return self._announced_by(item.index) if item.unit.kind == "sentence" and not item.unit.listed else []

    def _documentation_of(self, index: int) -> list[Unit]:
        """What the comment before a definition says, or the one right after it, where documentation stands inside."""
        if not _DEFINITION.match(self.units[index].text):
            return []
        before = self._comment_from(index, -1)
        return before[::-1][:MAX_QUOTES] if before else self._comment_from(index, 1)[:MAX_QUOTES]

    def _comment_from(self, index: int, step: int) -> list[Unit]:
        """The comment's units next to a definition, from it outwards; annotations stand between."""
        found: list[Unit] = []
        place = index + step
        while 0 <= place < len(self.units) and self.units[place].passage is self.units[index].passage:
            unit = self.units[place]
            if unit.comment:
                found.append(unit)
            elif found or step > 0 or not unit.text.startswith("@"):
                break
            place += step
        return found

    def _announced_by(self, index: int) -> list[Unit]:
        """What a unit announces: the list, rows or code right after it, whole; behind a colon one sentence will do."""
        announced: list[Unit] = []
        first, table = self.units[index], _announces(self.units[index])
        for unit in self.units[index + 1 : index + 1 + MAX_LISTED]:
            same = unit.passage is first.passage and unit.heading == first.heading
            listed = unit.listed or unit.kind != "sentence" or (first.introduces and not announced)
            alike = not announced or table or (unit.kind, unit.listed) == (announced[-1].kind, announced[-1].listed)
            if not same or not alike or (_CREATES.match(unit.text) if table else not listed):
                break
            announced.append(unit)
        return announced


def _told(unit: Unit) -> str:
    """A unit as it can be understood alone: a row with its columns' names, a sentence under its heading."""
    text = unit.text
    if unit.header:
        text = "; ".join(f"{name}: {cell}" for name, cell in zip(unit.header, unit.cells, strict=True))
    about = unit.heading or unit.passage.context.rpartition("\n")[2]
    return f"{about}\n{text}" if about else text


def _is_held(literal: str, keys: Collection[str]) -> bool:
    """Whether a text holds an identifier: as it stands, or a qualified name in its parts (`Order.place`)."""
    parts = [part for part in _QUALIFIED.split(literal) if part]
    return literal in keys or (literal[0].isalpha() and all(part in keys for part in parts))


def _announces(unit: Unit) -> bool:
    """A table's definition says what it holds in the lines after it."""
    return unit.kind == "code" and _CREATES_TABLE.match(unit.text) is not None


def _ranked(scored: Sequence[_Scored]) -> list[_Scored]:
    """Best first; among equals the one that comes first."""
    return sorted(scored, key=lambda item: (-item.score, item.index))


def _bonus(question: Question, unit: Unit) -> float:
    bonus = _DEFINES_BONUS if _defines(question, unit) else 0.0
    bonus += _KIND_BONUS if question.kind != "other" and fits_kind(question, unit.text, strictly=True) else 0.0
    if unit.header and names_the_column(question, unit.header):
        bonus += _KIND_BONUS
    if unit.text.endswith(("？", "?")):
        bonus -= _QUESTION_MALUS
    if len(unit.text) > _LONG:
        bonus -= 0.05
    return bonus - 0.002 * unit.position


def _defines(question: Question, unit: Unit) -> bool:
    """Whether a line of code is the definition of something that the question names."""
    match = _DEFINED.search(unit.text) if unit.kind == "code" else None
    return match is not None and match[1].lower() in question.identifiers | question.names


def _is_foreign(question: Question, unit: Unit) -> bool:
    """Whether words cannot tell, because the unit is in the other language. Code is in none."""
    return unit.kind != "code" and unit.language != question.language


def _are_rows_of_one_table(one: Unit, other: Unit) -> bool:
    return one.kind == other.kind == "row" and one.passage is other.passage and one.header == other.header


def _repeats(unit: Unit, chosen: Sequence[_Scored]) -> bool:
    """Whether what a unit says is said already."""
    keys = keys_of(unit.text)
    return any(len(keys & keys_of(other.unit.text)) > 0.8 * len(keys) for other in chosen)
