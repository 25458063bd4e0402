"""Text that cannot act: links, images and HTML of an answer shown as the words they are.

An answer may repeat what a document wants it to say. A fetched image or a followed link would carry the
conversation to whoever wrote the document, so none stays live; code is left as it is.
"""

import re
from collections.abc import Callable

from nodes.citations.markers import without_markers
from stores.documents.sentences import code_spans

_AUTOLINK = re.compile(r"<((?:[a-z][a-z0-9+.-]{1,31}:|www\.|//)[^<>\s`]*)>", re.IGNORECASE)
_LINK = re.compile(
    r"!?\[([^\[\]\n]{0,500})\]\(\s{0,8}(?:<([^<>\n`]{0,1000})>|([^\s()`]{0,1000}(?:\([^\s()`]{0,200}\)[^\s()`]{0,200})?))"
    r"(?:\s{1,8}(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'|\([^()\n]{0,300}\)))?\s{0,8}\)"
)
_JOINT = re.compile(r"\](\s{0,3})(?=\(|\[)")
_DEFINITION = re.compile(r"^((?:[ \t>*+-]|\d{1,3}[.)])*)\[([^\]\n]{1,500})\](?=:)", re.MULTILINE)
_IMAGE = re.compile(r"!(?=\[)")
_ADDRESS = re.compile(
    r"(?<![A-Za-z0-9_`/])(?:(?:https?|ftps?|file|data|javascript|vbscript|mailto):(?=\S)|www\.|//(?=\w))[^\s<>`\"'“”，。；！？、）】》\u3000]+",
    re.IGNORECASE,
)
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_TRAILING = ".,;:!?)]}*_~|"


def sanitise(text: str) -> str:
    """`text` with images, links, addresses and HTML made inert outside code; doing it twice changes nothing.

    `![x](http://e/?q=1)` becomes ``x (`http://e/?q=1`)``, an address stands in a code span, `<img …>` becomes
    `&lt;img …>`.
    """
    return _outside_code(_outside_code(text, _links), _rest)


def inert_line(text: str) -> str:
    """A title, query, or other text of unknown origin as one line in which nothing is alive or reads as a citation."""
    return sanitise(" ".join(without_markers(text).split())).strip()


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    pieces: list[str] = []
    at = 0
    for start, end in code_spans(text):
        pieces += [change(text[at:start]), text[start:end]]
        at = end
    return "".join([*pieces, change(text[at:])])


def _links(text: str) -> str:
    text = _AUTOLINK.sub(lambda match: f"`{match[1]}`", text)
    return _LINK.sub(_as_words, text)


def _as_words(match: re.Match[str]) -> str:
    target = (match[2] or match[3] or "").strip()
    shown = f"(`{target}`)" if target else ""
    return f"{match[1]} {shown}".strip() if match[1] else shown


def _rest(text: str) -> str:
    text = _ADDRESS.sub(_as_code, text)
    return _outside_code(text, _marks)


def _marks(text: str) -> str:
    text = _IMAGE.sub("", text)
    text = _JOINT.sub(r"] \1", text) if "](" in text or "][" in text else text
    text = _DEFINITION.sub(r"\1\\[\2]", text)
    return _TAG.sub("&lt;", text)


def _as_code(match: re.Match[str]) -> str:
    address = match[0].rstrip(_TRAILING)
    return f"`{address}`{match[0][len(address) :]}" if address else match[0]
