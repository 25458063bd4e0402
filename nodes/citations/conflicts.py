"""Where two documents give different values for the same thing. Better none found than one too many.

Two clauses speak of the same thing if they are word for word the same once figures, function words and words like
"may" are taken out, and the figures of other kinds in their sentences agree. The documents must share what the question
names, and their titles may differ in date and version only, unless the sentence names its subject itself.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from nodes.citations.dated import Age, age_of, bare_name
from nodes.citations.markers import without_markers
from nodes.citations.numbers import Quantity, figures
from nodes.citations.numerals import with_digits
from nodes.citations.polarity import Side, sides
from nodes.citations.words import FUNCTION_CHARACTERS, FUNCTION_WORDS, content_terms, coverage
from stores.documents.sentences import split_sentences
from stores.documents.terms import CJK, fold

Value = tuple[str, ...]
"""What a clause states of one kind, in order: amounts, days, or whether something is allowed."""

MOST = 2
"""So many disagreements are told."""
_PASSAGES = 24
_TELLING = 2
_NAMED = 6
"""A sentence of so many content words tells by itself what it is about."""
_SHARED = 0.8
"""So much of what the question and the stating passage share must the other passage hold too."""
_STATED = 0.5
_SAME_SENTENCE, _LIKE_SENTENCE = 0.9, 0.4
"""So many content words two sentences share that stand under different titles, or under the same."""
_ROUNDING = 0.03
_CLAUSE = re.compile(r"(?<!\d)[,，]|[,，](?!\d{3}|\s?(?:19|20)\d\d(?!\d))|[;；。！？!?\n]|(?<!\d)[:：]|[:：](?!\d)")
_FIGURE = re.compile(
    r"(?<![a-z0-9])\d[\d,.:/-]*(?:\s?(?:万亿|千亿|百亿|千万|百万|十万|亿|万|千|百|hundred|thousand|million|billion)(?![克米瓦]))*"
)
_NAMING = re.compile(r"(?<![\d月.])[\d零〇一二三四五六七八九十]+ ?号(?!召|称|码)|第 ?[\d零〇一二三四五六七八九十百]+")
"""A number that names something, as that of a metro line or of the first time; the day of a month is none."""
_NAME = re.compile(rf"[{CJK}]|[a-z][a-z_'-]*")
_MONTH = re.compile(
    r"(?<![a-z])(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)[a-z]{0,6}\.?(?= ?#| ?\d)|(?<![a-z])may(?= \d)"
    r"|(?<=\d )(?:january|february|march|april|may|june|july|august|september|october|november|december)(?![a-z])"
)
_REFERENCE = frozenset({"article", "chapter", "section", "page", "tier", "level", "session", "phase", "floor"})
_ABOUT = re.compile(
    r"约|大概|左右|将近|近(?=\d)|余|多(?=[个人名元])|about|approximately|nearly|around|almost|roughly|some(?= \d)"
)
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
_ASKS_WHEN = re.compile(
    r"什么时候|何时|哪[一]?年|哪[一]?天|几月|几号|几点|多久|日期|时间|年份"
    r"|(?<![a-z])(?:when|what (?:date|day|year|time)|which (?:year|day|date))(?![a-z])",
    re.IGNORECASE,
)
_OF_THE_DOCUMENT = re.compile(
    r"发布|公布|施行|生效|修订|修正|更新|通过|本(?:制度|办法|规定|规则|条例|法|手册|文件|协议|通知)"
    r"|(?<![a-z])(?:published|updated|revised|effective|modified"
    r"|this (?:document|policy|handbook|guide|agreement))(?![a-z])",
    re.IGNORECASE,
)
"""A day that a document tells of itself differs from version to version, and is no disagreement."""
_CONDITION = re.compile(
    r"(?:的|(?<![小超定及随按])时|后|前|者|情况下|期间|以上|以下)$|^(?:如果?|若|当|凡|对|每逢|自|从|截至)"
    r"|^(?:if|when|whenever|for|after|before|once|where|unless|until|as of|since)\s"
)


@dataclass(frozen=True, slots=True)
class Source:
    """A passage of the turn's evidence, by its internal number."""

    number: int
    document_id: str
    title: str
    path: str
    text: str
    context: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """What one source says: the sentence as it stands there, and how old the source says it is."""

    number: int
    sentence: str
    clause: str
    age: Age


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two sources that give different values for the same thing; the answer rests on `one`."""

    one: Told
    other: Told


@dataclass(frozen=True, slots=True)
class _Clause:
    sentence: str
    text: str
    skeleton: str
    kind: str
    value: Value
    sides: frozenset[Side]
    others: tuple[Value, ...]
    """The figures of other kinds in its sentence, each by kind, and those of its own kind before it."""
    terms: frozenset[str]
    sentence_terms: frozenset[str]


def conflicts(
    stated: Sequence[tuple[str, Sequence[int]]], sources: Mapping[int, Source], question: str
) -> list[Conflict]:
    """Disagreements on what the answer states: `stated` are its sentences with the sources that each cites."""
    known = {number: _clauses(source.text) for number, source in list(sources.items())[:_PASSAGES]}
    found: list[Conflict] = []
    for sentence, cited in stated:
        for clause, number in _rests_on(sentence, [n for n in cited if n in known], known, question):
            rivals = [n for n in known if n not in cited and sources[n].document_id != sources[number].document_id]
            for rival in rivals:
                other = _rival(clause, known[number], known[rival])
                if other is None or not _same_subject(clause, other, sources[number], sources[rival], question):
                    continue
                if _is_told(other, rival, stated):
                    continue
                found.append(Conflict(_told(clause, sources[number]), _told(other, sources[rival])))
                break
    unique = {(one.one.clause, one.other.clause): one for one in found}
    return list({one.one.clause: one for one in reversed(unique.values())}.values())[::-1][:MOST]


def _rests_on(
    sentence: str, cited: Sequence[int], known: Mapping[int, Sequence[_Clause]], question: str
) -> Iterator[tuple[_Clause, int]]:
    """The clauses of the cited passages whose figure, day or permission the sentence states."""
    terms = content_terms(fold(sentence))
    told = {(clause.kind, value) for clause in _clauses(sentence) for value in clause.value}
    when = bool(_ASKS_WHEN.search(question))
    for number in cited:
        for clause in known[number]:
            if clause.kind in {"date", "time"} and not (when and not _OF_THE_DOCUMENT.search(clause.text)):
                continue
            if any((clause.kind, value) in told for value in clause.value) and coverage(clause.terms, terms) >= _STATED:
                yield clause, number


def _rival(clause: _Clause, own: Sequence[_Clause], others: Sequence[_Clause]) -> _Clause | None:
    """The clause of another passage that says the same of another value, `None` if that passage has this value too."""
    alike = [one for one in others if _comparable(clause, one)]
    alike = [one for one in alike if _likeness(clause, one) >= _SAME_SENTENCE] or alike
    kindred = [one for one in own if one.skeleton == clause.skeleton and one.kind == clause.kind]
    kindred = [one for one in kindred if _likeness(clause, one) >= _SAME_SENTENCE] or kindred
    mine = {one.value for one in kindred}
    if not alike or any(one.value in mine for one in alike) or len({one.value for one in alike}) > 1:
        return None
    return None if _rounded(clause, alike[0]) else alike[0]


def _likeness(one: _Clause, other: _Clause) -> float:
    """Which share of their sentences' content words the two have in common, seen from the one that has less."""
    mine, theirs = one.sentence_terms, other.sentence_terms
    return min(coverage(mine, theirs), coverage(theirs, mine))


def _comparable(one: _Clause, other: _Clause) -> bool:
    return (
        one.skeleton == other.skeleton
        and one.kind == other.kind
        and len(one.value) == len(other.value)
        and one.sides == other.sides
        and (one.others == other.others)
    )


def _rounded(one: _Clause, other: _Clause) -> bool:
    """Do the two differ by no more than rounding?"""
    pairs = [(a, b) for a, b in zip(one.value, other.value, strict=True) if a != b]
    if one.kind in {"date", "time", "permission"}:
        return one.kind == "date" and all(a.startswith(b) or b.startswith(a) for a, b in pairs)
    about = bool(_ABOUT.search(one.text) or _ABOUT.search(other.text))
    return all(_near(a, b, 0.2 if about else _ROUNDING) for a, b in pairs) and (
        about or any("." in v for p in pairs for v in p)
    )


def _near(one: str, other: str, share: float) -> bool:
    try:
        a, b = float(one), float(other)
    except ValueError:
        return False
    return abs(a - b) <= share * max(abs(a), abs(b))


def _same_subject(clause: _Clause, rival: _Clause, one: Source, other: Source, question: str) -> bool:
    """Do the two speak of the same thing? Under the same title and headings, or in sentences that leave no doubt."""
    mine, theirs = (content_terms(fold(f"{s.title}\n{s.context}\n{s.text}")) for s in (one, other))
    asked = content_terms(fold(question)) & mine
    if coverage(asked, theirs) < _SHARED:
        return False
    if _siblings(one.title, other.title) or _asks_about(question, one.title, other.title):
        return False
    names = [content_terms(bare_name(f"{source.title}\n{source.context}")) for source in (one, other)]
    apart = bool(names[0] - names[1] and names[1] - names[0]) or not (names[0] or names[1])
    if apart:
        return len(clause.sentence_terms) >= _NAMED and _likeness(clause, rival) >= _SAME_SENTENCE
    return _likeness(clause, rival) >= _LIKE_SENTENCE


def _asks_about(question: str, title: str, other: str) -> bool:
    """Does the question name what this title names, and the other title something else or more?"""
    named, theirs = (content_terms(bare_name(one)) for one in (title, other))
    asked = content_terms(fold(question))
    return bool(theirs - named - asked) and bool(asked & (named - theirs) or (named and named <= asked))


def _siblings(one: str, other: str) -> bool:
    """Are these two of a kind, like the handbooks of two companies? What differs is more than date and version."""
    mine, theirs = (frozenset(_NAME.findall(bare_name(title))) for title in (one, other))
    shared = mine & theirs
    return bool(mine - theirs and theirs - mine) and 2 * len(shared) >= min(len(mine), len(theirs))


def _is_told(other: _Clause, number: int, stated: Sequence[tuple[str, Sequence[int]]]) -> bool:
    """Does the answer itself tell the other value, citing where it stands?"""
    return any(
        number in cited
        and any(one.kind == other.kind and set(one.value) & set(other.value) for one in _clauses(sentence))
        for sentence, cited in stated
    )


def _told(clause: _Clause, source: Source) -> Told:
    return Told(source.number, clause.sentence, clause.text, age_of(source.path, source.title, [source.text]))


@lru_cache(maxsize=256)
def _clauses(text: str) -> tuple[_Clause, ...]:
    return tuple(_read_clauses(without_markers(text)))


def _read_clauses(text: str) -> Iterator[_Clause]:
    previous: frozenset[str] = frozenset()
    for start, end in split_sentences(text):
        sentence = text[start:end].strip()
        if sentence.startswith("|"):
            continue
        own = content_terms(fold(sentence))
        # A short sentence leaves its subject to the one before it.
        terms = own if len(own) >= _NAMED else own | previous
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
) -> Iterator[_Clause]:
    folded = fold(clause).casefold()
    own = _kinds(clause)
    permission = False if _FORBIDS.search(folded) else True if _ALLOWS.search(folded) else None
    values = [(kind, value) for kind, value in own.items()]
    values += [("permission", (str(permission),))] if permission is not None else []
    if not values:
        return
    terms = content_terms(_FIGURE.sub(" ", with_digits(folded, claims=True)))
    if len(terms) < _TELLING and len(sentence_terms) < _NAMED:
        return
    for kind, value in values:
        skeleton = _skeleton(folded, permission=kind == "permission")
        others = (
            before.get(kind, ()),
            *sorted((name, *told) for name, told in kinds.items() if name != kind),
        )
        yield _Clause(sentence, clause, skeleton, kind, value, sides(folded), others, terms, sentence_terms)


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
