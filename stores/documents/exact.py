"""Exact identifiers: which passages hold, letter for letter, the rare identifiers that a query names.

Somebody who types `dynamic-attributes` wants the place that says so, and not one of the many that speak of dynamic
attributes. Words may be said in other words; an identifier may not, in no language.
"""

import re
from collections.abc import Sequence

from stores.documents.across import is_chinese
from stores.documents.coverage import Frequencies, holds
from stores.documents.terms import CJK, fold, index_terms

RARE_CHUNKS, RARE_SHARE = 10, 0.01
"""An identifier in no more chunks than one of these allows tells them from the others; a frequent one does not."""
IN_CONTEXT, IN_TEXT, DEFINED = 1, 2, 3
"""The title or the class around the passage names it; the passage does; the passage defines it, which was asked."""

_TOKEN = re.compile(rf"[^\s{CJK}，。；：？！、《》“”‘’\"'`=(){{}}\[\]]+")
_EDGES = ".,;:!?"
_SHAPE = re.compile(
    r"^@\w{2,}"  # @GetMapping
    r"|[a-z][A-Z]|[A-Z]{2}[a-z]"  # getUserById, HTMLFilter
    r"|\w_\w"  # MAX_RETRY
    r"|\w{2,}\.\w*[^\W\d]\w"  # server.port
    r"|\w@\w"  # a@example.com
    r"|\d\.\d+\.\d"  # 1.2.3
    r"|^/\w|/.*/|\\\w"  # /login, a/b/c
    r"|\w:\w"  # jsp:include
    r"|^[A-Za-z]+-\d{3,}"  # ORA-00942
    r"|^(?=.*\d.*\d)(?=.*[A-Za-z])\w{4,}$"  # 40P01, X200
)
_ELEMENT = re.compile(r"^</?[\w:.-]+")
_HYPHENATED = re.compile(r"\w-[^\W\d]")
_DEFINES = re.compile(r"定义|声明|实现|\b(?:defin|declar|implement)", re.IGNORECASE)
_DECLARED = (
    r"^[ \t]*(?:(?:export|default|public|private|protected|static|final|abstract|async|const|let|var|class|interface"
    r"|enum|record|struct|trait|def|fn|func|function|type|void)[ \t]+)+[^\n=;(]*?(?<!\w){name}(?!\w)"
)


def identifiers(query: str) -> list[str]:
    """The query's tokens that are written like code, in order, each once.

    A hyphen alone makes one only where prose would have none: in angle brackets, among Chinese, or standing alone.
    """
    folded = fold(query)
    tokens = _TOKEN.findall(folded)
    hyphens = len(tokens) == 1 or is_chinese(folded)
    found = []
    for token in tokens:
        bare = token.strip(_EDGES)
        if _SHAPE.search(bare) or _ELEMENT.match(bare) or (hyphens and _HYPHENATED.search(bare)):
            found.append(bare)
    return list(dict.fromkeys(found))


def exactness(query: str, passages: Sequence[tuple[str, str]], frequencies: Frequencies | None) -> list[int]:
    """How exactly each passage (context, text) has the rare identifiers of the query: the sum of their levels.

    0 for all of them if the query names none that the corpus knows in a few places only, or if nobody can tell which
    are rare: `frequencies` is `None` when the keyword leg is down.
    """
    if frequencies is None:
        return [0] * len(passages)
    named = {whole: name for name in identifiers(query) for whole in index_terms(name)[:1]}
    known, total = frequencies(named)
    most = max(RARE_CHUNKS, RARE_SHARE * total)
    rare = {whole: name for whole, name in named.items() if 0 < known.get(whole, 0) <= most}
    if not rare:
        return [0] * len(passages)
    defined = _asks_for_definition(query)
    return [sum(_level(whole, name, *one, defined=defined) for whole, name in rare.items()) for one in passages]


def _level(whole: str, name: str, context: str, text: str, *, defined: bool) -> int:
    if not holds(text, whole):
        return IN_CONTEXT if holds(context, whole) else 0
    declared = _DECLARED.format(name=re.escape(name.strip("@<>/")))
    return DEFINED if defined and re.search(declared, text, re.MULTILINE) else IN_TEXT


def _asks_for_definition(query: str) -> bool:
    """In words, or by saying nothing else."""
    return bool(_DEFINES.search(query)) or len(query.split()) == 1
