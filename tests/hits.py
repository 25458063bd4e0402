"""A hit as rerankers are given it, of which only the passage matters."""

from stores.documents.document import Chunk, Hit, Location


def hit(text: str, context: str = "") -> Hit:
    """A hit on this text under this heading path."""
    chunk = Chunk(
        chunk_id=text, document_id="d", position=0, text=text, start=0, end=len(text), kind="prose",
        language="en", location=Location(), context=context,
    )  # fmt: skip
    return Hit(chunk=chunk, title="t", path="p", score=0.5, source="both")
