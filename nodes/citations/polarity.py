"""Polarity of a clause: whether it is negated, and which side of an opposition it takes."""

import re
from typing import Literal

from stores.documents.terms import CJK

Side = tuple[str, Literal["+", "-"]]

_NO_NEGATION = re.compile(
    r"不仅|不但|不只|不光|不单|不过(?!期|敏|滤|问)|不断|不同|不久|不少(?!于)|不论|不管|无论|不妨|不愧"
    r"|不等式|不动产|不锈钢|不得不|不可或缺|不一定|不如|不良"
    r"|是否|能否|可否|与否|否则|未来|未必|未成年|无线|无固定期限|无疑|无非|除非|非常|非洲|对不起|没关系|差不多|好不好"
    r"|是不是|能不能|会不会|有没有|要不要|可不可以"
    r"|(?<![a-z])(?:not only|no doubt|nothing (?:but|else)|no more|none but|whether or not|not just"
    r"|not merely|not least"
    r"|no\. ?(?=\d)|no (?=\d))"
)
_NEGATION = re.compile(
    r"并?不|没有?|尚?未|无(?!限)|勿|禁止|严禁|禁用|拒绝|请别|非(?=必|法|空|零|公|法定|线程)|并非|而非"
    r"|毫无|缺少|缺乏|失效|以外"
    r"|(?<![a-z])(?:not|never|none|nobody|nothing|nowhere|without|neither|cannot|no|forbid(?:s|den)?"
    r"|prohibit(?:s|ed)?|bann?ed|lacks?|lacking"
    r"|refuse[sd]?|unable|fail(?:s|ed)? to|absence of|absent|un(?:able|supported|available|affected"
    r"|related|necessary|defined))(?![a-z])|n't(?![a-z])"
    r"|(?<=[a-z])n’t(?![a-z])"
)
_OPPOSITES: dict[str, tuple[str, str]] = {
    "limit": (
        (
            r"最多|至多|不超过|不得超过|不能超过|不多于|不高于|不大于|上限|最高|最大|最长|最晚|不迟于"
            r"|不晚于|以内|之内|封顶|at most|no more than|not more than"
            r"|(?:not |n't )exceed|maxim\w+|up to|upper (?:limit|bound)|no later than|within|or less|or fewer|<=|≤"
        ),
        (
            r"最少|至少|不少于|不低于|不得低于|不得少于|不小于|不短于|下限|最低|最小|最短|最早|不早于|起步"
            r"|at least|no less than|not less than|no fewer than|minim\w+"
            r"|lower (?:limit|bound)|no earlier than|or more|>=|≥"
        ),
    ),
    "comparison": (
        (
            r"大于|高于|超过|多于|超出|长于|优于|快于|more than|greater than|higher than|above|over(?= \d)"
            r"|exceed(?:s|ed|ing)?|larger than|longer than|faster than"
        ),
        (
            r"小于|低于|少于|不足|短于|劣于|慢于|less than|fewer than|lower than|below|under(?= \d)"
            r"|smaller than|shorter than|slower than"
        ),
    ),
    "order": (
        (
            r"之前|以前|(?<![目当提空以])前(?![后端台面者提缀往期置沿任])|早于|先于|提前|before|prior to"
            r"|earlier than|precedes?"
        ),
        (
            r"之后|以后|(?<![然最售背落前以])后(?![端台面者缀续果来退门备期勤])|晚于|后于|推迟|after"
            r"|later than|follow(?:s|ing)|subsequent"
        ),
    ),
    "change": (
        (
            r"增加|增长|上升|提高|上调|增大|提升|扩大|加快|升高|increas\w+|\brais\w+|\bris(?:e|es|ing"
            r"|en)\b|\brose\b|\bgrow\w*|\bgrew\b|up-?regulat\w+|enhanc\w+|elevat\w+|promot\w+|improv\w+"
            r"|activat\w+|stimulat\w+|accelerat\w+"
        ),
        (
            r"减少|下降|降低|下调|减小|缩小|减慢|下跌|减弱|decreas\w+|reduc\w+|\bfall(?:s|ing|en)?\b"
            r"|\bfell\b|declin\w+|down-?regulat\w+|inhibit\w+|suppress\w+|impair\w+|diminish\w+"
            r"|attenuat\w+|worsen\w*|deactivat\w+|slow(?:s|ed|ing)?\b"
        ),
    ),
    "switch": (
        r"启用|开启|打开|激活|enabl\w+|turn(?:s|ed)? on|switch(?:es|ed)? on",
        r"停用|关闭|关掉|disabl\w+|turn(?:s|ed)? off|switch(?:es|ed)? off",
    ),
    "success": (
        r"成功|succeed\w*|success\w*",
        r"失败|fail(?:s|ed|ures?|ing)?(?! to\b)\b",
    ),
    "timing": (
        r"(?<!异)同步|(?<!a)synchronous\w*",
        r"异步|asynchronous\w*",
    ),
    "inclusion": (
        r"(?<!不)包含|(?<!不)包括|includ\w+",
        r"排除|不含|不包括|不包含|exclud\w+",
    ),
    "need": (
        r"必填|必选|必需|mandatory|required|obligatory",
        r"选填|可选|自愿|optional|voluntary",
    ),
    "validity": (
        r"(?<![无没])有效|合法|(?<![a-z])valid|(?<![a-z])legal",
        r"无效|非法|失效|过期|invalid|illegal|expired",
    ),
    "sameness": (
        r"(?<!不)相同|(?<!不)一致|identical|the same",
        r"不同|不一致|有别|differ\w*",
    ),
    "access": (
        r"公开|public",
        r"私有|保密|private|confidential",
    ),
    "cost": (
        r"免费|不要钱|不收钱|不收费|不花钱|不用买票|free of charge|for free|at no (?:cost|charge)",
        r"(?<!不)收费|付费|(?<!不)要钱",
    ),
    "result": (
        r"阳性|(?<![a-z])positive",
        r"阴性|(?<![a-z])negative",
    ),
}  # fmt: skip


def _whole_words(alternatives: str) -> re.Pattern[str]:
    """Whole words only; `_spaced` has set Chinese and Latin words apart."""
    return re.compile(rf"(?<![a-z])(?:{alternatives})(?![a-z])")


_SIDES = {name: (_whole_words(plus), _whole_words(minus)) for name, (plus, minus) in _OPPOSITES.items()}
# An opposition is judged as such: 无效 is the other side of 有效, not a negation of something else.
_OPPOSITIONS = re.compile("|".join(pattern.pattern for pair in _SIDES.values() for pattern in pair))
_PERMISSION = re.compile(
    rf"(?:(?P<forbidden>不得|不可(?!或缺|避免)|不能|不准|不允许|不应|禁止|严禁)|(?P<no>不)?(?:可以|允许"
    rf"|能够|(?<![不认许])可(?![能是见靠惜])(?=[{CJK}])))(?P<what>[{CJK}]{{2,6}})"
)
_SEAM = re.compile(rf"(?<=[a-z0-9])(?=[{CJK}])|(?<=[{CJK}])(?=[a-z0-9])")


def is_negated(clause: str) -> bool:
    """Is a lower-cased, folded clause negated? Two negations cancel; limits ("no more than") are none."""
    return negations(clause) % 2 == 1


def negations(clause: str) -> int:
    """How many negations a lower-cased, folded clause holds; limits and opposites are none."""
    return len(_NEGATION.findall(_OPPOSITIONS.sub(" ", _NO_NEGATION.sub(" ", _spaced(clause)))))


def sides(clause: str) -> frozenset[Side]:
    """Which sides a lower-cased, folded clause takes: at most or at least, before or after, enabled or disabled."""
    text = _spaced(clause)
    found: set[Side] = set()
    for name, (plus, minus) in _SIDES.items():
        if plus.search(text):
            found.add((name, "+"))
        if minus.search(text):
            found.add((name, "-"))
    return frozenset(found)


def neutral(clause: str) -> str:
    """The clause without its negations and sides: what it is about, whichever way."""
    return _NEGATION.sub(" ", _OPPOSITIONS.sub(" ", _NO_NEGATION.sub(" ", _spaced(clause))))


def permissions(text: str) -> dict[str, frozenset[bool]]:
    """What folded Chinese text says one may do (True) or may not (False), by the first two characters of it."""
    found: dict[str, frozenset[bool]] = {}
    for match in _PERMISSION.finditer(text):
        allowed = not (match["no"] or match["forbidden"])
        for at in range(len(match["what"]) - 1):
            pair = match["what"][at : at + 2]
            found[pair] = found.get(pair, frozenset()) | {allowed}
    return found


def opposed(one: frozenset[Side], other: frozenset[Side]) -> bool:
    """Do two clauses take opposite sides, each of them only one?"""
    for name, side in one:
        opposite: Side = (name, "-" if side == "+" else "+")
        if opposite in other and (name, side) not in other and opposite not in one:
            return True
    return False


def _spaced(clause: str) -> str:
    return _SEAM.sub(" ", clause)
