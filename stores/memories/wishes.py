"""Which memory a wish to forget concerns: a wrong deletion is worse than one that has to be asked for again."""

import re
from collections.abc import Sequence

from stores.memories.evidence import informative
from stores.memories.intent import wants_forgetting
from stores.memories.own_words import own_words
from stores.memories.slots import Slot, asked_slots, mentioned_slots
from stores.memories.text import fold, same_unit, stem
from stores.memories.turn import Turn

_MOST = 0.6
"""The share of what the wish names that must stand in the memory."""
_SENTENCE = re.compile(r"[。！？!?\n]+|(?<=[a-z])\.(?=\s|$)")
_CLAUSE = re.compile(r"[，,；;]+")
_AND = re.compile(r"[、和与]|以及|\band\b")
_EXCEPTED = re.compile(
    r"(?:但是?|不过|除了|保留|留着|(?:别|不要)(?:动|删|忘)|而不是|不是(?=忘|删))[^。！？!?\n]*"
    r"|\b(?:but|except(?: for)?|not|keep|instead of|rather than)\b[^.!?\n]*",
    re.IGNORECASE,
)
"""What stands behind it is to stay."""
_WISHING = re.compile(
    r"忘(?:掉|了|记|却|光)|(?:删掉|删除|删了|删去|删|清除|清掉|清空|清理掉|抹掉|抹去|抹除|移除|去掉|擦掉|擦除|销毁|丢掉)"
    r"|(?:不要|不用|不必|无需|别)再?(?:继续)?(?:记|存|保存|留)(?:住|着|得|下)?|记忆|记录|记住|记得|记下|保存|存储?"
    r"|能不能|可不可以|可以|能否|麻烦|帮我?|替我|给我|请|希望|想让?|要求?|把|将|从|里面?|中|关于|有关"
    r"|这[件个条些]?|那[件个条些]?|刚才|刚刚|之前|以前|上面|事情?|信息|资料|内容|说过|告诉|知道|全部|所有|都"
    r"|吧|吗|呢|啊|了|的|我们?|你们?|一下|立刻|马上|彻底|完全|谢谢|好吗|能"
    r"|\b(?:forget|delete|erase|remove|wipe|clear|drop|purge|scrub|get rid of|stop|remembering|storing|keeping"
    r"|remember|stored?|saved?|keep|kept|memor(?:y|ies)|records?|notes?|please|can|could|would|will|you|your|i|me|my"
    r"|that|this|it|those|these|the|an?|about|from|what|fact|thing|told|said|mentioned|know|have|ve|just|now"
    r"|any ?more|any ?longer|everything|anything|all|of|to|on|in|for|do|don|t|want|like|is|are|was)\b",
    re.IGNORECASE,
)
_POINTS = re.compile(r"这|那|刚才|刚刚|上面|它|前面|\b(?:that|this|it|those|these|last|previous)\b", re.IGNORECASE)
_NAMES_SLOT: dict[Slot, re.Pattern[str]] = {
    "residence": re.compile(r"地址|住址|住处|住哪|家在哪|所在(?:地|城市)|\b(?:address|where i live|home town|city)\b"),
    "employment": re.compile(r"公司|单位|雇主|工作|职业|\b(?:job|employer|company|work(?:place)?|where i work)\b"),
    "role": re.compile(r"职业|职位|岗位|头衔|\b(?:job|role|title|profession|occupation)\b"),
    "age": re.compile(r"年纪|年龄|几岁|多大|\bage\b"),
    "name": re.compile(r"名字|姓名|称呼|叫什么|\bname\b"),
    "birthday": re.compile(r"生日|出生|\b(?:birthday|birth ?date|date of birth)\b"),
    "origin": re.compile(r"老家|家乡|籍贯|哪里人|\b(?:hometown|from where i am|origin)\b"),
    "language": re.compile(r"母语|\b(?:native language|mother tongue)\b"),
}
_MATTERS = tuple(
    map(
        re.compile,
        (
            r"手机号?码?|电话号?码?|联系方式|尾号|\b(?:phone|telephone|mobile)(?: numbers?)?\b",
            r"邮箱|电邮|邮件地址|\be-?mails?(?: address)?\b",
            r"过敏|\ballerg(?:y|ies|ic)\b",
            r"学校|大学|专业|学历|\b(?:school|university|college|studies|degree)\b",
            r"宠物|\bpets?\b",
            r"工资|薪水|薪资|收入|\b(?:salary|income|wages?)\b",
            r"饮食|吃素|素食|\b(?:diet|vegetarian|vegan)\b",
        ),
    )
)
"""What people ask to forget by its name, in both languages."""
_OTHERS = re.compile(
    r"妈妈?|母亲|爸爸?|父亲|爷爷|奶奶|外婆|外公|老婆|妻子|太太|丈夫|老公|爱人|儿子|女儿|孩子|哥哥?|弟弟?|姐姐?|妹妹?"
    r"|朋友|同事|老板|领导|上司|室友|同学|客户|狗|猫"
    r"|\b(?:mother|mom|mum|father|dad|wife|husband|partner|son|daughter|child|kid|brother|sister|friend|colleague"
    r"|boss|manager|roommate|client|dog|cat)(?:['’]s|s)?\b"
)


def concerns(turn: Turn, memory: str) -> bool:
    """Whether the forget wish of the latest message is about this memory.

    Its own words must name what the memory says: its slot (`我的地址`) or most of its words. A wish that only points
    ("forget that") is about what was said just before it.
    """
    for wish in _wishes(turn.latest):
        bare = _WISHING.sub(" ", wish)
        if _speaks_of(wish, bare, memory):
            return True
        if not informative(bare) and _POINTS.search(wish) and any(_tells(before, memory) for before in _before(turn)):
            return True
    return False


def _wishes(message: str) -> list[str]:
    """What is wished for, one thing each, folded: the clauses that wish, else their sentences, else all of it."""
    parts = [part for part in _SENTENCE.split(_folded(message)) if part.strip()]
    wishing = [part for part in parts if wants_forgetting(part)] or parts
    return [one for part in wishing for clause in _wishing_clauses(part) for one in _AND.split(clause) if one.strip()]


def _folded(message: str) -> str:
    return fold(_EXCEPTED.sub("", own_words(message)))


def _wishing_clauses(sentence: str) -> list[str]:
    found = [clause for clause in _CLAUSE.split(sentence) if wants_forgetting(clause)]
    return found if any(informative(_WISHING.sub(" ", clause)) for clause in found) else [sentence]


def _before(turn: Turn) -> list[str]:
    said = list(turn.user_messages[-2:-1])
    return said + ([turn.assistant_message] if turn.assistant_message else [])


def _speaks_of(wish: str, bare: str, memory: str) -> bool:
    if _others(wish) != _others(memory):
        return False
    slots = asked_slots(wish) | {slot for slot, pattern in _NAMES_SLOT.items() if pattern.search(wish)}
    matters = any(matter.search(wish) and matter.search(fold(memory)) for matter in _MATTERS)
    if (matters or slots & mentioned_slots(memory)) and not informative(_without_names(bare)):
        return True
    named = informative(bare)
    return bool(named) and _share(named, memory) >= _MOST


def _without_names(text: str) -> str:
    for pattern in (*_NAMES_SLOT.values(), *_MATTERS):
        text = pattern.sub(" ", text)
    return text


def _tells(before: str, memory: str) -> bool:
    """Whether most of what the memory says was said just before."""
    return _share(informative(memory), before) >= _MOST


def _share(wanted: Sequence[str], text: str) -> float:
    held = informative(text)
    return sum(any(same_unit(unit, other) for other in held) for unit in wanted) / len(wanted) if wanted else 0.0


def _others(text: str) -> set[str]:
    """The people and animals that a text names: 妈 and 妈妈 are one, and so are dog and dogs."""
    found = (match[0] for match in _OTHERS.finditer(fold(text)))
    return {stem(word) if word.isascii() else word[0] for word in found}
