"""Passages spread over a document: what a summary and review questions need, where a search brings what fits best."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import PurePath

from nodes.clarify import names_nothing
from nodes.state import Evidence
from nodes.tokens import estimate_tokens
from stores.documents.document import Chunk, Document, Hit
from stores.documents.even import evenly
from stores.documents.narrowing import Narrowing
from stores.documents.store import DocumentStore

SOURCE = "document"
"""The `source` of evidence that was brought for its place in a document, not for its score."""
_MOST_NAMED = 3
_LEAST_SHARED, _LEAST_SHARE = 3, 0.5
"""A title is meant when the question shares so many characters of it in one piece, and such a share of the whole."""
_NUMBERING = re.compile(r"^[\d\s.、_\-]+(?=\D)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The documents that are meant, and passages from all over them in the order of the text."""

    documents: tuple[Document, ...] = ()
    chunks: tuple[Chunk, ...] = ()


async def spread_over(
    documents: DocumentStore, question: str, *, reader: str, narrowing: Narrowing, passages: int, tokens: int
) -> Spread:
    """At most `passages` of the documents that a question names, in at most `tokens`; none if it names none.

    Where the reader can see only one document, a question that names no subject means it. What the narrowing leaves
    out is never brought.
    """
    meant = await _meant(documents, question, reader=reader, narrowing=narrowing)
    chunks: list[Chunk] = []
    for document in meant:
        share = max(1, passages // len(meant))
        found = await documents.spread(document.document_id, reader=reader, k=share)
        fitting = [one for one in found if _is_within(one, narrowing)]
        chunks += _affordable(fitting, tokens // len(meant))
    return Spread(documents=tuple(meant), chunks=tuple(chunks))


def spread_evidence(known: Sequence[Evidence], spread: Spread, hits: Sequence[Hit]) -> list[Evidence]:
    """The evidence so far with the spread passages behind it, each with its score where a search found it too."""
    ids = {item.chunk_id for item in known}
    scores = {hit.chunk.chunk_id: hit.score for hit in hits}
    revisions = {document.document_id: document.revision for document in spread.documents}
    new = [chunk for chunk in spread.chunks if chunk.chunk_id not in ids]
    return [
        *known,
        *(
            Evidence(
                number=number,
                chunk_id=chunk.chunk_id,
                revision=revisions[chunk.document_id],
                score=round(scores.get(chunk.chunk_id, 0.0), 4),
                source=SOURCE,
                worth=1.0,
            )
            for number, chunk in enumerate(new, start=len(known) + 1)
        ),
    ]


async def _meant(documents: DocumentStore, question: str, *, reader: str, narrowing: Narrowing) -> list[Document]:
    """The documents whose title or file the question names, the most closely named first."""
    library = await documents.documents(reader=reader, collection=narrowing.collection)
    readable = [one for one in library if one.revision and _may_be(one, narrowing)]
    named = sorted(((_closeness(question, one), one.path, one) for one in readable), key=lambda each: -each[0])
    meant = [one for closeness, _, one in named if closeness and closeness >= named[0][0]][:_MOST_NAMED]
    if not meant and len(readable) == 1 and names_nothing(question.partition("\n")[0]):
        meant = readable
    return [one for one in meant if await _is_among(documents, one, reader=reader, narrowing=narrowing)]


async def _is_among(documents: DocumentStore, one: Document, *, reader: str, narrowing: Narrowing) -> bool:
    """Whether the narrowing lets this document through: by path and date too."""
    if not narrowing.by_document:
        return True
    return await documents.matching(replace(narrowing, documents=(one.document_id,)), reader=reader) == 1


def _may_be(document: Document, narrowing: Narrowing) -> bool:
    return not narrowing.documents or document.document_id.startswith(narrowing.documents)


def _is_within(chunk: Chunk, narrowing: Narrowing) -> bool:
    kinds, languages = narrowing.kinds, narrowing.languages
    return (not kinds or chunk.kind in kinds) and (not languages or chunk.language in languages)


def _closeness(question: str, document: Document) -> float:
    """How closely a question names a document by title or file name: 0 if it does not."""
    asked = _plain(question)
    names = {_plain(_NUMBERING.sub("", name)) for name in (document.title, PurePath(document.path).stem)}
    return max((_shared(asked, name) for name in names if name), default=0.0)


def _shared(asked: str, name: str) -> float:
    match = SequenceMatcher(None, asked, name, autojunk=False).find_longest_match()
    least = _LEAST_SHARED if re.search("[\u3400-\u9fff]", name) else 2 * _LEAST_SHARED
    whole = match.size == len(name) and match.size > 1
    enough = match.size >= least and match.size >= _LEAST_SHARE * len(name)
    return match.size + match.size / len(name) if whole or enough else 0.0


def _plain(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def _affordable(chunks: Sequence[Chunk], tokens: int) -> list[Chunk]:
    """As many as fit, again spread over the whole."""
    costs: Mapping[str, int] = {chunk.chunk_id: estimate_tokens(chunk.text) for chunk in chunks}
    for count in range(len(chunks), 0, -1):
        picked = [chunks[place] for place in evenly(len(chunks), count)]
        if sum(costs[chunk.chunk_id] for chunk in picked) <= tokens:
            return picked
    return list(chunks[:1])
