"""Arithmetic as people and models write it, turned into plain ASCII operators: ３×４，(1,000－2)÷50%."""

import re

from tools.errors import CalculationError

MAX_LENGTH = 1_000
"""Characters of an expression."""

UNITS = {"%": "percent", "‰": "permille", "万": "wan", "萬": "wan", "亿": "yi", "億": "yi"}
"""Signs after a number, and the attribute each is turned into: it binds tighter than any operator."""

_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_SIGNS = str.maketrans(
    {
        **{chr(code): chr(ascii_code) for code, ascii_code in _FULL_WIDTH.items()},
        **dict.fromkeys("×✕✖∗⋅·•", "*"),
        **dict.fromkeys("÷∕⁄", "/"),
        **dict.fromkeys("−–—﹣", "-"),
        **dict.fromkeys("、", ","),
        **dict.fromkeys("【〔", "("),
        **dict.fromkeys("】〕", ")"),
        **dict.fromkeys("\u3000\u00a0\u2009\u202f\t\r\n", " "),
        "π": "pi",
    }
)
_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_SUPERSCRIPT_RUN = re.compile(f"⁻?[{_SUPERSCRIPTS}]+")
_SHARE_OF = re.compile(r"\s*(?:\bof\b|的)\s*")
# `%` before a number, a bracket or a name is the remainder; everywhere else it is percent.
_PERCENT = re.compile(r"(?<=[0-9a-z.)])\s*%(?!\s*[0-9A-Za-z_(.√])")
_UNIT = re.compile(f"(?<=[0-9a-z.)])\\s*([{''.join(set(UNITS) - {'%'})}])")
_TIMES = re.compile(r"(?<=[0-9)])\s*[xX]\s*(?=[0-9(.])")
_HEXADECIMAL = re.compile(r"(?<![0-9a-zA-Z_.])0[xXoObB][0-9a-fA-F]+")
_IMPLIED = re.compile(r"(?<![A-Za-z_])([0-9][0-9.]*|\))\s*(?=\()")
_LEADING_ZEROS = re.compile(r"(?<![0-9a-zA-Z_.])0+(?=[0-9])")
_GROUPED = re.compile(r"(?<![0-9A-Za-z_.,])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])")


def plain_expression(text: str) -> str:
    """The expression in Python's operators, ASCII only, on one line. Its value is not looked at.

    Raises:
        CalculationError: empty, too long, or with a character that has no meaning in arithmetic.
    """
    if len(text) > MAX_LENGTH:
        raise CalculationError(f"The expression has {len(text)} characters; at most {MAX_LENGTH} are calculated.")
    plain = _SUPERSCRIPT_RUN.sub(_power, text).translate(_SIGNS)
    plain = re.sub(r"\s*=[\s?]*$", "", plain).strip()
    if not plain:
        raise CalculationError("The expression is empty.")
    if _HEXADECIMAL.search(plain):
        raise CalculationError("Only decimal numbers are calculated.")
    plain = _SHARE_OF.sub("*", plain)
    plain = _without_separators(plain)
    plain = _PERCENT.sub(f" .{UNITS['%']}", plain)
    plain = _UNIT.sub(lambda match: f" .{UNITS[match[1]]}", plain)
    plain = re.sub(r"√\s*([0-9][0-9.]*)", r"sqrt(\1)", plain).replace("√", "sqrt")
    plain = _TIMES.sub("*", plain).replace("^", "**")
    plain = _IMPLIED.sub(r"\1*", _LEADING_ZEROS.sub("", plain))
    for character in plain:
        if not " " <= character <= "~":
            raise CalculationError(f"{character!r} has no meaning in arithmetic.")
    return plain


def _power(match: re.Match[str]) -> str:
    digits = "".join(str(_SUPERSCRIPTS.index(character)) for character in match[0].lstrip("⁻"))
    return f"**{'-' if match[0].startswith('⁻') else ''}{digits}"


def _without_separators(text: str) -> str:
    """Thousands separators out. Between the brackets of a function a comma separates arguments.

    Where both readings are possible, nothing is guessed.
    """

    def read(match: re.Match[str]) -> str:
        arguments = _enclosing_arguments(text, match.start())
        if arguments is None:
            return match[0].replace(",", "")
        groups = match[0].split(",")[1:]
        if re.search(r",\s", arguments) or any(group.startswith("0") for group in groups):
            raise CalculationError(
                f"Is {match[0]!r} one number or several? Write numbers inside functions without separators."
            )
        return match[0]

    return _GROUPED.sub(read, text)


def _enclosing_arguments(text: str, position: int) -> str | None:
    """What stands between the brackets of the function call or list around `position`, if there is one."""
    depth = 0
    for start in range(position - 1, -1, -1):
        if text[start] in ")]":
            depth += 1
        elif text[start] in "([":
            if depth:
                depth -= 1
            elif text[start] == "[" or re.search(r"[A-Za-z_]\s*$", text[:start]):
                return _until_closed(text[start + 1 :])
    return None


def _until_closed(text: str) -> str:
    depth = 0
    for end, character in enumerate(text):
        if character in "([":
            depth += 1
        elif character in ")]":
            if depth == 0:
                return text[:end]
            depth -= 1
    return text
