"""Sentences that rest on this turn's tool results: what they may say without a citation."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from nodes.citations import identifiers as ids
from nodes.citations.dates import Date
from nodes.citations.material import Clause, Material, read_material
from nodes.citations.numbers import Figures, Quantity, figures, missing_figure
from nodes.citations.numerals import with_digits
from nodes.citations.words import content_terms

_ABOUT = re.compile(
    r"(?:星期|周|礼拜)[一二三四五六日天1-7]?|\d+\s*[年月日号时点分秒]|结果|等于|答案|得出|得到|计算|算出|算得|一共|总共|合计|共计|总计|加上|减去|乘以|除以|加|减|乘|除"
    r"|今天|今日|明天|后天|昨天|前天|现在|当前|此刻|目前|日期|时间|时区|时刻|北京时间|本地时间|公历|上午|下午|早上|晚上|凌晨|中午"
    r"|距离|还有|还剩|之后|之前|天数|根据|工具|计算器|返回|显示|查询|大约|约|您|你|的话"
    r"|(?<![a-z])(?:times|plus|minus|divided|multiplied|equals?|results?|answer|sum|total|product"
    r"|altogether|calculator|tool"
    r"|comes?|makes?|costs?|according|returned|reports?|gives?|today(?:'s)?|tomorrow|yesterday|date"
    r"|days?|weeks?|time|clock|o'clock"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october"
    r"|november|december|current(?:ly)?|timezone|zone|left|until|now|am|pm)(?![a-z])",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"失败|没有?(?:能)?(?:成功|算出|得到|得出|结果|完成)|未能|未成功|无法|不能|出错|报错|错误|不成功|没有意义|无意义|无解|未定义|除数|零除|过大|太大|过多|超出|超过"
    r"|(?<![a-z])(?:fail(?:s|ed|ure)?|did(?: not|n't) (?:succeed|work|complete)|cannot|can't"
    r"|could(?: not|n't)|unable|errors?|undefined"
    r"|not defined|no (?:result|answer|value|meaning)|meaningless|impossible|invalid"
    r"|division by zero|divid\w+ by (?:zero|0)"
    r"|too (?:large|big|long|many)|more than|exceed\w*|beyond|refused)(?![a-z])",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"没有|成功|失败|无法|不能|不可|未能|出错|报错|错误|为零|零|意义|解|定义|除数|被除数|分母|过大|太大|超出|超过|位数|数字|限制|上限|范围|算式|表达式|原因|报告|提示|这个|幂|次方"
    r"|(?<![a-z])(?:fail\w*|succeed\w*|work|complete\w*|cannot|can|could|unable|errors?|undefined"
    r"|defined|meaning\w*|impossible|invalid"
    r"|divi\w+|zero|by|too|large|big|long|many|digits?|numbers?|exceed\w*|limit|beyond|expression"
    r"|reason|calculat\w*|comput\w*|because|said)(?![a-z])",
    re.IGNORECASE,
)
_PLACES = re.compile(r"(?<=\d)\s?位(?:数字?)?")
"""2000 位 of a number are its digits, not so many persons."""
_EQUALS = re.compile(
    r"等于|结果(?:是|为)|答案(?:是|为)|[=≈]\s*-?\d|(?<![a-z])(?:equals?|(?:result|answer) is|is \d)", re.IGNORECASE
)
_RELATIVE = {
    "大后天": 3, "后天": 2, "明天": 1, "明日": 1, "今天": 0, "今日": 0,
    "大前天": -3, "前天": -2, "昨天": -1, "昨日": -1,
    "tomorrow": 1, "today": 0, "yesterday": -1,
}  # fmt: skip
_RELATIVE_DAY = re.compile("day after tomorrow|day before yesterday|" + "|".join(_RELATIVE), re.IGNORECASE)
_TODAY = re.compile(r"(?m)^(?:.*\s)?date: (\d{4}-\d{2}-\d{2})$")
_NEW_WORDS = 3
"""So many content words beside the results', the question's and those about results in general."""
_BOUNDS = frozenset({"limit", "comparison"})


@dataclass(frozen=True, slots=True)
class ToolTexts:
    """What this turn's tools returned, each with its arguments, why others failed, and the user's question.

    `units` are those that the passages found this turn name: a result without a unit may be told in one of them.
    """

    results: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    asked: str = ""
    units: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.results or self.failures)

    @property
    def told_units(self) -> frozenset[str]:
        """Every unit in which a result may be told."""
        return self.units | read_material(self.asked).units


NO_TOOLS = ToolTexts()


def rests_on_results(claim: Material, tools: ToolTexts) -> bool:
    """Does a sentence tell a result of this turn's tools, or why one failed? Its weekdays are looked at before.

    Every figure must be a result's, its arguments' or the question's, and each clause with figures hold one that is not
    the question's alone. Beside them the sentence may say no more than a few words.
    """
    return _tells_result(claim, tools) or _tells_failure(claim, tools)


def wrong_weekday(sentence: str, results: Sequence[str]) -> bool:
    """Does the sentence give a day a weekday that the calendar does not, or "tomorrow" another date than it has?"""
    read = figures(sentence, claims=True)
    today = next((date.fromisoformat(match[1]) for one in results if (match := _TODAY.search(one))), None)
    named = [day for told in read.dates if (day := _day(told, today)) is not None]
    if today is not None:
        relative = list(dict.fromkeys(today + timedelta(days=_offset(m[0])) for m in _RELATIVE_DAY.finditer(sentence)))
        if len(relative) == 1 and len(named) == 1 and relative != named:
            return True
        named = named or relative
    weekdays = {f"weekday {day.isoweekday()}" for day in named}
    return bool(named) and any(time not in weekdays for time in read.times if time.startswith("weekday"))


def _tells_result(claim: Material, tools: ToolTexts) -> bool:
    given = [read_material(text) for text in tools.results]
    known = [*given, read_material(tools.asked)]
    if not given or not claim.figures or not _figures_known(claim, known, tools):
        return False
    if any(clause.figures and not _holds_one(clause.figures, given, tools) for clause in claim.clauses):
        return False
    return _polarity_known(claim.clauses, known) and _words_known(claim, known, _ABOUT)


def _tells_failure(claim: Material, tools: ToolTexts) -> bool:
    given = [read_material(text) for text in tools.failures]
    claim = read_material(_PLACES.sub(" ", claim.folded), claims=True)
    known = [*given, read_material(tools.asked)]
    if not given or not _FAILED.search(claim.folded) or not _figures_known(claim, known, tools):
        return False
    for clause in claim.clauses:
        failed = bool(_FAILED.search(clause.text))
        if (clause.figures and not failed) or (_EQUALS.search(clause.text) and not clause.negated and clause.figures):
            return False
    return _words_known(claim, known, _ABOUT, _REPORTED)


def _figures_known(claim: Material, known: Sequence[Material], tools: ToolTexts) -> bool:
    return missing_figure(claim.figures, _held(known), _units(known, tools)) is None


def _holds_one(told: Figures, given: Sequence[Material], tools: ToolTexts) -> bool:
    held, units = _held(given), _units(given, tools)
    return any(missing_figure(one, held, units) is None for one in _singly(told))


def _held(known: Sequence[Material]) -> list[Figures]:
    """What is known, with the parts of its dates: "1号" and "the 1st" tell 2026-12-01."""
    parts = [
        Quantity(str(number), unit)
        for one in known
        for day in one.figures.dates
        for number, unit in ((day.day, None), (day.day, "day"), (day.month, "month"), (day.year, "year"))
        if number is not None
    ]
    return [*(one.figures for one in known), Figures(tuple(parts), (), ())]


def _units(known: Sequence[Material], tools: ToolTexts) -> frozenset[str]:
    return tools.told_units.union(*(one.units for one in known))


def _singly(told: Figures) -> Iterator[Figures]:
    yield from (Figures((quantity,), (), ()) for quantity in told.quantities)
    yield from (Figures((), (day,), ()) for day in told.dates)
    yield from (Figures((), (), (time,)) for time in told.times)


def _polarity_known(clauses: Sequence[Clause], known: Sequence[Material]) -> bool:
    """A negation or a bound of the sentence's must be in what is known."""
    given = [clause for one in known for clause in one.clauses]
    if any(clause.negated for clause in clauses) and not any(clause.negated for clause in given):
        return False
    held = {side for clause in given for side in clause.sides}
    return all(side in held for clause in clauses for side in clause.sides if side[0] in _BOUNDS)


def _words_known(claim: Material, known: Sequence[Material], *about: re.Pattern[str]) -> bool:
    for wanted in (*ids.identifiers(claim.folded), *ids.quotations(claim.folded)):
        held = any(ids.holds_identifier(one.folded, wanted) for one in known)
        if not held and not any(ids.holds_quotation(one.squashed, wanted) for one in known):
            return False
    rest = with_digits(claim.folded.casefold(), claims=True)
    for pattern in about:
        rest = pattern.sub(" ", rest)
    return len(content_terms(rest).difference(*(one.terms for one in known))) <= _NEW_WORDS


def _day(told: Date, today: date | None) -> date | None:
    year = told.year or (today.year if today else None)
    if year is None or told.month is None or told.day is None:
        return None
    try:
        return date(year, told.month, told.day)
    except ValueError:
        return None


def _offset(word: str) -> int:
    low = word.casefold()
    return {"day after tomorrow": 2, "day before yesterday": -2}.get(low, _RELATIVE.get(low, 0))
