"""What is said when the material does not hold the answer: what was searched, and what is missing."""

import re
from collections.abc import Sequence

from nodes.citations.inert import inert_line
from nodes.spoken import is_chinese

REFUSAL_ZH = "资料中没有足够的内容来回答这个问题。"
REFUSAL_EN = "The material does not hold enough to answer this question."
WORDLESS_ZH = "这个问题里没有文字，无从查找。请写下你想知道什么。"
WORDLESS_EN = "There are no words in this question to look for. Write what you want to know."

_CJK_MARK = re.compile("[\u3000-\u303f\uff01-\uff65]")
"""Full-width punctuation: typed with a Chinese keyboard."""


def has_words(question: str) -> bool:
    """Whether there is a letter, a digit or a character to look for; punctuation and pictures are none."""
    return any(character.isalnum() for character in question)


def wordless(question: str, earlier: Sequence[str]) -> str:
    """What is said to a question without words: in its punctuation's language, else in the conversation's.

    Where nothing tells the language, in both.
    """
    spoken = next((text for text in reversed(earlier) if has_words(text)), None)
    if _CJK_MARK.search(question) or (spoken and is_chinese(spoken)):
        return WORDLESS_ZH
    return WORDLESS_EN if spoken else f"{WORDLESS_ZH} {WORDLESS_EN}"


def refusal(question: str, *, searched: Sequence[str], missing: Sequence[str]) -> str:
    """An honest refusal in the question's language, nothing of what a model wrote alive in it."""
    searched, missing = (
        [line for text in texts if has_words(line := inert_line(text))] for texts in (searched, missing)
    )
    if is_chinese(question):
        lines = [REFUSAL_ZH]
        if searched:
            lines.append("查找过：" + "；".join(searched))
        if missing:
            lines.append("缺少：" + "；".join(missing))
    else:
        lines = [REFUSAL_EN]
        if searched:
            lines.append("Searched: " + "; ".join(searched))
        if missing:
            lines.append("Missing: " + "; ".join(missing))
    return "\n".join(lines)


def tools_told(question: str, results: Sequence[tuple[str, bool, str]]) -> str:
    """What the tools returned: of each its name, whether it succeeded, and its text."""
    chinese = is_chinese(question)
    ended = {
        (True, True): "{}：{}",
        (True, False): "{} 没有成功：{}",
        (False, True): "{}: {}",
        (False, False): "{} did not succeed: {}",
    }
    return "\n".join(ended[chinese, ok].format(name, content) for name, ok, content in results)
