"""When a message says nothing that could be looked up, and the one short question that then goes back to the user."""

import re
from collections.abc import Sequence

from langchain_core.messages import AnyMessage, HumanMessage

from nodes.conversational import needs_documents
from nodes.prompts import CLARIFY
from nodes.spoken import language_of
from nodes.state import State
from nodes.tasks import BREADTH, task_by_rule
from nodes.turn import ANSWER, question_of
from nodes.window import FinishedTurn, finished_turns

MOST_CHARACTERS = 160
"""The longest question that may go back to the user."""
_FEW_ZH, _FEW_EN = 2, 1
_OPEN_ZH, _OPEN_EN = 4, 2
"""Of so many content characters or words, a planner may find a message unclear that the rule takes for clear."""

_POINTS_ZH = re.compile(
    r"它们?|(?<![其])[他她]们?(?!的?(?:人|物|国))|这(?![里儿样么次边时种])(?:个|些|份|篇|本|项|条|章|节|段)?"
    r"|那(?:个|些|份|篇|本|项|条|章|节|段)|^那(?=是)|前者|后者|上面的?|上述的?"
)
_FILLS_ZH = re.compile(
    r"请问|请|我想知道|我想问|我想|帮我|帮忙|告诉我|给我|一下|怎么办|怎么样|怎么|怎样|如何|为什么|为何|为啥"
    r"|什么时候|什么|啥|哪[里个些儿]?"
    r"|谁|多少|多[久长大远高快重]|几|是否|能不能|可不可以|能否|可以|应该|需要|能|会|要|有没有|有|没有|在|是|的|地|得|了|着|过|吗|呢"
    r"|吧|啊|呀|嘛|么"
    r"|意思|东西|事情?|内容|部分|问题|方法|办法|功能|作用|用法|用途|使用|用|做|弄|搞|工作|运行|实现|操作|区别|不同"
    r"|总结|概括|归纳|解释|介绍|说明|分析|讲解|主要|大概|具体|说|讲|看|出|道|复习题|题目?|和|与|跟|对|把|被|给|到"
    r"|从|就|都|也|还|又|再|那么|那|之间"
    r"|文件|文档|资料|材料|附件|论文|文章|手册"
)
_BARE_ZH = re.compile(r"^(?!.*(?:文件|文档|资料|材料|手册)).*(?:怎么|怎样|如何|什么|为何|为啥|哪|谁|多少)")
_DOCUMENT_ZH = re.compile(
    r"[这那](?:个|份|篇|本|些)?(?:文件|文档|资料|材料|附件|论文|文章|手册)|(?:文件|文档|全文)(?=讲|说|写|的?内容)"
)
_DOCUMENT_EN = re.compile(
    r"\b(?:this|that|the) (?:file|document|paper|article|manual|attachment|pdf|text)\b"
    r"|\b(?:these|those) (?:files|documents|papers|articles|manuals|attachments)\b",
    re.IGNORECASE,
)

_POINTS_EN = frozenset(
    "it its they them their this that these those he she him her his former latter one ones".split()  # noqa: SIM905 - a list of so many literals reads worse
)
_FILLS_EN = frozenset(
    "a an the is are was were be been am do does did done can could should would will may might must shall have "  # noqa: SIM905 - a list of so many literals reads worse
    "has had how what why when where which who whom whose of for to in on at by with from about as and or but so "
    "then if not please tell explain describe summarise summarize show give me i we us get use uses used using "
    "usage work works working mean means meaning thing things stuff file files document documents paper article "
    "manual text part parts section chapter there here also again just exactly really difference between happen "
    "happens help like make made let know want need any some all both say says review questions quiz".split()
)
_ASKS_EN = frozenset(["how", "what", "why", "when", "where", "which", "who"])
_TALKS_EN = frozenset(["you", "your", "i", "me", "my", "we", "our", "us"])
_DOCUMENTS_EN = frozenset(
    ["file", "files", "document", "documents", "paper", "papers", "article", "articles", "manual", "text"]
)
_TIME_EN = frozenset(
    ["time", "date", "day", "today", "tomorrow", "yesterday", "month", "year", "weekday", "week", "late"]
)
_WORD_EN = re.compile(r"[A-Za-z]+(?:['’-][A-Za-z]+)*")
_HAN = re.compile("[\u3400-\u9fff]")
_NAMED = re.compile(r"[A-Za-z0-9_]{2,}|\d|[《“\"「『`]")
_TELLS_EN = re.compile(r"\d|[\"“`]|\w[._/:@#]\w|[a-z][A-Z]|(?<![.?!]\s)(?<!^)\b[A-Z]\w+|[A-Z]{2,}")
_GREETS = re.compile(
    r"^\W*(?:你好|您好|嗨|哈喽|在吗|早上好|下午好|晚上好|早安|谢谢|多谢|好的?|嗯+|行|可以|ok(?:ay)?|hi|hello|hey"
    r"|thanks?(?: you)?"
    r"|good (?:morning|afternoon|evening))\W*$",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"://|\bwww\.|\]\(|<[^>]*>|\b[\w.+-]+@[\w-]+\.\w|\b[\w-]+\.(?:com|net|org|cn|io|ru|xyz)\b", re.IGNORECASE
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069]|```")
_ASKS_SECRET = re.compile(
    r"密码|口令|密钥|验证码|身份证|银行卡|卡号|手机号|令牌|pass ?(?:word|phrase|code)|\bpin\b|secret|api ?key"
    r"|token|credit card"
    r"|card number|social security",
    re.IGNORECASE,
)
_PROPOSED = re.compile(rf"^\W*{CLARIFY}\b[*_`]*\s*[:：]\s*(?P<asked>.+)$", re.DOTALL)


def is_unclear(question: str, messages: Sequence[AnyMessage], *, one_document: bool) -> bool:
    """Whether nothing in the message or the conversation before it says what it is about.

    `one_document`: all that could be looked up is one document, so that "this document" to be summed up is it.
    """
    names_document = bool(_DOCUMENT_ZH.search(question) or _DOCUMENT_EN.search(question))
    spread = names_document and BREADTH[task_by_rule(question)].spread > 0
    if spread and one_document:
        return False
    if not (spread or needs_documents(question)):
        return False
    return _says_nothing(question) and not _may_ask_back_no_more(messages) and not _has_subject(messages)


def asked_back(question: str) -> str:
    """The one short question, in the language of the message."""
    names_document = bool(_DOCUMENT_ZH.search(question) or _DOCUMENT_EN.search(question))
    if language_of(question) == "zh":
        return "您指的是哪一份文档？" if names_document else "您指的是什么？"
    return "Which document do you mean?" if names_document else "What are you referring to?"


def proposed_question(reply: str, state: State) -> str | None:
    """The question that the planner wants to ask back; `None` if it may not.

    It must be one short question in the user's language, without links and not for secrets; the message must leave
    something open, nothing may have been looked up yet, and the last turn must not have asked back as well.
    """
    proposed = _PROPOSED.match(reply.strip())
    if proposed is None or state.searched or state.turn_messages or _may_ask_back_no_more(state.messages):
        return None
    asked, question = proposed["asked"].strip().strip("*_`").strip(), question_of(state)
    if not _is_short_question(asked) or language_of(asked) != language_of(question):
        return None
    return asked if needs_documents(question) and _is_open(question) else None


def names_nothing(question: str) -> bool:
    """Whether a message names no subject of its own, such as "summarise this document" or "出几道复习题"."""
    if _NAMED.search(question) if language_of(question) == "zh" else _TELLS_EN.search(question):
        return False
    if language_of(question) == "zh":
        return not _content_zh(question)
    return not _content_en([word.lower() for word in _WORD_EN.findall(question)])


def was_asked_back(turn: FinishedTurn) -> bool:
    """Whether a turn ended with a question to the user."""
    details = turn.messages[-1].additional_kwargs.get(ANSWER, {})
    return bool(details.get("status") == "clarify")


def _is_short_question(asked: str) -> bool:
    if not asked.endswith(("?", "？")) or len(asked) > MOST_CHARACTERS or "\n" in asked:
        return False
    return not (_LINK.search(asked) or _CONTROL.search(asked) or _ASKS_SECRET.search(asked) or "[" in asked)


def _may_ask_back_no_more(messages: Sequence[AnyMessage]) -> bool:
    """The turn before asked back already: once more in a row would be a quiz."""
    turns = finished_turns(messages)
    return bool(turns) and was_asked_back(turns[-1])


def _has_subject(messages: Sequence[AnyMessage]) -> bool:
    """Whether an earlier turn of the thread names something that this one can point to."""
    said = (turn.messages[0] for turn in finished_turns(messages) if not was_asked_back(turn))
    return any(isinstance(one, HumanMessage) and not _GREETS.match(one.text.strip()) for one in said)


def _says_nothing(question: str) -> bool:
    """It points to something and names next to nothing itself, or it is a bare asking word."""
    if language_of(question) == "zh":
        points = bool(_POINTS_ZH.search(question))
        rest = _content_zh(question)
        return not _NAMED.search(question) and (
            len(rest) <= _FEW_ZH if points else not rest and bool(_BARE_ZH.match(question))
        )
    words = [word.lower() for word in _WORD_EN.findall(question)]
    if _TELLS_EN.search(question) or not words or _HAN.search(question) or _TIME_EN & set(words):
        return False
    if _POINTS_EN & set(words) or _DOCUMENT_EN.search(question):
        return len(_content_en(words)) <= _FEW_EN
    return not _content_en(words) and bool(_ASKS_EN & set(words)) and not (_TALKS_EN | _DOCUMENTS_EN) & set(words)


def _is_open(question: str) -> bool:
    """It points to something, or says so little that it may be meant in more than one way."""
    if language_of(question) == "zh":
        return bool(_POINTS_ZH.search(question)) or len(_content_zh(question)) <= _OPEN_ZH
    words = [word.lower() for word in _WORD_EN.findall(question)]
    return bool(_POINTS_EN & set(words)) or len(_content_en(words)) <= _OPEN_EN


def _content_zh(question: str) -> str:
    bare = _FILLS_ZH.sub("", _POINTS_ZH.sub("", question))
    return "".join(character for character in bare if character.isalnum())


def _content_en(words: Sequence[str]) -> list[str]:
    return [word for word in words if word.partition("'")[0].partition("’")[0] not in _FILLS_EN | _POINTS_EN]
