"""What a question asks about: its informative terms, and how well a text covers them."""

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from graph.models.language import Language, language_of
from graph.models.periods import fiscal_years, quarters
from graph.models.stopwords import EN_ASPECTS, EN_STOP, ZH_ASPECTS, content_runs
from stores.documents.terms import CJK, fold, index_terms, plural_folded

Kind = Literal["number", "time", "reason", "list", "other"]

_RUN = re.compile(rf"[{CJK}]+")
_WORD = re.compile(rf"@?[^\W{CJK}_]+(?:[._\-/:@#+]+[^\W{CJK}_]+)*[+#]*")
_MEMBER = re.compile(r"\b[A-Z]\w*(?:[.#]\w+)*[.#](\w+)")
"""`Order.place`: where the class stands, its member is called by its own name."""
_STEM = 6
"""Cut word endings off by length: reimburse, reimbursed and reimbursement share their first six letters."""
_CHARACTERS_PER_WORD = 2.0
_ASPECT_WEIGHT = 0.3
_SINGLE_WEIGHT = 0.5
_YEAR_DIGITS = 4
_SHORTEST_BASE = 3
"""What is left of an English word must have so many letters: `string` does not lose its `ing`."""
_RANKED = re.compile(
    r"第[一二三四五六七八九十百两\d]+[线级等档类期代章节条款届]|[一二三四五六七八九十\d]+[线级档等](?=城|奖|座|舱|市|$)"
    r"|[一二三四五六七八九十\d]+[线档]|(?<![A-Za-z])[A-Za-z][级类档等区座栋型]"
)
"""Ranks, classes and ordinals: another one is another thing."""
_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("reason", re.compile(r"为什么|为何|为啥|原因|怎么会|怎么回事|\bwhy\b|\breason|\bcause", re.IGNORECASE)),
    (
        "time",
        re.compile(
            r"什么时候|何时|哪[一]?年|几月|哪[一]?天|几号|哪[一]?日|什么时间|日期"
            r"|^\W*(?:and |but |so )?when\b|[,，]\s*(?:and )?when\b"
            r"|\b(?:since|until|by|know|say|tell me|wonder|and) when\b"
            r"|\b(?:what|which) (?:year|date|day|month|time)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "number",
        re.compile(
            r"多少|几(?![乎何率])|多[长久大高远宽重快深]|上限|下限|百分比|比例"
            r"|\bhow (?:many|much|long|far|old|tall|big|large|high|fast|soon|late)\b"
            r"|\b(?:limit|maximum|minimum|percentage|number of|rate|amount)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "list",
        re.compile(
            r"哪些|区别|不同|差别|比较|步骤|流程|有哪几|包括|分别|列出"
            r"|\b(?:differences?|differ|compare|steps?|list|which ones|what are)\b",
            re.IGNORECASE,
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Term:
    """One thing that a text should mention: any of `keys` will do."""

    keys: tuple[str, ...]
    weight: float


@dataclass(frozen=True)
class Question:
    """A question, or one part of it, as the offline model reads it.

    `own`: of a follow-up, the words that are its own; `switches`: they name another subject for the same question.
    """

    text: str
    own: str = ""
    switches: bool = False

    @cached_property
    def language(self) -> Language:
        """The language to frame the answer in."""
        return language_of(self.text)

    @cached_property
    def kind(self) -> Kind:
        """What kind of answer is expected."""
        return next((kind for kind, pattern in _KINDS if pattern.search(self.text)), "other")

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """The informative terms: pairs of Chinese characters, stems of words, identifiers, numbers."""
        folded = fold(self.text)
        ranks = (Term((match[0],), _CHARACTERS_PER_WORD) for match in _RANKED.finditer(folded))
        return (*_chinese_terms(folded), *_word_terms(folded), *ranks)

    @cached_property
    def pillars(self) -> tuple[Term, ...]:
        """The words that an answer can hardly do without: each Latin word, of a Chinese phrase its two ends.

        Where words end is not known in Chinese; what a phrase begins and ends with are parts of words.
        """
        folded = fold(self.text)
        runs = (run for found in _RUN.findall(folded) for run in content_runs(ZH_ASPECTS.sub(" ", found)))
        ends = (end for run in runs if len(run) > 1 for end in (run[:2], run[-2:]))
        words = (term for term in _word_terms(folded) if term.weight > _ASPECT_WEIGHT)
        return (*(Term((end,), 1.0) for end in dict.fromkeys(ends)), *words)

    def held_by(self, keys: Collection[str]) -> frozenset[Term]:
        """The terms that a text holds."""
        return frozenset(term for term in self.terms if any(key in keys for key in term.keys))

    @cached_property
    def keys(self) -> frozenset[str]:
        """Everything the question's own words may match."""
        return keys_of(self.text)

    @cached_property
    def literals(self) -> frozenset[str]:
        """Identifiers, versions, model numbers, years, quarters and ranks: what a passage must hold word for word."""
        folded = fold(self.text)
        words = {match[0].lower() for match in _WORD.finditer(folded) if is_literal(match[0])}
        words = {fiscal_years(word).get(word, word) for word in words} | quarters(folded)
        return frozenset(words | {match[0] for match in _RANKED.finditer(folded)})

    @cached_property
    def identifiers(self) -> frozenset[str]:
        """The literals that name a thing: those with a letter of the Latin alphabet, but for quarters."""
        named = self.literals - quarters(" ".join(self.literals))
        return frozenset(word for word in named if any(c.isascii() and c.isalpha() for c in word))

    @cached_property
    def names(self) -> frozenset[str]:
        """Stems of Latin words in a Chinese question, and of capitalised words inside an English one; no literals."""
        folded = fold(self.text)
        found = list(_WORD.finditer(folded))
        if self.language == "zh":
            return frozenset(stem(m[0]) for m in found if m[0][0].isalpha() and not self._is_literal(m[0]))
        inner = [match[0] for match in found if match.start() and match[0][0].isupper()]
        return frozenset(stem(word) for word in inner if word.lower() not in EN_STOP and not self._is_literal(word))

    def _is_literal(self, word: str) -> bool:
        return word.lower() in self.literals or bool(fiscal_years(word))


def is_literal(word: str) -> bool:
    """Whether a Latin token is an identifier, a version, a model number or a year rather than a word or amount."""
    if word.isdigit():
        return len(word) == _YEAR_DIGITS and word[:2] in {"19", "20"}
    digits = any(character.isdigit() for character in word)
    joined = re.search(r"[A-Za-z][._@/:][A-Za-z]", word) is not None
    camel = re.search(r"[a-z][A-Z]", word) is not None
    letters = any(character.isalpha() for character in word)
    return word.startswith("@") or joined or camel or (digits and letters) or word.count(".") > 1


def stem(word: str) -> str:
    """A word without its ending, by length alone; whole if it is an identifier."""
    lowered = word.lower()
    if not lowered.isalpha():
        return lowered
    return _LEMMAS.get(lowered) or _suffix_cut(plural_folded(lowered))[:_STEM]


_LEMMAS = {
    "ran": "run", "running": "run", "runs": "run", "paid": "pay", "sent": "send", "kept": "keep", "began": "begin",
    "begun": "begin", "won": "win", "made": "make", "wrote": "write", "written": "write", "bought": "buy",
    "sold": "sell", "found": "find", "born": "birth", "died": "die", "death": "die", "held": "hold", "took": "take",
    "taken": "take", "gave": "give", "given": "give", "led": "lead", "left": "leave", "lost": "lose", "met": "meet",
    "built": "build", "spent": "spend", "chose": "choose", "chosen": "choose",
}  # fmt: skip


def _suffix_cut(word: str) -> str:
    for suffix in ("ing", "ed"):
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_BASE:
            base = word[: -len(suffix)]
            return base[:-1] if len(base) > _SHORTEST_BASE and base[-1] == base[-2] and base[-1] not in "lsz" else base
    return word[:-1] if word.endswith("e") and len(word) > _SHORTEST_BASE + 1 else word


def keys_of(text: str) -> frozenset[str]:
    """Everything a term may match in a text."""
    folded = fold(text)
    keys = set(index_terms(text))
    keys |= {stem(key) for key in keys if key[0].isalpha() and key.isascii()}
    keys |= {character for run in _RUN.findall(folded) for character in run}
    keys |= {match[0].lower() for match in _WORD.finditer(folded)}
    keys |= {match[0] for match in _RANKED.finditer(folded)}
    return frozenset(keys | quarters(folded) | set(fiscal_years(folded).values()))


def content_words(text: str) -> list[str]:
    """The phrases that carry a question's subject, as the user wrote them."""
    spaced = _RUN.sub(lambda run: " ".join(content_runs(run[0])).join((" ", " ")), text)
    bare = (word.strip("?？!！。.,，:：;；\"'“”‘’()（）、") for word in spaced.split())
    return [word for word in bare if word and word.lower() not in EN_STOP]


def _chinese_terms(text: str) -> list[Term]:
    terms: list[Term] = []
    for run in _RUN.findall(text):
        aspects = ZH_ASPECTS.findall(run)
        terms += [Term((aspect[:2],), _ASPECT_WEIGHT) for aspect in aspects]
        for piece in content_runs(ZH_ASPECTS.sub(" ", run)) if aspects else content_runs(run):
            terms += _characters(piece)
    return terms


def _characters(run: str) -> list[Term]:
    """One term per character: it counts as found when a pair it belongs to is found."""
    if len(run) == 1:
        return [Term((run,), _SINGLE_WEIGHT)]
    pairs = [run[i : i + 2] for i in range(len(run) - 1)]
    return [Term(tuple(pairs[max(0, i - 1) : i + 1]), 1.0) for i in range(len(run))]


def _word_terms(text: str) -> list[Term]:
    terms: list[Term] = []
    seen: set[str] = set()
    members = {match[0].lower(): (match[1].lower(),) for match in _MEMBER.finditer(text)}
    for word in (part for match in _WORD.finditer(text) for part in _words(match[0])):
        if word in EN_STOP or word in seen or (len(word) == 1 and word.isalpha()):
            continue
        seen.add(word)
        weight = _ASPECT_WEIGHT if word in EN_ASPECTS else 1.0 if word.isdigit() else _CHARACTERS_PER_WORD
        others = (*members.get(word, ()), *fiscal_years(word).values())
        terms.append(Term(tuple(dict.fromkeys((word, stem(word), word.replace(",", ""), *others))), weight))
    return terms


def _words(token: str) -> list[str]:
    """A token as words: `first-class` is two, an identifier stays whole."""
    lowered = token.lower()
    plain = not is_literal(token) and all(part.isalpha() for part in lowered.split("-"))
    return lowered.split("-") if plain else [lowered]


class Rarity:
    """How telling a term is among the texts at hand: 1 for one that few hold, less for one that all hold."""

    def __init__(self, texts: Sequence[Collection[str]]) -> None:
        self._texts = texts
        self._known: dict[Term, float] = {}

    def of(self, term: Term) -> float:
        """Between 0.3 and 1; a term that no text holds is as telling as can be."""
        if term not in self._known:
            holding = sum(any(key in text for key in term.keys) for text in self._texts)
            share = math.log((len(self._texts) + 1) / max(holding, 1)) / math.log(len(self._texts) + 1)
            self._known[term] = 0.3 + 0.7 * min(1.0, share)
        return self._known[term]


def coverage(question: Question, layers: Sequence[tuple[Collection[str], float]], rarity: Rarity) -> float:
    """The share of the question's terms, 0..1, that a text holds.

    `layers` are key sets with what a match in them is worth, the text's own first: then its heading, its
    neighbours, its passage.
    """
    total = sum(term.weight * rarity.of(term) for term in question.terms)
    if not total:
        return 0.0
    return sum(term.weight * rarity.of(term) * worth(term, layers) for term in question.terms) / total


def worth(term: Term, layers: Sequence[tuple[Collection[str], float]]) -> float:
    """What a term is worth in the best layer that holds it, 0 if none does."""
    return max((worth for keys, worth in layers if any(key in keys for key in term.keys)), default=0.0)
