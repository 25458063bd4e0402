"""Whom a clause is about when that is not the user: the household, whose facts are the user's too, and others."""

import re

_HOUSEHOLD_ZH = (
    r"爸爸|妈妈|爸妈|老爸|老妈|爸|妈|父亲|母亲|父母|妻子|老婆|太太|媳妇|爱人|丈夫|老公|先生|对象|儿子|女儿|闺女|孩子"
    r"|娃|宝宝|双胞胎|哥哥|姐姐|弟弟|妹妹|哥(?!们)|姐|弟|妹|爷爷|奶奶|外公|外婆|姥姥|姥爷|岳父|岳母|公公|婆婆|孙子|孙女"
    r"|侄子|侄女|外甥女?|男朋友|女朋友|男友|女友|未婚夫|未婚妻|家人"
    r"|猫咪|狗狗|[小大]?猫|[小大]?狗|宠物|兔子|仓鼠|鹦鹉|乌龟|金鱼|金毛|柯基|鹦哥"
)
_OTHERS_ZH = (
    r"老板|上司|领导|经理|主管|同事|下属|朋友|闺蜜|哥们|同学|室友|邻居|客户|老师|导师|学生|医生|律师|房东|团队|前任"
)
_HOUSEHOLD_EN = (
    r"wife|husband|partner|spouse|fianc[eé]e?|girlfriend|boyfriend|father|mother|dad|mom|mum|parents?|sons?|daughters?"
    r"|kids?|child|children|baby|twins?|(?:little |older |younger |big )?(?:brother|sister)s?|grand(?:ma"
    r"|pa|mother|father)"
    r"|grand(?:son|daughter)s?|nephew|niece|aunt|uncle|cousin|family|in-laws"
    r"|dogs?|cats?|pupp(?:y|ies)|kitten|pets?|rabbit|hamster|parrot|turtle|goldfish|horse"
)
_OTHERS_EN = (
    r"boss|manager|supervisor|colleagues?|co-?workers?|friends?|teacher|professor|clients?|customers?|team|company"
    r"|room-?mate|flat-?mate|neighbou?rs?|landlord|doctor|lawyer|students?|ex"
)
_MINE_ZH = r"^(?:我|咱|俺)(?:们家|们|家)?(?:的|那[只条个位]?|这[只条个位]?)?(?:[大小二老]|前)?"
_HOUSEHOLD = re.compile(
    rf"{_MINE_ZH}(?P<zh>{_HOUSEHOLD_ZH})(?!们?叫我)|^my (?:(?:old|young|new|first|eldest|youngest"
    rf"|\w+-year-old) )?(?P<en>{_HOUSEHOLD_EN})\b",
    re.IGNORECASE,
)
_OTHERS = re.compile(rf"{_MINE_ZH}(?P<zh>{_OTHERS_ZH})(?!叫我)|^my (?P<en>{_OTHERS_EN})\b", re.IGNORECASE)
_INTRODUCED = re.compile(
    rf"^我{{0,1}}(?:家)?(?:现在|还|也|最近)*(?:有|养了?|养着|收养了?)(?:一?[只条个位名匹对]|[两三二]只)?(?P<zh>{_HOUSEHOLD_ZH})"
    rf"|^i(?:'ve)?(?: also| now)? (?:have|got|own|keep) (?:an? |one )?(?:\w+ )?(?P<en>{_HOUSEHOLD_EN})\b",
    re.IGNORECASE,
)


def household(clause: str) -> str:
    """The subject of a clause about the user's household, as it stands there: 我女儿, `My cat`; else empty."""
    match = _HOUSEHOLD.match(clause)
    return match[0] if match and not _OTHERS.match(clause) else ""


def other_person(clause: str) -> bool:
    """Whether a clause is about somebody whose facts are not the user's to tell: a boss, a friend, a client."""
    return _OTHERS.match(clause) is not None


def introduced(clause: str) -> str:
    """Whom a clause about the user brings up (我有个儿子叫小宝), as the subject of what follows; else empty."""
    match = _INTRODUCED.match(clause)
    if match is None:
        return ""
    return f"我的{match['zh']}" if match["zh"] else f"My {match['en'].lower()}"


_KIN = re.compile(
    rf"(?:我|咱|俺|用户)(?:们家|们|家)?(?:的|那[只条个位]?)?(?:[一两二三几][只条个位名匹])?(?:[大小二老])?(?P<zh>{_HOUSEHOLD_ZH}|{_OTHERS_ZH})"
    rf"|\b(?:my|user's|their) (?:(?:old|young|new|first|eldest|youngest) )?(?P<en>{_HOUSEHOLD_EN}"
    rf"|{_OTHERS_EN})\b(?! name)",
    re.IGNORECASE,
)


def kin_in(text: str) -> str:
    """Which person or animal around the user a question or a memory is about, in one form; empty for the user."""
    match = _KIN.search(text)
    if match is None:
        return ""
    return match["zh"].strip("大小") if match["zh"] else match["en"].lower().removesuffix("s")
