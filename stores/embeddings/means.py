"""The mean vector of sentences of each language, as `python benchmarks/calibrate_support.py` measures them."""

from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import Literal

import numpy as np

MEANS_OF: tuple[Literal["zh", "en", "code"], ...] = ("zh", "en", "code")
MEANS_FILE = "sentence_means.npy"


@cache
def sentence_means() -> dict[Literal["zh", "en", "code"], np.ndarray]:
    """By language. A vector without its language's mean is compared across languages."""
    data = (files(__package__) / "e5_small_zh_en" / MEANS_FILE).read_bytes()
    return dict(zip(MEANS_OF, np.load(BytesIO(data)), strict=True))
