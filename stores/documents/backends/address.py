"""StoreAddress: what RECITE_VECTOR_STORE may say, and what it means."""

from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from stores.errors import InputRefusedError

ALLOWED = (
    "allowed are `chroma` (embedded), `chroma://HOST:PORT` (a Chroma server), `milvus:PATH.db` (Milvus Lite) "
    "and `milvus:http://HOST:PORT` (a Milvus server)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreAddress:
    """Where the indexes live."""

    kind: Literal["embedded", "chroma", "milvus"]
    host: str = ""
    port: int = 0
    uri: str = ""
    """For Milvus: the URL of a server, or the path of a Milvus Lite file."""

    @classmethod
    def parse(cls, value: str) -> "StoreAddress":
        """The address that a setting names.

        Raises:
            InputRefusedError: it names none; the message says what is allowed.
        """
        match value.partition(":"):
            case ("chroma", "", ""):
                return cls(kind="embedded")
            case ("chroma", ":", _) if _is_server(value, schemes={"chroma"}):
                parts = urlsplit(value)
                return cls(kind="chroma", host=str(parts.hostname), port=int(parts.port or 0))
            case ("milvus", ":", rest) if _is_server(rest, schemes={"http", "https"}) or _is_file(rest):
                return cls(kind="milvus", uri=rest)
            case _:
                raise InputRefusedError(ALLOWED)


def _is_server(url: str, *, schemes: set[str]) -> bool:
    """A scheme, a host and a port, and nothing else: a password has no place where it is shown."""
    try:
        parts = urlsplit(url)
        named = parts.hostname is not None and parts.port is not None
    except ValueError:
        return False
    bare = "@" not in parts.netloc and parts.path in {"", "/"} and not parts.query and not parts.fragment
    return parts.scheme in schemes and named and bare


def _is_file(path: str) -> bool:
    return path.endswith(".db") and "://" not in path and path.strip("./\\") != "db"
