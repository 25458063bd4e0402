"""Look: what a file is at one moment: its stamp and the hash of its bytes."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from stores.documents.archives import open_file
from stores.documents.manifest import UNKNOWN_STAMP
from stores.documents.walk import FileStamp, stamp_of
from stores.errors import DocumentError

CLOCK_TICK_NS = 50_000_000
"""A file written less than this ago may be written again under the same modification time."""
GONE = "The file is not there any more."


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A file's stamp before reading and the hash of its bytes, or why it cannot be read."""

    stamp: FileStamp
    sha256: str
    problem: str | None = None
    gone: bool = False
    fresh: bool = False
    """Written so lately that its stamp does not tell it from what may be written next."""

    @property
    def lasting(self) -> FileStamp:
        """The stamp to compare with next time."""
        return UNKNOWN_STAMP if self.fresh else self.stamp


def look_at(path: str, *, now: datetime) -> Look:
    """Read the whole file once, for its hash."""
    try:
        stamp = stamp_of(path)
        sha256 = sha256_of(path)
    except (FileNotFoundError, NotADirectoryError):
        return Look(stamp=UNKNOWN_STAMP, sha256="", problem=GONE, gone=True)
    except DocumentError as error:  # the archive that holds it
        return Look(stamp=UNKNOWN_STAMP, sha256="", problem=str(error))
    except OSError as error:
        return Look(stamp=UNKNOWN_STAMP, sha256="", problem=f"The file cannot be read ({error.strerror}).")
    age_ns = int(now.timestamp() * 1e9) - stamp.mtime_ns
    return Look(stamp=stamp, sha256=sha256, fresh=0 <= age_ns < CLOCK_TICK_NS)


def sha256_of(path: str) -> str:
    """The hash of the file's bytes, hexadecimal; the file may lie in an archive.

    Raises:
        OSError, DocumentError: it cannot be read.
    """
    with open_file(Path(path)) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
