"""How the time of a piece of work grows with its input: a ratio, so that a slow or busy machine changes nothing."""

import time
from collections.abc import Callable

LINEAR = 24  # eight times the input: 8 if time grows in line with it, 64 if with its square


def growth(work: Callable[[str], object], text: str) -> float:
    """Time of `work` on the whole text over that on its first eighth; this thread's CPU time, the best of three.

    An eighth that takes less than 2 ms counts as 2 ms: below that the clock and the caches decide.
    """
    return _seconds(work, text) / max(_seconds(work, text[: len(text) // 8]), 0.002)


def _seconds(work: Callable[[str], object], text: str) -> float:
    return min(_once(work, text) for _ in range(3))


def _once(work: Callable[[str], object], text: str) -> float:
    started = time.thread_time()
    work(text)
    return time.thread_time() - started
