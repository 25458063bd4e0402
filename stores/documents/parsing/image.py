"""Pictures of text, read by OCR where that is on."""

from stores.documents.document import Block, Location, ParsedDocument
from stores.documents.parsing.ocr import advice, text_of
from stores.documents.parsing.signatures import signature
from stores.documents.parsing.source import Source
from stores.errors import DocumentDamagedError, DocumentEmptyError

_MEDIA_TYPES = {".jpg": "image/jpeg", ".tif": "image/tiff"}


def parse_image(source: Source) -> ParsedDocument:
    """The recognised lines as prose.

    Raises:
        DocumentEmptyError: OCR is off, or found nothing.
        DocumentDamagedError: this is no picture.
        DocumentUnsupportedError: OCR is on but not installed.
    """
    kind = signature(source.data)
    if kind is None or not kind.endswith(("image", "media file", "bitmap")):
        raise DocumentDamagedError(f"{source.name} is {kind or 'no picture'}. Rename it or give an intact copy.")
    if not source.rules.ocr:
        raise DocumentEmptyError(f"{source.name} is a picture without a text layer. {advice(source)}")
    try:
        text = text_of(source.data, name=source.name)
    except (ValueError, OSError, TypeError) as error:
        raise DocumentDamagedError(f"{source.name} cannot be read as a picture ({error}).") from error
    if not text:
        raise DocumentEmptyError(f"{source.name} is a picture without text. {advice(source)}")
    return ParsedDocument(
        text=text,
        blocks=(Block(start=0, end=len(text), kind="prose", location=Location(page=1, ocr=True)),),
        title=source.path.stem,
        media_type=_MEDIA_TYPES.get(source.suffix, f"image/{source.suffix[1:]}"),
        pages=1,
    )
