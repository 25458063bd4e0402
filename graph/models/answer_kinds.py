"""Whether a text can be the kind of answer a question asks for: an amount, a time, a cause."""

import re
from collections.abc import Iterable
from typing import Literal

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


_ASKS_YEAR = re.compile(r"哪一?年|什么年份|\b(?:what|which) year\b", re.IGNORECASE)
_YEAR = re.compile(r"\d{4}|[零〇一二三四五六七八九]{3,4}年|世纪|[前元]\S{0,3}年|\b\d{3}\b|\bcentury\b", re.IGNORECASE)
_ASKS_FREQUENCY = re.compile(
    r"多久[^，。？?]{0,12}一次|多长时间[^，。？?]{0,12}一次|频率|\bhow (?:often|frequently)\b", re.IGNORECASE
)
_FREQUENCY = re.compile(
    r"每|次|随时|定期|一[天日周月年]一|从不|总是|经常"
    r"|\b(?:every|each|per|once|twice|times?|daily|weekly|monthly|quarterly|yearly|annual(?:ly)?|hourly|nightly|always"
    r"|never|regularly|constantly|continuously|after)\b|\ba (?:day|week|month|year)\b",
    re.IGNORECASE,
)
_ASKS_WHO = re.compile(r"\bwho(?:m|se)?\b", re.IGNORECASE)
_WHO = re.compile(
    r"\b[A-Z][\w.'’-]*\b|\b(?:\w+(?:er|or|ist|ian|ant|ent|man|men|woman|women|ee)|staff|team|people|person|owner|head"
    r"|office|department|group|crew|nurse|everyone|everybody|anyone|nobody|students?|members?|chair|deputy|boss|guest"
    r"|clerk|judge|cook|chef|guard|pupils?|child(?:ren)?|parents?|employees?|colleagues?|users?|you|they|he|she|we)s?\b"
)
_ASKS_WHERE = re.compile(r"^\W*where\b(?! (?:does|do|did) .*\bcome from\b)", re.IGNORECASE)
_WHERE = re.compile(
    r"\b(?:in|at|on|near|to|from|into|inside|outside|under|behind|beside|next|between|opposite|through|along|above|below"
    r"|across|around|within|upstairs|downstairs|online|here|there|everywhere|anywhere|floor|room|street|corner|building"
    r"|via|by)\b|[/\\]",
    re.IGNORECASE,
)


_ASKS_WHO_ZH = re.compile(r"谁|哪[位个]人|什么人|哪位|何人")
SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白"
    "邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤"
)
_WHO_ZH = re.compile(
    rf"[\u4e00-\u9fff]{{1,6}}(?:[·・][\u4e00-\u9fff]{{1,7}})+|[A-Z][a-z]+|(?:[{SURNAMES}]|欧阳|司马|诸葛|上官)[\u4e00-\u9fff]{{1,2}}"
    r"|(?:先生|女士|老师|同学|教授|医生|师傅|经理|主任|主管|主席|总监|会长|校长|院长|馆长|部长|处长|科长|组长|队长|店长|团长|秘书|会计|助理|顾问|代表"
    r"|负责人|管理员|工程师|设计师|作者|[员工]人?|[^\s，。]{1,6}(?:部门?|处|科|组|队|室|局|院|委|办|公司|团队|中心))"
)
_ASKS_WHERE_ZH = re.compile(r"哪里|哪儿|在哪|何处|何地|什么地方|哪个?(?:国家?|省|市|城市|地区|地方|区|县)")
_WHERE_ZH = re.compile(
    r"[省市县区州国镇乡村路街巷号楼层室厅馆院校园区港站场岛洲湾山河湖海城堡塔桥店]|位于|坐落|地处|处于|内|外|上|下|旁|侧|东|西|南|北|[A-Z][a-z]+|[/\\]"
)


_COLUMNS = (
    (
        re.compile(r"哪里|哪儿|在哪|何处|什么地方|\bwhere\b", re.IGNORECASE),
        re.compile(
            r"位置|地点|地址|区域|楼层|房间|办公室|场所|\b(?:location|place|room|address|area|floor|city)\b",
            re.IGNORECASE,
        ),
    ),
    (
        re.compile(r"谁|哪位|什么人|\bwho(?:m|se)?\b", re.IGNORECASE),
        re.compile(r"人员?$|负责|姓名|主任|经理|老师|\b(?:owner|name|person|contact|manager|lead|by)\b", re.IGNORECASE),
    ),
    (
        re.compile(r"什么时候|何时|几点|什么时间|\bwhen\b|\bwhat time\b", re.IGNORECASE),
        re.compile(r"时间|日期|时段|期限|\b(?:time|date|hours|day|due|deadline|schedule)\b", re.IGNORECASE),
    ),
)


def names_the_column(question: Question, header: Iterable[str]) -> bool:
    """Whether one of a table's columns is named for what the question asks: where, who or when."""
    return any(asks.search(question.text) and any(names.search(name) for name in header) for asks, names in _COLUMNS)


def fits_kind(question: Question, text: str, *, strictly: bool = False) -> bool:
    """Whether `text` can answer a question of this kind.

    An amount must be one that the question does not hold itself. Causes and lists show in many forms, so for
    them every text fits unless asked `strictly`.
    """
    if not _fits_asked(question, text):
        return False
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


def _fits_asked(question: Question, text: str) -> bool:
    """What the asking words alone demand: a year, how often, and in English a person or a place."""
    if _ASKS_YEAR.search(question.text):
        years = set(_DIGITS.findall(question.text))
        return any(year[0] not in years for year in _YEAR.finditer(text))
    if _ASKS_FREQUENCY.search(question.text):
        return _FREQUENCY.search(text) is not None
    if _ASKS_WHO.search(question.text):
        return any(found[0].lower() not in question.text.lower() for found in _WHO.finditer(_uncapitalised(text)))
    if _ASKS_WHERE.search(question.text):
        return _WHERE.search(text) is not None
    return True


def _uncapitalised(text: str) -> str:
    """A sentence begins with a capital whatever its first word is; two in a row are a name."""
    return text if re.match(r"\W*[A-Z]\w*[ .]+[A-Z]", text) else text[:1].lower() + text[1:]


def typed(question: Question, text: str) -> float:
    """1 if a text holds the kind of thing that is asked for, -1 if it does not, 0 if no certain kind is asked for."""
    if question.kind not in {"number", "time"} and not _asks_certainly(question):
        return 0.0
    fits = fits_kind(question, text) and _fits_in_chinese(question, text)
    return 1.0 if fits else -1.0


def _fits_in_chinese(question: Question, text: str) -> bool:
    """Whether a Chinese text may name a person or a place. Names carry no mark there, so this never decides."""
    for asks, shows in ((_ASKS_WHO_ZH, _WHO_ZH), (_ASKS_WHERE_ZH, _WHERE_ZH)):
        if asks.search(question.text):
            return any(found[0] not in question.text for found in shows.finditer(text))
    return True


_CERTAIN = (_ASKS_YEAR, _ASKS_FREQUENCY, _ASKS_WHO, _ASKS_WHERE, _ASKS_WHO_ZH, _ASKS_WHERE_ZH)


def _asks_certainly(question: Question) -> bool:
    return any(asks.search(question.text) for asks in _CERTAIN)


_ROLE_ZH = re.compile(
    r"(?:导演|作者|编剧|主演|主唱|得主|总统|主席|总理|首相|[校院会馆董事]长|创始人|发明者|教练|经理)(?:是|叫|为)?\W*$"
)


def asks_for(question: Question) -> Literal["person", "place", "number", "time"] | None:
    """The kind of value that a question certainly asks for; `None` if it may be any, or a statement."""
    if any(asks.search(question.text) for asks in (_ASKS_WHO, _ASKS_WHO_ZH, _ROLE_ZH)):
        return "person"
    if any(asks.search(question.text) for asks in (_ASKS_WHERE, _ASKS_WHERE_ZH)):
        return "place"
    return question.kind if question.kind in {"number", "time"} else None
