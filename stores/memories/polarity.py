"""For or against, still or no longer: what must not turn round between the user's words and a memory."""

import re

from stores.memories.text import fold

_HARMLESS = re.compile(
    r"(?:吃|看|听|喝|玩|用|百看|百听|住|穿)不(?:腻|厌|够|烦)|不错|差不多|不仅|不但|不光|不只|不止|不管"
    r"|不论|无论|不过|不久|不断|不同|不少|对不起|了不起|不好意思|要不然?|不知不觉|好不容易|不妨|不禁"
    r"|忍不住|离不开|少不了"
    r"|不得不|不能不|不可不|无所不|无时无刻|非.{1,10}(?:不可|不行)|不亦乐乎|不锈|不动产|没错|没问题"
    r"|没关系|没事|没准|有没有|是不是|能不能|要不要|会不会|好不好|无线|无人机|无锡|无障碍|非常|非洲|除非"
    r"|并非易事|未来|未婚夫|未婚妻|特别|个别|区别|性别|级别|类别|分别|告别|别人|别的|别墅|别名"
    r"|(?:别|不要|勿|千万别)(?:再)?忘(?:了|记|掉)?"
    r"|\bnot only\b|\bno doubt\b|\bno problem\b|\bno wonder\b|\bcan(?:['’]?t|not) (?:wait|get enough"
    r"|live without|do without|resist)\b|\bnothing (?:better|beats)\b|\b(?:do not|don['’]?t"
    r"|never) forget\b|\bwithout (?:a )?doubt\b|\bnever mind\b|\bno\. ?[0-9]"
)
_AGAINST = re.compile(
    r"讨厌|厌恶|反感|受不了|忍受不了|无法忍受|恨|嫌弃|烦透|抗拒|害怕|抵触|腻了|戒(?:了|掉|烟|酒|糖)|停止"
    r"|放弃|退出|离开|离职|避免|拒绝|远离|过敏"
    r"|\bcan(?:['’]?t|not) (?:stand|bear|abide|tolerate|take)\b|\bcould(?: not|n['’]?t) stand\b"
    r"|\bhat(?:e|es|ed|ing)\b|\bdislik\w+|\bdetest\w*|\bloath\w+|\bdespis\w+|\bavoid\w*|\bquit\w*"
    r"|\bstop(?:s|ped|ping)?\b|\bg(?:ive|ives|ave|iven) up\b|\bsick of\b|\btired of\b|\ballerg\w+"
    r"|\bafraid of\b|\brefus\w+"
)
_BOTH_SIDES = ("过敏", "aller")
"""Words that say the same in both texts when they occur: they turn nothing round by themselves."""
_NEGATOR = re.compile(
    r"不再|不是|不|没有|没|无|未|别|勿|莫|从未|绝非|并非|毫无"
    r"|\bno longer\b|\bnot any ?more\b|\bnot\b|\bno\b|\bnever\b|\bnone\b|\bneither\b|\bnor\b|\bwithout\b"
    r"|\bcannot\b|\b\w+n['’]t\b|\b(?:dont|doesnt|didnt|isnt|cant|wont|arent|wasnt|havent|hasnt)\b|\bnon-"
)
_PAST = re.compile(
    r"以前|从前|曾经|曾|过去|之前|原来|原先|早年|小时候|当年|年轻时|那时候?|上学时"
    r"|\bused to\b|\bformerly\b|\bpreviously\b|\bin the past\b|\bonce (?:was|lived|worked|had)\b"
    r"|\bas a (?:child|kid)\b|\bback (?:then|when)\b|\bwas once\b|\bex-"
)


def _negators(text: str) -> tuple[int, int]:
    """How many negators and how many words of dislike a text holds, idioms left out."""
    plain = _HARMLESS.sub(" ", fold(text))
    against = [found for found in _AGAINST.findall(plain) if not found.startswith(_BOTH_SIDES)]
    return len(_NEGATOR.findall(_AGAINST.sub(" ", plain))), len(against)


def sign(text: str) -> int:
    """+1 or -1: every negator and every word of dislike turns a text round once."""
    negators, against = _negators(text)
    return -1 if (negators + against) % 2 else 1


def is_doubly_negated(text: str) -> bool:
    """Whether negations meet ("not that I don't like it"): such a text is neither for nor against."""
    negators, against = _negators(text)
    return negators > 1 or (negators > 0 and against > 0)


def is_past(text: str) -> bool:
    """Whether a text tells of a former state."""
    return bool(_PAST.search(fold(text)))


def has_negation(text: str) -> bool:
    """Whether a text holds a negator or a word of dislike at all."""
    return any(_negators(text))
