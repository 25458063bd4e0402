"""Names and texts as they come in: checked once, at the edge, by one rule for every door.

A name (of a user, a thread, a collection) is what the databases keep apart and people type again, so it must be
visible, one line, and short. A text may say anything, as long as it can be written down as UTF-8.
"""

import unicodedata
from collections.abc import Sequence

from stores.errors import InputRefusedError

MAX_NAME = 200
MAX_COLLECTION = 100
MAX_HITS = 50
"""The most hits that one search gives."""
SHOWN = 40
_JOINERS = "\u200c\u200d"
"""Invisible, and yet part of how words in some scripts, and some emoji, are written."""
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


class NameRefusedError(InputRefusedError):
    """A user, thread or collection cannot be called so."""


class TextRefusedError(InputRefusedError):
    """A text holds what is no character."""


class LimitRefusedError(InputRefusedError):
    """A number of hits that no search gives."""


def user_name(value: str) -> str:
    """The name of a user, if it can be one.

    Raises:
        NameRefusedError: it is empty, too long, or holds what cannot be seen.
    """
    return _name(value, "user", MAX_NAME)


def thread_name(value: str) -> str:
    """As `user_name`, for the name or id of a thread."""
    return _name(value, "thread", MAX_NAME)


def collection_name(value: str | None) -> str | None:
    """As `user_name`, for a collection; `None` names none."""
    return None if value is None else _name(value, "collection", MAX_COLLECTION)


def path_names(values: Sequence[str]) -> Sequence[str]:
    """Paths to take in. An empty one, an unset variable mostly, would mean the current folder with all it holds.

    Raises:
        NameRefusedError: one of them is empty.
    """
    if all(value.strip() for value in values):
        return values
    raise NameRefusedError("A path is empty. Name a file or folder; the current folder is `.`.")


def valid_text(value: str, what: str) -> str:
    """The text, if it consists of characters.

    Raises:
        TextRefusedError: it holds lone surrogates: halves of characters, or bytes that were no UTF-8.
    """
    if is_text(value):
        return value
    raise TextRefusedError(f"The {what} {_shown(value)} is no valid UTF-8. Write it again in UTF-8.")


def hit_limit(value: int) -> int:
    """The number of hits to give, if a search can give so many.

    Raises:
        LimitRefusedError: it is below 1 or above `MAX_HITS`.
    """
    if 1 <= value <= MAX_HITS:
        return value
    raise LimitRefusedError(f"{value} hits cannot be given. Ask for 1 to {MAX_HITS}.")


def is_text(value: str) -> bool:
    """Whether every character is one, so that the text can be stored and sent."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _name(value: str, what: str, longest: int) -> str:
    fault = _fault(value, longest)
    if fault is None:
        return value
    raise NameRefusedError(f"The {what} {_shown(value)} {fault}. Name it with 1 to {longest} visible characters.")


def _fault(value: str, longest: int) -> str | None:
    if not value.strip():
        return "is empty"
    if len(value) > longest:
        return f"has {len(value)} characters"
    if any(unicodedata.category(one) in _UNSEEN and one not in _JOINERS for one in value):
        return "holds characters that cannot be seen"
    if value != value.strip():
        return "begins or ends with white space"
    return None


def _shown(value: str) -> str:
    """The beginning, in quotes, with everything invisible spelt out."""
    return repr(value if len(value) <= SHOWN else value[:SHOWN] + "…")
