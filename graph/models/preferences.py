"""How the user wants to be answered, as far as an extractive model can follow."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from graph.models.language import Language

Form = Literal["text", "list", "table"]

_BRIEF = re.compile(
    r"简短|简洁|简明|简要|一句话|精简|\b(?:brief(?:ly)?|short|concise|one sentence|terse)\b", re.IGNORECASE
)
_TABLE = re.compile(r"表格|\btables?\b", re.IGNORECASE)
_LIST = re.compile(r"列表|要点|清单|分点|条目|\b(?:bullet(?:ed)?(?: points?)?|lists?)\b", re.IGNORECASE)
_ZH = re.compile(r"(?:用|以|说|讲)中文|中文(?:回答|回复)|\bin chinese\b", re.IGNORECASE)
_EN = re.compile(r"(?:用|以|说|讲)(?:英文|英语)|(?:英文|英语)(?:回答|回复)|\bin english\b", re.IGNORECASE)
_NOT = re.compile(r"不要|别|不用|不喜欢|讨厌|无需|\b(?:no|not|never|don't|without|avoid|dislike|hate)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """The form of an answer. `language` is that of the frame; quotations stay in the document's."""

    brief: bool = False
    form: Form = "text"
    language: Language | None = None


def style_of(wishes: Sequence[str]) -> Style:
    """The style that the remembered wishes ask for; a wish that says no to something asks for nothing."""
    asked = [wish for wish in wishes if not _NOT.search(wish)]

    def some(pattern: re.Pattern[str]) -> bool:
        return any(pattern.search(wish) for wish in asked)

    form: Form = "table" if some(_TABLE) else "list" if some(_LIST) else "text"
    language: Language | None = "zh" if some(_ZH) else "en" if some(_EN) else None
    return Style(brief=some(_BRIEF), form=form, language=language)
