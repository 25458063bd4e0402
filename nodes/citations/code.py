"""Code that a text has begun and not closed: where it begins, and how to close it."""

import re

from stores.documents.sentences import code_spans

_TICKS = re.compile(r"`+")
_BLANK = re.compile(r"\n[ \t]*\n")
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_PROBE = "\n\nx"


def open_code(text: str) -> int | None:
    """Where a fence or code span begins that the text has not closed, `None` if all code is closed."""
    # An open fence swallows whatever follows; that is how it is told from a closed one.
    spans = code_spans(text + _PROBE)
    if spans and spans[-1][1] > len(text):
        return spans[-1][0]
    after = spans[-1][1] if spans else 0
    breaks = [match.end() for match in _BLANK.finditer(text, after)]
    loose = _TICKS.search(text, breaks[-1] if breaks else after)
    return None if loose is None else loose.start()


def closed(text: str) -> str:
    """`text` with its last fence closed, so that what is written behind it is not read as code."""
    start = open_code(text)
    fence = None if start is None else _FENCE.match(text, start)
    return text if fence is None else f"{text.rstrip()}\n{fence[1]}"
