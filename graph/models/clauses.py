"""A sentence as clauses that each stand alone: what one leaves to the clause before it is filled in."""

import re

from graph.models.language import language_of
from graph.models.people import household, introduced

_BREAK_ZH = re.compile(
    r"\s*[，,]\s*|(?<=[\u4e00-\u9fff])(?:而且|并且|但是|不过|然后|同时)(?=[\u4e00-\u9fff])|\s+(?=我(?:叫|是|在|住|对|喜欢))"
)
_VERB_EN = (
    r"(?:am|is|was|live|lives|work|works|have|has|had|like|likes|love|loves|hate|hates|prefer|prefers|use|uses|play"
    r"|plays|speak|speaks|study|studies|teach|teaches|drive|drives|own|owns|run|runs|manage|lead|enjoy|enjoys|don't"
    r"|do not|can't|cannot|never|usually|always|often|moved|joined|started|come|comes|grew|currently|now|eat|eats|drink"
    r"|drinks|write|code|want|would|go|goes|suffer|turned|just)\b"
)
_BREAK_EN = re.compile(
    rf"\s*[,;]\s*(?:and |but |so |also )?|\s+(?:and|but|so)\s+(?=(?:i|i'm|i've|my|he|she|they|it)\b"
    rf"|(?:also )?{_VERB_EN}"
    r"|(?:allergic|based|living|married|originally)\b)",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"^(?:而且|并且|但是?|不过|然后|其实|对了|顺便说一?下?|顺便|另外|还有|哦对了|哦|嗯|那个|因为|所以|大家好|你好|您好|嗨|哈喽"
    r"|by the way|actually|well|also|and|but|so|oh|ok|okay|now(?=,? (?:i|my)\b)|these days|hi there|hi"
    r"|hello|hey|hi all|good morning|just so you know|fyi)"
    r"(?:[，,！!：:.\s]+|(?<=[\u4e00-\u9fff])(?=[\u4e00-\u9fff]))",
    re.IGNORECASE,
)
_TIME_ZH = (
    r"(?:今年|去年|明年|现在|目前|如今|平时|通常|一般|经常|偶尔|最近|以前|从小|已经|刚刚?|周末|早上|晚上|(?:上|下|这|本)?个?(?:周|星期|月)[一二三四五六日天]?"
    r"|每\S?|今天|明天|后天|昨天|\d+[月号日点年]|[一二三四五六七八九十]+[月号日点年])*"
)
_LEFT_OUT_ZH = re.compile(
    rf"^(?:也|还|都|就|又|很|最|更|比较|非常|特别|主要|一直|从来){_TIME_ZH}|^{_TIME_ZH}"
    r"(?:也|还|都|就|主要|一直|从不|从来不?|不再|不|没有?|刚满)*"
    r"(?:叫|名叫|姓|住|来自|在|是|当|做(?!梦)|担任|负责|从事|有|养|喜欢|爱|讨厌|偏好|受不了|怕|对|用|使用|会(?!议|员|上|计|场|后)|懂|擅长|说|吃|喝|抽|玩|学|读|念"
    r"|毕业|就读|任职|就职|供职|加入|入职|换|搬|开|骑|打|练|跑步|起床|睡觉|属|习惯|老家|专业|职业|职位|生日|爱好|身高|体重|血型|鞋码|家里|家住"
    r"|(?:\d+|[一二两三四五六七八九十]+)(?:个?多?月|周?岁|年)|要|去|参加|打算|计划|交|考|见|出差|结婚|已婚|单身|离|戴|穿|上班|工作)"
)
_NOUN_ZH = re.compile(r"^(?:专业|职业|职位|生日|爱好|身高|体重|血型|鞋码|星座|英文名|名字|昵称|电话|邮箱)")
_OWN_ZH = re.compile(r"我|咱|俺|本人")
_PRONOUN_ZH = re.compile(r"^[他她它](?!们?说|们?问|们?觉得)(?:们)?")
_MEMBER_ZH = re.compile(r"^(?:另外?)?[一两二三](?:[只个条位名]|岁的?|半)|^(?:分别|其中|老大|老二|大的|小的)")
_LISTING = re.compile(
    r"喜欢|爱|讨厌|过敏|[会懂用有养吃喝说学]|擅长|负责|去过|是|\b(?:like|love|hate|enjoy|speak|play|use|have|own|eat|drink"
    r"|allergic|code|into|study|know|are|prefer|dislike)s?\b",
    re.IGNORECASE,
)
_TASK = re.compile(
    r"[?？]|什么|怎么|如何|哪|吗$|呢$|帮我|请|给我|告诉|推荐|推薦|写|翻译|总结|\b(?:please|can you"
    r"|could you|what|how|which)\b"
)
_OWN_EN = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|me|mine)\b", re.IGNORECASE)
_PRONOUN_EN = re.compile(r"^(?:he|she|it|they)\b", re.IGNORECASE)
_VERB_LEADS_EN = re.compile(
    rf"^(?:also |still |originally |currently |now )?(?:{_VERB_EN}|(?P<be>from|based|born|living|working"
    rf"|allergic|married|originally|an? \w|the \w|\d+ years old))",
    re.IGNORECASE,
)
_LONGEST_ITEM = 24
_CONTRACTED = re.compile(r"\b(i|he|she|it|they|don|can|won|isn|didn|doesn)[’‘](m|s|ve|d|ll|re|t)\b", re.IGNORECASE)


def clauses_of(sentence: str, *, dictated: bool = False) -> list[str]:
    """The clauses of a sentence in order, each with its own subject as far as it is clear.

    `dictated`: the user asked to remember the sentence, so that a clause without any subject is about the user.
    """
    plain = _CONTRACTED.sub(r"\1'\2", sentence)
    chinese = language_of(plain) == "zh"
    made: list[str] = []
    subject = "我" if dictated and chinese else "I" if dictated else ""
    for piece in (_BREAK_ZH if chinese else _BREAK_EN).split(plain):
        clause = _unlinked((piece or "").strip(" 。.!！;；~～、"))
        if not clause:
            continue
        if made and _continues(clause, made[-1], chinese=chinese):
            made[-1] += ("、" if chinese else ", ") + clause
            continue
        completed = _in_chinese(clause, subject) if chinese else _in_english(clause, subject)
        made.append(completed)
        subject = _next_subject(completed, subject)
    return made


def _unlinked(clause: str) -> str:
    while (shorter := _LINK.sub("", clause)) != clause:
        clause = shorter
    return clause


def _next_subject(clause: str, before: str) -> str:
    """Whom the next clause is about if it does not say: somebody brought up or spoken of, else the user."""
    named = household(clause) or introduced(clause)
    if named:
        return named
    first = re.match(r"我(?!们)|\b(?:i|i'm|i've|my)\b", clause, re.IGNORECASE)
    if first:
        return "我" if clause.startswith("我") else "I"
    return before if re.match(r"[他她它]|(?:he|she|it|they)\b", clause, re.IGNORECASE) else ""


def _in_chinese(clause: str, subject: str) -> str:
    if not subject or (_OWN_ZH.search(clause) and not clause.startswith(("他", "她", "它"))):
        return clause
    if subject != "我" and _PRONOUN_ZH.match(clause):
        return _PRONOUN_ZH.sub(subject, clause)
    if not _LEFT_OUT_ZH.match(clause):
        return clause
    return f"{subject}的{clause}" if _NOUN_ZH.match(clause) else f"{subject}{clause}"


def _in_english(clause: str, subject: str) -> str:
    if not subject:
        return clause
    if subject != "I" and _PRONOUN_EN.match(clause):
        return _PRONOUN_EN.sub(subject, clause)
    leads = _VERB_LEADS_EN.match(clause)
    named = (
        leads is not None
        and leads["be"]
        and re.match(r"(?:the|an?) .*\b(?:is|are|was|were|has|will)\b", clause, re.IGNORECASE)
    )
    if _OWN_EN.match(clause) or leads is None or named:
        return clause
    if leads["be"]:
        was = "was" if leads["be"].lower() == "born" else "am" if subject == "I" else "is"
        return f"{subject} {was} {clause}"
    return f"{subject} {clause}"


def _continues(clause: str, before: str, *, chinese: bool) -> bool:
    """Whether a clause only goes on with a list of the one before: 一只叫花花, `coffee and jazz`."""
    if chinese and _MEMBER_ZH.match(clause) and not re.match(r"[一两二三四五六七八九十]+个?多?[岁月年]", clause):
        return True
    if len(clause) > _LONGEST_ITEM or _TASK.search(clause) or not _LISTING.search(before):
        return False
    if chinese:
        return not _OWN_ZH.search(clause) and not _LEFT_OUT_ZH.match(clause) and not _PREDICATE_ZH.search(clause)
    return not _OWN_EN.search(clause) and not _PRONOUN_EN.match(clause) and not _VERB_LEADS_EN.match(clause)


_PREDICATE_ZH = re.compile(r"是|叫|[住在]|有|[不没]|谢谢|好|了$|对|要|去|来|[今明昨]天")
