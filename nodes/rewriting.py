"""What became of a question in the planner's queries: what none of them kept, which of them change the language."""

import re
import unicodedata
from collections.abc import Sequence

from nodes.spoken import language_of

_LITERAL = re.compile(
    r"(?<![A-Za-z0-9_])[@]?[A-Za-z_]\w*(?:[._\-/:@#]+[A-Za-z0-9_]+)+|(?<![A-Za-z0-9_])[A-Za-z]*[a-z][A-Z][A-Za-z0-9_]*"
    r"|(?<![A-Za-z0-9_])[A-Za-z_.-]*\d[A-Za-z0-9_]*(?:[.,:/\-][A-Za-z0-9_]+)*",
    re.ASCII,
)


def lost_literals(question: str, queries: Sequence[str]) -> list[str]:
    """Identifiers, versions, numbers and dates of the question that no query holds as they stand.

    The question itself is searched beside the queries, so nothing is lost to the search; a trace tells.
    """
    kept = "\n".join(map(_folded, queries))
    found = dict.fromkeys(match[0] for match in _LITERAL.finditer(unicodedata.normalize("NFKC", question)))
    return [one for one in found if not re.search(rf"(?<![a-z0-9]){re.escape(_folded(one))}(?![a-z0-9])", kept)]


def other_language(question: str, queries: Sequence[str]) -> list[str]:
    """The queries in another language than the question: welcome beside it, never in its place."""
    spoken = language_of(question)
    return [query for query in queries if language_of(query) != spoken]


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
