"""What a message, or one part of it, wants: the rules by which the offline model plans and replies."""

import re
from typing import Literal

from graph.models.arithmetic import expression_in
from nodes.conversational import asks_about_user

Intent = Literal[
    "arithmetic",
    "date",
    "remember",
    "forget",
    "about_user",
    "about_assistant",
    "greeting",
    "thanks",
    "acknowledgement",
    "preference",
    "statement",
    "documents",
]


def _pattern(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


_TAIL = r"[\s,，.。!！?？~～啊呀哦呢吧了哈😀-🙏]*"
_GREETING = _pattern(
    rf"^(?:你好|您好|嗨|哈喽|在吗|早上好|早安|上午好|下午好|晚上好|晚安|大家好|再见|拜拜){_TAIL}$",
    rf"^(?:hi|hello|hey|good (?:morning|afternoon|evening|night)|greetings|bye"
    rf"|goodbye|see you)(?: there| all)?{_TAIL}$",
    rf"^(?:how are you|how's it going|你好吗|最近怎么样){_TAIL}$",
)
_THANKS = _pattern(
    rf"^(?:非常|多|太|好的?[，,]?\s*)?(?:谢谢|感谢|多谢|谢了|谢啦|辛苦)[你您大家了啦]*(?:的?帮助|的?回答|的?解答)?{_TAIL}$",
    rf"^(?:ok(?:ay)?,? |great,? |perfect,? |many )?(?:thanks|thank you|thx|cheers"
    rf"|much appreciated)[\w\s,]{{0,40}}{_TAIL}$",
)
_THANKS_FIRST = _pattern(r"(?:非常|多|太)?(?:谢谢|感谢|多谢|谢了)", r"(?:many )?(?:thanks|thank you)\b")
_SHORT_MESSAGE = 60
_ACKNOWLEDGEMENT = _pattern(
    rf"^(?:好|好的|嗯+|行|可以|知道|明白|收到|了解|对|是的|没错|不用|不是|没事|继续|哦+|哈+|算了)[的了，,]*(?:继续|好的|明白)?{_TAIL}$",
    rf"^(?:ok|okay|k|yes|no|yep|nope|sure|fine|got it|i see|understood|right|great"
    rf"|perfect|cool|nice|never ?mind|go on|continue|alright"
    rf"|all right|sounds good|not now){_TAIL}$",
)
_ABOUT_ASSISTANT = _pattern(
    rf"^(?:请问)?你(?:是谁|叫什么|是什么|能做(?:些)?什么|会(?:些)?什么|有什么功能|可以做什么|能帮我做什么)[\w\s]{{0,10}}{_TAIL}$",
    rf"^(?:who|what) are you{_TAIL}$|^what(?:'s| is) your name{_TAIL}$|^what can you do[\w\s]{{0,20}}{_TAIL}$",
)
_REMEMBER = _pattern(
    r"记住|请记[得下]|帮我记|记下来|记一下|记着|别忘了|不要忘记|别忘记",
    r"\bremember(?: that| this|,|:|：| (?:i|my|me|we|to)\b)",
    r"\b(?:don't|do not|never) forget\b|\b(?:please )?note that\b|\bkeep in mind\b|\bmake a note\b",
)
_RECALL_QUESTION = _pattern(
    r"(?:还|是否|能)?记(?:得|住)[^。！!？?]*(?:吗|什么|多少|哪|没有)",
    r"\b(?:do|can|did) you (?:still )?remember\b",
)
_FORGET = _pattern(
    r"(?<!别)(?<!不要)(?<!没)(?:忘掉|忘记)(?!了?说|了?问)|(?<!别)(?<!不要)忘了(?!说|问|带|告诉|提)(?:我|关于|这|那|刚)",
    r"(?:删[掉除]|清除|清空|抹掉|移除)[^。！!？?]{0,20}(?:记忆|记住的|记得的|关于我)|从(?:你的)?记忆(?:里|中)[^。]{0,12}(?:删|去掉|移除)"
    r"|(?:不要|别)再?记(?:得|住|着)?(?:我|这|那|了)",
    r"(?<!don't )(?<!never )(?<!not )\bforget (?!to\b|it\b[.!]?$)(?:about |that |what |my |everything|all|this|me)",
    r"\b(?:delete|erase|remove|clear|drop)\b[^.!?]{0,40}\b(?:memory|memories|remember(?:ed)?|about me|know of me)\b",
    r"\bstop remembering\b|\bdon't remember (?:my|that|this)\b",
)
_ABOUT_USER = _pattern(
    r"关于我|了解我|认识我|我是谁|我(?:的)?(?:名字|姓名)|我叫(?:什么|啥)|我姓(?:什么|啥)|你(?:还)?(?:知道|记得)我",
    r"我(?:现在|目前)?(?:在(?:哪|什么)[^。]{0,6}(?:工作|上班|住|公司)|住(?:在)?(?:哪|什么)|做什么(?:工作|的)|从事什么|(?:喜欢|讨厌|爱|不喜欢|偏好)[^。？?]{0,10}(?:什么|哪|吗|谁)"
    r"|对(?:什么|啥)[^。？?]{0,6}过敏|多大了?|几岁|的?(?:生日|职业|工作|职位|爱好|口味|偏好|家乡|过敏)(?:是|在|有)?(?:什么|哪|多少|几|谁|啥))",
    r"\babout me\b|\bwho am i\b|\bwhat(?:'s| is| was) my (?:name|job|role|favou?rite"
    r"|birthday|title|profession|employer|company|address|hobby)\b",
    r"\b(?:where|what|which|who|when|how)\b[^.?!]{0,40}\b(?:do|did|am|was) i\b[^.?!]{0,30}"
    r"\b(?:work|live|like|prefer|love|hate|enjoy|tell you|told you|say|said|mention"
    r"|born|allergic|called|do for a living)\b",
    r"\bam i allergic\b|\bdo i (?:like|prefer|love|hate|work|live)\b|\byou (?:know"
    r"|remember) about me\b|\bremember me\b",
)
_PREFERENCE = _pattern(
    r"(?:以后|今后|从现在起|从今以后|往后|接下来|下次)[^。？?]{0,16}(?:请|都|用|别|不要|回答|回复|叫我|称呼)",
    r"(?:回答|回复|答案)[^。？?]{0,8}(?:简短|简洁|详细|中文|英文|英语|列表|表格|要点)(?:些|一些|一点|点)?"
    + _TAIL
    + "$",
    r"\b(?:from now on|in (?:the )?future|going forward|always|next time)\b[^.?]{0,40}\b(?:answer"
    r"|reply|respond|use|call|write|keep|give)\b",
    r"\bi(?:'d)? (?:would )?prefer\b",
    r"^(?:please )?(?:answer|reply|respond|keep (?:your )?(?:answers|replies))\b[^.?]{0,20}\b(?:in (?:chinese"
    r"|english)|brief(?:ly)?|short|bullet|table)",
)
_ASKS = _pattern(
    r"[?？]|什么|怎么|怎样|如何|为何|多少|几[个天次点号岁只条口]|哪|谁|是否|能不能|可不可以|[吗呢]\s*$",
    r"^(?:who|what|when|where|why|which|how|is|are|was|were|do|does|did|can|could|should|may|must|will|would)\b",
    r"想知道|想了解|想问|想查|请问|告诉我|解释|说明|介绍|总结|概括|列出|查[一找询]|翻译|比较|写一|帮我",
    r"\b(?:tell me|explain|describe|summari[sz]e|list|show me|find|look up|compare"
    r"|translate|write|i (?:want|need|would like) to know"
    r"|i wonder|help me|give me)\b",
)
_STATEMENT = _pattern(
    r"^(?:其实|对了|顺便|另外|嗯|不过|现在)?[，,]?\s*(?:我|咱|本人)(?!们(?:公司|的)|[国市县军党]|校(?!对)|司(?!机)|省(?![了下钱去掉]))",
    r"^(?:by the way,? |actually,? |well,? |also,? )?(?:i\b|i'm|i've|my )",
)
DATE_QUESTION = _pattern(
    r"(?:今天|现在|今日|明天|昨天|后天|前天)(?:是)?(?:几号|几月几[号日]|星期几|周几|礼拜几|什么日子|哪(?:一)?天|什么日期|的?日期|的?时间)",
    r"(?:现在|当前|此刻)[^。？?]{0,6}(?:几点|什么时间|时间是|什么时候|日期|时间)|今年是(?:哪|几)|(?:这个月|现在|本月)是几月|^(?:日期|时间|几点了?|今天)[?？]?$",
    r"(?:距离?|离|到)[^。？?]{1,20}(?:还有|还剩|有)(?:多少|几)(?:天|日)|\d+\s*天(?:[以之]?[后前])(?:是)?(?:几|哪|星期|周|什么)",
    r"\d{4}[-年/]\d{1,2}[-月/]\d{1,2}[日号]?(?:是)?(?:星期几|周几|礼拜几)",
    r"\bwhat(?:'s| is) (?:the (?:current )?(?:date|time|day)|today(?:'s date)?"
    r"|tomorrow(?:'s date)?)\b(?! (?:of|for|limit|when)\b)",
    r"\bwhat (?:day|date|time|year|month|weekday) (?:is|was|will) (?:it|today"
    r"|tomorrow|yesterday|this)\b|\b(?:current|today's) (?:date|time)\b",
    r"\bwhich day (?:of the week )?(?:is|was) (?:it|today|tomorrow)\b",
    r"\bhow many days (?:are (?:there |left )?)?(?:until|till|to|before|left)\b|\bdays (?:until|till|left)\b",
    r"\bwhat (?:day|weekday|date) (?:is|was|will)[^?]*(?:\d{4}-\d{1,2}-\d{1,2}|days? from (?:now|today)|days? ago)\b",
)


def intent_of(text: str) -> Intent:
    """The one thing that `text` wants. What fits no rule is a question to the documents."""
    stripped = text.strip()
    for intent, pattern in _SHORT:
        if pattern.search(stripped):
            return intent
    if _THANKS_FIRST.match(stripped) and len(stripped) < _SHORT_MESSAGE and not asks(stripped):
        return "thanks"
    if expression_in(stripped):
        return "arithmetic"
    if DATE_QUESTION.search(stripped):
        return "date"
    return _about_memory(stripped)


_SHORT: tuple[tuple[Intent, re.Pattern[str]], ...] = (
    ("greeting", _GREETING),
    ("thanks", _THANKS),
    ("acknowledgement", _ACKNOWLEDGEMENT),
    ("about_assistant", _ABOUT_ASSISTANT),
)


def _about_memory(text: str) -> Intent:
    if _FORGET.search(text):
        return "forget"
    if _RECALL_QUESTION.search(text):
        return "about_user"
    if _REMEMBER.search(text) and not re.search(r"^(?:how|why|what|怎么|如何)", text, re.IGNORECASE):
        return "remember"
    if _ABOUT_USER.search(text) or asks_about_user(text):
        return "about_user"
    if _PREFERENCE.search(text):
        return "preference"
    if _STATEMENT.search(text) and not _ASKS.search(text):
        return "statement"
    return "documents"


def asks(text: str) -> bool:
    """Whether a message asks for something rather than tells it."""
    return _ASKS.search(text.strip()) is not None
