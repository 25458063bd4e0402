"""Counts as people read them."""


def counted(number: int, noun: str) -> str:
    """The number with its noun, in the singular for one: `1 chunk`, `2 chunks`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
