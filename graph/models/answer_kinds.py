"""Whether a text can be the kind of answer a question asks for: an amount, a time, a cause."""

import re

from graph.models.wording import Question

_ZH_AMOUNT = (
    r"[一二两三四五六七八九十百千万亿零半\d]+\s*"
    r"(?:[个天年月日元次人名位条项种倍岁层届席%％小分秒时周间晚米克度块张本份部级]|公)"
)
_EN_AMOUNT = (
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand"
    r"|million|billion|half|dozen|once|twice|daily|weekly|monthly|yearly|annually|immediately|never|unlimited|always)\b"
)
_AMOUNT = re.compile(rf"{_ZH_AMOUNT}|{_EN_AMOUNT}|每[天周月年次]|立即|随时|不限|永久|当天|当日|次日", re.IGNORECASE)
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_TIME = re.compile(
    r"\d|[一二三四五六七八九十零〇两]+[年月日号点周]|今天|昨天|明天|每[天周月年]|之前|之后|以前|以后|期间|时期?"
    r"|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn"
    r"|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)day|today|daily|weekly|monthly|before|after|during|when|once|until"
    r"|while|every)\b",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"因为|由于|原因|因此|所以|导致|造成|使得|如果|忘记|没有|未|缺少|为了|以便|避免|防止|否则|从而"
    r"|\b(?:because|since|due to|cause[sd]?|therefore|so that|reason|if|to avoid|in order to|results? in|missing"
    r"|otherwise|without)\b",
    re.IGNORECASE,
)


def fits_kind(question: Question, text: str, *, strictly: bool = False) -> bool:
    """Whether `text` can answer a question of this kind.

    An amount must be one that the question does not hold itself. Causes and lists show in many forms, so for
    them every text fits unless asked `strictly`.
    """
    match question.kind:
        case "number":
            return _brings_a_number(question, text)
        case "time":
            return _TIME.search(text) is not None
        case "reason":
            return not strictly or _CAUSE.search(text) is not None
        case "list" | "other":
            return not strictly


def _brings_a_number(question: Question, text: str) -> bool:
    asked = set(_DIGITS.findall(question.text))
    return any(number not in asked for number in _DIGITS.findall(text)) or _AMOUNT.search(text) is not None
