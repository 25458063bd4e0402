"""Plain text: one block; paragraphs and sentences are found when it is cut into chunks."""

from stores.documents.document import ParsedDocument
from stores.documents.parsing.encodings import read_text
from stores.documents.parsing.regions import Cut, blocks_between
from stores.documents.parsing.source import Source


def parse_plain(source: Source) -> ParsedDocument:
    """The whole text as prose; the title is the file's stem."""
    text, encoding = read_text(source)
    return ParsedDocument(
        text=text,
        blocks=blocks_between(text, [Cut(0, "prose")]),
        title=source.path.stem,
        media_type="text/plain",
        encoding=encoding,
    )
