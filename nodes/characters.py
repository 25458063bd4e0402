"""Text that may be written down: halves of characters, as a badly cut stream has them, joined or replaced."""

import re

_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_HALF = re.compile("[\ud800-\udfff]")
_FIRST_HALF = re.compile("[\ud800-\udbff]\\Z")


def whole(text: str) -> str:
    """`text` with each two halves of a character joined and each lone half replaced by U+FFFD."""
    if not _HALF.search(text):
        return text
    return _HALF.sub("\ufffd", _PAIR.sub(_joined, text))


def begun(text: str) -> int:
    """Where `text` ends, before the first half of a character whose second is still to come."""
    return len(text) - bool(_FIRST_HALF.search(text))


def _joined(match: re.Match[str]) -> str:
    return match[0].encode("utf-16", "surrogatepass").decode("utf-16")
