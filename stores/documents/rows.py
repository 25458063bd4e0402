"""Rows: documents with their stamps, and chunks, to the manifest's rows and back."""

from typing import Any

from sqlalchemy import Row

from stores.documents import tables
from stores.documents.document import Chunk, Document, Location
from stores.documents.walk import FileStamp


def document_of(row: Row[Any]) -> tuple[Document, FileStamp]:
    """A row of the documents, with its count of chunks, as a document and the stamp of its file."""
    fields = dict(row._mapping)  # noqa: SLF001 - SQLAlchemy's public name for a row as a mapping
    stamp = FileStamp(size=fields.pop("size"), mtime_ns=fields.pop("mtime_ns"))
    return Document(**fields), stamp


def document_row(document: Document, stamp: FileStamp) -> dict[str, object]:
    """The inverse of `document_of`."""
    names = (column.name for column in tables.documents.columns if column.name not in {"size", "mtime_ns"})
    return {name: getattr(document, name) for name in names} | {"size": stamp.size, "mtime_ns": stamp.mtime_ns}


def chunk_of(row: Row[Any]) -> Chunk:
    """A row of the chunks as a chunk."""
    return Chunk(
        chunk_id=row.chunk_id,
        document_id=row.document_id,
        position=row.position,
        text=row.text,
        start=row.start_offset,
        end=row.end_offset,
        kind=row.kind,
        language=row.language,
        location=Location.from_json(row.location),
        context=row.context,
    )


def chunk_row(chunk: Chunk) -> dict[str, object]:
    """The inverse of `chunk_of`."""
    return {
        "chunk_id": chunk.chunk_id,
        "document_id": chunk.document_id,
        "position": chunk.position,
        "text": chunk.text,
        "start_offset": chunk.start,
        "end_offset": chunk.end,
        "kind": chunk.kind,
        "language": chunk.language,
        "location": chunk.location.as_json(),
        "context": chunk.context,
    }
