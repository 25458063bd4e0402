"""Which of the two languages the application answers in when it speaks itself."""

import re

_HAN = re.compile("[\u3400-\u9fff]")


def is_chinese(question: str) -> bool:
    """Whether a question holds a Chinese character: its answer is then framed in Chinese."""
    return _HAN.search(question) is not None
