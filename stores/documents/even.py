"""Places spread evenly over a length: which passages stand for a whole document."""


def evenly(length: int, count: int) -> list[int]:
    """`count` places of `length`, the first and the last among them, evenly apart; all of them if there are fewer."""
    if count >= length:
        return list(range(length))
    if count <= 1:
        return [0] if count > 0 else []
    return [round(step * (length - 1) / (count - 1)) for step in range(count)]
