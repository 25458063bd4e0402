"""Find the arithmetic in a message and write it as an expression for the calculator."""

import re
import unicodedata

_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10_000, "亿": 100_000_000}
_ZH_NUMBER = re.compile(r"[零〇一二两三四五六七八九十百千万亿]+(?:点[零〇一二三四五六七八九]+)?")
_N = r"(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)"

_TRIGGER = re.compile(
    r"计算|算一下|算算|算出|帮我算|等于|得多少|是多少|结果|求|多少|请问|请|帮我|一下|的值|呢|吗|几|和是|差是|积是|商是|是|得"
    r"|\b(?:please|can you|could you|calculate|compute|evaluate|work out|solve"
    r"|how much is|how much are|what is|what's|whats"
    r"|what are|equals?|is equal to|the result of|result|the value of|value|of|tell me|is|the|me)\b|[=?？。.!！，,:：]",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"计算|算一下|算算|算出|帮我算|等于|得多少|是多少|求"
    r"|\b(?:calculate|compute|evaluate|work out|how much|what is|what's|whats|equals?)\b|=\s*[?？]?\s*$",
    re.IGNORECASE,
)
_WORDS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"百分之\s*(" + _N + ")", r"\1%"),
        (rf"({_N})\s*percent\b", r"\1%"),
        (rf"(?:square root of|√)\s*\(?\s*({_N})\s*\)?", r"sqrt(\1)"),
        (rf"({_N})\s*的平方根", r"sqrt(\1)"),
        (rf"根号\s*({_N})", r"sqrt(\1)"),
        (rf"({_N}|\))\s*(?:的平方|的二次方|squared\b)", r"\1^2"),
        (rf"({_N}|\))\s*(?:的立方|的三次方|cubed\b)", r"\1^3"),
        (rf"({_N}|\))\s*的\s*({_N})\s*次方", r"\1^\2"),
        (r"\s*(?:to the power of|raised to)\s*", "^"),
        (rf"({_N})\s*的\s*({_N}%)", r"\2*\1"),
        (rf"({_N}%)\s*of\s*({_N})", r"\1*\2"),
        (r"(?<=[\d)%])\s*(?:加上|加|plus\b|added to\b)\s*(?=[\d(.s-])", "+"),
        (r"(?<=[\d)%])\s*(?:减去|减|minus\b|less\b)\s*(?=[\d(.s-])", "-"),
        (r"(?<=[\d)%])\s*(?:乘以|乘上|乘|times\b|multiplied by\b|×|·|✕|x)\s*(?=[\d(.s-])", "*"),
        (r"(?<=[\d)%])\s*(?:除以|divided by\b|over\b|÷)\s*(?=[\d(.s-])", "/"),
    )
)
_EXPRESSION = re.compile(r"(?:sqrt|abs|round|min|max|sum)?[\d(.\-+](?:[\d.,%+\-*/^() ]|sqrt)*[\d)%]")
_OPERATOR = re.compile(r"(?<=[\d)%])\s*(?:\*\*|[+\-*/^])\s*(?=[\d(.s\-])|sqrt\(|^-?\d+%\*")
_NOT_ARITHMETIC = re.compile(
    r"^\d{4}[-/]\d{1,2}(?:[-/]\d{1,2})?$|^\d{1,2}/\d{1,2}/\d{2,4}$|^\d+-\d+(?:-\d+)+$|^\d+(?:\.\d+){2,}$|^(?:19|20)\d\d[-/](?:19|20)?\d\d$|^24/7$"
)
_UNIT = re.compile(r"^(?:元|块|美元|人民币|天|个|人|次|dollars?|yuan|euros?|usd|rmb|days?|[$¥€])?$", re.IGNORECASE)


def expression_in(text: str) -> str | None:
    """The expression that `text` asks to compute, in calculator syntax; `None` if it asks for something else.

    Dates, ranges, versions and phone numbers are no arithmetic. Percentages become fractions: `15% of 80` is
    `(15/100)*80`.
    """
    spoken = _spoken(text)
    found = max(_EXPRESSION.finditer(spoken), key=lambda match: len(match[0]), default=None)
    if found is None:
        return None
    expression = found[0].strip(" ,")
    rest = _TRIGGER.sub(" ", spoken[: found.start()] + " " + spoken[found.end() :]).split()
    explicit = _ASKS.search(spoken) is not None
    if not _OPERATOR.search(expression) or _NOT_ARITHMETIC.fullmatch(expression.replace(" ", "")):
        return None
    if any(not _UNIT.fullmatch(word) for word in rest) or not (explicit or not rest):
        return None
    return _calculable(expression)


def _spoken(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).replace("−", "-").replace("–", "-")
    spoken = (
        _ZH_NUMBER.sub(lambda match: _arabic(match[0]), folded)
        if re.search(r"[加减乘除]|平方|次方|百分之|计算", folded)
        else folded
    )
    for pattern, replacement in _WORDS:
        spoken = pattern.sub(replacement, spoken)
    return spoken


def _arabic(numeral: str) -> str:
    whole, _, fraction = numeral.partition("点")
    total = section = digit = 0
    for character in whole:
        if character in _DIGITS:
            digit = _DIGITS[character]
        elif character in _UNITS:
            section += (digit or 1) * _UNITS[character]
            digit = 0
        else:
            total = (total + section + digit) * _MYRIADS[character]
            section = digit = 0
    text = str(total + section + digit)
    return text + ("." + "".join(str(_DIGITS[c]) for c in fraction) if fraction else "")


def _calculable(expression: str) -> str | None:
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", expression)
    plain = re.sub(r"(\d+(?:\.\d+)?|\))%(?!\s*[\d(])", lambda m: f"({m[1]}/100)" if m[1] != ")" else ")/100", plain)
    plain = plain.replace("^", "**")
    return plain if plain.count("(") == plain.count(")") else None
