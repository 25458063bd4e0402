"""Quantities of a text: values with their units, written so that equal ones compare equal."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from nodes.citations.dates import Date, take_dates, take_times, told_at
from nodes.citations.numerals import with_digits
from nodes.citations.units import COUNTS, PIECE, SCALED, SCALES, UNIT, unit_named

_ORDINAL_BULLET = re.compile(
    r"^\s*(?:(?:[-*+•>]|#{1,6})\s+)?(?:\*\*)?(?:[（(]?\d{1,3}[.、)）](?=\s*[^\s\d])|[①-⑳]|[一二三四五六七八九十]{1,3}[、.]|第?[一二三四五六七八九十]{1,2}[，,：:])\s*"
)
_MULTIPLIERS = {
    "万亿": 10**12, "千亿": 10**11, "百亿": 10**10, "千万": 10**7, "百万": 10**6, "十万": 10**5,
    "亿": 10**8, "万": 10**4, "千": 1000, "百": 100, "hundred": 100, "thousand": 1000, "million": 10**6,
    "billion": 10**9, "bn": 10**9, "trillion": 10**12,
}  # fmt: skip
_MULTIPLIER = "|".join(rf"{word}(?![a-z])" if word.isascii() else word for word in _MULTIPLIERS)
_PREFIX = r"us\$|hk\$|\$|€|£|¥|rmb|usd|eur|cny|人民币|美元"
_PER = rf"\s?(?:/|每|per\s|an?\s|each\s|every\s)\s?(?P<per>{UNIT})"
_RATE = rf"\s[a-z]{{3,16}}\s(?:per|an?|each|every)\s(?P<rate>{UNIT})"
_QUANTITY = re.compile(
    rf"(?:(?P<prefix>{_PREFIX})\s?)?(?<![a-z0-9_])(?<!\d\.)(?P<sign>(?<![\w\d)])[-−](?=\d))?"
    r"(?P<number>\d{1,3}(?:,\d{3})+(?![\d,]\d)(?:\.\d+)?|\d+(?:\.\d+)*)"
    rf"(?:\s?(?P<multiplier>{_MULTIPLIER})(?![克米瓦]))?"
    rf"(?P<more>多|余)?(?:(?:\s|-)?(?P<unit>{UNIT}))?(?:{_PER}|{_RATE})?(?P<tail>[a-z_][a-z0-9_]*)?"
)
# What every figure has: a digit, a numeral, a word for a number, a weekday. Most clauses have none.
_FIGURE_SIGN = re.compile(
    r"[\d零〇一二两三四五六七八九十百千万亿日天]|(?<![a-z])(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven"
    r"|twelve|[a-z]+teen|[a-z]+ty|hundred|[a-z]+days?|first|second|third|[a-z]+th"
    r"|(?:in|by|of) (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*|twice|thrice"
    r"|half|doubl(?:es?|ed|ing)|twofold|quarters?|halves|[a-z]+ths|thirds)(?![a-z])|[倍番]",
    re.IGNORECASE,
)
_WEEKEND = re.compile(r"周末|双休日|(?<![a-z])weekends?(?![a-z])")
_ORDINAL_TAIL = re.compile(r"(?:st|nd|rd|th)$")
_PER_BEFORE = re.compile(rf"(?:每|per\s|each\s|every\s)\s?个?\s?(?P<per>{UNIT})[^。，,;；\d]{{0,8}}$")
_VERSION_BEFORE = re.compile(r"(?:[a-z][\w+#]*[ \-]|版本号?\s?|version\s|[a-z])$")
_RANGE = re.compile(rf"\s?(?:to|[-~–—至到])\s?\d+(?:\.\d+)?\s?(?P<unit>{UNIT})")
_IN_WORD = re.compile(r"(?<=[a-z_])\d+(?:\.\d+)*")

_WHOLE = Decimal(100)
_PLAIN_SHARES = frozenset(
    (100 * Decimal(up) / low).quantize(Decimal("0.0001")) for low in (3, 4, 5) for up in range(1, low)
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with what it counts.

    `value` is canonical: `1,200`, `1200.0` and `一千二百` are `1200`. `literal` is as written, where that is told
    apart (`3.10` of a version is not `3.1`). `unit` and `per` are canonical names, `None` where none is written.
    """

    value: str
    unit: str | None = None
    per: str | None = None
    literal: str | None = None

    def stated_by(self, other: "Quantity", units: Collection[str]) -> bool:
        """Does `other`, of a text that names these `units` somewhere, state this quantity?"""
        if self.literal is not None:
            return self.literal == (other.literal or other.value)
        if self.per and other.per and self.per != other.per:
            return False
        if self.value != other.value or self.unit != other.unit:
            if self.scaled is not None and self.scaled == other.scaled:
                return True
            if self.value != other.value:
                return False
        if self.unit in {None, PIECE, other.unit} or (self.unit == "degree" and other.unit == "degree Celsius"):
            return True
        if other.unit is None:
            return self.unit in units or self.unit in COUNTS
        return other.unit == PIECE and self.unit in COUNTS

    @property
    def scaled(self) -> tuple[str | None, Decimal] | None:
        """In the smallest unit of its kind, so that 半小时 is 30 minutes and 0.75 is 75 %; `None` without any."""
        if self.unit is None and self.literal is None and re.fullmatch(r"0\.\d+", self.value):
            return "%", Decimal(self.value) * 100
        if self.unit not in SCALED or self.value.count(".") > 1:
            return None
        smallest, times = SCALES.get(self.unit, (self.unit, 1))
        return smallest, Decimal(self.value) * times

    def rivals(self, other: "Quantity") -> bool:
        """Could `other` be the number that belongs where this one stands?"""
        return self.value != other.value and (self.unit == other.unit or bool({None, PIECE} & {self.unit, other.unit}))

    def __str__(self) -> str:
        written = self.literal or self.value
        return f"{written} {self.unit}" if self.unit not in {None, PIECE} else written


@dataclass(frozen=True, slots=True)
class Figures:
    """Every figure of a text."""

    quantities: tuple[Quantity, ...]
    dates: tuple[Date, ...]
    times: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.quantities or self.dates or self.times)


def figures(text: str, *, claims: bool) -> Figures:
    """The figures of folded text: as claims to be proven, or (generously) as material that may prove them."""
    if claims:
        text = _ORDINAL_BULLET.sub("", text)
    if not (_FIGURE_SIGN.search(text) or (not claims and _WEEKEND.search(text))):
        return Figures((), (), ())
    text = with_digits(text.casefold(), claims=claims)
    dates, text = take_dates(text)
    times, text = take_times(text)
    if not claims and _WEEKEND.search(text):
        times += ["weekday 6", "weekday 7"]
    return Figures(tuple(_quantities(text, claims=claims)), tuple(dates), tuple(times))


def missing_figure(wanted: Figures, given: Sequence[Figures], units: Collection[str]) -> str | None:
    """The first figure of `wanted` that none of `given` states, as a person would read it."""
    quantities: dict[object, set[Quantity]] = {}
    for quantity in (quantity for one in given for quantity in one.quantities):
        quantities.setdefault(quantity.value, set()).add(quantity)
        quantities.setdefault(quantity.scaled, set()).add(quantity)
    dates = list({date for one in given for date in one.dates})
    times = {time for one in given for time in one.times}
    bare = {value for value, same in quantities.items() if any(one.unit in {None, "year"} for one in same)}
    for date in dict.fromkeys(wanted.dates):
        only_year = date.month is None and str(date.year) in bare
        if not only_year and not date.told_by(dates):
            return str(date)
    for time in wanted.times:
        if not told_at(time, times):
            return time
    dated = {str(date.year) for date in dates}
    for quantity in dict.fromkeys(wanted.quantities):
        if quantity.unit in {None, "year"} and quantity.value in dated:
            continue
        alike = quantities.get(quantity.value, set()) | quantities.get(quantity.scaled or "", set())
        if not any(quantity.stated_by(other, units) for other in alike) and not _worked_out(quantity, given):
            return str(quantity)
    return None


def _worked_out(wanted: Quantity, given: Sequence[Figures]) -> bool:
    """Does a share or a multiple follow from two figures of the material, or from a share that is taken away?

    两倍 follows from 15 册 beside 30 册, two thirds from "shrinks by a third".
    """
    if wanted.unit not in {"fold", "%"} or wanted.scaled is None:
        return False
    share = wanted.scaled[1]
    told = [quantity for one in given for quantity in one.quantities]
    if any(quantity.unit == "%" and quantity.scaled and share + quantity.scaled[1] == _WHOLE for quantity in told):
        return share in _PLAIN_SHARES
    if wanted.unit != "fold":
        return False
    values: dict[str, set[Decimal]] = {}
    for quantity in told:
        if quantity.unit is not None and quantity.literal is None and quantity.value.count(".") < 2:  # noqa: PLR2004
            values.setdefault(quantity.unit, set()).add(Decimal(quantity.value))
    return any(100 * low in {share * one for one in same} for same in values.values() for low in same)


def _quantities(text: str, *, claims: bool) -> Iterator[Quantity]:
    for match in _QUANTITY.finditer(text):
        tail = match["tail"]
        if tail and not _ORDINAL_TAIL.match(tail) and claims:
            continue  # 4xx, 2fa: an identifier
        yield _read(text, match)
    if not claims:
        yield from (Quantity(_canonical(match[0]), literal=match[0]) for match in _IN_WORD.finditer(text))


def _read(text: str, match: re.Match[str]) -> Quantity:
    number = match["number"]
    before = text[max(0, match.start() - 16) : match.start()]
    unit = unit_named(match["unit"]) or unit_named(match["prefix"])
    if unit is None and not match["multiplier"] and (ranged := _RANGE.match(text, match.end())):
        unit = unit_named(ranged["unit"])
    earlier = _PER_BEFORE.search(before)
    per = unit_named(match["per"] or match["rate"]) or (unit_named(earlier["per"]) if earlier else None)
    value = _canonical(number, _MULTIPLIERS.get(match["multiplier"] or "", 1))
    if match["sign"]:
        value = f"-{value}"
    named = number.count(".") > 1 or (number.endswith("0") and "." in number and _VERSION_BEFORE.search(before))
    apart = bool(named and unit is None) or (number.startswith("0") and "." not in number and len(number) > 1)
    return Quantity(value, unit, per, number if apart else None)


def _canonical(number: str, multiplier: int = 1) -> str:
    if number.count(".") > 1:
        return number
    value = Decimal(number.replace(",", "")) * multiplier
    return format(value.normalize() if value else Decimal(0), "f")
