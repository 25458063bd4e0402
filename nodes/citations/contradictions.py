"""Whether a sentence says the opposite of the material: negations, permissions, bounds and orders turned round."""

from collections.abc import Sequence

from nodes.citations import identifiers as ids
from nodes.citations.material import Clause, Material, crosses_languages
from nodes.citations.polarity import Side, negations, opposed, permissions
from nodes.citations.reasons import Failure
from nodes.citations.words import coverage

_COMPARABLE = 0.5
"""From this coverage on, a clause of the material says the same thing or its opposite."""
_ALIKE = 0.9
"""Clauses this close to the best one say as much about the sentence as the best."""
_MUTUAL = 0.4
"""So much of the material's clause the sentence must tell before the clause's negation counts against it."""
_CLAUSES = 40
"""A sentence of more clauses is no sentence; the rest is judged by its words and figures alone."""
_TELLING = 2
"""A clause of fewer words says too little to be compared."""


def contradiction(claim: Material, given: Sequence[Material]) -> Failure | None:
    """Where the sentence denies what the material says, says what it denies, or turns a bound or an order round."""
    if crosses_languages(claim, given):
        return _polarity_bymissing_fact(claim, given)
    return (
        _permission(claim, given)
        or next(filter(None, (_turned(clause, given) for clause in claim.clauses[:_CLAUSES])), None)
        or _turned_at_a_figure(claim, given)
    )


def _turned(clause: Clause, given: Sequence[Material]) -> Failure | None:
    """Is this clause the opposite of what the clause closest to it says?"""
    if len(clause.terms) < _TELLING and not (clause.negated or clause.sides):
        return None
    scored = [
        (coverage(clause.terms, other.terms), one, other) for one in given for other in one.clauses if other.terms
    ]
    if not scored:
        return None
    best = max(score for score, _, _ in scored)
    if best < _COMPARABLE or (best == _COMPARABLE and len(clause.terms) <= _TELLING):
        # In other words: what is said can be compared no more than by whether the passages deny anything.
        denied = any(other.negated or other.sides for one in given for other in one.clauses)
        return None if denied or not clause.negated else ("negation", clause.text.strip())
    nearest = [other for score, _, other in scored if score >= best * _ALIKE]
    if any(_agree(clause, other) for other in nearest):
        return None
    if _denies_twice_too(clause, nearest, given):
        return None
    if clause.negated and best < _ALIKE and _denied_beside(nearest, given):
        return None
    closest = max(nearest, key=lambda other: coverage(other.terms, clause.terms))
    if not clause.negated and min(best, coverage(closest.terms, clause.terms)) < _MUTUAL:
        return None
    return "opposite" if opposed(clause.sides, closest.sides) else "negation", clause.text.strip()


def _denies_twice_too(clause: Clause, nearest: Sequence[Clause], given: Sequence[Material]) -> bool:
    """Are two negations of one clause told in two clauses there? 没有获批的不报销: 没有获批的，不予报销."""
    told = negations(clause.text.casefold())
    return told > 1 and any(
        told == sum(negations(other.text.casefold()) for other in one.clauses if other.sentence == near.sentence)
        for one in given
        for near in nearest
        if near in one.clauses
    )


def _denied_beside(nearest: Sequence[Clause], given: Sequence[Material]) -> bool:
    """Is a clause denied in the same sentence as one of these? In other words the two may be one."""
    return any(
        other.negated
        for one in given
        for other in one.clauses
        if any(other.sentence == clause.sentence for clause in nearest if clause in one.clauses)
    )


def _turned_at_a_figure(claim: Material, given: Sequence[Material]) -> Failure | None:
    """Is a bound or an order turned round at a figure? The figure finds its clause where the words do not."""
    for clause in claim.clauses[:_CLAUSES]:
        if not clause.figures.quantities or not clause.sides:
            continue
        located = [
            _bounds(other, one)
            for one in given
            for other in one.clauses
            if any(
                mine.stated_by(theirs, one.units)
                for mine in clause.figures.quantities
                for theirs in other.figures.quantities
            )
        ]
        if located and all(opposed(clause.sides, sides) for sides in located) and not clause.negated:
            return "opposite", clause.text.strip()
    return None


def _bounds(clause: Clause, material: Material) -> frozenset[Side]:
    """A clause's own sides, or those of its sentence if it has none: 最高限额为一线城市 650 元，二线城市 480 元."""
    if clause.sides or clause.negated:
        return clause.sides
    return frozenset(side for one in material.clauses if one.sentence == clause.sentence for side in one.sides)


def _permission(claim: Material, given: Sequence[Material]) -> Failure | None:
    """Does the sentence allow what the material forbids, or the reverse?"""
    told = [permissions(one.folded) for one in given]
    for what, verdicts in permissions(claim.folded).items():
        others = frozenset(verdict for one in told for verdict in one.get(what, ()))
        if others and not verdicts & others:
            return "negation", what
    return None


def _agree(clause: Clause, other: Clause) -> bool:
    """Same polarity; a negation and an opposite together cancel ("not allowed" and "forbidden")."""
    return (clause.negated != other.negated) == opposed(clause.sides, other.sides)


def _polarity_bymissing_fact(claim: Material, given: Sequence[Material]) -> Failure | None:
    """Between languages: compare with the sentences that hold the same figures or identifiers."""
    negated = [clause for clause in claim.clauses if clause.negated]
    everywhere = [clause for one in given for clause in one.clauses]
    if negated and not any(clause.negated for clause in everywhere):
        return "negation", negated[0].text.strip()
    for clause in claim.clauses:
        located = [other for other in everywhere if _shares_fact(clause, other)]
        if located and not any(_agree(clause, other) or clause.negated for other in located):
            return "negation", clause.text.strip()
    return None


def _shares_fact(clause: Clause, other: Clause) -> bool:
    values = {quantity.value for quantity in clause.figures.quantities}
    if values & {quantity.value for quantity in other.figures.quantities}:
        return True
    return any(ids.holds_identifier(other.text, wanted) for wanted in ids.identifiers(clause.text))
