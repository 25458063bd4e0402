"""Whether two memories say the same thing, and the hash under which a forgotten one is kept out.

The signature drops only what carries no meaning: case, width, script variant, punctuation, who speaks, and which
word for liking is used. Numbers, negations, qualifiers and the order of words stay, so that neither another
value nor the opposite ever counts as the same.
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from stores.memories.text import fold, units

_LIKING = re.compile(
    r"(?:非常|特别|很|最|更|比较|一直|真的|超级?)*(?:喜欢|喜爱|热爱|偏爱|偏好|酷爱|钟爱|爱)(?:喝"
    r"|吃)?(?:的是)?"
    r"|\b(?:really |very much |absolutely )?(?:likes?|loves?|enjoys?|is fond of|am fond of"
    r"|adores?)(?: (?:to (?:drink|eat)|drinking|eating))?\b"
)
_DISLIKING = re.compile(
    r"(?:非常|特别|很|最|真的)*(?:不(?:太|怎么|大)?(?:喜欢|爱)(?:喝|吃)?|讨厌|厌恶|反感)(?:喝|吃)?"
    r"|\b(?:really |absolutely )?(?:do(?:es)?(?: not|n['’]t) (?:like|love|enjoy)|dislikes?|hates?"
    r"|detests?|loathes?|can(?:not|['’]t) (?:stand|bear))(?: (?:drinking|eating))?\b"
)
_SPEAKER = re.compile(
    r"该?用户(?:本人)?的?|(?:^|(?<=[，。,；;]))我们?的?|本人的?|\bthe user(?:['’]s)?\b"
    r"|\busers?(?:['’]s)?\b|\b(?:i|my)\b|\bi['’]m\b"
)
_EMPTY = {"的", "了", "是", "呢", "吧", "啊", "a", "an", "the", "is", "am", "ar", "that", "s"}


def signature(content: str) -> str:
    """What a memory says, in the form in which two wordings of it are equal."""
    text = _LIKING.sub(" ♥ ", _DISLIKING.sub(" ✗ ", fold(content)))
    text = _SPEAKER.sub(" ", text)
    marked = re.split("([♥✗])", text)
    parts = [unit for piece in marked for unit in ([piece] if piece in {"♥", "✗"} else units(piece))]
    said = [unit for unit in parts if unit not in _EMPTY]
    return " ".join(said) or fold(content).strip()


def opposite(one: str, other: str) -> bool:
    """Whether two memories differ only in liking or disliking the same thing."""
    mine, theirs = signature(one), signature(other)
    if mine == theirs:
        return False
    return mine.replace("✗", "♥") == theirs.replace("✗", "♥")


def fingerprint(user_id: str, content: str) -> str:
    """A hash of what a memory says, different for every user, so that it betrays nothing by itself."""
    return hashlib.sha256(f"{len(user_id)}:{user_id}:{signature(content)}".encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstones:
    """What the user had erased, as hashes with the time of erasing. It keeps an old message from teaching it again."""

    user_id: str
    erased: dict[str, datetime] = field(default_factory=dict)
    all_before: datetime | None = None
    """When the user had everything forgotten: no earlier message teaches anything any more."""

    def erased_at(self, texts: Iterable[str | None]) -> datetime | None:
        """When the latest of these contents or quotes was erased; `None` if none was."""
        times = [
            self.erased[mark] for text in texts if text and (mark := fingerprint(self.user_id, text)) in self.erased
        ]
        return max(times, default=None)
