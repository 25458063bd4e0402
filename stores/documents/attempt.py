"""Attempt: a file parsed, or the reason why it cannot be, in words for the user."""

from pathlib import Path

from stores.documents.document import ParsedDocument
from stores.documents.parsing import parse
from stores.documents.reading_rules import ReadingRules
from stores.errors import DocumentError


def parsed_or_reason(path: Path, rules: ReadingRules) -> ParsedDocument | str:
    """What a parser makes of the file; whatever it raises is a reason."""
    try:
        return parse(path, rules)
    except DocumentError as error:
        return str(error)
    except OSError as error:
        return f"{path.name} cannot be read ({error.strerror}). Check that the file exists and its permissions."
    except MemoryError:
        limit = f"{rules.memory_bytes / 1e9:.0f} GB"
        return f"{path.name} takes more than {limit} of memory. Split the file."
    except Exception as error:
        # Parsers of other people meet files of other people here; one file must not end an ingest of thousands.
        what = f"{type(error).__name__}: {error}".encode("utf-8", "replace").decode()
        return f"{path.name} cannot be parsed ({what}). Give an intact copy."


def too_slow(path: Path, rules: ReadingRules) -> str:
    """The reason for a file whose time was up."""
    return f"{path.name} was not read within {rules.seconds:g} seconds. Split the file, or raise RECITE_PARSE_SECONDS."


def crashed(path: Path, ending: str) -> str:
    """The reason for a file whose parser ended its process."""
    return f"{path.name} made its parser crash ({ending}). It is damaged; give an intact copy."
