"""What the application adds behind the checked sentences of an answer, in the question's language."""

from collections.abc import Sequence

from nodes.spoken import is_chinese


def missing_line(question: str, missing: Sequence[str]) -> str:
    """What a partial answer could not tell; empty if nothing is missing."""
    if not missing:
        return ""
    if is_chinese(question):
        return f"资料中没有找到：{'；'.join(missing)}。"
    return f"Not found in the material: {'; '.join(missing)}."


def left_out_line(question: str, count: int) -> str:
    """How many sentences the material does not support; empty if there are none."""
    if not count:
        return ""
    if is_chinese(question):
        return f"有 {count} 句因资料不支持而略去。"
    if count == 1:
        return "1 sentence was left out: the material does not support it."
    return f"{count} sentences were left out: the material does not support them."
