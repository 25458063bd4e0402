"""From verdicts to what a reader sees: sentences with shown numbers, and the citations behind them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from nodes.citations.code import closed
from nodes.citations.inert import inert_after, sanitise
from nodes.citations.markers import without_markers
from nodes.citations.place import joined_spans, quoted_location
from nodes.citations.quote import best_quote
from nodes.citations.verdicts import Passage, SentenceVerdict
from stores.documents.document import Chunk, Document
from stores.documents.terms import CJK

GAP = " … "
"""Between the parts of a quotation that stand apart."""
_MOST_SENTENCES = 20
"""For so many sentences of an answer the lines are looked up that one number's quotation shows."""
_HEADED = (".md", ".markdown", ".mdx")
_WIDE = f"{CJK}。，、；：？！）】》」』”…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """What a shown number stands for. The passage's words are not kept: they are read from the store when shown.

    `span` is where the best quotation stands in the chunk's text; `parts` are all quotations in order, where sentences
    rest on lines apart. `support` is 0..1.
    """

    number: int
    chunk_id: str
    document_id: str
    revision: int
    title: str
    path: str
    location: dict[str, Any]
    span: tuple[int, int]
    support: float
    parts: tuple[tuple[int, int], ...] = ()

    def quote(self, text: str) -> str:
        """The quotation from the chunk's text that supports best."""
        start, end = self.span
        if self.parts and self.span not in self.parts:  # kept by an earlier release, as the stretch around all parts
            return GAP.join(self.quotes(text))
        return text[start:end]

    def quotes(self, text: str) -> list[str]:
        """Every quotation from the chunk's text that the answer rests on, in document order."""
        return [text[start:end] for start, end in self.parts or (self.span,)]

    def stored(self) -> dict[str, Any]:
        """As plain JSON types, for the final message."""
        stored = {**asdict(self), "span": list(self.span)}
        parts = stored.pop("parts")
        return stored | {"parts": [list(part) for part in parts]} if parts else stored

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Self:
        """Back from `stored`."""
        start, end = stored["span"]
        parts = tuple((first, last) for first, last in stored.get("parts", ()))
        return cls(**{**stored, "span": (start, end), "parts": parts})


def release(
    verdict: SentenceVerdict, shown: Sequence[int], *, after: str = "", allowed: Collection[str] = ()
) -> tuple[str, list[int]]:
    """The text of a passing sentence as the next piece of the answer, and the numbers shown so far with its own.

    Internal numbers become shown ones by first use: `shown[0]` is [1]. Markers stand behind the final stop, each
    number once, in ascending order; in a table before the row's last bar. `after` is what was shown before: the
    piece begins with the white space between. Links, images and HTML are made inert, addresses unless they are
    `allowed`.
    """
    numbers = [*shown, *dict.fromkeys(number for number in verdict.cited if number not in shown)]
    markers = "".join(f"[{at}]" for at in sorted(numbers.index(number) + 1 for number in verdict.cited))
    # Nothing that reads as a marker may be left: a number of the model's means another passage to the reader.
    text = without_markers(sanitise(verdict.text, allowed, inline=verdict.kind != "code"))
    gap = _gap(after, verdict.before, text)
    if verdict.kind != "code":
        text = without_markers(inert_after(after + gap, text, allowed))
    return gap + _with_markers(text, markers, verdict), numbers


def citations_for(
    verdicts: Sequence[SentenceVerdict],
    passages: Mapping[int, Passage],
    found: Mapping[str, tuple[Chunk, Document]],
) -> list[Citation]:
    """The citations of an answer, by number: one for each number that a verdict names and whose chunk is found.

    `passages` are by the numbers as the verdicts name them. There is a quotation for every sentence that the passage
    supports; the best one and the support are those of the sentence that is supported best.
    """
    best: dict[int, SentenceVerdict] = {}
    for verdict in verdicts:
        for number in (*verdict.cited, *verdict.named):
            if number not in best or verdict.support.score > best[number].support.score:
                best[number] = verdict
    return [
        _citation(
            number,
            best[number],
            [one for one in verdicts if number in one.cited and one.support.ok],
            *found[passages[number].chunk_id],
        )
        for number in sorted(best)
        if number in passages and passages[number].chunk_id in found
    ]


def as_json(citation: Citation, quote: str, quotes: Sequence[str] = ()) -> dict[str, Any]:
    """A citation with its quotations in the shape of `recite ask --json`; without `quotes` the best one is the only."""
    return {
        "number": citation.number,
        "chunk_id": citation.chunk_id,
        "document_id": citation.document_id,
        "title": citation.title,
        "path": citation.path,
        "location": citation.location,
        "quote": quote,
        "quotes": list(quotes) or [quote],
        "support": round(citation.support, 4),
    }


def _citation(
    number: int, verdict: SentenceVerdict, supported: Sequence[SentenceVerdict], chunk: Chunk, document: Document
) -> Citation:
    texts = dict.fromkeys(one.text for one in [verdict, *supported])
    spans = [best_quote(text, chunk.text) for text in list(texts)[:_MOST_SENTENCES]]
    parts = joined_spans(spans, chunk.text)
    best = next(part for part in parts if part[0] <= spans[0][0] and spans[0][1] <= part[1])
    return Citation(
        number=number,
        chunk_id=chunk.chunk_id,
        document_id=document.document_id,
        revision=document.revision,
        title=document.title,
        path=document.path,
        location=quoted_location(chunk, parts, headed=document.path.casefold().endswith(_HEADED)).as_json(),
        span=best,
        support=verdict.support.score,
        parts=parts if len(parts) > 1 else (),
    )


def _with_markers(text: str, markers: str, verdict: SentenceVerdict) -> str:
    if not markers:
        return text
    match verdict.kind:
        case "row":
            cells = text.rstrip()
            return f"{cells[:-1].rstrip()} {markers} |" if cells.endswith("|") else f"{cells} {markers}"
        case "code":
            return f"{closed(text).rstrip()}\n{markers}"
        case "prose":
            return f"{text}{markers}" if text[-1:] in _WIDE or _is_wide(text) else f"{text} {markers}"


def _gap(after: str, before: str, text: str) -> str:
    if not after:
        return before.lstrip()
    if before and not after.endswith("\n"):
        return before
    if before or after[-1:].isspace() or not text:
        return ""
    if (after.endswith("]") and text[0] in "([") or after[-1] == text[0] == "`":
        return " "  # glued together they would be a link, or code of another length
    glued = (
        _is_wide(after[-1:]) or _is_wide(text[:1]) or (after.endswith("]") and _is_wide(after.rstrip("[]0123456789")))
    )
    return "" if glued else " "


def _is_wide(text: str) -> bool:
    return bool(text) and any(
        low <= text[-1] <= high for low, high in (("\u2e80", "\u9fff"), ("\uf900", "\uffef"), ("”", "…"))
    )
