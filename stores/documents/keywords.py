"""KeywordIndex: BM25 over index terms, on tantivy."""

from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from threading import RLock
from typing import Self

import tantivy
from tantivy import DocAddress, Occur, Query, Searcher

from stores.documents.entry import IndexEntry
from stores.documents.filters import FIELDS, Filter
from stores.documents.packed import WORDS, mark_of, packed, unpacked
from stores.documents.terms import index_terms, query_terms
from stores.errors import IndexDamagedError

CONTEXT_WEIGHT = 0.25
"""What a term counts more for standing in the title or heading path."""
SCHEMA_VERSION = "3"
"""Raised with any change to the fields of the index."""
WRITER_HEAP_BYTES = 64_000_000
OVERFETCH = 2
"""Times as many hits as asked for are looked at before the engine is made to filter."""
MOST_CLAUSES = 500
"""Filtering inside the query costs by how many values are allowed (7 ms for 1,000 documents, 40 ms for 5,000). Beyond
this many, ever more of the best hits are looked at instead, which costs at most 5 ms for 10,000 hits."""
WIDER = 8
"""Times as many hits as before are looked at then."""
_MARK, _MARKED = "mark", "1"
_ID_WORDS = tuple(f"id_{n}" for n in range(WORDS))


class KeywordIndex:
    """Which chunks hold a query's terms, best first, among those that a filter lets through.

    The index keeps terms, sorted, never text. Its IDF is always positive (Lucene's form), so one chunk or two
    are ranked as well as ten thousand, and a chunk without any of the terms is no hit. Writes become visible with
    `commit`. One process writes; within it every method may be called from any thread.
    """

    def __init__(self, index: tantivy.Index) -> None:
        self._index = index
        self._index.config_reader("manual")
        self._writer: tantivy.IndexWriter | None = None
        self._lock = RLock()
        self._littered = True
        """There may be files that nothing refers to any more."""

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the index in this folder, or begin one there.

        Raises:
            IndexDamagedError: there is something else in the folder, or the index is of another version.
        """
        path.mkdir(parents=True, exist_ok=True)
        try:
            return cls(tantivy.Index(_schema(), path=str(path)))
        except (ValueError, OSError, RuntimeError) as error:
            raise IndexDamagedError(
                f"The keyword index in {path} cannot be opened ({error}). Run `recite documents reindex`."
            ) from error

    def add(self, entries: Iterable[IndexEntry]) -> None:
        """Take in chunks. One whose id is known replaces the old one."""
        with self._lock:
            writer = self._writing()
            for entry in entries:
                writer.delete_documents_by_term("chunk_id", entry.chunk_id)
                writer.add_document(_document(entry))

    def delete(self, chunk_ids: Iterable[str]) -> None:
        """Forget chunks. An unknown id is no error."""
        with self._lock:
            writer = self._writing()
            for chunk_id in chunk_ids:
                writer.delete_documents_by_term("chunk_id", chunk_id)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._writing().delete_all_documents()

    def commit(self, *, purge: bool = True) -> None:
        """Make what was written visible and lasting.

        tantivy only marks a deleted chunk; its terms stay in the files until a merge happens to pass. With
        `purge` they are gone when this returns. Over many small commits, pass `False` and call `purge` once.
        """
        with self._lock:
            if self._writer is not None:
                self._finish(self._writer)
                self._littered = True
            if purge:
                self.purge()

    def purge(self) -> None:
        """Write every segment that still holds a deleted chunk's terms anew; nothing to do costs nothing."""
        with self._lock:
            if self._removed_but_present():
                self._rewrite(only_with_gaps=True)
            if self._removed_but_present():  # the last chunks of a segment leave no gap
                self._rewrite(only_with_gaps=False)
            if self._littered:
                self._remove_unused_files()

    def search(self, query: str, *, within: Filter, limit: int) -> list[tuple[str, float]]:
        """The best (chunk id, BM25) for a query, score above 0, ties by id; empty for a query without terms."""
        asked = self._asked(query_terms(query))
        if asked is None or within.lets_nothing or limit < 1:
            return []
        conditions = within.conditions
        marks = {field: {mark_of(value) for value in allowed} for field, allowed in conditions.items()}
        looked_at = OVERFETCH * limit
        while (best := self._passing_among_best(asked, marks, looked_at, limit)) is None:
            if sum(map(len, marks.values())) <= MOST_CLAUSES:
                return self._run([self._any_of(*condition) for condition in conditions.items()], asked, limit)
            looked_at *= WIDER
        return best

    def scores(self, query: str, chunk_ids: Sequence[str]) -> dict[str, float]:
        """BM25 of given chunks, those without any of the query's terms left out. No filter: ids are trusted."""
        asked = self._asked(query_terms(query))
        if asked is None or not chunk_ids:
            return {}
        return dict(self._run([self._any_of("chunk_id", chunk_ids)], asked, len(chunk_ids)))

    def document_frequencies(self, terms: Iterable[str]) -> tuple[dict[str, int], int]:
        """In how many chunks each term stands (text only), and how many chunks there are."""
        searcher = self._index.searcher()
        return {term: searcher.doc_freq("body", term) for term in terms}, searcher.num_docs

    def count(self) -> int:
        """Chunks in the index."""
        return int(self._index.searcher().num_docs)

    def close(self) -> None:
        """Release the files. What was not committed is lost."""
        with self._lock:
            if self._writer is not None:
                self._writer.rollback()
                self._writer.wait_merging_threads()
                self._writer = None

    def _passing_among_best(
        self, asked: Query, marks: Mapping[str, Container[int]], looked_at: int, limit: int
    ) -> list[tuple[str, float]] | None:
        """The hits if enough of the best ones pass, or there are no others; else `None`.

        A filter inside the query doubles its cost, and where most chunks may be read it is hardly needed.
        """
        searcher = self._index.searcher()
        found = _scored(searcher, asked, looked_at)
        seen = len(found)
        for field, allowed in marks.items():
            values = searcher.fast_field_values(_mark(field), [address for _, address in found])
            found = [hit for hit, mark in zip(found, values, strict=True) if mark in allowed]
        if len(found) < limit and seen == looked_at < searcher.num_docs:
            return None
        return _hits(searcher, found[:limit])

    def _run(self, filters: list[Query], asked: Query, limit: int) -> list[tuple[str, float]]:
        searcher = self._index.searcher()
        query = Query.boolean_query([(Occur.Must, one) for one in (*filters, asked)])
        return _hits(searcher, _scored(searcher, query, limit))

    def _asked(self, terms: Sequence[str]) -> Query | None:
        """Any of the terms, in the text or, for less, in the context."""
        if not terms:
            return None
        schema = self._index.schema
        clauses = []
        for term in terms:
            clauses.append((Occur.Should, Query.term_query(schema, "body", term, "freq")))
            title = Query.term_query(schema, "context", term, "freq")
            clauses.append((Occur.Should, Query.boost_query(title, CONTEXT_WEIGHT)))
        return Query.boolean_query(clauses)

    def _any_of(self, field: str, values: Iterable[str]) -> Query:
        """A filter: it decides, and adds nothing to the score. (A term set would look through all terms: 4 ms.)"""
        terms = [(Occur.Should, Query.term_query(self._index.schema, field, value, "basic")) for value in values]
        return Query.const_score_query(Query.boolean_query(terms), 0.0)

    def _writing(self) -> tantivy.IndexWriter:
        if self._writer is None:
            self._writer = self._index.writer(heap_size=WRITER_HEAP_BYTES, num_threads=1)
        return self._writer

    def _finish(self, writer: tantivy.IndexWriter) -> None:
        """Commit and let the merges end."""
        writer.commit()
        writer.wait_merging_threads()
        self._writer = None
        self._index.reload()

    def _remove_unused_files(self) -> None:
        """Drop the files nothing refers to any more."""
        cleaner = self._writing()
        cleaner.garbage_collect_files()
        cleaner.wait_merging_threads()
        self._writer, self._littered = None, False

    def _removed_but_present(self) -> bool:
        searcher = self._index.searcher()
        return bool(searcher.doc_freq(_MARK, _MARKED) > searcher.num_docs)

    def _rewrite(self, *, only_with_gaps: bool) -> None:
        searcher = self._index.searcher()
        every = searcher.search(Query.all_query(), max(1, searcher.num_docs), count=False).hits
        segments: dict[int, list[DocAddress]] = {}
        for _, address in every:
            segments.setdefault(address.segment_ord, []).append(address)
        writer = self._writing()
        for addresses in segments.values():
            if only_with_gaps and max(address.doc for address in addresses) + 1 == len(addresses):
                continue
            documents = [searcher.doc(address) for address in addresses]
            for document in documents:
                writer.delete_documents_by_term("chunk_id", document.get_first("chunk_id"))
                writer.add_document(tantivy.Document.from_dict(document.to_dict(), self._index.schema))
        del searcher
        self._finish(writer)
        self._littered = True


def _mark(field: str) -> str:
    """The field with the hashes of a field's values: hashes are read back for many hits at once."""
    return f"{field}_mark"


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in ("chunk_id", *FIELDS, _MARK):
        builder.add_text_field(name, stored=True, tokenizer_name="raw", index_option="basic")
    for name in ("body", "context"):
        builder.add_text_field(name, stored=True, tokenizer_name="whitespace", index_option="freq")
    for name in (*_ID_WORDS, *map(_mark, FIELDS)):
        builder.add_unsigned_field(name, stored=True, fast=True)
    return builder.build()


def _document(entry: IndexEntry) -> tantivy.Document:
    document = tantivy.Document()
    document.add_text(_MARK, _MARKED)
    document.add_text("chunk_id", entry.chunk_id)
    for field, value in entry.fields.items():
        document.add_text(field, value)
        document.add_unsigned(_mark(field), mark_of(value))
    for name, word in zip(_ID_WORDS, packed(entry.chunk_id) or (), strict=False):
        document.add_unsigned(name, word)
    document.add_text("body", " ".join(sorted(index_terms(entry.embedded_text))))
    document.add_text("context", " ".join(sorted(index_terms(entry.context))))
    return document


def _scored(searcher: Searcher, query: Query, limit: int) -> list[tuple[float, DocAddress]]:
    limit = min(limit, searcher.num_docs)
    if limit < 1:
        return []
    found = searcher.search(query, limit, count=False).hits
    return [(float(score), address) for score, address in found if score > 0]


def _hits(searcher: Searcher, found: Sequence[tuple[float, DocAddress]]) -> list[tuple[str, float]]:
    """(chunk id, score), best first, ties by id."""
    ids = _chunk_ids(searcher, [address for _, address in found])
    return sorted(zip(ids, (score for score, _ in found), strict=True), key=lambda hit: (-hit[1], hit[0]))


def _chunk_ids(searcher: Searcher, addresses: list[DocAddress]) -> list[str]:
    words = zip(*(searcher.fast_field_values(name, addresses) for name in _ID_WORDS), strict=True)
    return [
        unpacked(own) or str(searcher.doc(address).get_first("chunk_id"))
        for own, address in zip(words, addresses, strict=True)
    ]
