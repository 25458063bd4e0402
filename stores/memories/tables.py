"""The tables of long-term memory. Content stands in `memories` and `memory_history` and nowhere else."""

from typing import Any

from sqlalchemy import Column, Float, ForeignKey, Index, Integer, LargeBinary, String, Table, Text, UniqueConstraint
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from stores.database import metadata

owners = Table(
    "memory_owners",
    metadata,
    Column("user_id", String(200), primary_key=True),
    Column("revision", Integer, nullable=False),
    Column("forgotten_at", String(40)),
)
"""One row a user: written first in every transaction, it makes writers of one user wait for each other."""

memories = Table(
    "memories",
    metadata,
    Column("memory_id", String(32), primary_key=True),
    Column("user_id", String(200), nullable=False),
    Column("type", String(12), nullable=False),
    Column("content", Text, nullable=False),
    Column("source", String(12), nullable=False),
    Column("thread_id", String(64)),
    Column("quote", Text),
    Column("created_at", String(40), nullable=False),
    Column("updated_at", String(40), nullable=False),
    Column("version", Integer, nullable=False),
    Column("fingerprint", String(64), nullable=False),
    Column("embedding_status", String(8), nullable=False),
    Column("embedding_model", String(200)),
    Column("embedding", LargeBinary),
    UniqueConstraint("user_id", "fingerprint", name="one_active_memory_per_fact"),
)
"""The active memories. `embedding` is a row of little-endian float32."""

history = Table(
    "memory_history",
    metadata,
    Column("memory_id", ForeignKey("memories.memory_id", ondelete="CASCADE"), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("user_id", String(200), nullable=False),
    Column("content", Text, nullable=False),
    Column("quote", Text),
    Column("source", String(12), nullable=False),
    Column("written_at", String(40), nullable=False),
    Column("replaced_at", String(40), nullable=False),
)
"""What a memory said before. It goes with the memory."""

audit = Table(
    "memory_audit",
    metadata,
    Column("audit_id", Integer, primary_key=True, autoincrement=True),
    Column("user_id", String(200), nullable=False),
    Column("at", String(40), nullable=False),
    Column("action", String(16), nullable=False),
    Column("reason", String(40)),
    Column("confidence", Float),
    Column("memory_id", String(32)),
    Column("job_id", String(64)),
    Column("position", Integer),
    UniqueConstraint("user_id", "job_id", "position", name="one_decision_per_operation"),
    Index("memory_audit_by_user", "user_id", "audit_id"),
)
"""Every decision, with ids and reasons, never a content."""

tombstones = Table(
    "memory_tombstones",
    metadata,
    Column("user_id", String(200), primary_key=True),
    Column("fingerprint", String(64), primary_key=True),
    Column("erased_at", String(40), nullable=False),
)
"""Hashes of what was forgotten, so that an old message does not teach it again."""


def insert_into(connection: AsyncConnection, table: Table) -> Any:
    """An INSERT that knows ON CONFLICT, in the connection's dialect."""
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)
