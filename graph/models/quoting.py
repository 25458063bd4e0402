"""Choose the sentences, rows and lines that answer a question, or none."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from langchain_core.embeddings import Embeddings

from graph.models.answer_kinds import fits_kind, names_the_column
from graph.models.companions import MAX_LISTED, announces, with_companions
from graph.models.holding import Holding, is_foreign
from graph.models.language import language_of
from graph.models.sensing import signals_of
from graph.models.sufficiency import Judge, Signals, probability, suffices, telling
from graph.models.units import PassageText, Unit
from graph.models.wording import Kind, Question, keys_of
from stores.documents.rerank import RerankFailedError

MAX_QUOTES = 4
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
_LIKENESS = 1.2
"""Only across languages, where words hardly tell. Within one language vectors confuse neighbouring rows, classes and
methods, and gain nothing (RGB's development half: no better with them)."""
_KIND_BONUS = 0.15
_LITERAL_BONUS = 0.25
_DEFINES_BONUS = 0.3
"""Who asks what something does wants its definition before the lines that use it."""
_QUESTION_MALUS = 0.3
_LONG = 300
_MOST: dict[Kind, int] = {"list": MAX_QUOTES, "reason": 3, "number": 2, "time": 2, "other": 3}
_OTHER_PASSAGE, _SAME_PASSAGE = 0.8, 0.92
"""The share of the best score from which a further unit is worth quoting."""
_QUALIFIED = re.compile(r"[.#:/]+")
_DEFINED = re.compile(r"\b(?:class|interface|enum|record|def|function|type|struct)\s+(\w+)")


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
    enough: bool = True
    """The calibrated rule takes it for an answer."""


class Material:
    """The passages of one answer, cut into units once for all parts of the question."""

    def __init__(
        self, passages: Sequence[PassageText], embeddings: Embeddings | None = None, judge: Judge | None = None
    ) -> None:
        self.passages = passages
        self._holding = Holding(passages)
        self.units = self._holding.units
        self._keys = self._holding.keys
        self._embeddings = embeddings
        self._judge = judge

    def sufficiency(self, question: Question) -> float:
        """The probability, 0..1, that the material answers the question: that of its best unit."""
        return max(self._likely(telling(self.signals(question))), default=0.0)

    def _likely(self, signals: Sequence[Signals]) -> list[float]:
        """The probability that each answers."""
        return [probability(one, judged=self._judge is not None) for one in signals]

    def signals(self, question: Question) -> list[Signals]:
        """What is known of each unit beside the question, in the order of `units`."""
        try:
            return signals_of(self._holding, question, self._judge)
        except RerankFailedError:
            self._judge = None  # its file is damaged or gone: words alone decide
            return signals_of(self._holding, question, None)

    def answers(self, question: Question) -> list[Unit]:
        """The units that answer, best first, at most `MAX_QUOTES`; none if the material does not hold the answer."""
        if not self._holds_literals(question):
            return []
        known = self.signals(question)
        judged = self._judge is not None
        # Who names an identifier wants what holds the name and its neighbours' words; reading says less of code.
        weight = 0.0 if question.identifiers else 1.0
        scored = [
            replace(
                item,
                enough=suffices(one, judged=judged),
                score=item.score + weight * probability(one, judged=judged),
            )
            for item, one in zip(self._scored(question), known, strict=True)
        ]
        fitting = [item for item in scored if self._suffices(question, item)]
        native = [item for item in fitting if not item.foreign]
        if not question.identifiers and all(self._is_other_code(question, item) for item in native):
            # Lines of code share names with any question; text says more, be it in the other language.
            native = [] if any(item.foreign for item in fitting) else native
            fitting = [item for item in fitting if item.foreign] or fitting
        chosen = self._chosen(question, _ranked(native or self._by_likeness(question, fitting)))
        quoted = (with_companions(self._holding, item.index, listing=question.kind == "list") for item in chosen)
        return list(dict.fromkeys(unit for units in quoted for unit in units))[:MAX_LISTED]

    def _is_other_code(self, question: Question, item: _Scored) -> bool:
        """Code that is not the definition of a table that the question names."""
        defines = announces(item.unit) and question.names and question.names <= self._keys[item.index]
        return item.unit.kind == "code" and not defines

    def nearest(self, sentence: Question, least: float) -> Unit | None:
        """The unit that shares most with a sentence, at least `least` of its terms."""
        scored = _ranked(self._scored(sentence))
        return scored[0].unit if scored and scored[0].coverage >= least else None

    def _holds_literals(self, question: Question) -> bool:
        """Every identifier, version, year and rank of the question stands in some passage, most names too."""
        whole = frozenset[str]().union(*self._holding.whole.values())
        foreign = all(is_foreign(question, unit) for unit in self.units)
        if not all(_is_held(literal, whole) for literal in (question.identifiers if foreign else question.literals)):
            return False
        if not question.names or foreign:
            return True
        return 2 * len(question.names & whole) > len(question.names)

    def _scored(self, question: Question) -> list[_Scored]:
        own = Question(question.own)
        scored: list[_Scored] = []
        for index, unit in enumerate(self.units):
            covered = self._holding.share(question, index)
            owned = self._holding.own_share(own, index) if own.terms else 1.0
            score = covered + _bonus(question, unit) + self._literal_bonus(question, index)
            score += owned if own.terms else 0.0
            scored.append(_Scored(unit, index, covered, score, is_foreign(question, unit), owned))
        return scored

    def _literal_bonus(self, question: Question, index: int) -> float:
        """A unit that names the identifier itself comes before its neighbours."""
        if not question.identifiers:
            return 0.0
        return _LITERAL_BONUS * len(question.identifiers & self._keys[index]) / len(question.identifiers)

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
        whole = self._holding.whole[passage.number]
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
            alone = passage.number not in self._holding.spoken[question.language]
            return (good and told and written and alone) or self._bridged(question, whole)
        if item.own < ENOUGH_OF_A_FOLLOW_UP:
            return False
        if question.switches:
            return True
        if question.identifiers and question.identifiers <= self._keys[item.index] | self._holding.near[item.index]:
            return item.coverage >= ENOUGH_BESIDE_THE_IDENTIFIER and not _only_names(question, whole)
        if self._judge is None and sum(term.weight for term in question.terms) <= FEW:
            return item.coverage >= ENOUGH_OF_FEW
        return item.enough

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


def _only_names(question: Question, keys: Collection[str]) -> bool:
    """Whether a passage holds the name and nothing else of what asks for causes, parts or steps."""
    if question.kind not in {"list", "reason"}:
        return False
    rest = [one for one in question.terms if one.weight >= 1 and not question.identifiers.intersection(one.keys)]
    return bool(rest) and not any(key in keys for one in rest for key in one.keys)


def _is_held(literal: str, keys: Collection[str]) -> bool:
    """Whether a text holds an identifier: as it stands, or a qualified name in its parts (`Order.place`)."""
    parts = [part for part in _QUALIFIED.split(literal) if part]
    return literal in keys or (literal[0].isalpha() and all(part in keys for part in parts))


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


def _are_rows_of_one_table(one: Unit, other: Unit) -> bool:
    return one.kind == other.kind == "row" and one.passage is other.passage and one.header == other.header


def _repeats(unit: Unit, chosen: Sequence[_Scored]) -> bool:
    """Whether what a unit says is said already."""
    keys = keys_of(unit.text)
    return any(len(keys & keys_of(other.unit.text)) > 0.8 * len(keys) for other in chosen)
