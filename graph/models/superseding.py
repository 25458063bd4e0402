"""Which known memory a new statement replaces, and what it says then."""

import re
from collections.abc import Sequence

from graph.models.people import kin_in
from graph.models.statements import Slot, Statement
from graph.models.telling import told
from graph.models.wording import keys_of
from nodes.fences import Fenced

_TOLD: dict[Slot, re.Pattern[str]] = {
    "name": re.compile(
        r"(?<![别请])叫(?!我|用户)|名字|姓名|\bname is\b|\bis called\b|\bto be called\b|被叫", re.IGNORECASE
    ),
    "employer": re.compile(
        r"在.+(?:工作|上班|任职|实习|就职|当|做|担任|公司|集团)|换到|换了|转到|入职|加入|跳槽"
        r"|\bworks? (?:as [^,.]+ )?(?:at|for|in)\b|\bworking (?:at|for)\b|\bjoined\b|\b(?:switched"
        r"|changed)\b.* to\b|\bemployed\b",
        re.IGNORECASE,
    ),
    "age": re.compile(
        r"^用户(?:的年龄)?[^的]*岁|^the user (?:is|has|will|just|turn)\w*\b.*\b(?:years? old|turn\w* \d+"
        r"|\d+)\b|^the user is \d+",
        re.IGNORECASE,
    ),
    "place": re.compile(
        r"住|搬[到去来回进家]|家在|定居|\blives? (?:in|at|near)\b|\bmoved (?:from .+ )?to\b|\bbased in\b|\bliving in\b",
        re.IGNORECASE,
    ),
}
_POSSESSION = re.compile(
    r"用户的(?!名字|姓名|全名|名|年龄|家|公司|雇主|工作|住)"
    r"|The user's (?!(?:full |first |last )?name|age|home|employer|company|job)",
    re.IGNORECASE,
)
_OF_KIN = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"叫|名字|\b(?:called|named?)\b",
        r"岁|年龄|\b(?:years? old|age|turn\w*)\b",
        r"住|搬|\b(?:lives?|moved)\b",
    )
)
_TASTE = (
    "喜欢 不喜 讨厌 用户 不再 不太 the user users use like likes love loves hate hates dislike prefer"
    " enjoy does not no longer can can't stand drink eat"
)
_TASTE_WORDS = frozenset(_TASTE.split())
_NAME = re.compile(
    r"(?P<head>叫做?|名叫|姓名是|名字是|name is |called )(?P<name>[^，,。.;；\s]+(?: [A-Z]\w+)*)", re.IGNORECASE
)
_NEGATIVE = re.compile(
    r"不|没|讨厌|厌恶|受不了|\b(?:no|not|never|don't|can't|cannot|hates?|dislikes?|longer)\b", re.IGNORECASE
)
_NUMBERS = re.compile(r"\d+(?:\.\d+)?|[一二三四五六七八九十]+(?=\s*[年月日岁个次])")
_ALIKE = 0.6


def matched(statement: Statement, memories: Sequence[Fenced]) -> tuple[Fenced, str] | None:
    """The memory that speaks of the same thing, with its new content; the old content if nothing changes.

    Same subject and same slot are needed: a shared name is no conflict, and what is said with "also" stands beside.
    """
    of_type = [memory for memory in memories if memory.attributes.get("type") == statement.type]
    for memory in of_type:
        if _says_the_same(statement.content, memory.text):
            return memory, memory.text
    if statement.adds:
        return None
    for memory in of_type:
        content = None if _of_another(statement, memory.text) else _replaced(statement, memory.text)
        if content is not None:
            return memory, content
    return None


def _replaced(statement: Statement, old: str) -> str | None:
    match statement.slot:
        case "name":
            return _renamed(statement, old) if _TOLD["name"].search(old) else None
        case "employer" | "place" if statement.ended:
            return statement.content if _names(statement.subject, old) else None
        case "employer" | "place" | "age":
            return statement.content if _TOLD[statement.slot].search(old) else None
        case "taste" | "health" | "habit":
            return statement.content if _turned(statement, old) else None
        case "household":
            return statement.content if _same_of_kin(statement, old) else None
        case "attribute":
            return statement.content if _same_attribute(statement.subject, old) else None
        case "style":
            return statement.content if _share(statement.content, old) >= _ALIKE else None
        case "role" | "event" | "other":
            return statement.content if _only_numbers_differ(statement.content, old) else None


def _of_another(statement: Statement, old: str) -> bool:
    """Whether a memory tells of somebody or something around the user: the dog's name is not theirs."""
    if statement.slot not in {"name", "employer", "place", "age"}:
        return False
    return bool(kin_in(old)) or _POSSESSION.match(old) is not None


def _names(subject: str, old: str) -> bool:
    """Whether a memory of a home or an employer is about this one."""
    about = any(_TOLD[slot].search(old) for slot in ("employer", "place"))
    return about and bool(keys_of(subject)) and keys_of(subject) <= keys_of(old)


def _renamed(statement: Statement, old: str) -> str:
    """The old memory with the new name: what else it tells stays."""
    known = _NAME.search(old)
    if known is None or known.end() == len(old.rstrip("。. ")):
        return statement.content
    return f"{old[: known.start('name')]}{statement.subject}{old[known.end('name') :]}"


def _turned(statement: Statement, old: str) -> bool:
    """The same thing, liked before and not now, or the reverse; or the same with another number."""
    about = keys_of(statement.subject) - _TASTE_WORDS
    shared = len(about & keys_of(old)) / len(about) if about else 0.0
    other_way = statement.negative != (_NEGATIVE.search(old) is not None)
    return (shared >= _ALIKE and other_way) or _only_numbers_differ(statement.content, old)


def _same_of_kin(statement: Statement, old: str) -> bool:
    """The same member of the household, and the same of their name, age and home."""
    kin = told(statement.subject)
    rest, known = statement.content.removeprefix(kin), old.removeprefix(kin)
    return known != old and any(one.search(rest) and one.search(known) for one in _OF_KIN)


def _same_attribute(name: str, old: str) -> bool:
    return (
        re.search(
            rf"(?:用户|user's )(?:的)?\s*{re.escape(name)}\s*(?:是|在|为|改|换|变|到|is\b|are\b"
            rf"|has\b|changed\b)",
            old,
            re.IGNORECASE,
        )
        is not None
    )


def _says_the_same(new: str, old: str) -> bool:
    """Whether the old memory holds every word of the new one; another number, value or negation is another fact."""
    same_numbers = _NUMBERS.findall(new) == _NUMBERS.findall(old)
    same_way = (_NEGATIVE.search(new) is None) == (_NEGATIVE.search(old) is None)
    return same_numbers and same_way and not keys_of(new) - keys_of(old) - _TASTE_WORDS


def _only_numbers_differ(new: str, old: str) -> bool:
    return _NUMBERS.findall(new) != _NUMBERS.findall(old) and _NUMBERS.sub("#", new) == _NUMBERS.sub("#", old)


def _share(one: str, other: str) -> float:
    keys = keys_of(one)
    return len(keys & keys_of(other)) / len(keys) if keys else 0.0
