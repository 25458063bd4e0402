"""What the clauses of a text state: amounts, days, permissions, and what is left when these are taken out."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from nodes.citations.markers import without_markers
from nodes.citations.numbers import Quantity, figures
from nodes.citations.numerals import with_digits
from nodes.citations.polarity import Side, sides
from nodes.citations.words import FUNCTION_CHARACTERS, FUNCTION_WORDS, content_terms
from stores.documents.sentences import split_sentences
from stores.documents.terms import CJK, fold

Value = tuple[str, ...]
"""What a clause states of one kind, in order: amounts, days, or whether something is allowed."""

TELLS_ALONE = 6
"""A sentence of so many content words tells by itself what it is about."""
_TELLING = 2
_CLAUSE = re.compile(r"(?<!\d)[,，]|[,，](?!\d{3}|\s?(?:19|20)\d\d(?!\d))|[;；。！？!?\n]|(?<!\d)[:：]|[:：](?!\d)")
_FIGURE = re.compile(
    r"(?<![a-z0-9])\d[\d,.:/-]*(?:\s?(?:万亿|千亿|百亿|千万|百万|十万|亿|万|千|百|hundred|thousand|million|billion)(?![克米瓦]))*"
)
_NAMING = re.compile(r"(?<![\d月.])[\d零〇一二三四五六七八九十]+ ?号(?!召|称|码)|第 ?[\d零〇一二三四五六七八九十百]+")
"""A number that names something, as that of a metro line or of the first time; the day of a month is none."""
_MONTH = re.compile(
    r"(?<![a-z])(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)[a-z]{0,6}\.?(?= ?#| ?\d)|(?<![a-z])may(?= \d)"
    r"|(?<=\d )(?:january|february|march|april|may|june|july|august|september|october|november|december)(?![a-z])"
)
_REFERENCE = frozenset({"article", "chapter", "section", "page", "tier", "level", "session", "phase", "floor"})
_SOFT = re.compile(
    r"可以|能够|应当|应该|必须|需要|一般|通常|共计|总共|一共|共有|目前|现在|现行|规定|每次|均|各|应|须|需|可|能|共"
    r"|(?<![a-z])(?:may|must|shall|should|can|will|currently|now|usually|generally|total|altogether|up|exactly)(?![a-z])"
)
_FORBIDS = re.compile(
    r"不得|不可以|不可|不能|不准|不允许|不许|禁止|严禁|(?<![a-z])(?:may not|must not|cannot|can not|can't"
    r"|(?:is|are) (?:not (?:allowed|permitted) to|forbidden to|prohibited from)"
    r"|(?:is|are) (?:not allowed|not permitted|forbidden|prohibited))(?![a-z])"
)
_ALLOWS = re.compile(
    r"可以|允许|准许|(?<![不许认])可(?![能是靠惜])"
    r"|(?<![a-z])(?:may|can|(?:is|are) (?:allowed|permitted)(?: to)?)(?![a-z])"
)
_CONDITION = re.compile(
    r"(?:的|(?<![小超定及随按])时|后|前|者|情况下|期间|以上|以下)$|^(?:如果?|若|当|凡|对|每逢|自|从|截至)"
    r"|^(?:if|when|whenever|for|after|before|once|where|unless|until|as of|since)\s"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence that states something of one kind: `kind` is a unit, `date`, `time` or `permission`."""

    sentence: str
    text: str
    skeleton: str
    """What is left of it without the values: two clauses with the same one speak of the same thing."""
    kind: str
    value: Value
    sides: frozenset[Side]
    others: tuple[Value, ...]
    """The figures of other kinds in its sentence, each by kind, and those of its own kind before it."""
    terms: frozenset[str]
    sentence_terms: frozenset[str]


@lru_cache(maxsize=256)
def clauses_of(text: str) -> tuple[Clause, ...]:
    """The clauses that state something, in order; rows of tables and conditions are none."""
    return tuple(_read_clauses(without_markers(text)))


def _read_clauses(text: str) -> Iterator[Clause]:
    previous: frozenset[str] = frozenset()
    for start, end in split_sentences(text):
        sentence = text[start:end].strip()
        if sentence.startswith("|"):
            continue
        own = content_terms(fold(sentence))
        # A short sentence leaves its subject to the one before it.
        terms = own if len(own) >= TELLS_ALONE else own | previous
        previous = own
        kinds = _kinds(sentence)
        before: dict[str, Value] = {}
        for clause in filter(str.strip, _CLAUSE.split(sentence)):
            if not _CONDITION.search(fold(clause).casefold().strip()):
                yield from _valued(clause.strip(), sentence, terms, kinds, before)
            for kind, value in _kinds(clause).items():
                before[kind] = before.get(kind, ()) + value


def _valued(
    clause: str,
    sentence: str,
    sentence_terms: frozenset[str],
    kinds: Mapping[str, Value],
    before: Mapping[str, Value],
) -> Iterator[Clause]:
    folded = fold(clause).casefold()
    own = _kinds(clause)
    permission = False if _FORBIDS.search(folded) else True if _ALLOWS.search(folded) else None
    values = [(kind, value) for kind, value in own.items()]
    values += [("permission", (str(permission),))] if permission is not None else []
    if not values:
        return
    terms = content_terms(_FIGURE.sub(" ", with_digits(folded, claims=True)))
    if len(terms) < _TELLING and len(sentence_terms) < TELLS_ALONE:
        return
    for kind, value in values:
        skeleton = _skeleton(folded, permission=kind == "permission")
        others = (
            before.get(kind, ()),
            *sorted((name, *told) for name, told in kinds.items() if name != kind),
        )
        yield Clause(sentence, clause, skeleton, kind, value, sides(folded), others, terms, sentence_terms)


def _kinds(text: str) -> dict[str, Value]:
    """The figures of a text by kind: amounts by unit, days, times. Numbers of articles and pages are none."""
    read = figures(_NAMING.sub(" ", fold(text)), claims=True)
    found: dict[str, list[str]] = {}
    for quantity in read.quantities:
        if quantity.unit not in _REFERENCE:
            found.setdefault(_kind(quantity), []).append(quantity.literal or quantity.value)
    found |= {"date": [str(day) for day in read.dates], "time": list(read.times)}
    return {kind: tuple(values) for kind, values in found.items() if values}


def _kind(quantity: Quantity) -> str:
    unit = "" if quantity.unit in {None, "piece"} else quantity.unit
    return f"{unit}/{quantity.per}" if quantity.per else f"{unit}"


def _skeleton(folded: str, *, permission: bool) -> str:
    """What is left of a folded clause without its figures, function words, soft words and punctuation."""
    text = _NAMING.sub(lambda match: "".join(f"n{ord(sign):x}" for sign in match[0]), folded)
    text = with_digits(text, claims=True)
    text = _ALLOWS.sub(" ", _FORBIDS.sub(" ", text)) if permission else _FIGURE.sub("#", _MONTH.sub("#", text))
    text = _SOFT.sub(" ", text)
    words = re.findall(rf"[{CJK}]|[a-z][a-z0-9_'-]*|#|\d+", text)
    kept = [word for word in words if word not in FUNCTION_WORDS and word not in FUNCTION_CHARACTERS]
    return re.sub(r"#(?: #)+", "#", " ".join(kept))
