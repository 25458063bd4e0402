"""Dates in a memory checked against the user's words: the model resolves them, this module verifies.

"Yesterday" counts from the message's own time and zone, never from the worker's clock.
"""

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from stores.memories.text import chinese_value, fold

_MONTH_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES.split(), start=1)}
_MONTH = r"(?P<name>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_MM = r"(?P<m>1[0-2]|0?[1-9])"
_DD = r"(?P<d>3[01]|[12][0-9]|0?[1-9])"
_ABSOLUTE = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![0-9])(?P<y>[12][0-9]{{3}})\s?[-/.年]\s?{_MM}\s?[-/.月]\s?{_DD}(?![0-9])\s?[日号]?",
        rf"(?<![0-9])(?P<y>[12][0-9]{{3}})\s?[-/年]\s?{_MM}(?![0-9])\s?月?(?:份)?",
        rf"(?<![0-9]){_MM}\s?月\s?{_DD}\s?[日号]",
        rf"\b{_MONTH}\s+{_DD}(?:st|nd|rd|th)?(?:,?\s+(?P<y>[12][0-9]{{3}}))?\b",
        rf"\b{_DD}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}(?:,?\s+(?P<y>[12][0-9]{{3}}))?\b",
        rf"\b{_MONTH}\s+(?P<y>[12][0-9]{{3}})\b",
        r"(?<![0-9])(?P<y>[12][0-9]{3})\s?年",
        r"\b(?:in|since|until|by|of)\s+(?P<y>(?:19|20)[0-9]{2})\b",
    )
]
_DAYS = {
    "大前天": -3, "前天": -2, "昨天": -1, "昨晚": -1, "昨日": -1, "今天": 0, "今晚": 0, "今早": 0, "今日": 0,
    "明天": 1, "明早": 1, "明晚": 1, "明日": 1, "大后天": 3, "后天": 2,
    "the day before yesterday": -2, "yesterday": -1, "last night": -1, "today": 0, "tonight": 0,
    "this morning": 0, "the day after tomorrow": 2, "tomorrow": 1,
}  # fmt: skip
_DAY = re.compile(r"(?<![以之从目])(?:" + "|".join(sorted(map(re.escape, _DAYS), key=len, reverse=True)) + ")")
_WEEKDAY_ZH = re.compile(r"(?P<which>上上个?|上个?|这个?|本|下下个?|下个?)?(?:周|星期|礼拜)(?P<day>[一二三四五六日天])")
_WEEKDAY_EN = re.compile(
    r"\b(?:(?P<which>last|this|next|on|coming)\s+)?(?P<day>mon|tues?|wednes|thurs?|fri|satur|sun)(?:day)\b"
)
_SPAN = re.compile(
    r"(?P<zh>上上个?|上个?|这个?|本|下下个?|下个?)(?P<unit>周|星期|礼拜|月)(?![一二三四五六日天])"
    r"|(?P<year>前|去|今|明|后)年|\b(?P<en>last|this|next)\s+(?P<uniten>week|weekend|month|year)\b"
)
_AGO = re.compile(
    r"(?P<n>[0-9]+|[一二两三四五六七八九十]+)\s?个?(?P<unit>天|日|周|星期|月|年)(?P<way>之?前|以前|之?后"
    r"|以后)"
    r"|\b(?:(?P<in>in)\s+)?(?P<nen>[0-9]+|an?|one|two|three|four|five|six|seven|eight|nine"
    r"|ten)\s+(?P<uniten>day|week|month|year)s?(?(in)\b|(?P<wayen>\s+ago|\s+from now|\s+later))"
)
_VAGUE = re.compile(
    r"最近|近来|近期|这阵子|这段时间|目前|现在|正在|今年|\b(?:recently|lately|these days|currently|now"
    r"|at present|nowadays)\b"
)
_SMALL_NUMBERS = "zero one two three four five six seven eight nine ten"
_SMALL = {word: value for value, word in enumerate(_SMALL_NUMBERS.split())} | {
    "a": 1,
    "an": 1,
}
_WEEK_ZH = {char: index for index, char in enumerate("一二三四五六日")} | {"天": 6}
_WEEK_EN = {"mon": 0, "tue": 1, "tues": 1, "wednes": 2, "thur": 3, "thurs": 3, "fri": 4, "satur": 5, "sun": 6}


_WEEK = 7
_LAST_YEAR = 9999
_FARTHEST = 1000
"""Days, weeks, months or years counted from the message; beyond it nobody speaks of a date."""


@dataclass(frozen=True, slots=True)
class Span:
    """The days from `first` to `last`, both included; `year` is false when the text left the year open."""

    first: date
    last: date
    year: bool = True

    def meets(self, other: "Span") -> bool:
        """Whether the two have a day in common, the year aside where either leaves it open."""
        if not (self.year and other.year):
            return (self.first.month, self.first.day) == (other.first.month, other.first.day)
        return self.first <= other.last and other.first <= self.last


def unresolved(content: str) -> bool:
    """Whether a memory holds a day that will mean another one tomorrow (昨天, "next Friday")."""
    folded = without_dates(fold(content))
    found = bool(_DAY.search(folded) or _SPAN.search(folded))
    ago = bool(_AGO.search(folded))
    named = any(match["which"] in {"last", "this", "next"} for match in _WEEKDAY_EN.finditer(folded))
    named = named or any(match["which"] for match in _WEEKDAY_ZH.finditer(folded))
    return found or ago or named


def without_dates(content: str) -> str:
    """The text without its absolute dates."""
    for pattern in _ABSOLUTE:
        content = pattern.sub(" ", content)
    return content


def dates_hold(content: str, words: str, when: datetime) -> bool:
    """Whether every date of a memory is in the user's words, literally or resolved from the message's time."""
    claimed = list(_absolute(content, when.date()))
    if not claimed:
        return True
    said = list(_absolute(words, when.date()))
    resolved = list(_relative(fold(words), when.date()))
    if not said and not resolved:
        resolved = [Span(when.date(), when.date())]
    return all(any(claim.meets(span) for span in said + resolved) for claim in claimed)


def _absolute(text: str, today: date) -> Iterator[Span]:
    folded = fold(text)
    for pattern in _ABSOLUTE:
        for match in pattern.finditer(folded):
            span = _span(match.groupdict(), today)
            if span:
                yield span
        folded = pattern.sub(" ", folded)


def _span(parts: dict[str, str | None], today: date) -> Span | None:
    written = parts.get("y")
    year = int(written) if written else today.year
    name, month, day = parts.get("name"), parts.get("m"), parts.get("d")
    number = _MONTHS[name[:3]] if name else int(month) if month else None
    try:
        if number is None:
            return Span(date(year, 1, 1), date(year, 12, 31))
        if day is None:
            return _month(year, number)
        exact = date(year, number, int(day))
    except ValueError:
        return None
    return Span(exact, exact, year=bool(written))


def _month(year: int, month: int) -> Span:
    return Span(date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1]))


def _shift_month(today: date, count: int) -> Span:
    index = today.year * 12 + today.month - 1 + count
    return _month(index // 12, index % 12 + 1)


def _relative(words: str, today: date) -> Iterator[Span]:
    for match in _DAY.finditer(words):
        day = today + timedelta(days=_DAYS[match[0]])
        yield Span(day, day)
    yield from _weekdays(words, today)
    yield from _spans(words, today)
    yield from _counted(words, today)
    if _VAGUE.search(words):
        yield _month(today.year, today.month)


def _weekdays(words: str, today: date) -> Iterator[Span]:
    monday = today - timedelta(days=today.weekday())
    for match in _WEEKDAY_ZH.finditer(words):
        which = match["which"] or ""
        weeks = _weeks(which) if which else None
        day = _WEEK_ZH[match["day"]]
        for week in (weeks,) if weeks is not None else (-1, 0, 1):
            exact = monday + timedelta(days=7 * week + day)
            if weeks is not None or abs((exact - today).days) < _WEEK:
                yield Span(exact, exact)
    for match in _WEEKDAY_EN.finditer(words):
        day = _WEEK_EN[match["day"]]
        allowed = {"last": (-1, 0), "next": (0, 1), "this": (0,)}.get(match["which"] or "", (-1, 0, 1))
        for week in allowed:
            exact = monday + timedelta(days=7 * week + day)
            past_only, future_only = match["which"] == "last", match["which"] == "next"
            if (past_only and exact >= today) or (future_only and exact <= today):
                continue
            yield Span(exact, exact)


def _weeks(which: str) -> int:
    return {"上": -1, "下": 1}.get(which[0], 0) * (2 if which[:2] in {"上上", "下下"} else 1)


def _spans(words: str, today: date) -> Iterator[Span]:
    for match in _SPAN.finditer(words):
        if match["year"]:
            year = today.year + {"前": -2, "去": -1, "今": 0, "明": 1, "后": 2}[match["year"]]
            yield Span(date(year, 1, 1), date(year, 12, 31))
            continue
        step = _weeks(match["zh"]) if match["zh"] else {"last": -1, "this": 0, "next": 1}[match["en"]]
        unit = match["unit"] or match["uniten"]
        if unit in {"月", "month"}:
            yield _shift_month(today, step)
        elif unit == "year":
            yield Span(date(today.year + step, 1, 1), date(today.year + step, 12, 31))
        else:
            monday = today - timedelta(days=today.weekday()) + timedelta(days=7 * step)
            yield Span(monday, monday + timedelta(days=6))


def _counted(words: str, today: date) -> Iterator[Span]:
    for match in _AGO.finditer(words):
        unit = match["unit"] or match["uniten"]
        way = match["way"] or match["wayen"] or "later"
        back = "前" in way or "ago" in way
        count = _count(match["n"] or match["nen"]) * (-1 if back else 1)
        if abs(count) > _FARTHEST:
            continue
        if unit in {"天", "日", "day", "周", "星期", "week"}:
            day = today + timedelta(days=count * (1 if unit in {"天", "日", "day"} else 7))
            yield Span(day, day)
        elif unit in {"月", "month"}:
            yield _shift_month(today, count)
        elif 1 <= today.year + count <= _LAST_YEAR:
            yield Span(date(today.year + count, 1, 1), date(today.year + count, 12, 31))


def _count(word: str) -> int:
    if word.isdigit():
        return int(word)
    if word in _SMALL:
        return _SMALL[word]
    return int(chinese_value(word))
