"""The offline model's summary: of every part of a document the most central sentence, word for word, in order."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from graph.models.citing import laid_out
from graph.models.language import Language
from graph.models.phrases import phrase
from graph.models.preferences import Style
from graph.models.quoting import Material
from graph.models.units import Unit
from graph.models.wording import Question, Rarity, content_words, coverage, keys_of

POINTS, FEW_POINTS = 6, 3
MOST_POINTS = 15
_SHORTEST, _LONGEST = 8, 220
"""Characters of a sentence that can stand for its part; a shorter one is a label, a longer one a list."""
_LEADS, _PROSE, _SAYS_LITTLE = 0.25, 0.2, 0.3
_ABOUT = 0.5
"""The least coverage of a topic that the question names beside the document."""
_REPEATS = 0.7
_WORDS = re.compile(
    r"幻灯片|课件|讲义|教程|文章|围绕|根据|针对|给(?!定)|为(?!什么)|的|总结|概括|归纳|摘要|综述|概述|提要|大意"
    r"|梳理|提炼|主要|内容|要点|重点|文档|文件|资料|手册|全文|讲了?|什么"
    r"|复习题?|练习题?|测试题?|题目?"
    r"|[几\d一二三四五六七八九十]+\s*[道个句条点]|出|考考?我|关于|一下|请|帮我|给我|生成"
    r"|\b(?:summar\w*|overview|gist|key|main|points?|takeaways|ideas|recap|document|file|manual|paper|about|what"
    r"|does|cover|contain"
    r"|write|make|give|generate|create|review|practi[cs]e|quiz|test|exam|study|questions?|me|some|on|from|short"
    r"|brief|tl;?dr"
    r"|slides?|lecture|deck|pdf|notes|article|one|two|three|four|five|six|seven|eight|nine|ten|\d+)\b",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"(?P<digits>\d{1,2})\s*(?:[道个句条点题]|(?:review |practi[cs]e |quiz |test |key |main )?(?:questions?"
    r"|sentences?|points?|bullets?))"
    r"|(?P<han>[一二两三四五六七八九十])\s*[道个句条点题]"
    r"|\b(?P<word>one|two|three|four|five|six|seven|eight|nine|ten)\b (?:\w+ )?(?:questions?|sentences?|points?"
    r"|bullets?)",
    re.IGNORECASE,
)
_HAN = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10}
_WORDED = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
}  # fmt: skip


def summarised(question: str, material: Material, style: Style, language: Language) -> tuple[str, list[str]] | None:
    """The points as a list, each with its number; `None` if the passages do not speak of what is to be summed up."""
    count = asked_count(question) or (FEW_POINTS if style.brief else POINTS)
    units = points(question, material, count)
    if not units:
        return None
    listed = laid_out(units, "list" if style.form == "text" else style.form, language)
    return f"{phrase('main_points', language)}\n\n{listed}", []


def asked_count(question: str) -> int | None:
    """How many points or questions the user asked for, at most 15; `None` if they named no number."""
    match = _ASKED.search(question)
    if match is None:
        return None
    if match["digits"]:
        return max(1, min(int(match["digits"]), MOST_POINTS))
    return _HAN[match["han"]] if match["han"] else _WORDED[match["word"].lower()]


def points(question: str, material: Material, count: int) -> list[Unit]:
    """The units that stand for the passages, spread over them, in the order of the text."""
    about = _on_topic(question, material)
    ranked = _ranked(about)
    chosen: list[Unit] = []
    for alone in (True, False):  # first one of every passage, then what else is central
        for unit in ranked:
            taken = {other.passage.number for other in chosen}
            if len(chosen) >= count or unit in chosen or (alone and unit.passage.number in taken):
                continue
            if not _repeats(unit, chosen):
                chosen.append(unit)
    ordered = sorted(chosen, key=lambda unit: (unit.passage.number, unit.position))
    return [replace(unit, text=unit.text.rstrip("；; ")) if unit.kind == "sentence" else unit for unit in ordered]


def _ranked(units: Sequence[Unit]) -> list[Unit]:
    """The most central first: those whose words the other sentences share, and those that open their passage."""
    keys = [keys_of(unit.text) for unit in units]
    frequency = Counter(key for own in keys for key in own)
    common = [sum(frequency[key] - 1 for key in own) / (len(own) or 1) for own in keys]
    most = max(common, default=0.0) or 1.0
    scores = {index: common[index] / most + _standing(unit, len(keys[index])) for index, unit in enumerate(units)}
    return [units[index] for index in sorted(scores, key=lambda index: (-scores[index], index))]


def _standing(unit: Unit, keys: int) -> float:
    standing = _LEADS * (unit.position == 0) + _PROSE * (unit.kind == "sentence")
    if unit.introduces or unit.text.endswith(("？", "?")) or keys < _SHORTEST // 2:
        standing -= _SAYS_LITTLE
    return standing


def _on_topic(question: str, material: Material) -> list[Unit]:
    """What can be quoted of the topic that the question names beside the document; of everything if it names none."""
    units = [unit for unit in material.units if _SHORTEST <= len(unit.text) <= _LONGEST and unit.kind != "code"]
    units = units or list(material.units)
    topic = _topic(question, material)
    if not topic.terms:
        return units
    keys = [keys_of(f"{unit.text}\n{unit.heading}\n{unit.passage.context}") for unit in units]
    rarity = Rarity(keys)
    return [unit for unit, own in zip(units, keys, strict=True) if coverage(topic, ((own, 1.0),), rarity) >= _ABOUT]


def _topic(question: str, material: Material) -> Question:
    """The content words of a question without those that name the task or the document."""
    titles = keys_of("\n".join(f"{passage.title}\n{passage.context}" for passage in material.passages))
    words = content_words(_WORDS.sub(" ", question))
    return Question(" ".join(word for word in words if not keys_of(word) <= titles))


def _repeats(unit: Unit, chosen: Sequence[Unit]) -> bool:
    keys = keys_of(unit.text)
    return any(len(keys & keys_of(other.text)) > _REPEATS * len(keys) for other in chosen)
