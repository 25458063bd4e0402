"""Dates in a message: those it names, and those it gives relative to a day."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

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
_ZH_DIGIT = {
    "一": 1,
    "两": 2,
    "二": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
    "十": 10,
    "半": 0,
}
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
_N_ZH = r"(\d+|[一两二三四五六七八九十])"
_N_EN = r"(\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten)"


@dataclass(frozen=True, slots=True)
class DateMention:
    """A stretch of text that names a day (`precise`) or, roughly, a week, month or year."""

    start: int
    end: int
    day: date
    precise: bool = True


_Resolve = Callable[[re.Match[str], date], "date | None"]


def dates_in(text: str, today: date) -> list[DateMention]:
    """Every date that `text` names, in order, relative ones counted from `today`. Overlaps: the longest wins."""
    found: list[DateMention] = []
    for pattern, resolve, precise in _RULES:
        for match in pattern.finditer(text):
            day = _resolved(resolve, match, today)
            if day is not None:
                found.append(DateMention(match.start(), match.end(), day, precise))
    found.sort(key=lambda mention: (mention.start, -mention.end))
    kept: list[DateMention] = []
    for mention in found:
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    return kept


def written(mention: DateMention) -> str:
    """The mention as a literal date: `2026-11-29`, or `2026-11` if only the month is sure."""
    return mention.day.isoformat() if mention.precise else mention.day.isoformat()[:7]


def _resolved(resolve: _Resolve, match: re.Match[str], today: date) -> date | None:
    try:
        return resolve(match, today)
    except (ValueError, OverflowError):
        return None


def _count(text: str) -> int:
    lowered = text.lower()
    return int(lowered) if lowered.isdigit() else _ZH_DIGIT.get(lowered, _EN_DIGIT.get(lowered, 1))


def _zh_weekday(match: re.Match[str], today: date) -> date:
    weeks = match[1].count("下") - match[1].count("上")
    weekday = min(_ZH_WEEKDAY.index(match[2]), 6)
    monday = today - timedelta(days=today.weekday())
    return monday + timedelta(days=7 * weeks + weekday)


def _en_weekday(match: re.Match[str], today: date) -> date:
    """`on Friday` is the next one, `next Friday` that of next week, `last Friday` the one before today."""
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


def _rule(pattern: str, resolve: _Resolve, *, precise: bool = True) -> tuple[re.Pattern[str], _Resolve, bool]:
    return re.compile(pattern, re.IGNORECASE), resolve, precise


def _days(count: int) -> _Resolve:
    return lambda _, today: today + timedelta(days=count)


_RULES = (
    _rule(
        r"(?<!\d)(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})[日号]?(?!\d)",
        lambda m, _: date(int(m[1]), int(m[2]), int(m[3])),
    ),
    _rule(r"(?<![\d年])(\d{1,2})月(\d{1,2})[日号]", lambda m, t: date(t.year, int(m[1]), int(m[2]))),
    _rule(
        rf"\b({_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?(?:,? (\d{{4}}))?\b",
        lambda m, t: date(int(m[3] or t.year), _month_number(m[1]), int(m[2])),
    ),
    _rule(
        rf"\b(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?({_MONTH})\b(?:,? (\d{{4}}))?",
        lambda m, t: date(int(m[3] or t.year), _month_number(m[2]), int(m[1])),
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
    _rule(r"上个?月(?!\d)|\blast month\b", lambda _, t: _month_start(t, -1), precise=False),
    _rule(r"下个?月(?!\d)|\bnext month\b", lambda _, t: _month_start(t, 1), precise=False),
    _rule(
        r"这个?月(?!\d)|本月|最近|近来|\bthis month\b|\brecently\b|\blately\b",
        lambda _, t: _month_start(t, 0),
        precise=False,
    ),
)


def _coming(match: re.Match[str], today: date) -> date:
    weekday = min(_ZH_WEEKDAY.index(match[2]), 6)
    return today + timedelta(days=(weekday - today.weekday()) % 7)
