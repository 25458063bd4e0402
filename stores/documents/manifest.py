"""Manifest: the truth about documents and their current chunks; the indexes only follow it.

A chunk row exists exactly while its chunk belongs to the current revision of its document, so whatever an index
returns beyond the manifest is stale and is dropped. The journal (`pending`) holds the ids whose index entries may
differ from the manifest because a change has begun and not ended.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

from sqlalchemy import ColumnElement, Row, Select, bindparam, delete, func, insert, or_, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from stores.documents import tables
from stores.documents.document import Chunk, Document
from stores.documents.narrowing import Standing
from stores.documents.rows import chunk_of, chunk_row, document_of, document_row
from stores.documents.walk import FileStamp

BATCH = 500
"""Ids per statement; databases limit the parameters of one."""
PREFIXES = 100
"""Beginnings of ids per statement; SQLite limits the depth of an expression."""
UNKNOWN_STAMP = FileStamp(size=0, mtime_ns=0)
"""The stamp of a file whose next look has to read it."""

_docs, _chunks, _pending, _meta = tables.documents, tables.chunks, tables.pending, tables.index_meta


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A document with the stamp of its file when it was last looked at."""

    document: Document
    stamp: FileStamp

    @classmethod
    def of(cls, row: Row[Any]) -> Self:
        """A row with its count of chunks."""
        document, stamp = document_of(row)
        return cls(document=document, stamp=stamp)


class Manifest:
    """Reads and writes the document tables; every method is one transaction."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def documents(self, *, owners: Sequence[str] | None = None, collection: str | None = None) -> list[Document]:
        """Documents by path: of these owners (`None`: of all), in this collection (`None`: in all)."""
        where = _filters(owners, collection)
        return [entry.document for entry in await self._entries(*where)]

    async def entries(self, *, owners: Sequence[str] | None = None, collection: str | None = None) -> list[Entry]:
        """The same with their stamps."""
        return await self._entries(*_filters(owners, collection))

    async def entry_at(self, path: str, *, owner: str, collection: str) -> Entry | None:
        """The document of this file."""
        found = await self._entries(*_filters([owner], collection), _docs.c.path == path)
        return found[0] if found else None

    async def entries_at(self, paths: Sequence[str], *, owner: str, collection: str) -> dict[str, Entry]:
        """The documents of these files, by path."""
        found = await self._entries_in(_docs.c.path, paths, *_filters([owner], collection))
        return {entry.document.path: entry for entry in found}

    async def with_contents(self, sha256s: Sequence[str], *, owner: str, collection: str) -> list[Entry]:
        """Ready documents made from exactly one of these contents."""
        return await self._entries_in(_docs.c.sha256, sha256s, *_filters([owner], collection), _docs.c.revision > 0)

    async def taken_ids(self, document_ids: Sequence[str]) -> set[str]:
        """Which of these ids a document has."""
        found = await self._entries_in(_docs.c.document_id, document_ids)
        return {entry.document.document_id for entry in found}

    async def with_id(self, prefix: str, *, owners: Sequence[str] | None = None) -> list[Document]:
        """The document with this id, else every document whose id begins with it."""
        prefix = prefix.strip().lower()
        if not prefix:
            return []
        begins = _docs.c.document_id.startswith(prefix, autoescape=True)
        found = [entry.document for entry in await self._entries(*_filters(owners, None), begins)]
        exact = [document for document in found if document.document_id == prefix]
        return exact or found

    async def standings(self, prefixes: Sequence[str], *, owners: Sequence[str]) -> list[Standing]:
        """What searches can be narrowed by of these owners' documents: of those whose id begins with one
        of the prefixes, of all if there are none.
        """
        columns = (_docs.c.document_id, _docs.c.collection, _docs.c.path, _docs.c.updated_at, _docs.c.revision)
        query = select(*columns).where(*_filters(owners, None))
        parts = list(_slices(prefixes, PREFIXES)) or [()]
        async with self._engine.connect() as connection:
            rows = [row for part in parts for row in await connection.execute(query.where(*_begins(part)))]
        return [Standing(**row._mapping) for row in rows]  # noqa: SLF001 - SQLAlchemy's public name for a mapping

    async def chunks_of(self, *document_ids: str) -> list[Chunk]:
        """The chunks of documents, each document's in order."""
        found: list[Chunk] = []
        async with self._engine.connect() as connection:
            for ids in _slices(document_ids):
                query = select(_chunks).where(_chunks.c.document_id.in_(ids))
                rows = await connection.execute(query.order_by(_chunks.c.document_id, _chunks.c.position))
                found += [chunk_of(row) for row in rows]
        return found

    async def chunks_at(self, document_id: str, positions: Sequence[int]) -> list[Chunk]:
        """The chunks of a document at these places, in order."""
        query = select(_chunks).where(_chunks.c.document_id == document_id, _chunks.c.position.in_(positions))
        async with self._engine.connect() as connection:
            return [chunk_of(row) for row in await connection.execute(query.order_by(_chunks.c.position))]

    async def chunks(
        self, chunk_ids: Sequence[str], *, owners: Sequence[str] | None = None
    ) -> dict[str, tuple[Chunk, Document]]:
        """Current chunks by id, in the order asked for; unknown ids and those of other owners are left out."""
        found: dict[str, Chunk] = {}
        async with self._engine.connect() as connection:
            for ids in _slices(chunk_ids):
                rows = await connection.execute(select(_chunks).where(_chunks.c.chunk_id.in_(ids)))
                found |= {row.chunk_id: chunk_of(row) for row in rows}
            of = {chunk.document_id for chunk in found.values()}
            documents: dict[str, Document] = {}
            for ids in _slices(sorted(of)):
                query = _select_documents(*_filters(owners, None), _docs.c.document_id.in_(ids))
                documents |= {row.document_id: Entry.of(row).document for row in await connection.execute(query)}
        return {
            chunk_id: (found[chunk_id], documents[found[chunk_id].document_id])
            for chunk_id in chunk_ids
            if chunk_id in found and found[chunk_id].document_id in documents
        }

    async def load(self, chunk_ids: Sequence[str], *, owners: Sequence[str]) -> dict[str, tuple[Chunk, str, str]]:
        """Current chunks of these owners with title and path of their document: what a search shows."""
        found: dict[str, Chunk] = {}
        shown: dict[str, tuple[str, str]] = {}
        async with self._engine.connect() as connection:
            for ids in _slices(chunk_ids):
                rows = await connection.execute(select(_chunks).where(_chunks.c.chunk_id.in_(ids)))
                found |= {row.chunk_id: chunk_of(row) for row in rows}
            # Not a join: from the owner's documents it would go to all of their chunks.
            query = select(_docs.c.document_id, _docs.c.title, _docs.c.path).where(_docs.c.owner.in_(owners))
            for ids in _slices(sorted({chunk.document_id for chunk in found.values()})):
                rows = await connection.execute(query.where(_docs.c.document_id.in_(ids)))
                shown |= {row.document_id: (row.title, row.path) for row in rows}
        current = {id_: found[id_] for id_ in chunk_ids if id_ in found and found[id_].document_id in shown}
        return {id_: (chunk, *shown[chunk.document_id]) for id_, chunk in current.items()}

    async def passages(self) -> AsyncIterator[tuple[str, str]]:
        """Context and text of every chunk, read bit by bit."""
        async with self._engine.connect() as connection:
            rows = await connection.stream(select(_chunks.c.context, _chunks.c.text))
            async for row in rows:
                yield row.context, row.text

    async def count_chunks(self) -> int:
        """Chunks of all documents."""
        async with self._engine.connect() as connection:
            return (await connection.execute(select(func.count()).select_from(_chunks))).scalar_one()

    async def journal(self, chunk_ids: Sequence[str]) -> None:
        """Note, before touching an index, whose entries are about to change."""
        async with self._engine.begin() as connection:
            await _note(connection, chunk_ids)

    async def pending(self) -> list[str]:
        """The ids of changes that have begun and not ended."""
        async with self._engine.connect() as connection:
            return list((await connection.execute(select(_pending.c.chunk_id))).scalars())

    async def settle(self, chunk_ids: Sequence[str]) -> None:
        """Strike ids from the journal: both indexes agree with the manifest about them."""
        async with self._engine.begin() as connection:
            await _strike(connection, chunk_ids)

    async def switch(self, entry: Entry, chunks: Sequence[Chunk], *, gone: Sequence[str]) -> None:
        """`switch_all` for one document."""
        await self.switch_all([(entry, chunks)], gone=gone)

    async def switch_all(self, revisions: Sequence[tuple[Entry, Sequence[Chunk]]], *, gone: Sequence[str]) -> None:
        """Make revisions current at once: their document rows and chunks replace the old ones.

        The new chunks leave the journal, because both indexes have them; `gone` enters it.
        """
        ids = [entry.document.document_id for entry, _ in revisions]
        rows = [chunk_row(chunk) for _, chunks in revisions for chunk in chunks]
        async with self._engine.begin() as connection:
            for part in _slices(ids):
                await connection.execute(delete(_chunks).where(_chunks.c.document_id.in_(part)))
            await _put(connection, [entry for entry, _ in revisions])
            if rows:
                await connection.execute(insert(_chunks), rows)
            await _strike(connection, [str(row["chunk_id"]) for row in rows])
            await _note(connection, gone)

    async def put(self, *entries: Entry) -> None:
        """Write documents' rows and leave their chunks alone."""
        async with self._engine.begin() as connection:
            await _put(connection, entries)

    async def remove(self, *document_ids: str, gone: Sequence[str]) -> None:
        """Take out documents with their chunks; the chunks' ids enter the journal."""
        async with self._engine.begin() as connection:
            await _note(connection, gone)
            for ids in _slices(document_ids):
                await connection.execute(delete(_docs).where(_docs.c.document_id.in_(ids)))

    async def meta(self) -> dict[str, str]:
        """What the index was built with, and in which state it is."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(select(_meta.c.key, _meta.c.value))
            return {row.key: row.value for row in rows}

    async def set_meta(self, values: dict[str, str]) -> None:
        """Replace all of it, and empty the journal: it is about indexes that are no longer used."""
        async with self._engine.begin() as connection:
            await connection.execute(delete(_meta))
            await connection.execute(insert(_meta), [{"key": k, "value": v} for k, v in values.items()])
            await connection.execute(delete(_pending))

    async def forget_stamps(self) -> None:
        """Have every file read again at its next look."""
        stamps = {"size": UNKNOWN_STAMP.size, "mtime_ns": UNKNOWN_STAMP.mtime_ns}
        async with self._engine.begin() as connection:
            await connection.execute(update(_docs).values(stamps))

    async def scrub(self) -> bool:
        """Make sure that deleted text is in no file of the database any more; whether that was possible now.

        SQLite overwrites deleted rows in its file (`secure_delete`), but its write-ahead log still holds them: the
        log is emptied, for which no other connection may be reading.
        """
        if self._engine.dialect.name != "sqlite":
            return True
        async with self._engine.connect() as connection:
            outside = await connection.execution_options(isolation_level="AUTOCOMMIT")
            busy, *_ = (await outside.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))).one()
            return not busy

    async def _entries_in(
        self, column: ColumnElement[str], values: Sequence[str], *where: ColumnElement[bool]
    ) -> list[Entry]:
        async with self._engine.connect() as connection:
            return [
                Entry.of(row)
                for part in _slices(values)
                for row in await connection.execute(_select_documents(*where, column.in_(part)))
            ]

    async def _entries(self, *where: ColumnElement[bool]) -> list[Entry]:
        async with self._engine.connect() as connection:
            return [Entry.of(row) for row in await connection.execute(_select_documents(*where))]


def _filters(owners: Sequence[str] | None, collection: str | None) -> list[ColumnElement[bool]]:
    where: list[ColumnElement[bool]] = []
    if owners is not None:
        where.append(_docs.c.owner.in_(owners))
    if collection is not None:
        where.append(_docs.c.collection == collection)
    return where


def _select_documents(*where: ColumnElement[bool]) -> Select[Any]:
    count = (
        select(func.count())
        .where(_chunks.c.document_id == _docs.c.document_id)
        .correlate(_docs)
        .scalar_subquery()
        .label("chunks")
    )
    return select(_docs, count).where(*where).order_by(_docs.c.path, _docs.c.owner, _docs.c.collection)


async def _put(connection: AsyncConnection, entries: Sequence[Entry]) -> None:
    rows = {entry.document.document_id: document_row(entry.document, entry.stamp) for entry in entries}
    known: set[str] = set()
    for ids in _slices(list(rows)):
        known |= set(await connection.scalars(select(_docs.c.document_id).where(_docs.c.document_id.in_(ids))))
    old = [{**row, "of": id_} for id_, row in rows.items() if id_ in known]
    new = [row for id_, row in rows.items() if id_ not in known]
    if old:
        columns: dict[str, Any] = {
            column.name: bindparam(column.name) for column in _docs.columns if column.name != "document_id"
        }
        await connection.execute(
            update(_docs).where(_docs.c.document_id == bindparam("of")).values(columns),
            [{name: value for name, value in row.items() if name != "document_id"} for row in old],
        )
    if new:
        await connection.execute(insert(_docs), new)


async def _note(connection: AsyncConnection, chunk_ids: Sequence[str]) -> None:
    await _strike(connection, chunk_ids)
    if chunk_ids:
        await connection.execute(insert(_pending), [{"chunk_id": id_} for id_ in chunk_ids])


async def _strike(connection: AsyncConnection, chunk_ids: Sequence[str]) -> None:
    for ids in _slices(chunk_ids):
        await connection.execute(delete(_pending).where(_pending.c.chunk_id.in_(ids)))


def _begins(prefixes: Sequence[str]) -> list[ColumnElement[bool]]:
    """Ids are hexadecimal: as a range it is looked up in the key's index, as LIKE it is not."""
    ranges = [_docs.c.document_id.between(one, f"{one}g") for one in prefixes]
    return [or_(*ranges)] if ranges else []


def _slices(ids: Sequence[str], size: int = BATCH) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), size):
        yield ids[start : start + size]
