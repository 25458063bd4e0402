"""What the user wants of their memory: remember, forget, forget everything, keep this out.

Wishes count anywhere in a sentence, and only in the user's own words.
"""

import re

from stores.memories.own_words import own_words

_NOT_BEFORE_FORGET_ZH = re.compile(
    r"(?:别|不要|勿|莫|没有?|不会|不能|不想|不可|难|可别|千万别|从未|未|差点|差点儿|险些|老是?|总是?"
    r"|经?常|容易|怕|以免|免得|生怕|好像|健|遗|永不|是否|是不是|怎么|为什么|干嘛|居然|竟然?)(?:又|再|给"
    r"|把它|把|就)?$"
    r"|(?<!关于)(?<!有关)(?:我|他|她|它|咱|大家|人)们?(?:又|也|都|就|竟然?|居然|刚才?|刚刚|完全|已经?"
    r"|早就?|老是?|总是?|经?常|差点|好像|可能|全|一时|还是?|忽然|突然|真的?)*(?:给|把[^，。]{1,8})?$"
    r"|(?<!请)(?<!希望)(?<!想让)(?<!想要)(?<!要求)(?<!麻烦)(?<!让)你们?(?:又|也|都|竟然?|居然|刚才?|完全"
    r"|已经?|是不是|好像|可能|怎么|为什么|还是?)*$"
)
_FORGET_ZH = re.compile(r"忘(?:掉|了|记|却|光)(?P<after>[^，。！？!?\n]{0,6})")
_NOT_AFTER_FORGET_ZH = re.compile(
    r"^(?:说|告诉|讲|提|问|带|写|发|做|买|加|补|交|拿|关(?!于)|吃|喝|锁|回|还|怎么|怎样|如何|什么|哪|谁"
    r"|多少|跟|和你|在哪|放|是|密码|过去|时间|这回事|一件事|一点|存|保存|打|充|设|签|订|付|去|来|没|吗"
    r"|呢)"
)
_DELETE_ZH = r"(?:删掉|删除|删了|删去|删|清除|清掉|清空|清理掉|抹掉|抹去|抹除|移除|去掉|擦掉|擦除|销毁|丢掉)"
_MEMORY_ZH = (
    r"(?:记忆|记性|你记(?:得|住|着|下|录)|(?:记|存|保存|记录)(?:的|了|过|下|住)[^，。]{0,6}|记下的"
    r"|关于我|有关我|我告诉过?你|我说过|我跟你说|你知道)"
)
_DELETE_MEMORY_ZH = re.compile(
    rf"{_DELETE_ZH}[^，。！？\n]{{0,20}}{_MEMORY_ZH}|{_MEMORY_ZH}[^。！？\n]{{0,24}}{_DELETE_ZH}"
)
_DELETE_NEGATED_ZH = re.compile(
    rf"(?:别|不要|不用|不必|勿|不能|不许|先别|没有?|不想|不会)(?:再)?(?:把[^，。]{{0,16}})?{_DELETE_ZH}"
)
_STOP_KEEPING_ZH = re.compile(r"(?:别|不要|不用|不必|无需)再(?:继续)?(?:记|存|保存|留)(?:住|着|得|下)?")

_FORGET_EN = re.compile(
    r"\bforget\s+(?:that|my|what|about|everything|anything|all|this|the|where|who|how|i\b|our|me\b"
    r"|(?:any|every)thing)(?P<after>[^.!?\n]{0,30})",
    re.IGNORECASE,
)
_NOT_BEFORE_FORGET_EN = re.compile(
    r"\b(?:don['’]?t|do not|never|not|won['’]?t|will not|can['’]?t|cannot|can not|couldn['’]?t"
    r"|didn['’]?t|did not|i|we|they|he|she|people|always|often|sometimes|lest|let['’]?s not|to not"
    r"|you (?:always|often|keep)|did you|do you|why (?:do|did) you|tend to|easy to|hard to|before i"
    r"|in case i|so i|nor|if you|wouldn['’]?t)(?:\s+(?:ever|just|please|you|always|often|also))*\s*$",
    re.IGNORECASE,
)
_DISMISSAL_EN = re.compile(r"^(?:about\s+)?(?:it|that)\s*(?:$|[,.!?]|for now|then)", re.IGNORECASE)
_ERASE_EN = r"(?:delete|erase|remove|wipe|clear|drop|purge|scrub|get rid of|forget)"
_MEMORY_EN = (
    r"(?:memor(?:y|ies)|(?:you(?:['’]?ve| have)?|u) (?:know|remember|remembered|stored|saved|kept|noted"
    r"|learned|learnt|have (?:on|about))|about me\b|i (?:told|gave) you|your (?:notes|records))"
)
_ERASE_MEMORY_EN = re.compile(rf"\b{_ERASE_EN}\b[^.!?\n]{{0,60}}\b{_MEMORY_EN}", re.IGNORECASE)
_STOP_KEEPING_EN = re.compile(
    r"\b(?:stop|quit) (?:remembering|storing|keeping)\b|\b(?:don['’]?t|do not|no longer"
    r"|no need to) (?:remember|keep|store) [^.!?\n]{0,40}\b(?:any ?more|any longer)\b",
    re.IGNORECASE,
)

_REMEMBER_ZH = re.compile(
    r"记住|牢记|谨记|记着|记得|记一下|记下来?|记个|帮我记|给我记|请记|记好|(?:别|不要|勿|不可|切勿"
    r"|千万别)(?:再)?忘(?:了|记|掉)?(?!说|带)"
)
_NOT_BEFORE_REMEMBER_ZH = re.compile(
    r"(?:别|不要|不用|不必|无需|勿|没有?|不|难|还|能不能|是否|是不是|都|我|他|她|们|谁|应该|已经|可能"
    r"|好像|还能)(?:再|必|要|用|会|能)?$|你(?:还|都|能|也|现在)?(?:能|会)?$"
)
_NOT_AFTER_REMEMBER_ZH = re.compile(
    r"^(?:(?:帮|替|给)我(?:查|找|搜|看|算|写|发|翻|总|整理|订|问|提醒)|吗|么|不|了(?:吗|没|哪|什么|多少)|的|多少|哪|谁|什么|过|我(?:是谁|叫什么|的?什么|说过?什么|哪))"
)
_REMEMBER_EN = re.compile(
    r"\bremember\b(?! (?:when|how|why|what|where|who|which|to (?:check|look|find|send|tell|remind"
    r"|show))\b)|\bkeep in mind\b|\bbear in mind\b"
    r"|\b(?:make|take) (?:a )?note\b|\bnote (?:that|down)\b|\bfor future reference\b|\bfor the record\b"
    r"|\b(?:don['’]?t|do not|never) (?:ever )?forget (?!to\b)",
    re.IGNORECASE,
)
_NOT_BEFORE_REMEMBER_EN = re.compile(
    r"\b(?:do you(?: still)?|did you|can['’]?t|cannot|could(?:n['’]?t)?|don['’]?t|do not|didn['’]?t"
    r"|did not|not|never|i|we|he|she|they|you|to not|if you|as i|as far as i|no need to|stop|hard to"
    r"|still|won['’]?t)(?:\s+(?:even|really|still|always|just|to|now|have to|need to|also|vaguely"
    r"|well))*\s*$",
    re.IGNORECASE,
)
_ASKED_TO_EN = re.compile(
    r"\b(?:can|could|will|would|should|must|need|want|like|please"
    r"|to)\s+(?:you\s+)?(?:please\s+)?(?:to\s+|always\s+)*$",
    re.IGNORECASE,
)

_ALL_ZH = re.compile(
    rf"(?:(?:所有|一切|全部|全都|统统|通通|都|全|整个)[^。！？\n]{{0,16}}(?:忘(?:掉|了|记|光)|{_DELETE_ZH}))"
    rf"|(?:(?:忘(?:掉|了|记|光)|{_DELETE_ZH})[^。！？\n]{{0,16}}(?:所有|一切|全部|全都|统统|通通))"
    rf"|清空[^。！？\n]{{0,8}}记忆|忘光"
)
_ALL_TARGET_ZH = re.compile(
    r"一切|记忆|关于我|有关我|我的事|我说过的|我告诉你的|你(?:所)?(?:知道|记得|记住|记下|存)的"
    r"|我的(?:信息|资料|数据)(?:都|全)|忘光|(?:全部|所有|全都|统统|通通)(?:都)?(?:忘|删|清)|(?:忘掉|删除"
    r"|清除|清空)(?:全部|所有)[。！!吧]*$"
)
_ALL_EN = re.compile(
    rf"\b(?:{_ERASE_EN}) (?:absolutely )?(?:everything|anything|all)(?: (?:of )?(?:(?:my|your|the|those"
    rf"|these) )?(?:\w+ )?(?:memor(?:y|ies)|data|information|facts)| (?:that )?(?:you|i|about)"
    rf"|\s*[.!]?\s*$)"
    rf"|\b(?:wipe|clear|erase|reset|delete|purge) (?:out )?(?:all )?(?:your|my|the) (?:whole |entire "
    rf"|complete )?memor(?:y|ies)(?! (?:of|about) (?!me\b))(?: (?:completely|entirely))?"
    rf"|\b{_ERASE_EN} [^.!?\n]{{0,12}}\ball (?:of )?(?:my|your) memories",
    re.IGNORECASE,
)

_PRIVATE_ZH = re.compile(
    r"(?:别|不要|不用|不必|无需|勿|请勿|不许|不准|先别|不需要"
    r"|不可以?)(?:再)?(?:把[^，。！？\n]{0,16})?(?:你)?(?:记(?!得|错|混|恨|仇|者|号|忆)(?:住|录|下来?|着"
    r"|进|入|在)?|(?:存|保存|写|放)(?:进|入|到|在)[^，。]{0,6}记忆|留(?:下)?记录)"
    r"|(?:这|刚才|接下来|下面|以下|本)[^，。！？\n]{0,12}(?:别|不要|不用|不必|勿)(?:存|保存|记)|不留记录"
    r"|无痕|私密对话|保密模式"
)
_PRIVATE_EN = re.compile(
    r"\b(?:don['’]?t|do not|please not|never|no need to|not to|without)\s+(?:you\s+)?(?:remember(?:ing)?"
    r"|stor(?:e|ing)|sav(?:e|ing)|record(?:ing)?|keep(?:ing)?|memori[sz](?:e|ing)|log(?:ging)?|not(?:e"
    r"|ing) down)\s+(?:this|that|it|these|any|anything|what|my|the (?:following|next|last))\b"
    r"|\boff the record\b|\bkeep (?:this|that|it) (?:private|between us|out of (?:your )?memory)\b"
    r"|\bforget (?:that )?i (?:said|mentioned|told|asked|wrote)\b",
    re.IGNORECASE,
)
_NOT_BEFORE_PRIVATE_EN = re.compile(r"\b(?:i|we|you|he|she|they|why)\s+(?:really\s+|just\s+|still\s+)?$", re.IGNORECASE)


def wants_forgetting(text: str) -> bool:
    """Whether the message asks to forget something. "Don't forget", "I forgot" and "never mind" do not."""
    words = own_words(text)
    return forget_all(text) or _forgets_zh(words) or _forgets_en(words)


def forget_all(text: str) -> bool:
    """Whether the message asks to forget everything about the user; that wants a confirmation first."""
    words = own_words(text)
    for clause in re.split(r"[。！？!?\n]", words):
        whole = _ALL_ZH.search(clause) and _ALL_TARGET_ZH.search(clause)
        meant = _forgets_zh(clause) or _DELETE_MEMORY_ZH.search(clause) or "清空" in clause
        if whole and meant and not _DELETE_NEGATED_ZH.search(clause):
            return True
        found = _ALL_EN.search(clause)
        if found and not _NOT_BEFORE_FORGET_EN.search(clause[: found.start()]):
            return True
    return False


def wants_remembering(text: str) -> bool:
    """Whether the message asks in so many words to remember something."""
    words = own_words(text)
    for found in _REMEMBER_ZH.finditer(words):
        before, after = words[: found.start()], words[found.end() :]
        forbidden = "忘" not in found[0] and _NOT_BEFORE_REMEMBER_ZH.search(before)
        if not forbidden and not _NOT_AFTER_REMEMBER_ZH.match(after):
            return True
    for found in _REMEMBER_EN.finditer(words):
        before = words[: found.start()]
        if _ASKED_TO_EN.search(before) or not _NOT_BEFORE_REMEMBER_EN.search(before):
            return True
    return False


def wants_privacy(text: str) -> bool:
    """Whether the message asks that it, or what it is about, be kept out of memory."""
    words = own_words(text)
    if _PRIVATE_ZH.search(words):
        return True
    return any(not _NOT_BEFORE_PRIVATE_EN.search(words[: found.start()]) for found in _PRIVATE_EN.finditer(words))


def _forgets_zh(words: str) -> bool:
    for found in _FORGET_ZH.finditer(words):
        clause = re.split(r"[，,。！？!?\n；;]", words[: found.start()])[-1]
        after = found["after"]
        if _NOT_BEFORE_FORGET_ZH.search(clause):
            continue
        if found[0][:2] != "忘掉" and _NOT_AFTER_FORGET_ZH.match(after):
            continue
        if not clause and not after and found[0] == "忘了":
            continue
        return True
    erased = _DELETE_MEMORY_ZH.search(words) and not _DELETE_NEGATED_ZH.search(words)
    return bool(erased or _STOP_KEEPING_ZH.search(words))


def _forgets_en(words: str) -> bool:
    for found in _FORGET_EN.finditer(words):
        rest = found[0][len("forget") :].strip()
        if not _NOT_BEFORE_FORGET_EN.search(words[: found.start()]) and not _DISMISSAL_EN.match(rest):
            return True
    for found in _ERASE_MEMORY_EN.finditer(words):
        if not _NOT_BEFORE_FORGET_EN.search(words[: found.start()]):
            return True
    return bool(_STOP_KEEPING_EN.search(words))
