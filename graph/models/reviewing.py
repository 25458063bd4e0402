"""The offline model's review questions: each made from a sentence of a passage, which is its cited answer."""

import re
from collections.abc import Iterator

from graph.models.citing import cited
from graph.models.language import Language
from graph.models.overview import MOST_POINTS, asked_count, points
from graph.models.phrases import phrase
from graph.models.preferences import Style
from graph.models.quoting import Material
from graph.models.units import Unit

QUESTIONS, FEW_QUESTIONS = 5, 3
_CLAUSE = re.compile(r"[，,；;。.!！](?!\d)\s*")
_SHORTEST_CLAUSE = 5
_TIME_OF_DAY = re.compile(r"(?<!\d)\d{1,2}[:：]\d{2}(?!\d)")
_AMOUNT_ZH = re.compile(
    r"(?<![\dA-Za-z._\-第:：/~～])\d+(?:[.,]\d+)?\s*(?=[%％]"
    r"|[个天年月日周次元人名位条项种倍岁层分秒时小册本份部级米克度公千万亿])"
)
_AMOUNT_EN = re.compile(r"(?<![\w.\-/])\$?\d+(?:[.,]\d+)*%?(?![\w\-/]|[.:]\d)")
_FIGURE = re.compile(r"(?<![A-Za-z_.\-])\d")
_NUMBERING = re.compile(
    r"^(?:第?[一二三四五六七八九十\d]+[章节条讲、.．)）]|[（(][一二三四五六七八九十\d]+[)）]|[\d.]+\s)\s*"
)
_DEFINED_ZH = re.compile(
    r"^(?P<name>[^，。：:；、“”‘’（）()\s\d]{2,14}?)(?:（[^）]{1,20}）)?(?:是指|指的是|是一[种个类项]|是(?!否|不"
    r"|因|由|在|为|的))"
)
_DEFINED_EN = re.compile(
    r"^(?:the |an? )?(?P<name>[A-Za-z][\w ./'-]{1,40}?) (?:is|are) (?:an? |the )[a-z]", re.IGNORECASE
)
_POINTING = re.compile(
    r"^(?:这|那|它|其|此|该|他|她|如果|若|当|但|而|也|还|(?:it|this|that|these|those|they|he|she|there|if|when)\b)",
    re.IGNORECASE,
)
_QUOTES = str.maketrans("", "", '“”"「」*`')
BLANK = "____"


def reviewed(question: str, material: Material, style: Style, language: Language) -> tuple[str, list[str]] | None:
    """Numbered questions, below each its answer with its number; `None` if the passages do not speak of the topic."""
    count = asked_count(question) or (FEW_QUESTIONS if style.brief else QUESTIONS)
    asked: dict[str, Unit] = {}
    for unit in points(question, material, MOST_POINTS):
        made = next((one for one in _questions(unit) if one not in asked), None)
        if made is not None:
            asked[made] = unit
    chosen = _spread(asked, count)
    if not chosen:
        return None
    lines = [
        f"{number}. {made}\n{phrase('answer_is', language)}{cited(unit)}"
        for number, (made, unit) in enumerate(chosen, start=1)
    ]
    return "\n\n".join(lines), []


def _spread(asked: dict[str, Unit], count: int) -> list[tuple[str, Unit]]:
    """As many as asked for: one of every passage first, in the order of the text."""
    by_turn: list[tuple[int, int, str]] = []
    seen: dict[int, int] = {}
    for place, (made, unit) in enumerate(asked.items()):
        turn = seen.get(unit.passage.number, 0)
        seen[unit.passage.number] = turn + 1
        by_turn.append((turn, place, made))
    kept = {made for _, _, made in sorted(by_turn)[:count]}
    return [(made, unit) for made, unit in asked.items() if made in kept]


def _questions(unit: Unit) -> Iterator[str]:
    """What can be asked so that the unit answers it, the most natural first. No question holds a figure itself."""
    if unit.kind != "sentence" or unit.introduces or unit.text.endswith(("？", "?")):
        return
    text = unit.text.translate(_QUOTES).strip()
    makers = (_zh, _en) if unit.language == "zh" else (_en, _zh)
    for made in makers[0](unit, text):
        if not _FIGURE.search(made):
            yield made


def _zh(unit: Unit, text: str) -> Iterator[str]:
    defined = _DEFINED_ZH.match(text)
    if defined and not _POINTING.match(defined["name"]):
        yield f"什么是{defined['name']}？"
    for beginning in _beginnings(text):
        for pattern, word in ((_TIME_OF_DAY, "几点"), (_AMOUNT_ZH, "多少")):
            made, found = pattern.subn(word, beginning, count=1)
            if found:
                closed_up = re.sub(r" *(多少|几点) *", r"\1", made)
                yield re.sub(r"多少[%％]", "百分之多少", closed_up) + "？"
    if heading := _bare(unit.heading):
        yield f"关于“{heading}”，文档是怎么说的？"


def _en(unit: Unit, text: str) -> Iterator[str]:
    defined = _DEFINED_EN.match(text)
    if defined and not _POINTING.match(defined["name"]):
        yield f"What is {defined['name'].strip()}?"
    for beginning in _beginnings(text):
        made, found = _AMOUNT_EN.subn(BLANK, beginning, count=1)
        if found:
            yield f'Which figure is missing in "{made.rstrip(".")}"?'
    if heading := _bare(unit.heading):
        yield f'What does the document say about "{heading}"?'


def _beginnings(text: str) -> list[str]:
    """A sentence up to the end of each of its clauses; none if it begins by pointing back."""
    if _POINTING.match(text):
        return []
    ends = [match.start() for match in _CLAUSE.finditer(text)] or [len(text)]
    return [text[:end].strip() for end in ends if end >= _SHORTEST_CLAUSE]


def _bare(heading: str) -> str:
    return _NUMBERING.sub("", heading.translate(_QUOTES).strip())
