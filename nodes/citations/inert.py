"""Text that cannot act: links, images and HTML of an answer shown as the words they are.

An answer may repeat what a document wants it to say. A fetched image or a followed link would carry the
conversation to whoever wrote the document, so none stays live; code is left as it is. A bare address may stay that the
user, or the passage cited for it, wrote just so.
"""

import re
from collections.abc import Callable, Collection, Iterator
from functools import partial

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
    r"(?<![A-Za-z0-9])(?:(?:https?|ftps?|file|data|javascript|vbscript|mailto):(?=\S)|www\.|(?<![:/])//(?=\w))[^\s<>`\"'“”，。；！？、）】》\u3000]+",
    re.IGNORECASE,
)
_FENCE = re.compile(r"( {0,3})(?:`{3,}[^`\n]*|~{3,}[^\n]*)(?:\n|\Z)")
_TAG = re.compile(r"<(?=[A-Za-z/!?]|\Z)")
_ESCAPE = (
    r"(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]|\x1b\][^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\)"
    r"|\x1b[PX^_][^\x1b\n]{0,2000}\x1b\\|\x1b[ -/]{0,8}[0-~]"
)
_CONTROL = re.compile(rf"{_ESCAPE}|[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
REACH = 4_000
"""So much of the paragraph that was written before may make alive what follows."""
_DEAD = str.maketrans({"`": "'", "<": "‹", "[": "(", "]": ")", "!": "！"})
_TRAILING = ".,;:!?)]}*_~|"


def harmless(text: str) -> str:
    """`text` without what a terminal obeys and what turns the reading direction; line breaks and tabs stay."""
    return _CONTROL.sub("", text)


def sanitise(text: str, allowed: Collection[str] = (), *, inline: bool = False) -> str:
    """`text` with images, links, addresses and HTML made inert outside code; doing it twice changes nothing.

    `![x](http://e/?q=1)` becomes ``x (`http://e/?q=1`)``, an address stands in a code span unless it is one of
    `allowed`, `<img …>` becomes `&lt;img …>`. `inline`: it will not begin a line, so no fence of code begins there.
    """
    text = harmless(text)
    for change in (_links, partial(_rest, allowed=allowed), _marks):
        text = _outside_code(text, change, inline=inline)
    return text


def addresses(text: str) -> frozenset[str]:
    """The web addresses that `text` writes bare; those of its images and links are not among them."""
    bare = _LINK.sub(" ", _AUTOLINK.sub(" ", text))
    found = (match[0].rstrip(_TRAILING) for match in _ADDRESS.finditer(bare))
    return frozenset(one for one in found if one.casefold().startswith(("http://", "https://")))


def inert_after(before: str, text: str, allowed: Collection[str] = ()) -> str:
    """Inert `text` so that nothing comes alive where it is written behind the inert `before` either."""
    paragraph = before[before.rfind("\n\n") + 1 :][-REACH:]
    if sanitise(paragraph + text, allowed) == sanitise(paragraph, allowed) + text:
        return text
    return sanitise(text.translate(_DEAD))


def inert_line(text: str) -> str:
    """A title, query, or other text of unknown origin as one line in which nothing is alive or reads as a citation."""
    return sanitise(" ".join(without_markers(text).split())).strip()


def _outside_code(text: str, change: Callable[[str], str], *, inline: bool) -> str:
    joined = ""
    at = 0
    for start, end in [*_safe_code(text, inline=inline), (len(text), len(text))]:
        for piece in (change(text[at:start]), text[start:end]):
            # Two runs of backticks that touch would be one, of another length.
            joined += f" {piece}" if joined.endswith("`") and piece.startswith("`") else piece
        at = end
    return joined


def _safe_code(text: str, *, inline: bool) -> Iterator[tuple[int, int]]:
    """The spans that every reader of Markdown takes for code, whatever lists and quotations stand around."""
    for start, end in code_spans(text):
        code = text[start:end]
        fence = _FENCE.match(code)
        begins = text[start - 1] == "\n" if start else not inline
        if fence is not None and begins:
            body = code.split("\n")[1:]
            if all(len(line) - len(line.lstrip(" ")) >= len(fence[1]) for line in body if line.strip()):
                yield start, end
        elif fence is None and "\n" not in code and text[start - 1 : start] != "\\":
            yield start, end


def _links(text: str) -> str:
    text = text.replace("`", "'")  # a lone one would pair with one of those set below
    text = _AUTOLINK.sub(lambda match: f"`{match[1]}`", text)
    return _LINK.sub(_as_words, text)


def _as_words(match: re.Match[str]) -> str:
    target = (match[2] or match[3] or "").strip()
    shown = f"(`{target}`)" if target else ""
    return f"{match[1]} {shown}".strip() if match[1] else shown


def _rest(text: str, allowed: Collection[str]) -> str:
    return _ADDRESS.sub(lambda match: _as_code(match, allowed), text)


def _marks(text: str) -> str:
    text = _IMAGE.sub("", text)
    text = _JOINT.sub(r"] \1", text) if "](" in text or "][" in text else text
    text = _DEFINITION.sub(r"\1\\[\2]", text)
    return _TAG.sub("&lt;", text)


def _as_code(match: re.Match[str], allowed: Collection[str]) -> str:
    address = match[0].rstrip(_TRAILING)
    if address in allowed:
        return match[0]
    return f"`{address}`{match[0][len(address) :]}" if address else match[0]
