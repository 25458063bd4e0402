"""Units of measure and money, Chinese and English, each with one canonical name."""

import re
from collections.abc import Mapping

ALIASES: Mapping[str, str] = {
    "CNY": "元人民币 人民币元 人民币 元钱 块钱 元 块 rmb cny yuan renminbi ¥",
    "USD": "美元 美金 usd us$ dollars dollar $",
    "EUR": "欧元 euros euro eur €",
    "GBP": "英镑 pounds gbp £",
    "JPY": "日元 日圆 yen jpy",
    "HKD": "港元 港币 hkd hk$",
    "%": "个百分点 % percent pct",
    "‰": "‰",
    "fold": "倍 fold -fold",
    "second": "秒钟 秒 seconds second secs sec s",
    "millisecond": "毫秒 milliseconds millisecond ms",
    "microsecond": "微秒 microseconds microsecond us",
    "minute": "分钟 minutes minute mins min",
    "hour": "个小时 小时 个钟头 钟头 hours hour hrs hr h",
    "day": "自然日 个自然日 天 日 days day",
    "working day": "个工作日 工作日 working-days working-day business-days business-day workdays workday",
    "night": "晚 夜 nights night",
    "week": "个星期 星期 周 礼拜 weeks week",
    "month": "个月 月 months month",
    "quarter": "个季度 季度 quarters quarter",
    "year": "周年 年 years year",
    "decade": "decade",
    "century": "世纪 century centuries",
    "years old": "周岁 岁 years-old",
    "byte": "字节 bytes byte",
    "bit": "比特 bits bit",
    "KB": "kb kib",
    "MB": "mb mib",
    "GB": "gb gib",
    "TB": "tb tib",
    "metre": "米 meters meter metres metre m",
    "kilometre": "公里 千米 kilometers kilometer kilometres kilometre km",
    "centimetre": "厘米 公分 centimeters centimetres cm",
    "millimetre": "毫米 millimeters millimetres mm",
    "gram": "克 grams gram g",
    "kilogram": "公斤 千克 kilograms kilogram kg",
    "milligram": "毫克 milligrams milligram mg",
    "tonne": "吨 tonnes tonne tons ton",
    "litre": "升 liters liter litres litre l",
    "millilitre": "毫升 milliliters millilitres ml",
    "square metre": "平方米 m2 sqm",
    "square kilometre": "平方公里 km2",
    "degree Celsius": "摄氏度 °c ℃",
    "degree": "度 degrees degree °",
    "watt": "瓦 watts watt w",
    "kilowatt": "千瓦 kilowatts kw",
    "kilowatt hour": "千瓦时 kwh",
    "volt": "伏 volts volt v",
    "hertz": "赫兹 hz",
    "MHz": "兆赫 mhz",
    "GHz": "ghz",
    "person": "个人 人 名 persons person people employees",
    "time": "次 回 times",
    "character": "个字符 字符 个字 字 characters character chars",
    "page": "页 pages page",
    "tier": "线 tier",
    "level": "级 levels level",
    "chapter": "章 chapters chapter",
    "section": "节 sections section",
    "article": "条 articles article",
    "floor": "楼 层 floors floor",
    "phase": "期 phase",
    "session": "届",
    "point": "分 points point",
}

SCALES: Mapping[str, tuple[str, int]] = {
    "millisecond": ("microsecond", 10**3),
    "second": ("microsecond", 10**6),
    "minute": ("microsecond", 60 * 10**6),
    "hour": ("microsecond", 3_600 * 10**6),
    "day": ("microsecond", 86_400 * 10**6),
    "week": ("microsecond", 7 * 86_400 * 10**6),
    "month": ("microsecond", 30 * 86_400 * 10**6),
    "year": ("microsecond", 360 * 86_400 * 10**6),
    "fold": ("%", 100),
    "centimetre": ("millimetre", 10),
    "metre": ("millimetre", 10**3),
    "kilometre": ("millimetre", 10**6),
    "gram": ("milligram", 10**3),
    "kilogram": ("milligram", 10**6),
    "tonne": ("milligram", 10**9),
    "litre": ("millilitre", 10**3),
    "kilowatt": ("watt", 10**3),
}
"""By unit, a smaller one and how many of it make one. A month counts 30 days and a year 12 months, as people do."""
SCALED = frozenset(SCALES) | {smallest for smallest, _ in SCALES.values()}
COUNTS = frozenset({"time", "person", "character"})
"""Units that one language writes and another does not: 三名军官, three officers."""
PIECE = "piece"
"""What a classifier counts: anything."""
_CLASSIFIERS = (
    "个 项 种 台 件 部 张 份 款 点 类 家 只 支 本 座 所 套 段 句 行 列 门 "
    "辆 架 颗 大 步 组 道 号 位 册 篇 枚 棵 株 瓶 盒 箱 袋 杯 笔 幢 栋 方面"
)
NAMES: Mapping[str, str] = {
    alias.replace("-", " ") if alias[0] != "-" else alias: name
    for name, aliases in ALIASES.items()
    for alias in aliases.split()
} | dict.fromkeys(_CLASSIFIERS.split(), PIECE)
"""Alias to canonical unit; a classifier that says no more than "how many" is `PIECE`."""

_ordered = sorted(NAMES, key=len, reverse=True)


def _pattern(alias: str) -> str:
    """As one word, `working day` also as working-day; a lone letter behind a number is no elided article (L'Aquila)."""
    written = re.escape(alias).replace(r"\ ", r"[\s-]")
    return written + (r"(?![a-z'’])" if alias[-1].isascii() and alias[-1].isalpha() else "")


_patterns = [_pattern(alias) for alias in _ordered]
UNIT = rf"(?:{'|'.join(_patterns)})"
"""Matches one unit right behind a number, in lower-cased text."""

# The first characters save most positions from trying two hundred aliases.
_IN_TEXT = re.compile(
    rf"(?=[{re.escape(''.join(sorted({alias[0] for alias in _ordered})))}])(?:"
    + "|".join(
        (rf"(?<![a-z]){re.escape(alias)}(?![a-z])" if alias[0].isascii() else re.escape(alias))
        for alias in _ordered
        # A lone letter is no evidence of a unit when no number stands before it.
        if NAMES[alias] != PIECE and not (len(alias) == 1 and alias.isascii() and alias.isalpha())
    )
    + ")"
)


def unit_named(written: str | None) -> str | None:
    """The canonical unit of an alias as `UNIT` matched it."""
    return None if written is None else NAMES.get(" ".join(written.replace("-", " ").split()), None)


_NUMBERED = re.compile(rf"\d[\d.,]*\s?-?{UNIT}")


def units_apart(text: str) -> frozenset[str]:
    """The units that a lower-cased text names away from its numbers, as a table's header does."""
    return units_in(_NUMBERED.sub(" ", text))


def units_in(text: str) -> frozenset[str]:
    """Every unit that a lower-cased text names, with a number or without: a table's header names them apart."""
    return frozenset(NAMES[match[0]] for match in _IN_TEXT.finditer(text))
