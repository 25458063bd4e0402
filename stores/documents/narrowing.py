"""Narrowing: what a person narrows a search to, and the filter that it comes to at this moment.

Paths and dates are the manifest's, so they are looked up there right before each search: an index knows neither and
so cannot be behind. What comes out can only take away from what the reader may see.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, TypedDict, TypeVar, get_args

from stores.documents.document import Kind, Language
from stores.documents.filters import Filter
from stores.documents.globs import Glob
from stores.documents.rights import only
from stores.errors import InputRefusedError
from stores.names import collection_name, valid_text

MAX_GLOB = 1_000
"""Characters."""

_Choice = TypeVar("_Choice", bound=str)


class NarrowingRefusedError(InputRefusedError):
    """A kind, a language, a path pattern or a date that cannot be one."""


class Wishes(TypedDict, total=False):
    """What `narrowing` takes."""

    collection: str | None
    documents: Iterable[str] | None
    kinds: Iterable[str] | None
    languages: Iterable[str] | None
    paths: Iterable[str] | None
    since: str | None
    until: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """A checked wish; made by `narrowing`. What is empty narrows nothing; what is not has to be met altogether."""

    collection: str | None = None
    documents: tuple[str, ...] = ()
    """Ids, or beginnings that are one document's alone."""
    kinds: tuple[Kind, ...] = ()
    languages: tuple[Language, ...] = ()
    paths: tuple[str, ...] = ()
    """Patterns of `stores.documents.globs`; a path has to match one of them."""
    since: str | None = None
    """The first day (ISO, UTC) on which a document may have been taken in last."""
    until: str | None = None
    """The last such day."""

    @property
    def by_document(self) -> bool:
        """Whether the manifest has to be asked which documents are meant."""
        return bool(self.documents or self.paths or self.since or self.until)

    def filter(self, owners: Sequence[str], documents: frozenset[str] | None) -> Filter:
        """The filter for a reader of these owners' documents, and the documents that are meant, if it matters."""
        return Filter(
            owners=tuple(owners),
            collection=self.collection,
            documents=documents,
            kinds=frozenset(self.kinds) or None,
            languages=frozenset(self.languages) or None,
        )

    def as_json(self) -> dict[str, Any]:
        """What was asked for, and nothing else."""
        fields = {name: getattr(self, name) for name in Wishes.__annotations__}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items() if value}


EVERYTHING = Narrowing()
"""All that a reader may see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Of a document, what a search can be narrowed by."""

    document_id: str
    collection: str
    path: str
    updated_at: str
    """ISO 8601, UTC."""
    revision: int
    """0: it could never be read and has no passages."""


def narrowing(
    *,
    collection: str | None = None,
    documents: Iterable[str] | None = None,
    kinds: Iterable[str] | None = None,
    languages: Iterable[str] | None = None,
    paths: Iterable[str] | None = None,
    since: str | None = None,
    until: str | None = None,
) -> Narrowing:
    """A narrowing, if every part of it can be meant. An empty date is none.

    Raises:
        InputRefusedError: one of them cannot; the message names it and says what is allowed.
    """
    first, last = since and day(since), until and day(until)
    if first and last and first > last:
        raise NarrowingRefusedError(f"The days from {first} to {last} are none. Give the earlier day to `since`.")
    return Narrowing(
        collection=collection_name(collection),
        documents=tuple(dict.fromkeys(_id(one) for one in documents or ())),
        kinds=tuple(dict.fromkeys(_choice(one, get_args(Kind), "kind") for one in kinds or ())),
        languages=tuple(dict.fromkeys(_choice(one, get_args(Language), "language") for one in languages or ())),
        paths=tuple(dict.fromkeys(map(glob, paths or ()))),
        since=first or None,
        until=last or None,
    )


def matching(wish: Narrowing, standings: Iterable[Standing]) -> frozenset[str]:
    """The ids of the documents that are meant, among all that the reader may see.

    Raises:
        UnknownDocumentError: an id, or the beginning of one, is no document's or several documents'.
    """
    known = {one.document_id: one for one in standings}
    meant = [known[id_] for id_ in _named(wish.documents, known)] if wish.documents else known.values()
    globs = [Glob(pattern) for pattern in wish.paths]
    return frozenset(
        one.document_id
        for one in meant
        if one.revision
        and wish.collection in {None, one.collection}
        and (wish.since or "") <= one.updated_at[:10] <= (wish.until or "9999-12-31")
        and (not globs or any(one_of.matches(one.path) for one_of in globs))
    )


def day(value: str) -> str:
    """An ISO date as `YYYY-MM-DD`.

    Raises:
        NarrowingRefusedError: it is none.
    """
    try:
        return date.fromisoformat(value.strip()).isoformat()
    except ValueError as error:
        raise NarrowingRefusedError(f"{value!r} is no date. Write it as YYYY-MM-DD, such as 2024-05-31.") from error


def glob(value: str) -> str:
    """A pattern for paths.

    Raises:
        NarrowingRefusedError: it is empty or endless.
    """
    if not value.strip():
        raise NarrowingRefusedError("A path pattern is empty. Write one such as `docs/**/*.md` or `*.java`.")
    if len(value) > MAX_GLOB:
        raise NarrowingRefusedError(f"A path pattern has {len(value)} characters. {MAX_GLOB} are the most.")
    return valid_text(value, "path pattern")


def _id(value: str) -> str:
    if not value.strip():
        raise NarrowingRefusedError("A document's id is empty. `recite documents list` shows the ids.")
    return valid_text(value.strip().lower(), "document id")


def _choice(value: str, allowed: tuple[_Choice, ...], what: str) -> _Choice:
    for one in allowed:
        if one == value:
            return one
    raise NarrowingRefusedError(f"{value!r} is no {what}. Allowed are {', '.join(allowed)}.")


def _named(wanted: Sequence[str], known: Mapping[str, Standing]) -> set[str]:
    return {id_ if id_ in known else only(id_, [one for one in known if one.startswith(id_)]) for id_ in wanted}
