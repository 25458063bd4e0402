"""Numbers written as words, in Chinese and English, turned into digits."""

import re
from decimal import Decimal

_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
    "壹": 1,
    "贰": 2,
    "叁": 3,
}
_POWERS = {"十": 10, "百": 100, "千": 1000}
_LARGE = {"万": 10**4, "亿": 10**8}
_RUN = re.compile(r"(?:(?!千[克米瓦])[〇零一二两三四五六七八九十百千万亿])+")
_TENTHS = re.compile(r"([一二两三四五六七八九])成([一二三四五六七八九](?!成))?(?![为就功员立果本熟长分绩人套])")
_HALF = re.compile(r"(?<![一多大])半(?=个?(?:小时|钟头|天|年|月))")
_AND_HALF = re.compile(r"(\d+)(个?(?:小时|钟头|天|年|月)|周|倍)半|(\d+)个半(?=小时|钟头|月)")
_ENGLISH_HALF = re.compile(r"(?<![a-z])half an? (?=hour|minute|day|year|month|percent)")
_TWICE = re.compile(r"(?<![a-z])(twice|thrice)(?![a-z])")
_TIMES_AS = re.compile(
    r"(?<![a-z])(twice|thrice|three times|four times|five times)(?= (?:as|the|that|its|their|what)(?![a-z]))"
)
_TIMES = {"twice": 2, "thrice": 3, "three times": 3, "four times": 4, "five times": 5}
# As material alone: what doubles is afterwards twice as much.
_DOUBLED = re.compile(
    r"(?:扩大|增加|增长|增大|提高|上涨|延长)了?一倍|翻(?:了?一)?[倍番]|加倍|(?<![a-z])(?:doubl(?:es?|ed|ing)|twofold)(?![a-z])"
)
_CENTURY = re.compile(r"(\d{1,2})\s?世纪\s?(\d0)\s?年代")
_DECADE = re.compile(r"(?<!\d)(\d{3}0)(?:\s?年代|['’]?s(?![a-z]))")
_NUMERAL_SIGNS = r"\d〇零一二两三四五六七八九十百千万"
_FRACTION = re.compile(
    rf"(?<![{_NUMERAL_SIGNS}])([{_NUMERAL_SIGNS}]++)分之([\d.]+|[〇零一二两三四五六七八九十百千点]+)"
)
_SMALL = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "  # noqa: SIM905 - a list of so many literals reads worse
        "seventeen eighteen nineteen".split()
    )
}
_PARTS = {
    "half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10,
}  # fmt: skip
_ENGLISH_FRACTION = re.compile(
    rf"(?<![a-z-])(?:(?P<times>two|three|four|five|six|seven|eight|nine)[- ](?P<parts>{'|'.join(list(_PARTS)[2:])})s"
    rf"|(?:(?:an?|one)[- ]|(?<=by )|(?<=only ))(?P<part>{'|'.join(list(_PARTS)[2:])})"
    r"(?= (?:of(?! an? (?:hour|year|century|mile))|fewer|more|less|lower|higher|as|or)(?![a-z])|[.,;)]|$))(?![a-z])"
)
_ONE_IN = re.compile(
    rf"(?<![a-z-])(?P<up>one|two|three|four|five|six|seven|eight|nine) (?:in|out of)(?: every)? "
    rf"(?P<low>{'|'.join(list(_SMALL)[2:11])})"
    r"(?! ?-?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|steps?"
    r"|[a-z]*teen|hundred|thousand|million)(?![a-z]))(?![a-z-])"
)
_ABOUT = re.compile(
    r"(?<![〇零一二两三四五六七八九十百千万亿第])(?:一两|[二两]三|三四|四五|五六|六七|七八|八九)"
    r"(?=[个天年月周日次小分人名条倍元块千万公米克岁点度页本台件册])"
)
# Written with numeral signs, but not numbers.
_IDIOMS = re.compile(
    r"十分(?!钟|之)|千万(?=不|别|要|记|小心)|万一|万分|万万|一一|统一|唯一|之一|一[般些样直起切律致旦定经度边]|同一|单一|第一时间"
    r"|[四八]方|四处|四周|百般|千方百计|五花八门|三番|两者|二者|三者|一方面|另一|某一|每一|任一|一方|万物|百姓|专一|一同|进一步|一系列|一部分"
)
_OF_A_DATE = re.compile(r"[一二]月[\d一二三四五六七八九十]")
_MEASURED_AFTER = re.compile(r"\s?(?:[厘毫千公]?米|[千毫]?克|公里|公斤|吨|毫?升|度|伏|瓦)")
_GENERIC_AFTER = re.compile(
    r"\s?(?:个(?!月|小时|钟头|工作日|自然日|星期|季度|百分点)|种|者|类|方面|项|点|款|部分|边|端)"
)

_TENS = {word: 10 * (at + 2) for at, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split())}  # noqa: SIM905 - a list of so many literals reads worse
_ENGLISH = re.compile(
    rf"(?<![a-z-])(?:(?P<tens>{'|'.join(_TENS)})(?:[- ](?P<ones>{'|'.join(list(_SMALL)[1:10])}))?"
    rf"|(?P<small>{'|'.join(sorted(_SMALL, key=len, reverse=True))})|(?P<a>a)(?= (?:hundred|thousand|million)))"
    r"(?![a-z])(?P<hundred> hundred(?: and)?)?"
)
_ORDINALS = {
    word: value
    for value, word in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), 1)  # noqa: SIM905 - a list of so many literals reads worse
}
_ORDINAL = re.compile(rf"(?<![a-z])(?<!per )(?<!each )(?<!/)(?<!\d )(?:{'|'.join(_ORDINALS)})(?![a-z])")
_DECIMAL = re.compile(r"\d+(?:\.\d+)?")
_EXACT = Decimal("0.0001")
_LARGEST_UNREMARKABLE = 2
_LONGEST_NUMERAL = 24


def with_digits(text: str, *, claims: bool) -> str:
    """Lower-cased, folded text with number words as digits: 三百 → 300, 百分之五 → 5%, twenty-one → 21.

    With `claims`, words that say "one" or "both" stay words: nobody need prove them. As material, every
    numeral counts.
    """
    text = _TIMES_AS.sub(lambda match: f"{_TIMES[match[0]]}倍", text)
    if not claims:
        text = _DOUBLED.sub(lambda match: f"{match[0]} 2倍 ", text)
    text = _FRACTION.sub(_as_fraction, text)
    text = _ENGLISH_FRACTION.sub(_as_english_fraction, text)
    text = _ONE_IN.sub(lambda match: _percent(Decimal(_SMALL[match["up"]]), _SMALL[match["low"]]), text)
    text = _ABOUT.sub(lambda match: f"{_DIGITS[match[0][0]]} 到 {_DIGITS[match[0][1]]} ", text)
    text = _TENTHS.sub(_as_tenths, text)
    text = _HALF.sub("0.5", text)
    text = _IDIOMS.sub(lambda match: " " * len(match[0]), text)
    text = _RUN.sub(lambda match: _as_digits(match, claims=claims), text)
    if not claims:
        text = _ORDINAL.sub(lambda match: f"{_ORDINALS[match[0]]}th", text)
    text = _ENGLISH_HALF.sub("0.5 ", text)
    text = _TWICE.sub(lambda match: "2 times" if match[1] == "twice" else "3 times", text)
    text = _ENGLISH.sub(lambda match: _english_digits(match, claims=claims), text)
    text = _AND_HALF.sub(lambda match: f"{match[1] or match[3]}.5{match[2] or '个'}", text)
    text = _CENTURY.sub(lambda match: f"{int(match[1]) - 1}{match[2]}年代", text)
    return _DECADE.sub(r"\1 decade", text)


def chinese_value(numeral: str) -> int | None:
    """The value of a Chinese numeral, 三百二 read as 320 and 二〇二六 as 2026; `None` for what is none."""
    if len(numeral) > _LONGEST_NUMERAL:
        return None
    if all(sign in _DIGITS for sign in numeral):
        return int("".join(str(_DIGITS[sign]) for sign in numeral))
    if any(sign in _LARGE for sign in numeral):
        return _with_large(numeral)
    return _below_ten_thousand(numeral)


def _with_large(numeral: str) -> int | None:
    sign = max((sign for sign in numeral if sign in _LARGE), key=lambda sign: _LARGE[sign])
    head, _, tail = numeral.rpartition(sign)
    if not head:
        return None
    high, low = chinese_value(head), chinese_value(tail) if tail else 0
    if high is None or low is None:
        return None
    if len(tail) == 1:
        low *= _LARGE[sign] // 10
    return high * _LARGE[sign] + low


def _below_ten_thousand(numeral: str) -> int | None:
    total, digit, last_power = 0, None, 10
    for sign in numeral:
        if sign in _POWERS:
            if digit is None and sign != "十":
                return None
            total += (1 if digit is None else digit) * _POWERS[sign]
            digit, last_power = None, _POWERS[sign]
        elif sign in "零〇":
            digit, last_power = None, 10
        else:
            digit = _DIGITS[sign]
    return total + (0 if digit is None else digit * last_power // 10)


def _as_digits(match: re.Match[str], *, claims: bool) -> str:
    run = match[0]
    before = match.string[max(0, match.start() - 1) : match.start()]
    if before.isdigit() or (before == "." and match.start() > 1):
        return run  # 3万: a multiplier, read with its number
    value = chinese_value(run)
    if value is None:
        return run
    after = match.string[match.end() : match.end() + 4]
    ordinal = before == "第" or bool(_OF_A_DATE.match(run + after)) or (before == "月" and after[:1] in set("日号"))
    unremarkable = value <= _LARGEST_UNREMARKABLE and len(run) == 1
    generic = not _MEASURED_AFTER.match(after) if value == 1 else _GENERIC_AFTER.match(after)
    if claims and unremarkable and not ordinal and generic:
        return run
    return str(value)


def _as_tenths(match: re.Match[str]) -> str:
    return f"{_DIGITS[match[1]]}{_DIGITS.get(match[2] or '', 0)}%"


def _as_fraction(match: re.Match[str]) -> str:
    upper = _plain(match[2])
    if match[1] == "百":
        return f"{upper}%"
    lower = _plain(match[1])
    if not (lower.isdigit() and int(lower) and _DECIMAL.fullmatch(upper)):
        return f"{upper}/{lower}"
    return _percent(Decimal(upper), int(lower))


def _as_english_fraction(match: re.Match[str]) -> str:
    upper = _SMALL[match["times"]] if match["times"] else 1
    return _percent(Decimal(upper), _PARTS[match["parts"] or match["part"]])


def _percent(upper: Decimal, lower: int) -> str:
    """A fraction as a percentage, so that three quarters, 四分之三 and 75 % are one."""
    return f"{(100 * upper / lower).quantize(_EXACT).normalize():f}%"


def _plain(written: str) -> str:
    whole, _, decimals = written.partition("点")
    value = chinese_value(whole) if not whole[:1].isdigit() else None
    text = whole if value is None else str(value)
    return f"{text}.{''.join(str(_DIGITS.get(sign, 0)) for sign in decimals)}" if decimals else text


def _english_digits(match: re.Match[str], *, claims: bool) -> str:
    if match["a"]:
        value = 1
    elif match["tens"]:
        value = _TENS[match["tens"]] + _SMALL.get(match["ones"] or "zero", 0)
    else:
        value = _SMALL[match["small"]]
    if match["hundred"]:
        return f"{value * 100} "
    return match[0] if claims and value == 1 and not match["a"] else str(value)
