"""Selection: in which order the hits above the threshold are shown; none is ever left out."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from stores.documents.coverage import passage_terms
from stores.documents.document import Chunk, Hit, Occurrence
from stores.documents.entry import passage_text
from stores.documents.sameness import duplicates
from stores.documents.terms import query_terms

VARIETY = 0.05
"""How much score a passage may lose to one that brings something new."""
LEAP = 3
"""So many places it may win by that: the order may come from a reranker, whose reasons the score does not know."""
COPY_WORTH = 0.5
"""The part of its score that counts of a copy: behind everything relevant, before what is nothing to the question."""


def selected(hits: Sequence[Hit], query: str) -> list[Hit]:
    """The hits, best first, as they are to be shown: the same hits, the first one first.

    A copy of a passage goes behind all passages of at least half its score, so it fills a place only where there is
    nothing else to fill it with; the best of the same stays and names the others in `also_in`. Among the passages a
    little variety is preferred.
    """
    passages, copies = _parted(hits)
    return _with_copies(varied(passages, query), copies)


def collapsed(hits: Sequence[Hit]) -> list[Hit]:
    """`selected` without the preference for variety: the passages keep their order."""
    return _with_copies(*_parted(hits))


def varied(hits: Sequence[Hit], query: str) -> list[Hit]:
    """The hits in their order, in which one that brings nothing new lets pass what is at most `VARIETY` worse and does.

    Nothing new: it stands in the same section as a passage before it, and the passages of that section before it
    match every term of the query that it matches.
    """
    if len(hits) < 2:  # noqa: PLR2004 - nothing to vary
        return list(hits)
    first, *rest = hits
    asked = frozenset(query_terms(query))
    shown = _Shown(asked)
    shown.add(first)
    ordered = [first]
    remaining = list(rest)
    while remaining:
        at = _next(remaining, shown)
        ordered.append(remaining.pop(at))
        shown.add(ordered[-1])
    return ordered


@dataclass(slots=True)
class _Shown:
    """What the passages before have shown, by section: the terms of the query that they match."""

    asked: frozenset[str]
    matched: dict[object, frozenset[str]] = field(default_factory=dict)

    def add(self, hit: Hit) -> None:
        place = _section(hit.chunk)
        self.matched[place] = self.matched.get(place, frozenset()) | self._terms(hit.chunk)

    def repeats(self, hit: Hit) -> bool:
        known = self.matched.get(_section(hit.chunk))
        return known is not None and self._terms(hit.chunk) <= known

    def _terms(self, chunk: Chunk) -> frozenset[str]:
        return self.asked & passage_terms(passage_text(chunk.context, chunk.text))


def _next(remaining: Sequence[Hit], shown: _Shown) -> int:
    """Which of the remaining hits follows: the first one, or one that is hardly worse and brings something new."""
    first = remaining[0]
    if not shown.repeats(first):
        return 0
    near = (
        at
        for at, hit in enumerate(remaining[: LEAP + 1])
        if hit.score >= first.score - VARIETY and not shown.repeats(hit)
    )
    return next(near, 0)


def _section(chunk: Chunk) -> tuple[object, ...]:
    place = chunk.location
    return chunk.document_id, place.page, place.slide, place.heading, place.symbol


def _parted(hits: Sequence[Hit]) -> tuple[list[Hit], list[Hit]]:
    """The passages, each with where else it stands, and the copies of them, both in their order.

    A hit is a copy if a passage before it says the same. One that says the same as several passages, which may differ
    in their first and last words, is told with each of them.
    """
    same: dict[int, list[int]] = defaultdict(list)
    for one, other in duplicates([hit.chunk for hit in hits]):
        same[one].append(other)
        same[other].append(one)
    copies: set[int] = set()
    for at in range(len(hits)):
        if any(other < at and other not in copies for other in same.get(at, ())):
            copies.add(at)
    passages = [
        _with_places(hit, [hits[other] for other in same.get(at, ()) if other in copies])
        for at, hit in enumerate(hits)
        if at not in copies
    ]
    return passages, [hits[at] for at in sorted(copies)]


def _with_copies(passages: Sequence[Hit], copies: Sequence[Hit]) -> list[Hit]:
    """Each copy behind the last passage that is worth more, or that it is a copy of."""
    behind: dict[int, list[Hit]] = defaultdict(list)
    for copy in copies:
        worth = COPY_WORTH * copy.score
        behind[max(at for at, one in enumerate(passages) if one.score >= worth or _names(one, copy))].append(copy)
    return [hit for at, one in enumerate(passages) for hit in (one, *behind.get(at, ()))]


def _names(passage: Hit, copy: Hit) -> bool:
    return any(one.chunk_id == copy.chunk.chunk_id for one in passage.also_in)


def _with_places(hit: Hit, others: Sequence[Hit]) -> Hit:
    """The hit with these in `also_in` too, each once."""
    known = {one.chunk_id for one in hit.also_in} | {hit.chunk.chunk_id}
    new = [_occurrence(other) for other in others if other.chunk.chunk_id not in known]
    return replace(hit, also_in=(*hit.also_in, *new)) if new else hit


def _occurrence(hit: Hit) -> Occurrence:
    return Occurrence(
        chunk_id=hit.chunk.chunk_id,
        document_id=hit.chunk.document_id,
        title=hit.title,
        path=hit.path,
        location=hit.chunk.location,
    )
