"""KeywordIndex: BM25 over index terms, on tantivy."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from threading import RLock
from typing import Self

import tantivy
from tantivy import DocAddress, Occur, Query, Searcher

from stores.documents.entry import IndexEntry
from stores.documents.terms import index_terms, query_terms
from stores.errors import IndexDamagedError

CONTEXT_WEIGHT = 0.25
"""What a term counts more for standing in the title or heading path."""
WRITER_HEAP_BYTES = 64_000_000
_MARK, _MARKED = "mark", "1"


class KeywordIndex:
    """Which chunks hold a query's terms, best first, for the owners and the collection asked for.

    The index keeps terms, sorted, never text. Its IDF is always positive (Lucene's form), so one chunk or two
    are ranked as well as ten thousand, and a chunk without any of the terms is no hit. Writes become visible with
    `commit`. One process writes; within it every method may be called from any thread.
    """

    def __init__(self, index: tantivy.Index) -> None:
        self._index = index
        self._index.config_reader("manual")
        self._writer: tantivy.IndexWriter | None = None
        self._lock = RLock()

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
            if purge:
                self.purge()

    def purge(self) -> None:
        """Write every segment that still holds a deleted chunk's terms anew; nothing to do costs nothing."""
        with self._lock:
            if self._removed_but_present():
                self._rewrite(only_with_gaps=True)
            if self._removed_but_present():  # the last chunks of a segment leave no gap
                self._rewrite(only_with_gaps=False)

    def search(
        self, query: str, *, owners: Sequence[str], collection: str | None, limit: int
    ) -> list[tuple[str, float]]:
        """The best (chunk id, BM25) for a query, score above 0, ties by id; empty for a query without terms."""
        asked = self._asked(query_terms(query))
        if asked is None or not owners or limit < 1:
            return []
        filters = [self._any_of("owner", owners)]
        if collection is not None:
            filters.append(self._any_of("collection", [collection]))
        return self._run(filters, asked, limit)

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

    def _run(self, filters: list[Query], asked: Query, limit: int) -> list[tuple[str, float]]:
        searcher = self._index.searcher()
        limit = min(limit, searcher.num_docs)
        if limit < 1:
            return []
        clauses = [(Occur.Must, one) for one in (*filters, asked)]
        found = searcher.search(Query.boolean_query(clauses), limit, count=False).hits
        hits = [(_chunk_id(searcher, address), float(score)) for score, address in found if score > 0]
        return sorted(hits, key=lambda hit: (-hit[1], hit[0]))

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

    def _any_of(self, field: str, values: Sequence[str]) -> Query:
        """A filter: it decides, and adds nothing to the score."""
        return Query.const_score_query(Query.term_set_query(self._index.schema, field, list(values)), 0.0)

    def _writing(self) -> tantivy.IndexWriter:
        if self._writer is None:
            self._writer = self._index.writer(heap_size=WRITER_HEAP_BYTES, num_threads=1)
        return self._writer

    def _finish(self, writer: tantivy.IndexWriter) -> None:
        """Commit, let the merges end, and drop the files nothing refers to any more."""
        writer.commit()
        writer.wait_merging_threads()
        self._writer = None
        self._index.reload()
        cleaner = self._writing()
        cleaner.garbage_collect_files()
        cleaner.wait_merging_threads()
        self._writer = None

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


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in ("chunk_id", "owner", "collection", _MARK):
        builder.add_text_field(name, stored=True, tokenizer_name="raw", index_option="basic")
    for name in ("body", "context"):
        builder.add_text_field(name, stored=True, tokenizer_name="whitespace", index_option="freq")
    return builder.build()


def _document(entry: IndexEntry) -> tantivy.Document:
    document = tantivy.Document()
    document.add_text(_MARK, _MARKED)
    document.add_text("chunk_id", entry.chunk_id)
    document.add_text("owner", entry.owner)
    document.add_text("collection", entry.collection)
    document.add_text("body", " ".join(sorted(index_terms(entry.embedded_text))))
    document.add_text("context", " ".join(sorted(index_terms(entry.context))))
    return document


def _chunk_id(searcher: Searcher, address: DocAddress) -> str:
    return str(searcher.doc(address).get_first("chunk_id"))
