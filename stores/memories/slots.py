"""Slots: the attributes of a user that hold one value at a time, and the words that speak of them.

A memory that names a slot needs words of the user that name it too; two memories replace one another only
within a slot; a question about a slot finds the memory that fills it, in Chinese and in English.
"""

import re
from typing import Literal

from stores.memories.text import fold

Slot = Literal["name", "residence", "employment", "role", "origin", "age", "birthday", "language"]

_NAME = (
    r"叫做?|名叫|名字|姓名|称呼|昵称|改名|全名|\bnam(?:e|ed|es)\b|\bcalled\b|\bcall (?:me|him|her)\b"
    r"|\bgoes by\b|\bnickname\b"
)
_RESIDENCE = (
    r"住|居住|定居|搬到|搬去|搬家|搬至|租房|常驻|\bliv(?:e|es|ing|ed)\b|\bmov(?:ed?|es|ing)\b"
    r"|\breloca\w+|\bresid\w+|\bbased in\b"
)
_EMPLOYMENT = (
    r"在.{1,12}公司|在[^，。]{2,20}(?:当|担任)|工作(?!日)|上班|任职|就职|入职|供职|跳槽|雇主|\bwork(?:s"
    r"|ed|ing)? (?:as [a-z -]{2,40}? )?(?:at|for|in)\b"
    r"|\bemploy\w*|\bjoin(?:ed|s|ing)?\b|\bjob at\b"
)
_ROLE = (
    r"经理|工程师|总监|主管|老师|教师|医生|律师|会计|设计师|程序员|学生|教授|研究员|护士|分析师|顾问"
    r"|职业|职位|岗位|担任|\b(?:engineer|manager|director|teacher|doctor|lawyer|accountant|designer"
    r"|programmer|developer|student|professor|researcher|nurse|analyst|consultant|architect|occupation"
    r"|profession|job title)\b"
)
_MENTIONS: dict[Slot, re.Pattern[str]] = {
    "name": re.compile(_NAME),
    "residence": re.compile(_RESIDENCE),
    "employment": re.compile(_EMPLOYMENT),
    "role": re.compile(_ROLE),
    "origin": re.compile(
        r"来自|老家|籍贯|家乡|出生于|\b(?:is|comes?|are) (?:originally )?from\b|\bborn in\b|\bhometown\b"
    ),
    "age": re.compile(r"岁|年龄|\byears old\b|\bage[ds]?\b"),
    "birthday": re.compile(r"生日|出生日期|\bbirthday\b|\bborn on\b"),
    "language": re.compile(r"母语|\bnative (?:language|speaker)\b|\bmother tongue\b"),
}
_EVIDENCE: dict[Slot, re.Pattern[str]] = {
    "name": re.compile(_NAME + r"|我是|我姓|本人|\bi['’]?m\b|\bi am\b|\bthis is\b"),
    "residence": re.compile(_RESIDENCE + r"|家在|我家|我在|租|回到|\bhome\b|\bi['’]?m (?:in|from)\b|\bsettled\b"),
    "employment": re.compile(
        _EMPLOYMENT + r"|[做干当]|加入|换[到成了]|负责|我是|我在|\bwork|\bi['’]?m\b|\bi am\b|\bstarted\b"
        r"|\bposition\b|\bjob\b|\bhired\b|\bswitched\b"
    ),
    "role": re.compile(_ROLE),
    "origin": re.compile(
        r"来自|老家|籍贯|家乡|出生|[是从].{1,10}[人来]|家在|\bfrom\b|\bborn\b|\bhometown\b|\bgrew up\b"
        r"|\bnative\b"
    ),
    "age": re.compile(r"岁|年龄|今年|\byears old\b|\bage[ds]?\b|\bi['’]?m\b|\bturn(?:ed|ing)?\b|\bi am\b"),
    "birthday": re.compile(r"生日|出生|生于|\bbirthday\b|\bborn\b"),
    "language": re.compile(r"母语|\bnative\b|\bmother tongue\b|\bfirst language\b"),
}
_QUESTIONS: dict[Slot, re.Pattern[str]] = {
    "name": re.compile(r"怎么称呼|是谁|\bwho am i\b"),
    "residence": re.compile(
        r"我.{0,4}(?:在)?(?:哪个?城市|哪里住|哪儿)|我家|\bwhere (?:am i|is my (?:home|flat|house))\b"
        r"|\bmy (?:city|home|address|flat|neighbou?rhood)\b"
    ),
    "employment": re.compile(
        r"我.{0,4}(?:公司|雇主|单位)|做什么的|\bmy (?:company|employer|job)\b|\bwho do i work\b"
        r"|\bdo i do\b|\bfor a living\b"
    ),
    "role": re.compile(
        r"我.{0,4}(?:岗位|职位|职业|工作是)|做什么的|\bmy (?:job|role|title|profession|occupation)\b"
        r"|\bfor a living\b"
    ),
    "origin": re.compile(r"我.{0,3}(?:哪里人|哪儿人)|\bam i from\b"),
    "age": re.compile(r"我.{0,4}(?:多大|几岁)|\bhow old am i\b|\bmy age\b"),
    "birthday": re.compile(r"我.{0,4}(?:哪天|何时|什么时候)出?生|\bwhen was i born\b"),
    "language": re.compile(r"我.{0,4}母语|\bmy (?:native|first) language\b"),
}
_CHANGE = re.compile(
    r"换到|换成|换了|换去|换工作|改成|改为|改叫|改名|改用|搬到|搬去|搬家|跳槽|入职|离职|加入了|不再|变成"
    r"|已经不|现在(?:是|在|用|叫|住|改)|升职|升为|转到|转去|转岗|如今|调到|更新|纠正|更正|应该是"
    r"|不是.{1,12}(?:而是|是)|其实|说错"
    r"|\b(?:no longer|not any ?more|now|moved|switched|changed|change|joined|instead|left|quit|became"
    r"|promoted|renamed|these days|actually|correction|used to|started (?:at|as|working)|any ?more"
    r"|stopped|can['’]?t stand|replaced)\b"
)
_ADDITION = re.compile(r"也|还(?!是|没)|同时|另外|以及|\b(?:also|too|as well|besides|in addition|another|both)\b")


def mentioned_slots(text: str) -> set[Slot]:
    """The slots that a memory or a question speaks of."""
    folded = fold(text)
    return {slot for slot, pattern in _MENTIONS.items() if pattern.search(folded)}


def supported(slot: Slot, words: str) -> bool:
    """Whether the user's words speak of a slot at all."""
    return bool(_EVIDENCE[slot].search(fold(words)))


def tells_change(words: str) -> bool:
    """Whether the words say that something became otherwise: 换到, 不再, "moved", "now"."""
    return bool(_CHANGE.search(fold(words)))


def tells_addition(words: str) -> bool:
    """Whether the words add a value and take none away: 也, "also"."""
    return bool(_ADDITION.search(fold(words)))


def asked_slots(question: str) -> set[Slot]:
    """The slots that a question about oneself asks for, also where it does not name them: 我在哪个城市."""
    folded = fold(question)
    return mentioned_slots(question) | {slot for slot, pattern in _QUESTIONS.items() if pattern.search(folded)}
