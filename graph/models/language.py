"""Which of the two languages a text is written in."""

import re
from typing import Literal

Language = Literal["zh", "en"]

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_LATIN_WORD = re.compile(r"[A-Za-z]+")


def language_of(text: str) -> Language:
    """The language of the sentence around names and identifiers: a Chinese question about `HttpServlet` is Chinese."""
    han = len(_HAN.findall(text))
    words = len(_LATIN_WORD.findall(text))
    return "zh" if han and han * 3 >= words else "en"
