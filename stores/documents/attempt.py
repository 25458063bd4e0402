"""Attempt: a file parsed, or the reason why it cannot be, in words for the user."""

from pathlib import Path

from stores.documents.document import ParsedDocument
from stores.documents.parsing import parse
from stores.errors import DocumentError


def parsed_or_reason(path: Path) -> ParsedDocument | str:
    """What a parser makes of the file; whatever it raises is a reason."""
    try:
        return parse(path)
    except DocumentError as error:
        return str(error)
    except OSError as error:
        return f"The file cannot be read ({error.strerror})."
    except Exception as error:
        # Parsers of other people meet files of other people here; one file must not end an ingest of thousands.
        return f"The file cannot be parsed ({type(error).__name__}: {error})."
