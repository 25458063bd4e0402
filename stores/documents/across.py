"""Across languages: a query's vector moved to where passages of the other language lie, and what to compare with.

The local model puts the languages apart: a Chinese question is nearer to any Chinese passage than to the English one
that answers it. Taking most of the mean passage of the query's own language out of the query's vector, and some of the
other's in, undoes that, and also holds back passages that are near to everything in the query's language. Measured on
1,020 documentation and Wikipedia questions over 943 passages of both languages: the right passage is among the first
20 for 85 to 90 % instead of 12 to 50 %.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import Self

import numpy as np

from stores.documents.document import Chunk, Language
from stores.documents.terms import CJK
from stores.embeddings.local import LOCAL_MODEL

OWN_TAKEN, OTHER_GIVEN = 0.75, 0.5
ACROSS_POOL = 30
"""How many passages are looked up with the moved vector."""
MEANS_OF: tuple[Language, ...] = ("zh", "en", "code")

_ADDRESS = re.compile(r"https?://\S+")
_WIDE = re.compile("[\u4e00-\u9fff]")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")
COMMENTED = 8
"""So many Chinese characters make code or configuration one that is commented in Chinese."""

Means = Mapping[Language, np.ndarray]
"""The mean passage vector of each language."""


@dataclass(frozen=True, slots=True)
class Background:
    """What an average passage of each language has: its cosine with the query, and with the moved vector."""

    near: Mapping[Language, float]
    across: Mapping[Language, float]

    @classmethod
    def of(cls, query: str, embedding: Sequence[float] | np.ndarray, means: Means) -> Self:
        """Of one query."""
        asked, moved = np.asarray(embedding, dtype=np.float32), moved_to(query, embedding, means)
        across = {language: float(mean @ moved) for language, mean in means.items()}
        # Commented code lies between code and prose: it must not win by being compared with code alone.
        across["code"] = max(across["code"], across["en"])
        return cls({language: float(mean @ asked) for language, mean in means.items()}, across)


def moved_to(query: str, embedding: Sequence[float] | np.ndarray, means: Means) -> np.ndarray:
    """The query's vector moved to the other language's passages, of length 1."""
    own, other = (means["zh"], means["en"]) if is_chinese(query) else (means["en"], means["zh"])
    moved = np.asarray(embedding, dtype=np.float32) - OWN_TAKEN * own + OTHER_GIVEN * other
    return moved / max(1e-6, float(np.linalg.norm(moved)))


def is_chinese(query: str) -> bool:
    """Whether a query is asked in Chinese."""
    return bool(re.search(f"[{CJK}]", query))


def crossed(query: str, language: Language) -> bool:
    """Whether a passage is in another language than the query. Code goes with English."""
    return is_chinese(query) != (language == "zh")


def language_read(chunk: Chunk) -> Language:
    """The language a passage is near to in the vector space: code with Chinese comments lies among Chinese text."""
    text = _ADDRESS.sub(" ", chunk.text)
    wide = 0 if text.isascii() else len(_WIDE.findall(text))
    if chunk.kind not in {"code", "configuration"}:
        return "zh" if wide > len(_LATIN_WORD.findall(text)) else chunk.language
    return "zh" if wide >= COMMENTED else chunk.language


def means_of(model: str) -> Means | None:
    """The mean passages of a model; `None` for every model but the local one.

    Its cosines lie in a narrow band whose place depends on the languages; how much nearer a passage is to the query
    than an average passage of its language is a number that can be compared. (Written by benchmarks/calibrate.py.)
    """
    return _local_means() if model == LOCAL_MODEL else None


@cache
def _local_means() -> Means:
    data = (files("stores.embeddings") / "e5_small_zh_en" / "background.npy").read_bytes()
    return dict(zip(MEANS_OF, np.load(BytesIO(data)), strict=True))
