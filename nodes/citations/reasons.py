"""Why a sentence passes the check or fails it."""

from typing import Literal

Reason = Literal[
    "ok",
    "uncited",
    "unknown_number",
    "number_missing",
    "number_elsewhere",
    "identifier_missing",
    "name_missing",
    "quote_missing",
    "negation",
    "opposite",
    "low_overlap",
    "unsupported",
]

Failure = tuple[Reason, str]
"""Why a sentence fails, and the word, figure or clause it fails on."""
