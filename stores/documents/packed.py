"""Packed: short strings as numbers, which tantivy reads back for a hundred hits at the price of one stored text."""

import hashlib
from collections.abc import Sequence

WORDS = 3
"""Numbers per id."""
WORD_BYTES = 8


def packed(chunk_id: str) -> tuple[int, ...] | None:
    """An id of at most 24 bytes as three 64-bit numbers; `None` for a longer one."""
    raw = chunk_id.encode()
    if len(raw) > WORDS * WORD_BYTES:
        return None
    padded = raw.ljust(WORDS * WORD_BYTES, b"\0")
    return tuple(int.from_bytes(padded[at : at + WORD_BYTES], "big") for at in range(0, len(padded), WORD_BYTES))


def unpacked(words: Sequence[int | None]) -> str | None:
    """The inverse of `packed`; `None` if nothing was packed."""
    known = [word for word in words if word is not None]
    if len(known) != WORDS:
        return None
    return b"".join(word.to_bytes(WORD_BYTES, "big") for word in known).rstrip(b"\0").decode()


def mark_of(name: str) -> int:
    """A 64-bit hash of a name: equal for equal names; that different names differ is all but certain, not sure."""
    return int.from_bytes(hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:WORD_BYTES], "big")
