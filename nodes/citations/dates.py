"""Dates, weekdays and times of day in Chinese and English, however they are written."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

_MONTHS = "january february march april may june july august september october november december".split()  # noqa: SIM905 - a list of so many literals reads worse
_MONTH = r"(?P<month>" + "|".join(f"{name}|{name[:3]}\\.?" for name in _MONTHS) + r"|sept\.?)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_PATTERNS = [
    re.compile(
        r"(?<![\d.])(?P<year>\d{4})\s?[-/.年]\s?(?P<number>\d{1,2})\s?[-/.月]\s?(?P<day>\d{1,2})(?!\d|\.\d)\s?[日号]?"
    ),
    re.compile(r"(?<!\d)(?P<year>\d{4})\s?年\s?(?P<number>\d{1,2})\s?月(?!\s?\d)"),
    re.compile(r"(?<!\d)(?P<number>\d{1,2})\s?月\s?(?P<day>\d{1,2})\s?[日号]"),
    re.compile(r"(?<![\d.])(?P<number>\d{1,2})\s?月(?![\d\s]*\d|[份]?\s?[大小])份?"),
    re.compile(r"(?<!\d)(?P<year>(?:1[0-9]|20)\d\d)\s?年(?![\d期])"),
    re.compile(rf"(?<![a-z\d]){_MONTH}\s{_DAY}(?!\d)\s?,?\s(?P<year>\d{{4}})(?!\d)"),
    re.compile(rf"(?<![a-z\d]){_DAY}\s(?:of\s)?{_MONTH},?\s(?P<year>\d{{4}})(?!\d)"),
    re.compile(rf"(?<![a-z\d]){_MONTH}\s{_DAY}(?![\d,.]*\d)"),
    re.compile(rf"(?<![a-z\d]){_DAY}\s(?:of\s)?{_MONTH}(?![a-z])"),
    re.compile(rf"(?<![a-z\d]){_MONTH},?\s(?P<year>\d{{4}})(?!\d)"),
    re.compile(rf"(?<=(?<![a-z])(?:in|by|of)\s){_MONTH}(?![a-z])"),
]
_SLASHED = re.compile(r"(?<![\d/.])(\d{1,2})/(\d{1,2})/(\d{4})(?![\d/])")
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()  # noqa: SIM905 - a list of so many literals reads worse
_WEEKDAY = re.compile(
    r"(?:星期|周|礼拜)(?P<zh>[1-7一二三四五六日天])(?!\d)|(?<![a-z])(?P<en>" + "|".join(_WEEKDAYS) + r")s?(?![a-z])"
)
_CLOCK = re.compile(
    r"(?P<half>上午|早上|凌晨|中午|下午|晚上|傍晚|夜里|夜间|深夜|当晚)?\s?(?<![\d.:])(?P<hour>\d{1,2})(?::(?P<minute>\d{2})(?::\d{2})?|\s?点(?:钟|整)?\s?(?P<zh>半|\d{1,2}(?:\s?分)?)?(?:(?<=分)\s?\d{1,2}\s?秒)?)"
    r"(?![\d:])\s?(?P<m>[ap]\.?m\.?(?![a-z]))?"
)
_ENGLISH_HOUR = re.compile(r"(?<![\d.:])(?P<hour>\d{1,2})\s?(?P<m>[ap]\.?m\.?)(?![a-z])")
_NOON = 12
_LATE = frozenset({"下午", "晚上", "傍晚", "夜里", "夜间", "深夜", "当晚"})
_EITHER = "?"
"""Behind a time that may be of the morning or of the evening: 十点."""


@dataclass(frozen=True, slots=True)
class Date:
    """A date as far as it is told; a text that tells more supports one that tells less."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def told_by(self, others: Sequence["Date"]) -> bool:
        """Does one of these tell it, or does one tell the day while another tells the year?"""
        if any(self._within(other) for other in others):
            return True
        without_year = Date(None, self.month, self.day)
        years = {other.year for other in others}
        yearless = (other for other in others if other.year is None)
        return self.month is not None and self.year in years and any(without_year._within(o) for o in yearless)

    def _within(self, other: "Date") -> bool:
        return all(
            mine is None or mine == theirs
            for mine, theirs in zip(
                (self.year, self.month, self.day), (other.year, other.month, other.day), strict=True
            )
        )

    def __str__(self) -> str:
        return "-".join(str(part) for part in (self.year, self.month, self.day) if part is not None)


def take_dates(text: str) -> tuple[list[Date], str]:
    """The dates of a lower-cased, folded text with digits, and the text with them blanked out."""
    found: list[Date] = []

    def taken(match: re.Match[str]) -> str:
        date = _read(match)
        if date is None:
            return match[0]
        found.append(date)
        return " " * len(match[0])

    for pattern in _PATTERNS:
        text = pattern.sub(taken, text)
    return found, _SLASHED.sub(lambda match: _slashed(match, found), text)


def take_times(text: str) -> tuple[list[str], str]:
    """Weekdays (`weekday 1` is Monday) and times of day (`14:30`), and the text with them blanked out."""
    found: list[str] = []

    def weekday(match: re.Match[str]) -> str:
        if match["zh"]:
            number = 7 if match["zh"] in "日天" else "一二三四五六".find(match["zh"]) + 1 or int(match["zh"])
        else:
            number = _WEEKDAYS.index(match["en"]) + 1
        found.append(f"weekday {number}")
        return " " * len(match[0])

    def clock(match: re.Match[str]) -> str:
        found.append(_clock(match))
        return " " * len(match[0])

    text = _WEEKDAY.sub(weekday, text)
    text = _CLOCK.sub(clock, text)
    return found, _ENGLISH_HOUR.sub(clock, text)


def _read(match: re.Match[str]) -> Date | None:
    groups = match.groupdict()
    name = groups.get("month")
    month = next((at for at, full in enumerate(_MONTHS, 1) if name and full[:3] == name[:3]), None)
    if groups.get("number"):
        month = int(groups["number"])
    year, day = (int(groups[key]) if groups.get(key) else None for key in ("year", "day"))
    plausible = (month is None or 1 <= month <= 12) and (day is None or 1 <= day <= 31)  # noqa: PLR2004
    return Date(year, month, day) if plausible else None


def _slashed(match: re.Match[str], found: list[Date]) -> str:
    first, second, year = (int(match[at]) for at in (1, 2, 3))
    # 05/06/2026 is May 6th in one country and June 5th in the next: both readings count.
    readings = {(first, second), (second, first)}
    dates = [Date(year, month, day) for month, day in sorted(readings) if 1 <= month <= 12 and day <= 31]  # noqa: PLR2004
    found += dates[:1] if first == second else dates
    return " " * len(match[0]) if dates else match[0]


def _clock(match: re.Match[str]) -> str:
    groups = match.groupdict()
    hour = int(groups["hour"])
    minute = groups.get("minute") or (groups.get("zh") or "0").rstrip("分 ")
    afternoon = (groups.get("half") in _LATE) or (groups.get("m") or "").startswith("p")
    if afternoon and hour < _NOON:
        hour += _NOON
    told = f"{hour}:{30 if minute == '半' else int(minute):02d}"
    open_half = not (groups.get("half") or groups.get("m") or groups.get("minute")) and hour <= _NOON
    return told + _EITHER if open_half else told


def told_at(time: str, others: Collection[str]) -> bool:
    """Is one of these the same time of day, or the same weekday?"""
    if time in others:
        return True
    readings = {reading for other in others for reading in _readings(other)}
    return bool(_readings(time) & readings) if time.endswith(_EITHER) else time in readings


def _readings(time: str) -> set[str]:
    if not time.endswith(_EITHER):
        return {time}
    hour, _, minute = time.rstrip(_EITHER).partition(":")
    return {f"{hour}:{minute}", f"{int(hour) + _NOON}:{minute}"}
