"""Where two documents give different values for the same thing. Better none found than one too many.

Two clauses speak of the same thing if they are word for word the same once figures, function words and words like
"may" are taken out, and the figures of other kinds in their sentences agree. The documents must share what the question
names, and their titles may differ in date and version only, unless the sentence names its subject itself.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from nodes.citations.dated import Age, age_of, bare_name
from nodes.citations.stated import TELLS_ALONE, Clause, clauses_of
from nodes.citations.words import content_terms, coverage
from stores.documents.terms import CJK, fold

MOST = 2
"""So many disagreements are told."""
_PASSAGES = 24
_SHARED = 0.8
"""So much of what the question and the stating passage share must the other passage hold too."""
_STATED = 0.5
_SAME_SENTENCE, _LIKE_SENTENCE = 0.9, 0.4
"""So many content words two sentences share that stand under different titles, or under the same."""
_ROUNDING = 0.03
_NAME = re.compile(rf"[{CJK}]|[a-z][a-z_'-]*")
_ABOUT = re.compile(
    r"约|大概|左右|将近|近(?=\d)|余|多(?=[个人名元])|about|approximately|nearly|around|almost|roughly|some(?= \d)"
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


def conflicts(
    stated: Sequence[tuple[str, Sequence[int]]], sources: Mapping[int, Source], question: str
) -> list[Conflict]:
    """Disagreements on what the answer states: `stated` are its sentences with the sources that each cites."""
    known = {number: clauses_of(source.text) for number, source in list(sources.items())[:_PASSAGES]}
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
    sentence: str, cited: Sequence[int], known: Mapping[int, Sequence[Clause]], question: str
) -> Iterator[tuple[Clause, int]]:
    """The clauses of the cited passages whose figure, day or permission the sentence states."""
    terms = content_terms(fold(sentence))
    told = {(clause.kind, value) for clause in clauses_of(sentence) for value in clause.value}
    when = bool(_ASKS_WHEN.search(question))
    for number in cited:
        for clause in known[number]:
            if clause.kind in {"date", "time"} and not (when and not _OF_THE_DOCUMENT.search(clause.text)):
                continue
            if any((clause.kind, value) in told for value in clause.value) and coverage(clause.terms, terms) >= _STATED:
                yield clause, number


def _rival(clause: Clause, own: Sequence[Clause], others: Sequence[Clause]) -> Clause | None:
    """The clause of another passage that says the same of another value, `None` if that passage has this value too."""
    alike = [one for one in others if _comparable(clause, one)]
    alike = [one for one in alike if _likeness(clause, one) >= _SAME_SENTENCE] or alike
    kindred = [one for one in own if one.skeleton == clause.skeleton and one.kind == clause.kind]
    kindred = [one for one in kindred if _likeness(clause, one) >= _SAME_SENTENCE] or kindred
    mine = {one.value for one in kindred}
    if not alike or any(one.value in mine for one in alike) or len({one.value for one in alike}) > 1:
        return None
    return None if _rounded(clause, alike[0]) else alike[0]


def _likeness(one: Clause, other: Clause) -> float:
    """Which share of their sentences' content words the two have in common, seen from the one that has less."""
    mine, theirs = one.sentence_terms, other.sentence_terms
    return min(coverage(mine, theirs), coverage(theirs, mine))


def _comparable(one: Clause, other: Clause) -> bool:
    return (
        one.skeleton == other.skeleton
        and one.kind == other.kind
        and len(one.value) == len(other.value)
        and one.sides == other.sides
        and (one.others == other.others)
    )


def _rounded(one: Clause, other: Clause) -> bool:
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


def _same_subject(clause: Clause, rival: Clause, one: Source, other: Source, question: str) -> bool:
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
        return len(clause.sentence_terms) >= TELLS_ALONE and _likeness(clause, rival) >= _SAME_SENTENCE
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


def _is_told(other: Clause, number: int, stated: Sequence[tuple[str, Sequence[int]]]) -> bool:
    """Does the answer itself tell the other value, citing where it stands?"""
    return any(
        number in cited
        and any(one.kind == other.kind and set(one.value) & set(other.value) for one in clauses_of(sentence))
        for sentence, cited in stated
    )


def _told(clause: Clause, source: Source) -> Told:
    return Told(source.number, clause.sentence, clause.text, age_of(source.path, source.title, [source.text]))
