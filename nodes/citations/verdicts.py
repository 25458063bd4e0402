"""The verdict on every sentence of a draft: what it cites, whether that exists, whether it is supported."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, Self

from nodes.citations.features import Asked
from nodes.citations.markers import cited_spans, find_markers, without_definitions, without_markers
from nodes.citations.opinions import Opinions
from nodes.citations.results import NO_TOOLS, ToolTexts
from nodes.citations.statements import is_frame, states_something
from nodes.citations.support import Support, check_sentence, rests_on
from nodes.citations.unheard import names_unheard
from nodes.prompts import INSUFFICIENT
from stores.documents.document import Chunk
from stores.documents.terms import fold

Kind = Literal["prose", "row", "code"]

_INSUFFICIENT = re.compile(
    rf"(?:^|(?<=[\s。.!！?？;；\]】］]))[ \t>*_`#-]*{INSUFFICIENT}[*_`]*[ \t]*[:：]?[ \t]*[*_`]*(?P<what>[^\n]*)",
    re.MULTILINE,
)
_FENCE = re.compile(r"[ \t>]*(?:`{3,}[^`\n]*|~{3,}[^\n]*)\n")
_FENCE_END = re.compile(r"\n[ \t>]*(?:`{3,}|~{3,})[ \t]*(?:\n|\Z)")
_FENCE_LINE = re.compile(r"^[ \t>]*(?:`{3,}|~{3,})[^\n]*$", re.MULTILINE)
_ROW = re.compile(r"[ \t]*\|")
_ROW_RULE = re.compile(r"[ \t]*\|?(?:[ \t]*:?-{2,}:?[ \t]*\|?)+[ \t]*$")
_STARTS_ITEM = re.compile(r"[ \t]*(?:[-*+•][ \t]|\d{1,3}[.)、][ \t]*|#{1,6}[ \t]|>)")
_LINE_END = re.compile(r"(?<=[\]】］:：])[ \t]*\n(?=[ \t]*\S)")
REACH = 2
"""A sentence without a marker may share that of one of so many sentences behind it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A passage that a draft's number stands for. `ocr` says that its text was read from an image."""

    number: int
    chunk_id: str
    text: str
    context: str
    ocr: bool = False

    @classmethod
    def of(cls, number: int, chunk: Chunk) -> Self:
        """The passage that a chunk is under this number."""
        return cls(
            number=number,
            chunk_id=chunk.chunk_id,
            text=chunk.text,
            context=chunk.context,
            ocr=chunk.location.ocr,
        )

    @property
    def material(self) -> str:
        """What may support a sentence: the text with its title, headings and table header."""
        return f"{self.context}\n\n{self.text}" if self.context else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceVerdict:
    """One sentence of a draft.

    `text` is without markers, `source` as the model wrote it, `before` the white space that parts it from what
    was shown before. `cited` are the passages it rests on, `named` all existing ones it names, `forged` numbers
    that stand for nothing. `plain`: it states nothing, so it needs no source.
    """

    text: str
    source: str
    before: str
    kind: Kind
    cited: tuple[int, ...] = ()
    named: tuple[int, ...] = ()
    forged: tuple[int, ...] = ()
    support: Support = field(default_factory=lambda: Support(0.0, "uncited"))
    ok: bool = False
    plain: bool = False


@dataclass(frozen=True, slots=True)
class _Unit:
    source: str
    before: str
    kind: Kind
    paragraph: int
    numbers: tuple[int, ...]

    @property
    def announces(self) -> bool:
        return without_markers(self.source).rstrip("*_ ").endswith((":", "："))


def judge(
    draft: str,
    passages: Mapping[int, Passage],
    *,
    free: Sequence[str],
    allow_uncited: bool,
    tools: ToolTexts = NO_TOOLS,
    opinions: Opinions | None = None,
    known: Sequence[SentenceVerdict] = (),
) -> list[SentenceVerdict]:
    """Judge every sentence of a draft, in order; lines that say what is missing are no sentences.

    `known` are the verdicts on its first sentences, from when the draft was shorter.

    A number without a passage is dropped. A sentence passes if a passage it cites supports it; without a number,
    if it states nothing, rests on `free` or `tools`, may share the marker of a sentence right behind it that
    supports it too, or if `allow_uncited`. Of several passages those are kept that support the sentence alone, if any
    does. `opinions` say whether a sentence that cites is supported; without them its words do.
    """
    units = list(_units(without_definitions(split_insufficient(draft)[0])))
    verdicts: list[SentenceVerdict] = []
    before = ""
    for at, unit in enumerate(units):
        before = max(before, unit.before, key=lambda gap: (gap.count("\n"), len(gap)))
        if at < len(known):
            verdict = known[at]
        else:
            shareable = _shareable(units, at, passages)
            verdict = _verdict(unit, before, shareable, passages, free, tools, opinions, allow_uncited=allow_uncited)
        verdicts.append(verdict)
        before = "" if verdict.ok else before + _item_sign(unit, units[at + 1 : at + 2])
    return verdicts


def asked_of(draft: str, passages: Mapping[int, Passage]) -> list[Asked]:
    """What `judge` will want to know of the draft's sentences that cite something, each once."""
    units = list(_units(without_definitions(split_insufficient(draft)[0])))
    asked: list[Asked] = []
    for at, unit in enumerate(units):
        text = without_markers(unit.source)
        own = tuple(number for number in unit.numbers if number in passages)
        numbers = own if unit.numbers else _shareable(units, at, passages)
        if numbers and unit.kind != "code" and not _is_table_frame(unit) and states_something(text):
            asked.append(Asked(fold(text), tuple(fold(passages[number].material) for number in numbers)))
    return list(dict.fromkeys(asked))


def split_insufficient(draft: str) -> tuple[str, list[str]]:
    """The draft without its `INSUFFICIENT_MATERIAL` lines, and what each of them says is missing."""
    missing = [match["what"].strip(" \t*_`") for match in _INSUFFICIENT.finditer(draft)]
    return _INSUFFICIENT.sub("", draft).rstrip(), [without_markers(what) for what in missing]


def _verdict(
    unit: _Unit,
    before: str,
    shareable: tuple[int, ...],
    passages: Mapping[int, Passage],
    free: Sequence[str],
    tools: ToolTexts,
    opinions: Opinions | None,
    *,
    allow_uncited: bool,
) -> SentenceVerdict:
    text = without_markers(unit.source)
    named = tuple(number for number in unit.numbers if number in passages)
    forged = tuple(number for number in unit.numbers if number not in passages)
    plain = unit.kind != "code" and (_is_table_frame(unit) or not states_something(text))
    if plain and not allow_uncited:
        plain = not names_unheard(text, [*(one.material for one in passages.values()), *free, tools.asked])
    cited, support = _supported(unit.kind, text, named, passages, free, tools, opinions)
    if not support.ok and not unit.numbers and shareable and not plain:
        shared, with_shared = _supported(unit.kind, text, shareable, passages, free, tools, opinions)
        if with_shared.ok:
            cited, support = shared, with_shared
    if forged and not named and not support.ok:
        support = Support(0.0, "unknown_number", str(forged[0]), support.floor)
    return SentenceVerdict(
        text=text,
        source=unit.source,
        before=before,
        kind=unit.kind,
        # A line that states nothing, or only says whose words follow, bears no number: what it announces does.
        cited=() if plain or is_frame(text) else cited if support.ok else named if allow_uncited else (),
        named=named,
        forged=forged,
        support=support,
        ok=support.ok or plain or (allow_uncited and not named),
        plain=plain,
    )


def _supported(
    kind: Kind,
    text: str,
    numbers: tuple[int, ...],
    passages: Mapping[int, Passage],
    free: Sequence[str],
    tools: ToolTexts,
    opinions: Opinions | None,
) -> tuple[tuple[int, ...], Support]:
    """The passages a sentence rests on, and how well."""
    sentence = _FENCE_LINE.sub("", text).strip() if kind == "code" else text
    if kind == "code" and not sentence:
        # A fence around nothing: shown, it would open a block that swallows the markers after it.
        return (), Support(0.0, "uncited")
    known = [passages[number] for number in numbers]
    if not known:
        return (), rests_on(sentence, free, tools)
    together = _check(sentence, tuple(known), (), opinions)
    if together.ok and len(known) > 1:
        alone = [(one.number, _check(sentence, (one,), (), opinions)) for one in known]
        enough = tuple(number for number, support in alone if support.ok)
        if enough:
            return enough, max((support for _, support in alone if support.ok), key=lambda support: support.score)
    if together.ok or not free or together.reason == "unsupported":
        return numbers, together  # what a tool said can add a fact, not a meaning
    with_free = _check(sentence, tuple(known), tuple(free), opinions, tools.told_units)
    return numbers, with_free if with_free.ok else together


@lru_cache(maxsize=1024)
def _check(
    sentence: str,
    known: tuple[Passage, ...],
    free: tuple[str, ...],
    opinions: Opinions | None,
    units: frozenset[str] = frozenset(),
) -> Support:
    """Kept, because a growing draft is judged again and again from its beginning."""
    return check_sentence(
        sentence,
        [one.material for one in known],
        free=free,
        ocr=any(one.ocr for one in known),
        units=units,
        opinions=opinions,
    )


def _shareable(units: Sequence[_Unit], at: int, passages: Mapping[int, Passage]) -> tuple[int, ...]:
    """The numbers of the next cited sentence that this one may share; for code also those of the one before."""
    unit = units[at]
    for other in units[at + 1 : at + 1 + REACH]:
        if other.paragraph != unit.paragraph and not unit.announces:
            break
        numbers = tuple(number for number in other.numbers if number in passages)
        if numbers:
            return numbers
    if unit.kind == "code" and at:
        return tuple(number for number in units[at - 1].numbers if number in passages)
    return ()


def _item_sign(unit: _Unit, following: Sequence[_Unit]) -> str:
    """The bullet of a sentence that is cut, for the next sentence of the same item."""
    sign = _STARTS_ITEM.match(unit.source)
    same_item = any(other.paragraph == unit.paragraph and "\n" not in other.before for other in following)
    return sign[0] if sign and same_item else ""


def _is_table_frame(unit: _Unit) -> bool:
    """The head of a table and the rule under it; `_units` marks the head by its missing paragraph."""
    return unit.kind == "row" and (bool(_ROW_RULE.match(unit.source)) or unit.paragraph < 0)


def _units(text: str) -> Iterator[_Unit]:
    spans = list(_spans(text))
    paragraph, last = 0, 0
    kind: Kind = "prose"
    for at, (start, end) in enumerate(spans):
        source, before = text[start:end], text[last:start]
        previous, kind = kind, _kind(source, begins=not last or "\n" in before)
        in_table = kind == previous == "row" and before.count("\n") == 1
        if (
            "\n" in before
            and (before.count("\n") > 1 or _STARTS_ITEM.match(source) or kind != previous)
            and not in_table
        ):
            paragraph += 1
        following = text[slice(*spans[at + 1])] if at + 1 < len(spans) else ""
        head = kind == "row" and bool(_ROW_RULE.match(following)) and not _ROW_RULE.match(source)
        numbers = tuple(dict.fromkeys(n for marker in find_markers(source) for n in marker.numbers))
        yield _Unit(source, before, kind, -1 if head else paragraph, numbers)
        last = end


def _kind(source: str, *, begins: bool) -> Kind:
    # What follows may still make an open fence a mere run of backticks, so only a closed one is code.
    if begins and _FENCE.match(source) and _FENCE_END.search(source):
        return "code"
    return "row" if _ROW.match(source) else "prose"


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Sentences; a line that ends in a marker or a colon ends one too; a marker alone belongs to the one before."""
    merged: list[tuple[int, int]] = []
    for start, end in cited_spans(text):
        at = start
        breaks = (
            [] if _FENCE.match(text[start:end]) else [match.span() for match in _LINE_END.finditer(text, start, end)]
        )
        for cut, following in [*breaks, (end, end)]:
            lone = merged and find_markers(text[at:cut]) and not without_markers(text[at:cut]).strip()
            if lone:
                merged[-1] = (merged[-1][0], cut)
            elif at < cut:
                merged.append((at, cut))
            at = following
    yield from merged
