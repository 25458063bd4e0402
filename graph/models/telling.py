"""Retell what the user said in the third person, with its dates written out."""

import re
from collections.abc import Sequence

from graph.models.dates import DateMention, written
from graph.models.language import language_of

_EN_FORMS = (
    (re.compile(r"^i(?:'m| am)\b", re.IGNORECASE), "The user is"),
    (
        re.compile(
            r"^i(?:'ve| have)\b(?= (?:just|recently|already|\w+ed|been|left|quit|gone|got|become|begun|taken)\b)",
            re.IGNORECASE,
        ),
        "The user has",
    ),
    (re.compile(r"^i(?:'d| would)\b", re.IGNORECASE), "The user would"),
    (re.compile(r"^i(?:'ll| will)\b", re.IGNORECASE), "The user will"),
    (re.compile(r"^i (?:don't|do not)\b", re.IGNORECASE), "The user does not"),
    (re.compile(r"^i (can't|cannot|can|used to|no longer|must|should|might)\b", re.IGNORECASE), r"The user \1"),
    (re.compile(r"^my\b", re.IGNORECASE), "The user's"),
)
_EN_VERB = re.compile(
    r"^i ((?:really|also|still|now|currently|just|usually|always|often|never|actually|recently) )*(\w+)\b",
    re.IGNORECASE,
)
_EN_IRREGULAR = {"have": "has", "do": "does", "go": "goes", "study": "studies", "teach": "teaches", "watch": "watches"}
_EN_PAST = frozenset(
    {
        "was",
        "had",
        "went",
        "met",
        "saw",
        "bought",
        "got",
        "did",
        "took",
        "left",
        "made",
        "read",
        "gave",
        "came",
        "began",
        "ran",
        "wrote",
        "told",
        "said",
    }
)
_PAST_ENDINGS = ("ed", "aid", "ept", "ost", "eft", "ought", "aught", "elt", "uilt", "ound")


_PREPOSITION = re.compile(r"\b(?:on|in|by|until|till|before|since|from|for|after|to|of|around) $", re.IGNORECASE)


def literal_dates(text: str, mentions: Sequence[DateMention]) -> str:
    """The text with each date written out, whatever day it will be read on."""
    chinese = language_of(text) == "zh"
    dated = text
    for mention in reversed(mentions):
        before, after = dated[: mention.start], dated[mention.end :]
        dated = f"{before}{_written(mention, before, chinese=chinese)}{after}"
    return re.sub(r"\s{2,}", " ", dated).strip()


def _written(mention: DateMention, before: str, *, chinese: bool) -> str:
    literal = written(mention)
    if chinese:
        return {
            "day": f" {literal} ",
            "week": f" {literal} 那周",
            "month": f" 约 {literal} ",
            "year": f" {literal} 年",
        }[mention.grain]
    named = f"the week of {literal}" if mention.grain == "week" else literal
    if _PREPOSITION.search(before):
        return named
    return f"{ {'day': 'on', 'week': 'in', 'month': 'around', 'year': 'in'}[mention.grain] } {named}"


def told(text: str, *, style: bool = False) -> str:
    """The clause in the third person: 我 becomes 用户, I becomes The user. `style`: a wish how to be answered."""
    return _in_chinese(text, style=style) if language_of(text) == "zh" else _in_english(text, style=style)


def _in_chinese(text: str, *, style: bool) -> str:
    third = re.sub(r"我(?!们)", "用户", re.sub(r"(?:你|您)(?=用|回答|回复|叫|说|写|给|别|不要)", "助手", text))
    if third.startswith("用户"):
        return third
    if style:
        return f"用户要求{third}"
    if re.match(r"约 \d", third):
        return f"用户{third}"
    return third if "用户" in third else f"用户：{third}"


def _in_english(text: str, *, style: bool) -> str:
    if style and not re.match(r"i\b", text, re.IGNORECASE):
        return f"The user asks: {text}"
    third = next((form.sub(new, text) for form, new in _EN_FORMS if form.search(text)), "")
    if not third and (verb := _EN_VERB.match(text)):
        third = f"The user {text[2 : verb.start(2)]}{_third_person(verb[2])}{text[verb.end() :]}"
    third = third or f"The user said: {text}"
    third = re.sub(r"\bno longer (\w+)\b", lambda m: f"no longer {_third_person(m[1])}", third)
    third = re.sub(r"(?<!^)\bmy\b", "their", third, flags=re.IGNORECASE)
    return re.sub(r"(?<!^)\b(?:me|I)\b", "the user", third)


def _third_person(verb: str) -> str:
    lowered = verb.lower()
    if lowered in _EN_IRREGULAR:
        return _EN_IRREGULAR[lowered]
    past = (lowered.endswith(_PAST_ENDINGS) and not lowered.endswith("eed")) or lowered in _EN_PAST
    return verb if past or lowered.endswith("s") else verb + "s"
