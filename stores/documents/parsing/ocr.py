"""OCR: the text in a picture, line by line. Models and runtime come with the extra `ocr`; nothing is downloaded."""

import os
from functools import cache
from importlib.util import find_spec
from typing import Any

from stores.documents.parsing.source import Source
from stores.errors import DocumentUnsupportedError

_INSTALL = "pip install 'recite-agent[ocr]'"
_LEAST_SCORE = 0.5
_THREADS = 4


def advice(source: Source) -> str:
    """What to do about a file that has only pictures of text."""
    if source.rules.ocr:
        return "OCR found no text either."
    if find_spec("rapidocr") is None:
        return f"To read it by OCR: {_INSTALL}, and set RECITE_OCR=true."
    return "To read it by OCR, set RECITE_OCR=true."


def text_of(picture: Any, *, name: str) -> str:
    """The lines of text in a picture, from top to bottom.

    Args:
        picture: the bytes of an image file, or an array of height × width × 3 (BGR).
        name: the file's name, for the message.

    Raises:
        DocumentUnsupportedError: OCR is not installed.
    """
    try:
        result = _engine()(picture)
    except ModuleNotFoundError as error:
        raise DocumentUnsupportedError(f"{name} needs OCR, which is not installed: {_INSTALL}.") from error
    found = zip(result.txts or (), result.scores or (), strict=False)
    return "\n".join(text for text, score in found if score >= _LEAST_SCORE and text.strip())


@cache
def _engine() -> Any:
    from rapidocr import RapidOCR  # noqa: PLC0415 - an extra, and most of a second

    return RapidOCR(
        params={
            "Global.log_level": "critical",
            "EngineConfig.onnxruntime.intra_op_num_threads": min(_THREADS, os.cpu_count() or 1),
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )
