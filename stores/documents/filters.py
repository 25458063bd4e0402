"""Filter: which chunks a search may give, in what the indexes know of each of them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from stores.documents.document import Kind, Language

FIELDS = ("owner", "collection", "document_id", "kind", "language")
"""What every index keeps of a chunk to filter by: the names of fields of `IndexEntry`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Of one of these owners, and whatever else is asked for. `None` asks for nothing; an empty set lets nothing
    through.

    `owners` are the reader's rights: everything else can only take away from them.
    """

    owners: tuple[str, ...]
    collection: str | None = None
    documents: frozenset[str] | None = None
    """Whole document ids."""
    kinds: frozenset[Kind] | None = None
    languages: frozenset[Language] | None = None

    @property
    def conditions(self) -> dict[str, Collection[str]]:
        """The allowed values of each of `FIELDS` that is asked about; all have to be met."""
        asked: dict[str, Collection[str] | None] = {
            "owner": self.owners,
            "collection": None if self.collection is None else (self.collection,),
            "document_id": self.documents,
            "kind": self.kinds,
            "language": self.languages,
        }
        return {field: allowed for field, allowed in asked.items() if allowed is not None}

    @property
    def lets_nothing(self) -> bool:
        """No chunk can pass, so no index need be asked."""
        return not all(self.conditions.values())

    @property
    def is_narrow(self) -> bool:
        """More is asked for than owners and a collection."""
        return not (self.documents is None and self.kinds is None and self.languages is None)

    def passes(self, chunk: Mapping[str, str]) -> bool:
        """Whether a chunk with these values of `FIELDS` may be given."""
        return all(chunk[field] in allowed for field, allowed in self.conditions.items())
