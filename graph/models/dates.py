"""Dates in a message: those it names, and those it gives relative to a day."""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from stores.memories.text import chinese_value

_ZH_WEEKDAY = "一二三四五六日天"
_EN_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_EN_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_EN_DIGIT = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
_MONTH = "|".join(f"{month}|{month[:3]}" for month in _EN_MONTHS)
_N_ZH = r"(\d+|[一两二三四五六七八九十]{1,3})"
_N_EN = r"(\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten)"


Grain = Literal["day", "week", "month", "year"]


@dataclass(frozen=True, slots=True)
class DateMention:
    """A stretch of text that names a day or, roughly, a week, month or year, of which `day` is the first."""

    start: int
    end: int
    day: date
    grain: Grain = "day"

    @property
    def precise(self) -> bool:
        """Whether the very day is named."""
        return self.grain == "day"


_Resolve = Callable[[re.Match[str], date], "date | None"]


def dates_in(text: str, today: date) -> list[DateMention]:
    """Every date that `text` names, in order, relative ones counted from `today`. Overlaps: the longest wins."""
    found: list[DateMention] = []
    for pattern, resolve, grain in _RULES:
        for match in pattern.finditer(text):
            day = _resolved(resolve, match, today)
            if day is not None:
                found.append(DateMention(match.start(), match.end(), day, grain))
    found.sort(key=lambda mention: (mention.start, -mention.end))
    kept: list[DateMention] = []
    for mention in found:
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    return kept


def written(mention: DateMention) -> str:
    """The mention as a literal date: `2026-11-29`, `2026-11` if only the month is sure, `2026` if only the year."""
    length = {"day": 10, "week": 10, "month": 7, "year": 4}[mention.grain]
    return mention.day.isoformat()[:length]


def _resolved(resolve: _Resolve, match: re.Match[str], today: date) -> date | None:
    try:
        return resolve(match, today)
    except (ValueError, OverflowError):
        return None


def _count(text: str) -> int:
    lowered = text.lower()
    if lowered.isdigit():
        return int(lowered)
    return _EN_DIGIT[lowered] if lowered in _EN_DIGIT else int(chinese_value(lowered))


def _recurs(match: re.Match[str]) -> bool:
    """`every Monday`, 每周三, "on Mondays": a habit names no day."""
    before, after = match.string[: match.start()], match.string[match.end() :]
    return _EVERY.search(before) is not None or _SERIES.match(after) is not None


_EVERY = re.compile(
    r"每[^，,。；;]*$|逢[^，,。；;]{0,4}$|\b(?:every|each|most|all|weekly)\b[^,.;]*$"
    r"|(?:周|星期|礼拜)[一二三四五六日天]?(?:到|至)$|\bdays? (?:to|through) $",
    re.IGNORECASE,
)
_SERIES = re.compile(r"s\b|(?:到|至)(?:周|星期|礼拜)?[一二三四五六日天末]", re.IGNORECASE)


def _zh_weekday(match: re.Match[str], today: date) -> date | None:
    if _recurs(match):
        return None
    weeks = match[1].count("下") - match[1].count("上")
    weekday = min(_ZH_WEEKDAY.index(match[2]), 6)
    monday = today - timedelta(days=today.weekday())
    return monday + timedelta(days=7 * weeks + weekday)


def _en_weekday(match: re.Match[str], today: date) -> date | None:
    """`on Friday` is the next one, `next Friday` that of next week, `last Friday` the one before today."""
    if _recurs(match):
        return None
    weekday = _EN_WEEKDAYS.index(match[2].lower())
    which = (match[1] or "").lower()
    ahead = (weekday - today.weekday()) % 7
    if which == "last":
        return today - timedelta(days=(today.weekday() - weekday) % 7 or 7)
    if which == "next":
        return today - timedelta(days=today.weekday()) + timedelta(days=7 + weekday)
    return today + timedelta(days=ahead if which == "this" or ahead else 7)


def _month_number(name: str) -> int:
    return next(i for i, month in enumerate(_EN_MONTHS, start=1) if month.startswith(name.lower()[:3]))


def _month_start(today: date, months: int) -> date:
    index = today.year * 12 + today.month - 1 + months
    return date(index // 12, index % 12 + 1, 1)


def _week_start(today: date, weeks: int) -> date:
    return today - timedelta(days=today.weekday()) + timedelta(weeks=weeks)


def _year_start(today: date, years: int) -> date:
    return date(today.year + years, 1, 1)


def _nearest(today: date, month: int, day: int) -> date:
    """A day without a year is the one nearest to today: on 30 November, 5 March is that of next year."""
    around = []
    for year in (today.year - 1, today.year, today.year + 1):
        with suppress(ValueError):
            around.append(date(year, month, day))
    return min(around, key=lambda one: abs((one - today).days))


def _in_year(year: str | None, today: date, month: int, day: int) -> date:
    return date(int(year), month, day) if year else _nearest(today, month, day)


def _steps(text: str) -> int:
    """上 and last go back, 下 and next ahead, each as often as it is said."""
    lowered = text.lower()
    return lowered.count("下") - lowered.count("上") + ("next" in lowered) - ("last" in lowered)


def _weekend(match: re.Match[str], today: date) -> date | None:
    return None if _recurs(match) else _week_start(today, _steps(match[0])) + timedelta(days=5)


def _rule(pattern: str, resolve: _Resolve, *, grain: Grain = "day") -> tuple[re.Pattern[str], _Resolve, Grain]:
    return re.compile(pattern, re.IGNORECASE), resolve, grain


def _days(count: int) -> _Resolve:
    return lambda _, today: today + timedelta(days=count)


_RULES = (
    _rule(
        r"(?<!\d)(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})[日号]?(?!\d)",
        lambda m, _: date(int(m[1]), int(m[2]), int(m[3])),
    ),
    _rule(r"(?<![\d年])(\d{1,2})月(\d{1,2})[日号]", lambda m, t: _nearest(t, int(m[1]), int(m[2]))),
    _rule(
        rf"\b({_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?(?:,? (\d{{4}}))?\b",
        lambda m, t: _in_year(m[3], t, _month_number(m[1]), int(m[2])),
    ),
    _rule(
        rf"\b(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?({_MONTH})\b(?:,? (\d{{4}}))?",
        lambda m, t: _in_year(m[3], t, _month_number(m[2]), int(m[1])),
    ),
    _rule(r"大前天|大前日", _days(-3)),
    _rule(r"(?<![以之])前天(?!天)|\bthe day before yesterday\b", _days(-2)),
    _rule(r"昨[天日晚]|\byesterday\b|\blast night\b", _days(-1)),
    _rule(r"今[天日早晚]|\btoday\b|\btonight\b|\bthis (?:morning|afternoon|evening)\b", _days(0)),
    _rule(r"明[天日早晚]|\btomorrow\b", _days(1)),
    _rule(r"大后天", _days(3)),
    _rule(r"(?<!大)后天|\bthe day after tomorrow\b", _days(2)),
    _rule(
        r"((?:上|下){1,2}|这|本)?(?:个)?(?:周|星期|礼拜)([一二三四五六日天])",
        lambda m, t: _zh_weekday(m, t) if m[1] else _coming(m, t),
    ),
    _rule(rf"\b(?:(last|next|this) )?({'|'.join(_EN_WEEKDAYS)})\b", _en_weekday),
    _rule(rf"{_N_ZH}\s*天[以之]?前", lambda m, t: t - timedelta(days=_count(m[1]))),
    _rule(rf"{_N_ZH}\s*天[以之]?后", lambda m, t: t + timedelta(days=_count(m[1]))),
    _rule(rf"{_N_ZH}(?:个)?(?:周|星期|礼拜)[以之]?前", lambda m, t: t - timedelta(weeks=_count(m[1]))),
    _rule(rf"{_N_ZH}(?:个)?(?:周|星期|礼拜)[以之]?后", lambda m, t: t + timedelta(weeks=_count(m[1]))),
    _rule(rf"\b{_N_EN} days? ago\b", lambda m, t: t - timedelta(days=_count(m[1]))),
    _rule(rf"\bin {_N_EN} days?\b", lambda m, t: t + timedelta(days=_count(m[1]))),
    _rule(rf"\b{_N_EN} weeks? ago\b", lambda m, t: t - timedelta(weeks=_count(m[1]))),
    _rule(rf"\bin {_N_EN} weeks?\b", lambda m, t: t + timedelta(weeks=_count(m[1]))),
    _rule(rf"{_N_ZH}\s*个月[以之]?前", lambda m, t: _month_start(t, -_count(m[1])), grain="month"),
    _rule(rf"{_N_ZH}\s*个月[以之]?后", lambda m, t: _month_start(t, _count(m[1])), grain="month"),
    _rule(rf"{_N_ZH}\s*年[以之]?前", lambda m, t: _year_start(t, -_count(m[1])), grain="year"),
    _rule(rf"{_N_ZH}\s*年[以之]?后", lambda m, t: _year_start(t, _count(m[1])), grain="year"),
    _rule(rf"\b{_N_EN} months? ago\b", lambda m, t: _month_start(t, -_count(m[1])), grain="month"),
    _rule(rf"\bin {_N_EN} months?\b", lambda m, t: _month_start(t, _count(m[1])), grain="month"),
    _rule(rf"\b{_N_EN} years? ago\b", lambda m, t: _year_start(t, -_count(m[1])), grain="year"),
    _rule(rf"\bin {_N_EN} years?\b", lambda m, t: _year_start(t, _count(m[1])), grain="year"),
    _rule(r"(?<![\d一两二三四五六七八九十])半年[以之]?前", lambda _, t: _month_start(t, -6), grain="month"),
    _rule(r"(?:(?:上|下){1,2}个?|这个?|本)周末|\b(?:last|this|next) weekend\b", _weekend, grain="week"),
    _rule(
        r"(?:(?:上|下){1,2}个?|这个?|本)(?:周|星期|礼拜)(?![一二三四五六日天末])|\b(?:last|this|next) week\b",
        lambda m, t: _week_start(t, _steps(m[0])),
        grain="week",
    ),
    _rule(
        r"(?:上|下){1,2}个?月(?!\d)|\b(?:last|next) month\b", lambda m, t: _month_start(t, _steps(m[0])), grain="month"
    ),
    _rule(
        r"这个?月(?!\d)|本月|(?<![每个\d一二三四五六七八九十])月(?=[初底末])|最近|近来|\bthis month\b"
        r"|\brecently\b|\blately\b",
        lambda _, t: _month_start(t, 0),
        grain="month",
    ),
    _rule(
        r"([前去今明后])年",
        lambda m, t: _year_start(t, {"前": -2, "去": -1, "今": 0, "明": 1, "后": 2}[m[1]]),
        grain="year",
    ),
    _rule(r"\b(?:last|this|next) year\b", lambda m, t: _year_start(t, _steps(m[0])), grain="year"),
    _rule(r"(?<![每前去今明后\d])年(?=[初底末])", lambda _, t: _year_start(t, 0), grain="year"),
)


def _coming(match: re.Match[str], today: date) -> date | None:
    if _recurs(match):
        return None
    weekday = min(_ZH_WEEKDAY.index(match[2]), 6)
    return today + timedelta(days=(weekday - today.weekday()) % 7)
