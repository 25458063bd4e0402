"""Formats of JSON Schema strings that are really checked, without optional packages.

jsonschema skips a format whose package is missing, so `date-time` or `uri` would silently accept anything.
"""

import re
from collections.abc import Callable
from datetime import date
from urllib.parse import urlsplit

from jsonschema import FormatChecker

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])")
_DURATION = re.compile(r"P(?=.)([0-9]+W|([0-9]+Y)?([0-9]+M)?([0-9]+D)?(T(?=.)([0-9]+H)?([0-9]+M)?([0-9]+S)?)?)")
_EMAIL = re.compile(r"[^@\s\"]{1,64}@[^@\s.]+(\.[^@\s.]+)*")
_HOSTNAME = re.compile(
    r"(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*"
)
_URI_CHARACTERS = re.compile(r"(?:[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def _is_date(text: str) -> bool:
    return bool(_DATE.fullmatch(text) and date.fromisoformat(text))


def _is_time(text: str) -> bool:
    return bool(_TIME.fullmatch(text))


def _is_date_time(text: str) -> bool:
    """RFC 3339: a full date, a full time, an offset."""
    return len(text) > 11 and text[10] in "Tt" and _is_date(text[:10]) and _is_time(text[11:])  # noqa: PLR2004 - length of "2026-11-30T"


def _is_uri_reference(text: str) -> bool:
    return bool(_URI_CHARACTERS.fullmatch(text)) and urlsplit(text) is not None


def _is_uri(text: str) -> bool:
    """RFC 3986 with a scheme; a hierarchical one names a host or a path."""
    match = _SCHEME.match(text)
    return match is not None and match.end() < len(text) and text[match.end() :] != "//" and _is_uri_reference(text)


def _is_iri(text: str) -> bool:
    match = _SCHEME.match(text)
    return match is not None and match.end() < len(text) and not re.search(r"[\s<>\"{}|\\^`]", text)


_CHECKS: dict[str, Callable[[str], bool]] = {
    "date": _is_date,
    "time": _is_time,
    "date-time": _is_date_time,
    "duration": lambda text: bool(_DURATION.fullmatch(text)),
    "email": lambda text: bool(_EMAIL.fullmatch(text)),
    "hostname": lambda text: bool(_HOSTNAME.fullmatch(text)),
    "uri": _is_uri,
    "uri-reference": _is_uri_reference,
    "iri": _is_iri,
}


def _on_strings(check: Callable[[str], bool]) -> Callable[[object], bool]:
    return lambda value: not isinstance(value, str) or check(value)


def _checker() -> FormatChecker:
    checker = FormatChecker()
    for name, check in _CHECKS.items():
        checker.checks(name, raises=ValueError)(_on_strings(check))
    return checker


FORMAT_CHECKER = _checker()
"""jsonschema's own checks, with ours for the formats it would skip or take lightly."""
