"""Chinese words put in the place of others: a name exchanged where the material has a different one."""

import re
from collections.abc import Iterator, Sequence

from nodes.citations.words import FUNCTION_CHARACTERS
from stores.documents.terms import CJK

_RUN = re.compile(rf"[{CJK}·・]+")
_JOINT = re.compile(rf"([{CJK}]{{1,2}})[·・](?=([{CJK}]{{1,2}}))")
# Words that change no fact when they stand for one another.
_INTERCHANGEABLE = re.compile(
    r"(?:可以|能够|可能|需要|必须|应该|应当|用于|用来|负责|属于|作为|采用|使用|利用|通过|依靠|支持|包括|包含|提供|实现|进行|完成|具有|拥有|存在|位于|处于"
    r"|发生|出现|成为|称为|叫做|指的|表示|说明|规定|要求|主要|通常|一般|因此|所以|由于|因为|如果|例如|比如|以及|并且|同时|此外|其中|当前|目前|总共|一共|分别|按照|根据"
    r"|夜里|夜间|深夜|晚上|早上|早晨|上午|中午|下午|傍晚|情况|方式|内容|时候|问题|相关|有关|所有|全部|任何|每个|各个|这些|那些|该项|本次|上述|以上|以下|资料|文档|文中)+"
)
_COMMON = FUNCTION_CHARACTERS | frozenset(
    "一不上下中大小多少能会可要需应由此时后前内外很更最较每各已未无没有来去用做作成为到给让使所被将"
)
_SHORTEST, _LONGEST = 2, 10
_CLAUSE_START = re.compile(rf"(?:^|[，。；：,;:！？\n]\s*|[而但])([{CJK}]{{5,}})")
_PREDICATE_START = re.compile(
    r"可以|可|必须|应|需|须|不|只|仅|是|为|由|将|会|能|有|没|依赖|支持|属于|位于|负责|用于|包括|包含|采用|基于|获得|担任|成立|发明|创立|执导"
)
_PREDICATE = 4
_LONGEST_SUBJECT = 6
_POINTING = re.compile(r"[您你我他她它们其该此这那本的些个位]+")
_PRONOUNS = frozenset(
    "它们 他们 她们 我们 你们 您也 用户 系统 这些 那些 这里 这时 此时 该类 该项 两者 二者 前者 后者".split()  # noqa: SIM905 - a list of so many literals reads worse
)
# Who holds one of these in a stretch says something in other words; a name holds none of them.
_REWORDING = _COMMON | frozenset(
    "得只就但须把被让给做用放再还都应不是也仅才刚正先另须该此每任别自己从于按照叫做二三四五六七八九十百千万亿两几半倍成"
)
_SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙朱胡郭罗郑梁宋唐韩冯邓曹彭肖袁潘蒋蔡杜苏魏吕姚卢姜"
    "崔谭汪廖贾韦邹孟秦邱尹薛闫侯陶黎贺郝龚邵戴汤"
)
_PERSON = re.compile(rf"(?:^|[^{CJK}]|[由是为和与被经向给对让请])(?=([{_SURNAMES}][{CJK}]))")


def replaced_word(sentence: str, material: Sequence[str]) -> str | None:
    """The first stretch of folded `sentence` that stands where the material has another, `None` if there is none."""
    text = "\n".join(material)
    characters = set(text)
    for match in _JOINT.finditer(sentence):
        if not _joined(match[1], match[2], text):
            return f"{match[1]}·{match[2]}"
    for match in _PERSON.finditer(sentence):
        if not characters & set(match[1]):
            return match[1]
    subject = _other_subject(sentence, text)
    if subject is not None:
        return subject
    pairs = {text[at : at + 2] for at in range(len(text) - 1)}
    for left, stretch, right in _unknown(sentence, pairs):
        if _INTERCHANGEABLE.fullmatch(stretch) or any(sign in _REWORDING for sign in stretch):
            continue
        if _stands_elsewhere(left, stretch, right, text):
            return stretch
    return None


def changes_nothing(stretch: str) -> bool:
    """Is this made of words that stand for one another without a change of what is said?"""
    return (
        2 * sum(sign in _REWORDING for sign in stretch) > len(stretch)
        or bool(_INTERCHANGEABLE.fullmatch(stretch))
        or stretch in _PRONOUNS
        or bool(_POINTING.fullmatch(stretch))
    )


def _joined(left: str, right: str, text: str) -> bool:
    """Does the material hold this joint of a transliterated name? What stands around the name may be cut off."""
    joints = re.findall(rf"([{CJK}]{{0,2}})[·・]([{CJK}]{{0,2}})", text)
    before = any(one.endswith(left) or (left[-1:] == one[-1:] and _begins(left)) for one, _ in joints)
    after = any(other.startswith(right) or (right[:1] == other[:1] and _ends(right, other)) for _, other in joints)
    return before and after


def _begins(left: str) -> bool:
    """Is the first of two characters no part of the name behind it?"""
    return len(left) > 1 and left[0] in _COMMON


def _ends(right: str, other: str) -> bool:
    """Is the second of two characters no part of the name before it?"""
    return len(right) > 1 and (right[1] in _COMMON or len(other) == 1)


def _unknown(sentence: str, pairs: set[str]) -> Iterator[tuple[str, str, str]]:
    """Stretches of which the material has no pair of characters, each with its two neighbours on both sides."""
    for match in _RUN.finditer(sentence):
        run = match[0]
        known = [run[at : at + 2] in pairs for at in range(len(run) - 1)]
        held = [(at > 0 and known[at - 1]) or (at < len(known) and known[at]) for at in range(len(run))]
        at = 0
        while at < len(run):
            if held[at]:
                at += 1
                continue
            end = at
            while end < len(run) and not held[end]:
                end += 1
            if _SHORTEST <= end - at <= _LONGEST:
                begin = match.start()
                yield (
                    sentence[max(0, begin + at - 2) : begin + at],
                    run[at:end],
                    sentence[begin + end : begin + end + 2],
                )
            at = end


def _other_subject(sentence: str, text: str) -> str | None:
    """A clause's first word where the material begins the same clause with another one: 拦截器可以… for 过滤器可以…."""
    for match in _CLAUSE_START.finditer(sentence):
        run = match[1]
        for length in range(_SHORTEST, min(_LONGEST_SUBJECT, len(run) - _PREDICATE) + 1):
            subject, predicate = run[:length], run[length : length + _PREDICATE]
            if subject + predicate in text or predicate not in text or not _PREDICATE_START.match(predicate):
                continue
            if (
                subject in _PRONOUNS
                or _INTERCHANGEABLE.search(subject)
                or any(s in FUNCTION_CHARACTERS for s in subject)
            ):
                continue
            rivals = re.findall(rf"(?:^|[^{CJK}]|[而但])([{CJK}]{{{_SHORTEST},{_LONGEST_SUBJECT}}}){predicate}", text)
            if rivals and all(not _alike(subject, rival) for rival in rivals):
                return subject
    return None


def _alike(one: str, other: str) -> bool:
    return any(one[at : at + 2] in other for at in range(len(one) - 1))


def _stands_elsewhere(left: str, stretch: str, right: str, text: str) -> bool:
    """Does the material have the same neighbours around something else?"""
    if len(left.strip()) < 2 or len(right.strip()) < 2:  # noqa: PLR2004 - two neighbours on both sides, or none
        return False
    around = re.compile(rf"{re.escape(left)}([{CJK}]{{1,{len(stretch) + 3}}}?){re.escape(right)}")
    return any(
        len(match[1]) > 1 and match[1] != stretch and not any(sign in _REWORDING for sign in match[1])
        for match in around.finditer(text)
    )
