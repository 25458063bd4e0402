"""Other dates: a claim's day, month, year, weekday or time of day replaced by one that the passage does not know."""

import re
from collections.abc import Iterator

from eval.claims.pairs import Language

_ISO = re.compile(r"(?<!\d)(?:19|20)\d\d-(?P<month>\d\d)-\d\d(?!\d)")
_CLOCK = re.compile(r"(?<![\d:])(?P<hour>[01]?\d|2[0-3]):[0-5]\d(?![\d:])")
_ZH_DATE = re.compile(r"(?<!\d)(?P<month>1[0-2]|[1-9]) ?月(?: ?(?:[12]\d|3[01]|[1-9]) ?日)?(?!\d|份?之?[内前后]|龄)")
_ZH_YEAR = re.compile(r"(?<!\d)(?P<year>(?:18|19|20)\d\d) ?年(?! ?\d)")
_ZH_MONTH = re.compile(r"(?<![一二三四五六七八九十])(?P<name>十[一二]?|[一二三四五六七八九])月(?!份?之?[内前后]|龄)")
_ZH_WEEKDAY = re.compile("(?:周|星期)(?P<name>[一二三四五])")
_EN_YEAR = re.compile(r"(?<=\bin )(?P<year>(?:18|19|20)\d\d)(?!\d)")
_ZH_MONTHS = ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")
_ZH_WEEKDAYS = ("一", "二", "三", "四", "五")
_EN_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_EN_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
_EN_MONTH = re.compile(rf"(?<![A-Za-z])(?P<name>{'|'.join(_EN_MONTHS)})(?![a-z])(?<!\bMay)|(?<=\bin )May(?![a-z])")
_EN_WEEKDAY = re.compile(rf"(?P<name>{'|'.join(_EN_WEEKDAYS)})")
_NAMED: dict[Language, tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]] = {
    "zh": ((_ZH_MONTH, _ZH_MONTHS), (_ZH_WEEKDAY, _ZH_WEEKDAYS)),
    "en": ((_EN_MONTH, _EN_MONTHS), (_EN_WEEKDAY, _EN_WEEKDAYS)),
}
_YEAR: dict[Language, re.Pattern[str]] = {"zh": _ZH_YEAR, "en": _EN_YEAR}


def other_date(claim: str, passage: str, language: Language) -> list[str]:
    """The claim with another month, year, weekday or hour."""
    dates = _dates(claim, language)
    return [claim[:start] + text + claim[end:] for start, end, text in dates if not stands(text, passage)]


def dated(claim: str, start: int, end: int) -> bool:
    """Does what stands there belong to a date or a time of day?"""
    found = (one for pattern in (_ISO, _ZH_DATE, _ZH_YEAR, _CLOCK) for one in pattern.finditer(claim))
    return any(one.start() < end and start < one.end() for one in found)


def stands(text: str, passage: str) -> bool:
    """Does it stand there as a number or word of its own? Inside a longer number it is another one."""
    return bool(re.search(rf"(?<![\d.A-Za-z]){re.escape(text)}(?!\d)", passage, re.IGNORECASE))


def _dates(claim: str, language: Language) -> Iterator[tuple[int, int, str]]:
    """What stands where, and what comes there instead."""
    for match in _ISO.finditer(claim):
        yield *match.span("month"), f"{_shifted(match['month'], 3):02d}"
    for match in _CLOCK.finditer(claim):
        yield *match.span("hour"), f"{(int(match['hour']) + 5) % 24:0{len(match['hour'])}d}"
    for match in _ZH_DATE.finditer(claim):
        yield *match.span("month"), str(_shifted(match["month"], 4))
    for match in _YEAR[language].finditer(claim):
        yield *match.span("year"), str(int(match["year"]) - 3)
    for pattern, names in _NAMED[language]:
        for match in pattern.finditer(claim):
            at = names.index(match["name"] or match[0])
            yield *(match.span("name") if match["name"] else match.span()), names[(at + 2) % len(names)]


def _shifted(month: str, by: int) -> int:
    return (int(month) - 1 + by) % 12 + 1
