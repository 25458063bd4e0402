"""Glob: whether a path is one of those that a pattern like `docs/**/*.md` means."""

import fnmatch
import re
import unicodedata
from collections.abc import Sequence

ANY_DEPTH = None
"""Part of a pattern: any number of folders, also none."""

_Part = re.Pattern[str] | None


class Glob:
    """A pattern for paths, read from their end as `pathlib` does: `docs/*.md` is any `docs` folder's Markdown.

    `*`, `?` and `[abc]` stand for characters of one name, `**` for any number of folders. A pattern without a slash
    is about the file's name; one that begins with a slash about the whole path; one that ends with a slash about
    everything below. `/` and `\\` separate alike, upper and lower case differ, and composed and decomposed letters
    (as macOS writes them) do not.
    """

    def __init__(self, pattern: str) -> None:
        names = _names(pattern)
        if names[-1] in {"", "**"}:
            names[-1:] = ["**", "*"]
        kept = [name for at, name in enumerate(names) if name not in {"", "."} or (at == 0 and not name)]
        self._parts: list[_Part] = [ANY_DEPTH, *map(_part, kept)]

    def matches(self, path: str) -> bool:
        """Whether the path is meant."""
        names = _names(path)
        last = self._parts[-1]
        return (last is ANY_DEPTH or last.match(names[-1]) is not None) and _fits(self._parts, names)


def _names(path: str) -> list[str]:
    return unicodedata.normalize("NFC", path.replace("\\", "/")).split("/")


def _part(name: str) -> _Part:
    return ANY_DEPTH if name == "**" else re.compile(fnmatch.translate(name))


def _fits(parts: Sequence[_Part], names: Sequence[str]) -> bool:
    """Whether the parts cover all names. When they do not, only the latest `**` need take in one name more."""
    part = name = 0
    again: tuple[int, int] | None = None
    while name < len(names):
        now = parts[part] if part < len(parts) else None
        if part < len(parts) and now is ANY_DEPTH:
            part += 1
            again = part, name
        elif now is not None and now.match(names[name]):
            part, name = part + 1, name + 1
        elif again is not None:
            part, name = again[0], again[1] + 1
            again = part, name
        else:
            return False
    return all(rest is ANY_DEPTH for rest in parts[part:])
