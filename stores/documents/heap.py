"""Heap: freed memory of this process is overwritten, because an index engine writes it to disk.

Chroma's HNSW library saves memory that it has reserved and not filled (measured with 1.5.9: text of documents, read
long ago and deleted since, stood in `data_level0.bin`). So whatever it reserves must be empty.
"""

import ctypes
from functools import cache

M_PERTURB = -6
OVERWRITE = 0xFF
"""glibc fills freed memory with this byte and fresh memory with its complement, 0."""


@cache
def overwrite_freed_memory() -> bool:
    """Have the C library do so from now on; whether it can (glibc, thus nearly every Linux)."""
    try:
        return bool(ctypes.CDLL(None).mallopt(M_PERTURB, OVERWRITE))
    except (OSError, AttributeError, TypeError):
        return False
