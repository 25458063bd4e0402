"""What is said when the material does not hold the answer: what was searched, and what is missing."""

import re
from collections.abc import Sequence

REFUSAL_ZH = "资料中没有足够的内容来回答这个问题。"
REFUSAL_EN = "The material does not hold enough to answer this question."

_CJK = re.compile("[\u3400-\u9fff]")


def refusal(question: str, *, searched: Sequence[str], missing: Sequence[str]) -> str:
    """An honest refusal in the question's language."""
    if _CJK.search(question):
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
