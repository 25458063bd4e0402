"""Document, block, chunk, hit: the words the document side is written in."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

DEFAULT_USER = "local"
"""The user when nobody said otherwise. Documents of this user are the shared library: every user may read them."""

Kind = Literal["prose", "table", "code", "configuration", "question"]
"""Of a block, and of a chunk by most of its text; question: prose that mostly asks (exercises, lists of questions)."""
Language = Literal["zh", "en", "code"]
Source = Literal["keyword", "vector", "both"]
DocumentState = Literal["queued", "indexing", "ready", "stale", "failed"]
"""Queued and indexing: an ingest is at it. Stale: it can be searched, and its file has changed or gone since."""
FileStatus = Literal["added", "unchanged", "updated", "failed", "skipped", "deleted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """Where a passage stands, in terms a person can follow. Pages, slides and lines count from 1."""

    page: int | None = None
    slide: int | None = None
    lines: tuple[int, int] | None = None
    heading: tuple[str, ...] = ()
    symbol: str | None = None
    """For code: the enclosing class and method, `UserDao.findByName`."""
    ocr: bool = False
    """The words were recognised in a picture: a character in twenty may be wrong."""

    def as_json(self) -> dict[str, object]:
        """The fields that say something; `lines` and `heading` as lists."""
        fields: dict[str, object] = {}
        if self.page is not None:
            fields["page"] = self.page
        if self.slide is not None:
            fields["slide"] = self.slide
        if self.lines is not None:
            fields["lines"] = list(self.lines)
        if self.heading:
            fields["heading"] = list(self.heading)
        if self.symbol is not None:
            fields["symbol"] = self.symbol
        if self.ocr:
            fields["ocr"] = True
        return fields

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Self:
        """The inverse of `as_json`."""
        lines = fields.get("lines")
        return cls(
            page=fields.get("page"),
            slide=fields.get("slide"),
            lines=(lines[0], lines[1]) if lines else None,
            heading=tuple(fields.get("heading", ())),
            symbol=fields.get("symbol"),
            ocr=bool(fields.get("ocr")),
        )

    def parts(self) -> list[str]:
        """In few words, for people: `page 3`, or `lines 10-24` and `Filter › Order`."""
        parts: list[str] = []
        if self.page is not None:
            parts.append(f"page {self.page}")
        if self.slide is not None:
            parts.append(f"slide {self.slide}")
        if self.lines is not None:
            first, last = self.lines
            parts.append(f"line {first}" if first == last else f"lines {first}-{last}")
        if self.symbol is not None:
            parts.append(self.symbol)
        elif self.heading:
            parts.append(" › ".join(self.heading))
        if self.ocr:
            parts.append("OCR")
        return parts

    def __str__(self) -> str:
        return " · ".join(self.parts())


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One structural region of a parsed document: a section's prose, a table, a method, a slide.

    Blocks are in document order and do not overlap; a chunk never crosses a block of another
    heading, page, slide or symbol.
    """

    start: int
    end: int
    kind: Kind
    location: Location
    header: str = ""
    """What a chunk of this block needs to be understood alone: a table's header rows, a class signature.

    It is embedded and indexed with the chunk, never quoted.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedDocument:
    """What a parser makes of a file: normalised text (`\\n` line ends, no BOM) and its blocks."""

    text: str
    blocks: tuple[Block, ...]
    title: str
    media_type: str
    encoding: str | None = None
    """The encoding that was used to read a text file, `None` for binary formats."""
    pages: int | None = None
    note: str | None = None
    """What a reader should know though the file was read: pages that gave no text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A passage that can be found and quoted: `document.text[start:end] == text`, always."""

    chunk_id: str
    document_id: str
    position: int
    """Ordinal within the document, from 0."""
    text: str
    start: int
    end: int
    kind: Kind
    language: Language
    location: Location
    context: str
    """Title, heading path, class signature or table header: embedded and indexed, not quoted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A row of the manifest: a file that was taken in."""

    document_id: str
    owner: str
    collection: str
    path: str
    title: str
    media_type: str
    encoding: str | None
    pages: int | None
    chunks: int
    sha256: str
    revision: int
    state: DocumentState
    reason: str | None
    """Why it is stale or failed."""
    updated_at: str
    """ISO 8601, UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """Another place where the same passage stands."""

    chunk_id: str
    document_id: str
    title: str
    path: str
    location: Location


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A chunk that a search found, with what each stage thought of it.

    `score` is the calibrated relevance in 0..1: the only number thresholds apply to.
    """

    chunk: Chunk
    title: str
    path: str
    score: float
    source: Source
    keyword_rank: int | None = None
    vector_rank: int | None = None
    keyword_score: float | None = None
    vector_score: float | None = None
    fused_score: float | None = None
    rerank_score: float | None = None
    """What the configured reranker said, 0..1 unless it only orders; `None` when it was not asked about this hit."""
    matched: tuple[str, ...] | None = None
    """The query's terms that stand in the passage, as the keyword index has them; `None` unless asked to explain."""
    also_in: tuple[Occurrence, ...] = ()
    """Where else the same passage stands, as far as this search found it and its reader may see it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """The answer to one query: hits best first, the legs that failed, milliseconds by stage.

    The first hit has the highest score, unless a reranker that only orders put another one first. Behind it the order
    is that of `stores.documents.selection`: a passage that repeats a better one may stand behind one with a slightly
    lower score, and a copy stands behind all passages.
    """

    query: str
    hits: tuple[Hit, ...]
    degraded: tuple[str, ...]
    ms: dict[str, float]
    below_threshold: int = 0
    """How many passages would be among the hits if there were no threshold."""
    cut: tuple[Hit, ...] = ()
    """Those passages, best first; empty unless asked to explain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileResult:
    """What became of one file of an ingest."""

    path: str
    status: FileStatus
    reason: str | None = None
    document_id: str | None = None
    chunks: int = 0
    pages: int | None = None
    encoding: str | None = None
    ms: float = 0.0
