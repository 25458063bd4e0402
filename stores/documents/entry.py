"""IndexEntry: a chunk as the two indexes take it in."""

from dataclasses import dataclass
from typing import Self

from stores.documents.document import Chunk, Kind, Language
from stores.documents.filters import FIELDS


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexEntry:
    """What both indexes need of a chunk. Text and context become terms and vectors and are not kept."""

    chunk_id: str
    document_id: str
    owner: str
    collection: str
    text: str
    context: str = ""
    """Title, heading path, class signature or table header."""
    kind: Kind = "prose"
    language: Language = "en"

    @classmethod
    def of(cls, chunk: Chunk, *, owner: str, collection: str) -> Self:
        """The entry of a chunk that belongs to `owner` and stands in `collection`."""
        return cls(
            chunk_id=chunk.chunk_id,
            document_id=chunk.document_id,
            owner=owner,
            collection=collection,
            text=chunk.text,
            context=chunk.context,
            kind=chunk.kind,
            language=chunk.language,
        )

    @property
    def fields(self) -> dict[str, str]:
        """What searches filter by, by the names of `stores.documents.filters.FIELDS`."""
        return {name: getattr(self, name) for name in FIELDS}

    @property
    def embedded_text(self) -> str:
        """What is to be embedded for this chunk: its context, then its text."""
        return passage_text(self.context, self.text)


def passage_text(context: str, text: str) -> str:
    """Context and text as they are embedded and compared with a query."""
    return f"{context}\n{text}" if context else text
