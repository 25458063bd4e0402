"""The tools of an application: named once, found by name, offered by need."""

import unicodedata
from collections.abc import Collection, Iterable, Sequence
from difflib import SequenceMatcher
from functools import cached_property

from stores.documents.terms import index_terms
from tools.catalogue import Catalogue
from tools.errors import DuplicateToolError, UnknownToolError
from tools.tool import Tool

OFFER_LIMIT = 16
"""So many tools a model can be shown at once without choosing among them first."""

_NEAR = 5
_ALIKE = 0.6


class Registry:
    """A fixed set of tools. What a turn may call is chosen anew each turn, from here.

    Raises:
        DuplicateToolError: two names are equal or look alike (case, width, `-` for `_`).
        UnknownToolError: a pinned name is not among the tools.
    """

    def __init__(self, tools: Iterable[Tool], *, pinned: Collection[str] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        seen: dict[str, str] = {}
        for tool in tools:
            earlier = seen.setdefault(_identity(tool.name), tool.name)
            if tool.name in self._tools or earlier != tool.name:
                raise DuplicateToolError(
                    f"Tool {tool.name!r} bears the name of {earlier!r}. Rename one, for example by a prefix."
                )
            self._tools[tool.name] = tool
        self._pinned = frozenset(pinned)
        for name in sorted(self._pinned):
            self.get(name)

    def get(self, name: str) -> Tool:
        """The tool of this name.

        Raises:
            UnknownToolError: there is none; the message names similar ones.
        """
        if name not in self._tools:
            near = near_names(name, self.names())
            hint = f" Did you mean {', '.join(near)}?" if near else ""
            raise UnknownToolError(f"There is no tool {name[:80]!r}.{hint}")
        return self._tools[name]

    def names(self) -> list[str]:
        """All names, in the order of registration."""
        return list(self._tools)

    def candidates(self, query: str, *, limit: int = OFFER_LIMIT, permissions: Collection[str] = ()) -> list[Tool]:
        """What to offer the model for this request: pinned tools, then the best matches, `limit` in all.

        A user whose tools are at most `OFFER_LIMIT` is offered all of them. Nothing is offered without
        permission; pinned tools are offered even beyond the limit.
        """
        permitted = [tool for tool in self._tools.values() if tool.permitted(permissions)]
        if len(permitted) <= OFFER_LIMIT:
            return permitted
        offered = [tool for tool in permitted if tool.name in self._pinned]
        found = (
            tool
            for tool, _ in self._catalogue.ranked(query)
            if tool.permitted(permissions) and tool.name not in self._pinned
        )
        for tool, _ in zip(found, range(limit - len(offered)), strict=False):
            offered.append(tool)
        return offered

    def search(self, query: str, limit: int = 10) -> list[tuple[Tool, float]]:
        """The tools that match a query, best first, with their scores (BM25+, greater is better)."""
        return self._catalogue.ranked(query)[:limit]

    @cached_property
    def _catalogue(self) -> Catalogue:
        return Catalogue(list(self._tools.values()))


def near_names(name: str, names: Sequence[str]) -> list[str]:
    """Up to five of `names` that are spelled like `name` or share a word with it, nearest first."""
    words = set(index_terms(name[:200].replace("_", " ").replace("-", " ")))
    scored = []
    for each in names:
        alike = SequenceMatcher(None, _identity(name[:200]), _identity(each)).ratio()
        shared = bool(words & set(index_terms(each.replace("_", " ").replace("-", " "))))
        if alike >= _ALIKE or shared:
            scored.append((-alike - shared, each))
    return [each for _, each in sorted(scored)[:_NEAR]]


def _identity(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold().replace("-", "_")
