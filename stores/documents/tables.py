"""The manifest's tables: documents, their current chunks, the journal, and what the index was built with."""

from typing import get_args

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from stores.database import metadata
from stores.documents.document import Kind, Language

STATES = ("ready", "failed")
ID_LENGTH = 24


def _one_of(column: str, allowed: tuple[str, ...]) -> CheckConstraint:
    names = ", ".join(f"'{name}'" for name in allowed)
    return CheckConstraint(f"{column} IN ({names})", name=f"{column}_is_known")


documents = Table(
    "documents",
    metadata,
    Column("document_id", String(ID_LENGTH), primary_key=True),
    Column("owner", String, nullable=False),
    Column("collection", String, nullable=False),
    Column("path", String, nullable=False),
    Column("title", Text, nullable=False),
    Column("media_type", String, nullable=False),
    Column("encoding", String),
    Column("pages", Integer),
    # The content that the current revision was made from, or that failed if there is none.
    Column("sha256", String(64), nullable=False),
    # The file when it was last looked at. Zero: it has to be read again to know whether it changed.
    Column("size", BigInteger, nullable=False),
    Column("mtime_ns", BigInteger, nullable=False),
    # How often the content was taken in; 0 if it never could be.
    Column("revision", Integer, nullable=False),
    Column("state", String, nullable=False),
    # Why the file as it is now cannot be taken in; a "ready" document with a reason shows its last good revision.
    Column("reason", Text),
    Column("updated_at", String, nullable=False),
    UniqueConstraint("owner", "collection", "path", name="one_document_per_file"),
    CheckConstraint("revision >= 0", name="revision_counts_from_0"),
    CheckConstraint("(state = 'failed') = (revision = 0)", name="failed_means_no_revision"),
    CheckConstraint("state = 'ready' OR reason IS NOT NULL", name="failed_says_why"),
    _one_of("state", STATES),
    Index("documents_by_content", "owner", "collection", "sha256"),
)

chunks = Table(
    "chunks",
    metadata,
    Column("chunk_id", String(64), primary_key=True),
    Column("document_id", ForeignKey("documents.document_id", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("start_offset", Integer, nullable=False),
    Column("end_offset", Integer, nullable=False),
    Column("kind", String, nullable=False),
    Column("language", String, nullable=False),
    Column("location", JSON, nullable=False),
    Column("context", Text, nullable=False),
    UniqueConstraint("document_id", "position", name="one_chunk_per_position"),
    CheckConstraint("position >= 0", name="position_counts_from_0"),
    CheckConstraint("start_offset >= 0 AND start_offset < end_offset", name="offsets_span_text"),
    _one_of("kind", get_args(Kind)),
    _one_of("language", get_args(Language)),
)

pending = Table("pending_chunks", metadata, Column("chunk_id", String(64), primary_key=True))

index_meta = Table(
    "index_meta",
    metadata,
    Column("key", String, primary_key=True),
    Column("value", String, nullable=False),
)
