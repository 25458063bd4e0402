"""What a user says about themselves: clauses turned into statements about the user, in the user's language."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from graph.models.dates import DateMention, dates_in
from graph.models.language import language_of
from graph.models.people import household, other_person
from graph.models.telling import literal_dates, told
from stores.memories.memory import MemoryType

Slot = Literal[
    "name", "employer", "role", "place", "age", "taste", "health", "attribute", "household", "habit", "style", "event",
    "other",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One thing the user said, as it may be remembered."""

    type: MemoryType
    slot: Slot
    content: str
    subject: str
    """What it is about, for finding the memory it replaces: the thing liked, the attribute's name."""
    negative: bool
    adds: bool
    """Said with "also": it stands beside what is known."""
    confidence: float
    explicit: bool = False
    """The user asked to remember it."""
    ended: bool = False
    """A home or an employer that is no longer: it changes what is known of it and is nothing by itself."""


_ADVERBS = (
    r"(?:也|还|很|最|更|真的?|非常|特别|比较|超|一直|都|就|其实|现在|如今|目前|平时|通常|一般|经常|已经|刚刚?|确实"
    r"|以前|过去|曾经)*"
)
_YEARS_ZH = r"(?:\d{1,3}|[一二两三四五六七八九十半]{1,4})\s*(?:周岁|岁半?|个?多?月大)"
_YEARS_EN = r"(?:\d{1,3}|[a-z]+(?:-[a-z]+)?) (?:years?|months?)(?:[ -]old)"
_ZH: tuple[tuple[Slot, str], ...] = (
    (
        "age",
        rf"^我(?:的年龄是)?(?:今年|明年|去年|下个?月|上个?月|现在|已经|刚刚?|快|马上|就要|要|才|都|满|到|过了?|是|了)*(?P<s>{_YEARS_ZH})了?$",
    ),
    (
        "name",
        r"^我(?:的名字|的全名|的姓名)?(?:现在|已经)?(?:改名)?(?:叫做?(?![它他她你])|名叫|是叫|的名字是|姓)(?P<s>[^，,。！？]{1,20})$",
    ),
    ("name", r"^(?:请|可以|就|以后|以后请)*(?:叫|称呼)我(?P<s>[^，,。！？]{1,12}?)(?:就好|就行|吧|即可)?$"),
    (
        "employer",
        (
            rf"^我{_ADVERBS}(?:从[^，,。！？]{{2,30}}?)?(?:换|跳槽|转|调|入职|加入)(?:到|去|了|进)*(?P<s>[^，,。！？]{{2,40}}?)(?:工作"
            rf"|上班)?了?$"
        ),
    ),
    (
        "employer",
        (
            rf"^我{_ADVERBS}(?:在|就职于|任职于|供职于)(?P<s>[^，,。！？]{{2,40}}?)(?:工作|上班|任职|实习|就职"
            rf"|做事)?(?:了?\s*[\d一二三四五六七八九十]+\s*年)?了?$"
        ),
    ),
    ("role", rf"^我{_ADVERBS}(?:是|当|干|做|担任|负责)(?:一[名个位])?(?P<s>[^，,。！？]{{2,40}})$"),
    ("role", r"^我的?(?:职业|职位|岗位|工作)是(?P<s>[^，,。！？]{2,40})$"),
    (
        "place",
        rf"^我{_ADVERBS}(?:从[^，,。！？]{{2,30}}?)?(?:家)?(?:住在?|搬(?:家)?到了?|搬去了?|搬来了?|搬回了?|搬进了?|来自|家在|老家在|定居在?)(?P<s>[^，,。！？]{{2,40}}?)了?$",
    ),
    ("health", r"^我(?:对)(?P<s>[^，,。！？]{1,30})过敏$"),
    (
        "taste",
        (
            rf"^我{_ADVERBS}(?:不再|不太|不怎么|不|从不|再也不)?(?:喜欢|爱|热爱|偏爱|喜爱|讨厌|厌恶|受不了|享受|想要|吃|喝"
            rf"|抽烟|用|玩|看)(?P<s>[^，,。！？]{{1,40}}?)?了?$"
        ),
    ),
    ("attribute", r"^我的(?P<s>[^，,。！？是]{1,12})(?:是|在|为|改成了?|换成了?|变成了?|到)(?P<v>[^，,。！？]{1,60})$"),
    (
        "habit",
        rf"^我{_ADVERBS}(?:有|养了?|会说?|穿|戴|懂|擅长|学过?|在学|正在学|开的?是?|每天|每周|每晚|每年|天天|习惯)(?P<s>[^，,。！？]{{1,40}})$",
    ),
)
_DEMONYM = (
    r"(?:\w+(?:ese|ish)|american|british|german|french|dutch|italian|indian|russian|korean|canadian|australian|african"
    r"|asian|european|mexican|brazilian|greek|swiss|thai|ukrainian|norwegian|austrian|belgian|egyptian|iranian|israeli"
    r"|pakistani|christian|catholic|muslim|jewish|buddhist|hindu|vegan|vegetarian|latino|latina|sorry|back|here|fine)"
)
_EN_ADVERBS = (
    r"(?:really |also |still |now |currently |just |usually |always |often |never |actually |recently |used to )*"
)
_EN: tuple[tuple[Slot, str], ...] = (
    (
        "age",
        (
            rf"^i(?:'m| am) (?:now |already |almost )?(?P<s>{_YEARS_EN}|\d{{1,3}})(?: this year| now)?$"
            r"|^i (?:just |will |'ll )?(?:turn(?:ed)?) (?P<t>\d{1,3}|[a-z]+(?:-[a-z]+)?)(?: .{3,20})?$"
        ),
    ),
    ("name", rf"^(?:i(?:'m| am)|this is) (?!{_DEMONYM}\b)(?P<s>(?-i:[A-Z][\w'-]+(?: [A-Z][\w'-]+){{0,2}}))$"),
    ("name", r"^my (?:full |first |last )?name(?:'s| is)(?: now)? (?P<s>[^,.!?]{1,40})$"),
    (
        "name",
        (
            r"^(?:please |you can )?call me (?P<s>[^,.!?]{1,30}?)(?: from now on| please)?$"
            r"|^i(?:'m| am) called (?P<t>[^,.!?]{1,40})$"
        ),
    ),
    (
        "employer",
        (
            rf"^i(?:'ve| have)? {_EN_ADVERBS}(?:work(?:ed|ing)?|'m working|am working) (?:at"
            rf"|for|in) (?P<s>[^,!?]{{2,60}})$|^i(?:'m| am) (?:now )?(?:working|employed) (?:at"
            rf"|for|by) (?P<t>[^,!?]{{2,60}})$"
        ),
    ),
    (
        "employer",
        (
            r"^i(?:'ve| have)? (?:just |recently )?(?:joined|(?:switched|changed)(?: jobs?"
            r"| companies)?(?: from [^,!?]{2,40})? to|moved to work (?:at"
            r"|for)|started (?:at|working (?:at|for))) (?P<s>[^,!?]{2,60})$"
        ),
    ),
    (
        "role",
        (
            rf"^i {_EN_ADVERBS}work as (?P<s>[^,!?]{{2,60}})$|^i(?:'m| am) {_EN_ADVERBS}(?:an? "
            rf"|the |in charge of |responsible for )(?P<t>[^,!?]{{2,60}})$|^my (?:job"
            rf"|profession|role|title)(?: title)? is (?P<u>[^,!?]{{2,60}})$"
        ),
    ),
    (
        "place",
        (
            rf"^i {_EN_ADVERBS}live[sd]? (?:in|at|near) (?P<s>[^,!?]{{2,60}})$|^i(?:'m"
            rf"| am) (?:from|based in|living in) (?P<t>[^,!?]{{2,60}})$|^i(?:'ve| have)? (?:just "
            rf"|recently )?moved (?:from [^,!?]{{2,40}} )?to (?P<u>[^,!?]{{2,60}})$"
        ),
    ),
    (
        "health",
        (
            r"^i(?:'m| am) (?:severely |very )?allergic to (?P<s>[^,!?]{1,60})$|^i(?:'m"
            r"| am) (?P<t>vegetarian|vegan|diabetic|lactose intolerant|colou?r-?blind)$"
        ),
    ),
    (
        "taste",
        (
            rf"^i(?:'d)? {_EN_ADVERBS}(?:no longer |don't |do not |can't |cannot |never )*{_EN_ADVERBS}(?:like"
            rf"|love|enjoy|prefer|hate|dislike|adore|stand|eat|drink|use|smoke|play|watch"
            rf"|read)(?P<s> [^,!?]{{1,80}})?$"
        ),
    ),
    ("attribute", r"^my (?P<s>[^,.!?]{1,30}?) (?:is|are|has changed to|changed to) (?P<v>[^,!?]{1,80})$"),
    (
        "habit",
        (
            rf"^i(?:'ve| have)? {_EN_ADVERBS}(?:have|had|speak|own|study|studied|teach"
            rf"|drive|run|manage|lead|know|am learning)(?P<s> [^,!?]{{1,80}})$"
        ),
    ),
)
_PATTERNS = {
    "zh": [(slot, re.compile(pattern)) for slot, pattern in _ZH],
    "en": [(slot, re.compile(pattern, re.IGNORECASE)) for slot, pattern in _EN],
}
_STYLE = re.compile(
    r"^(?:请)?(?:以后|今后|从现在起|从今以后|往后|下次|接下来|始终|一直|总是)(?![^，。]{0,6}(?:我[要去会在]|开会))[^。！？]*(?:回答|回复|用|别|不要|叫|称呼|写|给|列|说|解释|表格|列表|简短|中文|英文|语气)"
    r"|^我(?:希望|想要?|更?喜欢|偏好|习惯)(?:你|您|回答|答案|回复|用[^，。]{1,12}(?:回答|回复|格式))"
    r"|^(?:请)?(?:都|总是|始终|一律)?用(?:中文|英文|英语|表格|列表|要点)[^。]{0,8}(?:回答|回复|写)?$|^(?:回答|回复)(?:请|时|要|尽量)?[^。]{0,10}(?:简短|简洁|详细|中文|英文|表格|列表|要点|语气)"
    r"|^(?:please )?(?:from now on|in (?:the )?future|going forward|always)\b"
    r"|^i(?:'d)? (?:would )?(?:prefer|like|want) (?:you to|your? (?:answers?"
    r"|replies)|(?:short|brief|long|detailed|concise)\b|(?:answers?|replies|responses)\b"
    r"|to be (?:called|addressed))"
    r"|^(?:please )?(?:answer|reply|respond)(?: to me)? (?:in|with|using|briefly|concisely)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"我(?!们)|^(?:最近|近来)在|\bi\b|\bi'|\bmy\b|\bme\b", re.IGNORECASE)
_NOT_LASTING = re.compile(
    r"^我(?:正|现在|目前|刚刚?)?在(?![^，。]*(?:工作|上班|任职|实习|就职|学|当|担任|教|公司|集团|银行|医院|学校|大学|研究))|^我(?:想|要|需要|觉得|认为|以为|知道|不知道|再|先|看|问|试|再考虑|考虑|打算|明白|理解|的意思|的问题|同意|没|还没|看到|发现|遇到|收到|用[^，。]{0,6}(?:报错|失败|出错))"
    r"|^我(?:是说|是想|是不是|是否|有(?:个|一个)?(?:问题|疑问|点|些)|会(?:看|试|去|再))|^i(?:'m| am) (?:not )?(?:sure"
    r"|sorry|trying|looking|asking|wondering|getting|going|just|on|at|in|here"
    r"|fine|good|ok|okay|back|done|confused|afraid|thinking|reading|stuck)\b"
    r"|^i (?:think|guess|see|mean|know|don't know|understand|want|need|would"
    r"|will|have (?:a|an|one|another|some|two) (?:question|problem|doubt|issue)"
    r"|have to|have been)\b|^my (?:question|point|problem|issue|understanding"
    r"|code|guess)\b",
    re.IGNORECASE,
)
_LASTING_OF_KIN = re.compile(
    r"(?:今年|去年|明年|[上下]个?月|这个?月|现在|也|都|已经|刚|才|满|很|最|特别|从小)*(?:叫|名叫|是|姓|住|在|有|属|不?(?:喜欢|爱|吃|会)|讨厌|怕|对|[\d一二两三四五六七八九十]+个?多?[岁月])"
    r"|(?:的(?:名字|生日|年龄|品种|学校))|(?:'s\b|(?:is|are|has|have|was|were|likes?|loves?|hates?"
    r"|lives?|works?|goes|speaks?|turned) (?!(?:an? )?(?:sick|ill|unwell|tired|hungry|asleep|here|crying"
    r"|late|fever|cold|cough|headache)\b))",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(
    r"不|没|讨厌|厌恶|受不了|别|\b(?:no|not|never|don't|can't|cannot|hate|dislike|longer)\b", re.IGNORECASE
)
_DOUBLE_NEGATIVE = re.compile(
    r"不是不|并非不|没有不|not that i (?:don't|dislike)|don't (?:dislike|hate)|not (?:un|dis)\w+", re.IGNORECASE
)
_ALSO = re.compile(r"也|还(?!是)|\b(?:also|too|as well)\b", re.IGNORECASE)
_VERB = re.compile(
    r"^i [a-z]+|了|要|去|会|将|签|考|开|见|买|参加|完成|开始|结束|做|到|看|学|读|搬|有|\w+ed\b|\b(?:will|am|was"
    r"|have|had|went|go|going|met|saw|bought|got|start|signed|meet|fly|travel"
    r"|leave|visit|read)",
    re.IGNORECASE,
)


_ENDED = re.compile(
    r"^我(?:现在|如今|目前|早就|已经|早|也)*(?:不再|不|没有?)(?:住)?在(?P<s>[^，,。！？]{1,40}?)(?:住|工作|上班|做|干|任职)?了?$"
    r"|^我(?:现在|刚刚?|已经)*(?:离开|搬离|搬出|告别)了?(?P<t>[^，,。！？]{1,40}?)了?$"
    r"|^我(?:现在|刚刚?|已经)*从(?P<u>[^，,。！？]{1,40}?)(?:离职|辞职|辞|搬走|搬出来|出来|走)了?$"
    r"|^i (?:no longer|don't|do not) (?:work|live|am) (?:at|for|in) (?P<v>[^,!?]{2,60}?)(?: any ?more| any longer)?$"
    r"|^i(?:'m| am) (?:no longer|not) (?:at|in|with|living in|working (?:at"
    r"|for)) (?P<w>[^,!?]{2,60}?)(?: any ?more| any longer)?$"
    r"|^i(?:'ve)? (?:just |recently )?(?:left|quit)(?: my job at)? (?P<x>[^,!?]{2,60})$",
    re.IGNORECASE,
)
_NOW_AT = re.compile(
    r"^我?(?P<zh>现在|如今|目前|改|转)+(?:在|到|去|就职于)(?P<s>[^，,。！？]{2,40}?)(?P<did>工作|上班|任职|住)?了?$"
    r"|^i(?:'m| am) (?:now )?(?:at|with|in) (?P<t>[^,!?]{2,60}?)(?: now| these days)?$|^(?:i )?now (?:at"
    r"|with|in) (?P<u>[^,!?]{2,60})$",
    re.IGNORECASE,
)
_WORKED = re.compile(
    r"\b(?:work\w*|job|quit|at|with)\b|工作|上班|任职|做|干|[离辞]职|公司|集团|银行|医院|学校|工厂|事务所",
    re.IGNORECASE,
)


def ended(clause: str) -> Statement | None:
    """`我不在成都了`, "I no longer work at X": what is no longer, `None` if the clause says nothing of the kind."""
    text = clause.strip(" ，,。.!！；;")
    match = _ENDED.match(text)
    if match is None:
        return None
    subject = next(value for value in match.groups() if value)
    slot: Slot = "employer" if _WORKED.search(text) else "place"
    return replace(_made("semantic", slot, told(text), subject, text, 0.9), negative=True, ended=True)


def now_at(clause: str, slot: Slot) -> Statement | None:
    """Where the user is instead, said so shortly that only what ended before tells home from employer."""
    text = clause.strip(" ，,。.!！；;")
    match = _NOW_AT.match(text)
    if match is None:
        return None
    there = match["s"] or match["t"] or match["u"]
    works = (slot == "employer" and match["did"] != "住") or match["did"] in {"工作", "上班", "任职"}
    if language_of(text) == "zh":
        content = f"用户现在在{there}工作" if works else f"用户现在住在{there}"
    else:
        content = f"The user now {'works at' if works else 'lives in'} {there}"
    return _made("semantic", "employer" if works else "place", content, there, text, 0.93)


def statement_of(clause: str, today: date, *, explicit: bool = False) -> Statement | None:
    """What a clause says about the user, `None` if it says nothing lasting.

    `explicit`: the user asked to remember it, so any content counts, also about others.
    """
    text = clause.strip(" ，,。.!！；;：:~～、")
    if not text or _DOUBLE_NEGATIVE.search(text):
        return None
    if _STYLE.search(text):
        return _made("procedural", "style", told(text, style=True), text, text, 0.95)
    kin = household(text)
    if not explicit and (other_person(text) or not (_FIRST_PERSON.search(text))):
        return None
    mentions = dates_in(text, today)
    if kin and (explicit or not _asks_or_hopes(text, kin)):
        dated = literal_dates(text, [one for one in mentions if _passes(text, one)])
        return _made("semantic", "household", told(dated), kin, text, 0.9)
    for slot, match in _matches(text):
        if mentions and slot not in {"name", "employer", "attribute", "age"}:
            break
        if slot in {"attribute", "age"} or explicit or not _NOT_LASTING.search(text):
            wanted = [one for one in mentions if slot != "attribute" or _passes(text, one)]
            dated = literal_dates(text, wanted)
            return _made("semantic", slot, _content(slot, dated, _subject(match)), _subject(match), text, 0.93)
    if mentions and _FIRST_PERSON.search(text) and _VERB.search(text):
        precise = all(mention.precise for mention in mentions)
        content = told(literal_dates(text, mentions))
        return _made("episodic", "event", content, text, text, 0.92 if precise else 0.87)
    dated = told(literal_dates(text, [one for one in mentions if _passes(text, one)])) if explicit else ""
    return _made("semantic", "other", dated, text, text, 0.95) if explicit else None


def _passes(text: str, mention: DateMention) -> bool:
    """Whether a date is told from today, so that its words mean another day tomorrow; a birthday is not."""
    return not re.search(
        r"\d\s*[月号日./-]|[a-z]{3} \d|\d(?:st|nd|rd|th)?(?: of)? [a-z]{3}",
        text[mention.start : mention.end],
        re.IGNORECASE,
    )


def _asks_or_hopes(text: str, kin: str) -> bool:
    """Of the household only what lasts is learnt unasked: who they are, how old, what they like."""
    return _LASTING_OF_KIN.match(text[len(kin) :].strip()) is None


def _content(slot: Slot, text: str, subject: str) -> str:
    """A statement in the third person; a wish to be called something is told as a wish."""
    if slot == "name" and re.match(r"(?:请|可以|就|以后)*(?:叫|称呼)我", text):
        return f"用户希望被叫做{subject}"
    if slot == "name" and re.match(r"(?:please |you can )?call me", text, re.IGNORECASE):
        return f"The user wants to be called {subject}"
    if slot == "name" and (named := re.match(r"(?:i(?:'m| am)|this is) (?!called)(.+)", text, re.IGNORECASE)):
        return f"The user is called {named[1]}"
    return told(text)


def _matches(text: str) -> Iterator[tuple[Slot, re.Match[str]]]:
    for slot, pattern in _PATTERNS[language_of(text)]:
        match = pattern.match(text)
        if match:
            yield slot, match


def _made(kind: MemoryType, slot: Slot, content: str, subject: str, text: str, confidence: float) -> Statement:
    return Statement(
        type=kind,
        slot=slot,
        content=content,
        subject=subject.strip(),
        negative=_NEGATIVE.search(text) is not None,
        adds=_ALSO.search(text) is not None,
        confidence=confidence,
    )


def _subject(match: re.Match[str]) -> str:
    groups = match.groupdict()
    return next((groups[name] for name in ("s", "t", "u") if groups.get(name)), match[0])
