"""Replies that need no document: small talk, what is remembered about the user, tool results."""

import json
import re
from collections.abc import Sequence

from graph.models.intents import Intent
from graph.models.language import Language
from graph.models.people import kin_in
from graph.models.phrases import phrase
from graph.models.reported import date_in, reason_in
from graph.models.wording import Question, Rarity, coverage, keys_of
from nodes.fences import Fenced

_EVERYTHING = re.compile(
    r"关于我|了解我|认识我|我是谁|知道我(?:什么|哪些)|记得我|about me|who am i|remember me", re.IGNORECASE
)
_SLOTS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(asked, re.IGNORECASE), re.compile(told, re.IGNORECASE))
    for asked, told in (
        (r"名字|姓名|我叫|我姓|称呼|\bname\b|who am i|我是谁|\bcalled\b", r"叫|姓名|名字|姓|称呼|\bname|\bcalled\b"),
        (
            (
                r"工作|上班|公司|职业|职位|做什么|\b(?:work|job|employer|company|role|title|profession"
                r"|living)\b"
            ),
            (
                r"工作|公司|任职|上班|职|负责|担任|在.+[当做]|是一?[名个位]"
                r"|\b(?:work|job|employ|company|role|engineer|manager|works? as)"
            ),
        ),
        (
            r"住|家在|地址|城市|家乡|\b(?:live|address|city|born|hometown)\b",
            r"住|家在|地址|来自|家乡|\b(?:live|address|from|born|based)",
        ),
        (r"不喜欢|讨厌|\b(?:hate|dislike)\b", r"不喜欢|讨厌|不爱|\b(?:hate|dislike|can't stand|doesn't like)"),
        (
            r"喜欢|爱|偏好|爱好|口味|\b(?:like|love|prefer|enjoy|favou?rite|hobby|hobbies)\b",
            r"喜欢|爱|偏好|爱好|\b(?:like|love|prefer|enjoy|favou?rite|hobb)",
        ),
        (r"过敏|allerg", r"过敏|allerg"),
        (r"生日|几岁|多大|birthday|\bage\b|how old", r"生日|岁|出生|birthday|born|years old"),
    )
)
_ENOUGH = 0.4
_MAX_RESULT = 600


def chat_reply(intent: Intent, question: str, memories: Sequence[Fenced], language: Language) -> str:
    """The reply to a message of that intent; questions about the user are answered from the memories alone."""
    if intent == "about_user":
        return memory_answer(question, memories, language)
    if intent in {"arithmetic", "date", "documents"}:
        raise ValueError(f"{intent!r} is no small talk")
    return phrase(intent, language)


def memory_answer(question: str, memories: Sequence[Fenced], language: Language) -> str:
    """What the memories say to a question about the user, word for word; says so if they say nothing."""
    fitting = fitting_memories(question, memories)
    if not fitting:
        return phrase("unknown_user", language)
    if len(fitting) == 1:
        return phrase("recalled", language) + _closed(fitting[0].text, language)
    return "\n".join([phrase("recalled", language).strip(), *(f"- {memory.text}" for memory in fitting)])


def fitting_memories(question: str, memories: Sequence[Fenced]) -> list[Fenced]:
    """The memories that answer a question about the user: all, those of the slot asked for, or those it words."""
    if _EVERYTHING.search(question):
        return list(memories)
    facts = [memory for memory in memories if memory.attributes.get("type") != "procedural"] or list(memories)
    kin = kin_in(question)
    about = [memory for memory in facts if kin_in(memory.text) == kin]
    if kin:
        return _of_kin(question, about)
    for asked, told in _SLOTS:
        if asked.search(question):
            return [memory for memory in about if told.search(memory.text)]
    keys = [keys_of(memory.text) for memory in facts]
    rarity, wanted = Rarity(keys), Question(question)
    return [
        memory for memory, own in zip(facts, keys, strict=True) if coverage(wanted, ((own, 1.0),), rarity) >= _ENOUGH
    ]


_OF_KIN = tuple(
    (re.compile(asked, re.IGNORECASE), re.compile(told, re.IGNORECASE))
    for asked, told in (
        (r"叫|名字|\bnames?\b|\bcalled\b", r"叫|名字|\bname[ds]?\b|\bcalled\b"),
        (r"多大|几岁|岁数|年龄|\bhow old\b|\bage\b", r"岁|月大|年龄|\bold\b|\bage\b|\bturn"),
        (r"生日|\bbirthday\b", r"生日|出生|\bbirthday\b|\bborn\b"),
        (r"住|\blives?\b", r"住|搬|\blives?\b|\bmoved\b"),
        (r"过敏|allerg", r"过敏|allerg"),
    )
)


def _of_kin(question: str, memories: Sequence[Fenced]) -> list[Fenced]:
    """Of the memories about one member of the household those that tell what is asked."""
    for asked, told in _OF_KIN:
        if asked.search(question):
            return [memory for memory in memories if told.search(memory.text)]
    return list(memories)


def tool_sentence(result: Fenced, language: Language) -> str:
    """One sentence with what a tool returned, or why it did not."""
    name = result.attributes.get("name", "")
    if result.attributes.get("status") != "ok":
        content = _closed(reason_in(_readable(result.text)[:_MAX_RESULT], language), language)
        return phrase("failed", language).format(name=name, content=content)
    dated = date_in(result.text, language) if name == "current_date" else None
    if dated is not None:
        return dated
    content = _closed(_readable(result.text)[:_MAX_RESULT], language)
    kind = {"calculator": "calculated", "current_date": "dated"}.get(name, "returned")
    return phrase(kind, language).format(name=name, content=content)


def _readable(content: str) -> str:
    try:
        value = json.loads(content)
    except ValueError:
        return " ".join(content.split())
    if isinstance(value, dict):
        return ", ".join(f"{key}: {item}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    return str(content).strip()


def _closed(text: str, language: Language) -> str:
    stripped = text.rstrip()
    return stripped if stripped.endswith(tuple("。！？.!?")) else stripped + ("。" if language == "zh" else ".")
