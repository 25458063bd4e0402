"""What tools report, in the question's language: the calculator's reasons and the parts of a date."""

import re

from graph.models.language import Language

_REASONS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.DOTALL), told)
    for pattern, told in (
        (r"^Division by zero in '(.*)'\.$", r"算式 \1 的除数为零"),
        (r"^The power has more than (\d+) digits\.$", r"幂的结果超过 \1 位"),
        (r"^The numbers grow beyond (\d+) digits\.$", r"结果超过 \1 位"),
        (r"^.* has more than (\d+) digits\.$", r"数字超过 \1 位"),
        (r"^A negative number has no real power with a fractional exponent\.$", "负数没有实数的分数次幂"),
        (r"^A negative number has no real square root\.$", "负数没有实数平方根"),
        (r"^0 has no negative power\.$", "0 没有负次幂"),
        (r"^The expression is empty\.$", "算式为空"),
        (r"^Only decimal numbers are calculated\.$", "只能计算十进制数字"),
        (r"^Calculate one expression at a time\.$", "一次只能计算一个算式"),
    )
)
_DAY = r"(\d{4}-\d\d-\d\d) \((\w+) (\S+)\)"
_TODAY = re.compile(r"^date: (\S+)\nweekday: (\w+) (\S+)\ntime: (\S+)\ntimezone: (.+)$", re.MULTILINE)
_UNTIL = re.compile(rf"^days until {_DAY}: (-?\d+)$", re.MULTILINE)
_OFFSET = re.compile(rf"^([+-]\d+) days: {_DAY}$", re.MULTILINE)


def reason_in(content: str, language: Language) -> str:
    """Why a tool failed, in Chinese where it is a known reason, else in the tool's own words."""
    if language == "zh":
        for pattern, told in _REASONS:
            if pattern.match(content):
                return pattern.sub(told, content)
    return content


def date_in(content: str, language: Language) -> str | None:
    """What the date tool told, as sentences; `None` for text that is not its."""
    today = _TODAY.search(content)
    if today is None:
        return None
    date, english, chinese, time, zone = today.groups()
    zh = language == "zh"
    told = [f"今天是 {date}，{chinese}。" if zh else f"Today is {english}, {date}."]
    told += [
        f"{match[1]} 天：{match[2]}，{match[4]}。" if zh else f"{match[1]} days: {match[3]}, {match[2]}."
        for match in _OFFSET.finditer(content)
    ]
    told += [
        f"距离 {match[1]}（{match[3]}）的天数：{match[4]}。"
        if zh
        else f"Days until {match[2]}, {match[1]}: {match[4]}."
        for match in _UNTIL.finditer(content)
    ]
    told.append(f"现在时间是 {time}，时区 {zone}。" if zh else f"The time is {time}, timezone {zone}.")
    return ("" if zh else " ").join(told)
