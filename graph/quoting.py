"""Quoting: the passages behind citations, in their words of now."""

from collections.abc import Sequence

from graph.reply import SOURCE_GONE, QuotedCitation
from nodes.citations.render import Citation
from stores.documents.store import DocumentStore


async def quoted(documents: DocumentStore, citations: Sequence[Citation], *, reader: str) -> list[QuotedCitation]:
    """Each citation with its quotation; `SOURCE_GONE` stands for one whose passage is no longer in the store."""
    found = await documents.chunks([one.chunk_id for one in citations], reader=reader) if citations else {}
    return [_quoted(one, found[one.chunk_id][0].text if one.chunk_id in found else None) for one in citations]


def _quoted(citation: Citation, text: str | None) -> QuotedCitation:
    if text is None:
        return QuotedCitation(citation=citation, quote=SOURCE_GONE, quotes=(SOURCE_GONE,))
    return QuotedCitation(citation=citation, quote=citation.quote(text), quotes=tuple(citation.quotes(text)))
