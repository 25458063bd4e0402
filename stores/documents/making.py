"""Making: from a parsed file to the row and the chunks of its document."""

import mimetypes
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from stores.documents.chunking import chunk_document
from stores.documents.document import Chunk, Document, ParsedDocument
from stores.documents.look import Look
from stores.documents.manifest import Entry
from stores.errors import StoreError

NO_TEXT = "The file holds no text."

TokenSpans = Callable[[str], list[tuple[int, int]]]
"""Where each token of the embedder stands in a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunking:
    """How documents are cut: tokens per chunk, overlap and window in tokens of the embedder."""

    token_spans: TokenSpans
    size: int
    overlap: int
    window: int

    def chunks(self, parsed: ParsedDocument, document_id: str, owner: str) -> list[Chunk]:
        """The document's chunks in order."""
        return chunk_document(
            parsed,
            document_id=document_id,
            owner=owner,
            token_spans=self.token_spans,
            size=self.size,
            overlap=self.overlap,
            window=self.window,
        )

    def chunks_or_reason(self, parsed: ParsedDocument | str, document_id: str, owner: str) -> list[Chunk] | str:
        """The chunks of what was read, or why there are none."""
        if isinstance(parsed, str):
            return parsed
        try:
            return self.chunks(parsed, document_id, owner) or NO_TEXT
        except StoreError:
            raise
        except Exception as error:
            # A tokenizer of other people meets text of other people; one file must not end an ingest of thousands.
            return f"The file cannot be cut into chunks ({type(error).__name__}: {error})."


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Which document is meant: its id, whose it is, where."""

    document_id: str
    owner: str
    collection: str
    path: str


def ready(place: Place, parsed: ParsedDocument, look: Look, *, revision: int, now: str) -> Entry:
    """The row of a document that was read."""
    document = Document(
        document_id=place.document_id,
        owner=place.owner,
        collection=place.collection,
        path=place.path,
        title=parsed.title,
        media_type=parsed.media_type,
        encoding=parsed.encoding,
        pages=parsed.pages,
        chunks=0,
        sha256=look.sha256,
        revision=revision,
        state="ready",
        reason=None,
        updated_at=now,
    )
    return Entry(document=document, stamp=look.lasting)


def failed(place: Place, look: Look, reason: str, *, now: str) -> Entry:
    """The row of a file that never became a document."""
    document = Document(
        document_id=place.document_id,
        owner=place.owner,
        collection=place.collection,
        path=place.path,
        title=Path(place.path).name,
        media_type=mimetypes.guess_type(place.path)[0] or "application/octet-stream",
        encoding=None,
        pages=None,
        chunks=0,
        sha256=look.sha256,
        revision=0,
        state="failed",
        reason=reason,
        updated_at=now,
    )
    return Entry(document=document, stamp=look.lasting)
