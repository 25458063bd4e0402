"""How old a document is, as far as it says so itself: in its name, its title, or the passage."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from stores.documents.terms import fold

_YEAR = r"(?P<year>(?:19|20)\d{2})"
_DATES = [
    re.compile(rf"(?<!\d){_YEAR}[-./_ ]?(?P<month>0[1-9]|1[0-2])[-./_ ]?(?P<day>0[1-9]|[12]\d|3[01])(?!\d)"),
    re.compile(rf"(?<!\d){_YEAR} ?年 ?(?P<month>1[0-2]|0?[1-9]) ?月(?: ?(?P<day>3[01]|[12]\d|0?[1-9]) ?[日号])?"),
    re.compile(rf"(?<!\d){_YEAR}[-./](?P<month>1[0-2]|0?[1-9])(?:[-./](?P<day>3[01]|[12]\d|0?[1-9]))?(?!\d)"),
    re.compile(rf"(?<![\d.]){_YEAR}(?![\d.])"),
]
_VERSION = re.compile(
    r"(?<![a-z0-9])(?:v|ver|version|rev|revision)[ ._-]?(\d{1,3}(?:\.\d{1,3}){0,2})(?![\d.]*[a-z])"
    r"|第 ?(\d{1,3}) ?[版次]"
)
_DATED_LINE = re.compile(
    r"^[\s>*#-]*(?:date|updated|last[ _-]updated|modified|effective(?:[ _-](?:date|from))?|published|version date"
    r"|日期|更新(?:日期|时间)?|发布(?:日期|时间)?|生效(?:日期|时间)?|修订(?:日期|时间)?|实施日期|施行日期)\s*[:：]\s*(?P<date>[^\n]{4,40})",
    re.IGNORECASE | re.MULTILINE,
)
_IN_FORCE = re.compile(
    r"自 ?[^，。；\n]{4,16}? ?起 ?(?:施行|执行|生效|实施)|effective (?:from |as of |on )?[^,.;\n]{4,24}",
    re.IGNORECASE,
)
_SAID = re.compile(
    r"[\s_\-.,()（）\[\]【】《》\"'“”]+|修订版?|修正版?|版本?|新版?|旧版?|年版|(?<![a-z])(?:revised|edition|version|ver|rev|new|old|v)(?![a-z])"
)


@dataclass(frozen=True, slots=True)
class Age:
    """A day as far as it is told (year, month, day; 0 for what is not), or a version, and how it is written."""

    day: tuple[int, int, int] | None = None
    version: tuple[int, ...] | None = None

    def newer_than(self, other: "Age") -> bool:
        """Is it known to be newer? A day decides before a version; what is told less exactly must differ anyway."""
        if self.day and other.day:
            told = min(sum(part > 0 for part in day) for day in (self.day, other.day))
            return self.day[:told] > other.day[:told]
        if self.version and other.version and not (self.day or other.day):
            return self.version > other.version
        return False

    def __str__(self) -> str:
        if self.day:
            year, month, day = self.day
            return f"{year}" + (f"-{month:02}" if month else "") + (f"-{day:02}" if day else "")
        return "v" + ".".join(map(str, self.version)) if self.version else ""


def age_of(path: str, title: str, texts: Sequence[str] = ()) -> Age:
    """The age that a document's file name or title tells, else one of its passages."""
    named = fold(f"{PurePosixPath(path).stem}\n{title}").casefold()
    day = _day(named)
    if day is None:
        lines = (
            match for text in texts for pattern in (_DATED_LINE, _IN_FORCE) for match in pattern.finditer(fold(text))
        )
        day = next(
            (found for match in lines if (found := _day(f"{match[0]}日" if "起" in match[0] else match[0]))), None
        )
    version = _VERSION.search(named)
    return Age(day, tuple(int(part) for part in (version[1] or version[2]).split(".")) if version else None)


def bare_name(title: str) -> str:
    """A title without its dates, versions and words like "revised": what two versions of one document share."""
    name = fold(title).casefold()
    for pattern in (*_DATES, _VERSION):
        name = pattern.sub(" ", name)
    return _SAID.sub(" ", name).strip()


def _day(text: str) -> tuple[int, int, int] | None:
    for pattern in _DATES:
        if match := pattern.search(text):
            parts = match.groupdict()
            return int(parts["year"]), int(parts.get("month") or 0), int(parts.get("day") or 0)
    return None
