"""Which of the two languages the application answers in when it speaks itself."""

import re
from typing import Literal

_HAN = re.compile("[\u3400-\u9fff]")
_LATIN_WORD = re.compile("[A-Za-z]+")


def is_chinese(question: str) -> bool:
    """Whether a question holds a Chinese character: its answer is then framed in Chinese."""
    return _HAN.search(question) is not None


def language_of(question: str) -> Literal["zh", "en"]:
    """The language of the sentence around names and identifiers: a Chinese question about `HttpServlet` is Chinese."""
    han = len(_HAN.findall(question))
    return "zh" if han and han * 3 >= len(_LATIN_WORD.findall(question)) else "en"
