"""Rules of reading: the limits that every file is held to, by how many processes, and whether pictures are read."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingRules:
    """What one deployment allows a file to cost. Sizes are judged before anything is parsed."""

    file_bytes: int = 200_000_000
    """Size of one file, and of one member of an archive."""
    pages: int = 5_000
    """Pages of a PDF, slides of a deck."""
    cells: int = 5_000_000
    """Written cells of a workbook."""
    archive_files: int = 2_000
    """Files in one archive, those in archives within it included."""
    archive_bytes: int = 1_000_000_000
    """What one archive, or one Office file, may unpack to."""
    seconds: float = 300.0
    """Time that parsing one file may take."""
    memory_bytes: int = 4_000_000_000
    """Memory that parsing one file may take."""
    workers: int = 2
    """Processes that read files side by side; 0: all files are read in this process, without bounds of time."""
    ocr: bool = False
    """Read the text in pictures and scanned pages (needs the extra `ocr`)."""


DEFAULT_RULES = ReadingRules()
