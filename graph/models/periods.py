"""Periods of business: quarters and fiscal years, however they are written, by one name each."""

import re

_ORDINALS = {
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4,
    "一": 1, "首": 1, "二": 2, "三": 3, "四": 4,
}  # fmt: skip
_QUARTER = re.compile(
    r"\bQ(?P<a>[1-4])(?!\d)|(?<!\w)(?P<b>[1-4])Q(?![a-z])"
    r"|\b(?P<c>first|1st|second|2nd|third|3rd|fourth|4th)[- ](?:fiscal[- ]|financial[- ])?quarter\b(?![- ]?finals?)"
    r"|(?P<d>[一首二三四1-4])季度",
    re.IGNORECASE,
)
_FISCAL = re.compile(r"(?<![a-z])FY[- ']?(?P<year>(?:20|19)?\d\d)(?!\d)", re.IGNORECASE)
_SHORT_OF_CENTURY = 2


def quarters(text: str) -> frozenset[str]:
    """The quarters that a text names, as `q1` to `q4`: `Q3`, `3Q`, `third-quarter`, `第三季度`."""
    found = (next(filter(None, match.groups())).lower() for match in _QUARTER.finditer(text))
    return frozenset(f"q{_ORDINALS.get(one) or one}" for one in found)


def fiscal_years(text: str) -> dict[str, str]:
    """The fiscal years that a text names by their letters, each with its year: `FY21` is 2021."""
    found = ((match[0].lower(), match["year"]) for match in _FISCAL.finditer(text))
    return {name: f"20{year}" if len(year) == _SHORT_OF_CENTURY else year for name, year in found}
