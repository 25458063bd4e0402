"""Other quantities: a claim's number, unit or date replaced by one that the passage does not know."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from eval.claims.dates import dated, stands
from eval.claims.pairs import Language
from eval.claims.wordings import rows_of

Bound = Literal["upper", "lower", "none"]

_ZH_DIGITS = "零一二三四五六七八九"
_ZH_NUMBER = "[一二两三四五六七八九十百]+"
_ZH_UNITS = (
    r"个?工作日|日历日|个?自然日|[日天]|个月|(?<![12]\d\d\d)年(?!度|级|代|末|初|底)|周岁|个?小时|分钟|秒钟?|毫秒|周"
    r"|个?星期|万元|亿元|[元倍人次米克吨页条台份]|毫米|厘米|千米|公里|公斤|千克|毫克"
    r"|升|毫升|摄氏度|℃|°C|%|GB|MB|KB|[kmc]m|[km]?g|mL|ml|L"
)
_EN_UNITS = (
    r"(?:working |business |calendar |consecutive )?(?:days?|weeks?|months?|years?)|hours?|minutes?|(?:milli)?seconds?"
    r"|ms|°C|%|percent|per cent|GB|MB|KB|km|cm|mm|[km]?g|(?:kilo)?grams?|mL|lit(?:re|er)s?|(?:kilo)?met(?:re|er)s?"
    r"|euros?|dollars?|pounds?|degrees|characters|words|books|attempts|tries|times|people|employees|pages|copies|points"
)
_EN_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_MONEY = r"(?:CNY |EUR |USD |[$€£])?"
_QUANTITY: dict[Language, re.Pattern[str]] = {
    "zh": re.compile(
        rf"(?<![\d.第〇点月几数周期\-/A-Za-z{_ZH_DIGITS}十百])(?P<money>)(?P<number>\d+(?:\.\d+)?|{_ZH_NUMBER}) ?"
        rf"(?P<unit>{_ZH_UNITS})"
    ),
    "en": re.compile(
        rf"(?<![\w.\-/])(?P<money>{_MONEY})(?P<number>\d[\d,]*(?:\.\d+)?|{'|'.join(_EN_WORDS)})"
        rf"(?:[ -]?(?P<unit>{_EN_UNITS})(?![A-Za-z]))?",
        re.IGNORECASE,
    ),
}
_CONDITION = re.compile(
    rf"(?:满|超过|超出|高于|大于|多于|逾|低于|小于|不足|每|左右|前|等上|过了?|等到|不到|不够|比)\s*{_MONEY}$"
    r"|(?:above|over|more than|exceed\w*|below|under|less than|fewer than|after|every|before|per|greater than|about"
    rf"|around|nearly|almost|roughly|\w+er than|within the first|if|if the)\s*(?:a |an |the )?{_MONEY}$",
    re.IGNORECASE,
)
_CONDITION_AFTER = re.compile(
    r"^\s*(?:及?以上|及?以下|之前|以前|前(?!提|端|往)|里)"
    r"|^\s*(?:or more|or less|and above|or older|or longer|or above|or below)",
    re.IGNORECASE,
)
_UPPER = re.compile(
    rf"(?:(?:最多|至多|最长|最晚|顶多)[^，。0-9]{{0,5}}|不超过|不得超过|不能超过|不多于|上限为?|在)\s*{_MONEY}$"
    r"|(?:at most|no more than|not exceed\w*|up to|within|maximum of|limit of|no later than)\s*"
    rf"(?:the |a )?{_MONEY}$",
    re.IGNORECASE,
)
_UPPER_AFTER = re.compile(r"^\s*(?:以?内|之内|at most|or fewer)", re.IGNORECASE)
_LOWER = re.compile(
    rf"(?:最少|至少|不少于|不得少于|不低于|不得低于|不短于|提前)\s*{_MONEY}$"
    rf"|(?:at least|no less than|no fewer than|minimum of|not less than)\s*(?:the |a )?{_MONEY}$",
    re.IGNORECASE,
)
_CONDITIONAL = re.compile(
    r"^\s*(?:if|when|where|unless|once|whenever)(?![a-z])|^\s*(?:如|若|当|凡|只要)|的$", re.IGNORECASE
)
_PERMISSION = re.compile(r"可以|可用|有权|能|\b(?:may|can|allowed|entitled|available|get)\b")
_OF_PERMISSION: dict[Bound, Bound] = {"upper": "lower", "lower": "upper", "none": "lower"}
"""Who may do a thing within seven days may do it within four: there only the wider limit is wrong."""
_ARTICLES = frozenset({"一份", "一条", "一台", "一页", "一人"})
"""They mean "a"."""
_CLAUSE_END = re.compile(r"[,，;；:：]|[.。]$")


@dataclass(frozen=True, slots=True)
class _Found:
    """A quantity of the claim, which kind of limit it is, and where its number and its unit stand."""

    number: str
    unit: str
    bound: Bound
    at: tuple[int, int]
    unit_at: tuple[int, int]
    money: bool


def other_number(claim: str, passage: str, language: Language) -> list[str]:
    """The claim with another number in front of a unit."""
    found = []
    for one in _quantities(claim, passage, language):
        if not (one.unit or one.money):
            continue
        for number in _numbers(one, language):
            if not stands(number, passage):
                found.append(claim[: one.at[0]] + number + claim[one.at[1] :])
                break
    return found


def other_unit(claim: str, passage: str, language: Language) -> list[str]:
    """The claim with the unit of another size behind a number."""
    return [
        claim[: one.unit_at[0]] + unit + claim[one.unit_at[1] :]
        for one in _quantities(claim, passage, language)
        for unit in _other_units(one)
        if not re.search(rf"{re.escape(one.number)} ?{re.escape(unit)}", passage)
    ]


def _other_units(one: _Found) -> tuple[str, ...]:
    """Of those of `units.tsv`: smaller ones for an upper limit, larger ones for a lower one."""
    sizes = _sizes()
    smaller, larger = sizes.get(one.unit) or sizes.get(one.unit.lower(), ((), ()))
    units = {"upper": smaller, "lower": larger, "none": (*smaller, *larger)}[one.bound]
    return tuple(unit.removeprefix("个") if "时" in unit and not one.number[0].isdigit() else unit for unit in units)


@cache
def _sizes() -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """The smaller and the larger units of each."""
    rows = ([tuple(filter(None, cell.split(","))) for cell in row] for row in rows_of("units.tsv"))
    return {unit: (smaller, larger) for (unit,), smaller, larger in rows}


def _quantities(claim: str, passage: str, language: Language) -> Iterator[_Found]:
    for match in _QUANTITY[language].finditer(claim):
        before, after = claim[: match.start()], claim[match.end() :]
        if _CONDITION.search(before) or _CONDITION_AFTER.match(after) or dated(claim, *match.span()):
            continue
        if not stands(match["number"], passage) or match["number"] + (match["unit"] or "") in _ARTICLES:
            continue
        upper = bool(_UPPER.search(before) or _UPPER_AFTER.match(after))
        bound: Bound = "upper" if upper else "lower" if _LOWER.search(before) else "none"
        clause = _clause(claim, match.start())
        if bound != "none" and _CONDITIONAL.search(clause):
            continue  # a stricter limit in a condition makes the claim weaker
        money = bool(match["money"])
        if _PERMISSION.search(clause):
            bound = _OF_PERMISSION[bound]
        yield _Found(match["number"], match["unit"] or "", bound, match.span("number"), match.span("unit"), money)


def _clause(claim: str, at: int) -> str:
    """What stands between two commas around this place."""
    ends = [0, *(match.end() for match in _CLAUSE_END.finditer(claim) if match.end() <= at)]
    return _CLAUSE_END.split(claim[ends[-1] :])[0]


def _numbers(one: _Found, language: Language) -> Iterator[str]:
    """Other numbers of about the same size, written the same way; stricter ones for a limit."""
    low = one.number.lower()
    if low in _EN_WORDS:
        at = _EN_WORDS.index(low)
        steps = {"upper": (-1, -2), "lower": (2, 3), "none": (2, -1, 3)}[one.bound]
        yield from (_EN_WORDS[at + step] for step in steps if 0 <= at + step < len(_EN_WORDS))
    elif low[0].isdigit():
        value = float(low.replace(",", ""))
        for factor in {"upper": (0.6, 0.5, 0.8), "lower": (1.5, 2, 3), "none": (1.5, 0.6, 2, 3)}[one.bound]:
            other = round(value * factor, 2 if "." in low else None)
            if other not in (0, value):
                yield f"{other:,}" if "," in low else f"{other:g}" if "." in low else str(int(other))
    elif language == "zh":
        read = _read_zh(low)
        for step in {"upper": (0.5, 0.7), "lower": (1.5, 2), "none": (1.5, 2, 0.5)}[one.bound]:
            other = round(read * step) if read * step != read else 0
            if other not in (0, read) and other < 100:  # noqa: PLR2004 - as far as `_write_zh` goes
                yield "两" if other == 2 and not one.unit.startswith("日") else _write_zh(other)  # noqa: PLR2004


def _read_zh(text: str) -> int:
    text = text.replace("两", "二")
    hundreds, _, rest = text.rpartition("百")
    tens, ten, ones = rest.rpartition("十")
    total = _ZH_DIGITS.index(hundreds) * 100 if len(hundreds) == 1 else 0
    total += (_ZH_DIGITS.index(tens) if len(tens) == 1 else 1) * 10 if ten else 0
    return total + (_ZH_DIGITS.index(ones) if len(ones) == 1 else 0)


def _write_zh(value: int) -> str:
    tens, ones = divmod(value, 10)
    return ("" if tens < 2 else _ZH_DIGITS[tens]) + ("十" if tens else "") + (_ZH_DIGITS[ones] if ones else "")  # noqa: PLR2004
