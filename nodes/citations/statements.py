"""Which sentences state something that wants a source: not greetings, headings, questions and lead-ins."""

import re

from nodes.citations.identifiers import quotations
from nodes.citations.markers import without_markers
from nodes.citations.numbers import figures
from stores.documents.terms import CJK, fold

_DECORATION = re.compile(r"^[\s>*_#`~-]+|[\s*_`~]+$")
_HEADING = re.compile(r"^\s{0,3}(?:#{1,6}\s|\*\*[^*\n]{1,60}\*\*\s*[:：]?\s*$|__[^_\n]{1,60}__\s*$)")
_PREDICATE = re.compile(
    rf"(?<=[\s{CJK}])(?:是|为|等于|必须|不得|可以|应当?|禁止)(?=[\s\d{CJK}])|[=：:]\s?\S"
    rf"|(?<![a-z])(?:is|are|was|were|must|can|equals?)(?![a-z])",
    re.IGNORECASE,
)
_RULE = re.compile(r"^[\s|:*_=~-]+$")
_LABEL = re.compile(rf"^(?:[{CJK}A-Za-z0-9（）()/&+.·\s-]{{1,30}})[:：]$")
_QUESTION = re.compile(r"[?？]\s*[”\"』」)）]?\s*$")
_COURTESY = re.compile(
    r"(?:你好|您好|早上好|晚上好|嗨|哈喽|好的|当然(?:可以)?|没问题|收到|明白了?|了解|谢谢|感谢(?:您"
    r"|你)的?(?:提问|咨询|来信)?|不客气|不用谢|再见|抱歉|对不起"
    r"|很?高兴(?:为您|为你|能)?(?:服务|帮忙|帮到您|帮到你)?|希望(?:这|以上)?(?:些信息|内容"
    r"|回答)?(?:能)?对?(?:您|你)?有(?:所)?帮助|希望能帮到(?:您|你)"
    r"|hello|hi(?: there)?|hey|good (?:morning|afternoon|evening)|sure(?: thing)?|of course|certainly"
    r"|absolutely|okay|ok|got it|understood"
    r"|thanks?(?: you)?(?: (?:very|so) much)?(?: for (?:asking|your question))?|you(?:'|’)?(?:re"
    r"| are) welcome|goodbye|bye|sorry|my apologies|i apologi[sz]e|great question"
    r"|(?:i )?hope (?:this|that|it) helps?|happy to help|glad to help|no problem)",
    re.IGNORECASE,
)
_OFFER = re.compile(
    r"^(?:(?:如|如果|若|要是|假如)(?:您|你)?(?:还)?(?:有|需要|想).{0,24}(?:请|可以|欢迎|随时"
    r"|尽管).{0,16}|(?:请|欢迎)(?:随时|继续)?.{0,6}(?:告诉我|提问|联系我|问我).{0,6}"
    r"|(?:please )?(?:let me know|feel free to ask|just ask)\b.{0,60}|if you (?:have|need|want"
    r"|would like)\b.{0,60}\b(?:let me know|feel free|just ask|ask me|happy to)\b.{0,40})$",
    re.IGNORECASE,
)
_NOT_TOLD = re.compile(
    r"^(?:不过|但是?|另外|然而|however|but)?[,，\s]*(?:(?:根据)?(?:提供的|现有的?|以上|检索到的|这些"
    r"|给出的|您的|你的)*(?:资料|文档|材料|内容|段落|上下文|信息|片段|文件)(?:中|里|内)?[,，]?(?:都|均"
    r"|并)?(?:没有|未|并未|没)(?:明确|具体|直接)?"
    r"(?:提到|提及|说明|包含|涉及|给出|提供|找到|记载|写明|讨论)|(?:我)?(?:没有|未能?"
    r"|没)(?:在[^，。]{0,16}[中里])?(?:找到|查到|检索到)"
    r"|the (?:provided |given |retrieved )?(?:passages?|documents?|materials?|context|sources?"
    r"|texts?) (?:do(?:es)?|did) ?(?:not|n['’]t) (?:explicitly |directly )?(?:mention|contain|say"
    r"|state|specify|include|provide|cover|discuss|address)"
    r"|i (?:could|can|did)(?: ?not|n['’]t) find)[^，,;；]{0,80}[。.!！]?$",
    re.IGNORECASE,
)
_NOTED = re.compile(
    r"^(?:好的?[,，]?\s*)?(?:我)?(?:已经?|会|将)?(?:记住|记下|记录)(?:了|下来了?|这一?点)?$"
    r"|^(?:ok(?:ay)?[,.]?\s*)?(?:noted|i(?:'|’)ll remember(?: that)?|i will remember(?: that)?)$",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(
    r"根据|依据|按照|参照|参考|结合|基于|关于|对于|有关|针对|在|从|您|你|我|们|的|了|来|去|所|给|出"
    r"|提供|检索|查询|查阅|查找|搜索|找|到|查|见|中|里|内|上|下面?|如下|以下|以上|相关|内容|信息|资料"
    r"|文档|文件|材料|原文|条款|段落"
    r"|规定|说明|描述|记载|写道|写着|这样|写|说|提到|指出|显示|表明|总结|概括|归纳|简而言之|综上|总之"
    r"|也就是说|换句话说|具体|详细|主要|几|点|方面|部分|步骤|要点|区别|差异|原因|做法|方法|答案|回答"
    r"|结果|结论|问题|情况|如|可以|分为|包括|有|是|为|一些|这些|其|和|与|及|请|看|就|首先|其次|最后"
    r"|另外|此外|所示"
    r"|(?<![a-z])(?:here(?:'|’)?s?|is|are|was|what|i|we|found|find|the|a|an|in|on|of|for|to|from|by"
    r"|and|as|about|your|you|my|our|its?|this|that|these|those|according|based|per|documents?"
    r"|documentation|passages?|materials?"
    r"|sources?|texts?|files?|notes?|information|details?|relevant|following|follows|below|above"
    r"|answers?|questions?|results?|summary|summari[sz]ed?|concise|brief|short|overview|key|main"
    r"|points?|steps?|in short|overall|says?|said|states?|stated|reads?|shows?|quoted?|excerpts?"
    r"|provided|retrieved|given|first|second|finally|also|there|they|core|pieces|described|covering"
    r"|list|with|their|own|languages?|original)(?![a-z])",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(r"(?:如下|以下.{0,8}|as follows|the following|below)\s*[:：]$", re.IGNORECASE)
_ATTRIBUTES = re.compile(
    r"^(?:根据|依据|按照|参照|据|关于|在|(?:according to|based on|per|from|in|here (?:is|are)|here['’]s)(?![a-z]))",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"(?:的?(?:说法|描述|规定|原文|内容|要求|表述)(?:是|为)?|是?(?:这样|这么)?(?:写|说|规定|描述|记载)(?:道|的|着|到)?|如下)[:：]$"
    r"|(?<![a-z])(?:(?:it is )?(?:written|stated)(?: there)?(?: that)?|(?:says?|states?|reads?|writes?)(?: that)?"
    r"|as follows|the following)\s*[:：]$",
    re.IGNORECASE,
)
_SOURCE_NOUN = re.compile(
    r"资料|文档|文件|材料|规则|规定|制度|手册|办法|条例|原文|章程|指南|说明|讲义|教材|段落|文中|书中"
)
_SHORT_FRAME = 16
_LETTER = re.compile(rf"[A-Za-z0-9{CJK}]")


def states_something(sentence: str) -> bool:
    """Does this sentence, markers aside, say anything that would have to be proven from a source?"""
    text = fold(without_markers(sentence))
    if not _LETTER.search(text) or _RULE.match(text):
        return False
    if _HEADING.match(text):
        return bool(_PREDICATE.search(_bare(text).rstrip(":：")) and _has_fact(text))
    bare = _bare(text)
    if _QUESTION.search(bare):
        return bool(figures(bare, claims=True).quantities)
    if _NOT_TOLD.match(bare) or _NOTED.match(bare.rstrip("。.!！")):
        return False
    if bare.endswith((":", "：")):
        short = len(bare) <= _SHORT_FRAME and _SOURCE_NOUN.search(bare) and _SAYS.search(bare)
        return not (_leads_in(bare) or (short and is_frame(bare)))
    rest = _COURTESY.sub(" ", bare)
    return not (_is_empty(rest) or _is_offer(rest))


def is_frame(sentence: str) -> bool:
    """Does this line only say whose words follow? "According to the rules:", 资料的说法是："""
    text = _bare(fold(without_markers(sentence)))
    if not text.endswith((":", "：")) or _has_fact(text) or quotations(text):
        return False
    framed = bool(_ATTRIBUTES.match(text) or _SAYS.search(text))
    rest = _ATTRIBUTES.sub("", _SAYS.sub("", text)).rstrip(":：")
    return framed and not _PREDICATE.search(rest)


def _leads_in(text: str) -> bool:
    """A line that ends in a colon and only announces or names what follows."""
    if _has_fact(text) or quotations(text):
        return False
    if _is_empty(_LEAD_IN.sub("", _COURTESY.sub(" ", text))):
        return True
    if re.search(r"[,，;；。]", text):
        return False
    return bool(_ANNOUNCES.search(text)) or (bool(_LABEL.match(text)) and not _PREDICATE.search(text.rstrip(":：")))


def _is_offer(text: str) -> bool:
    return bool(_OFFER.match(text.strip(" ,，。.!！~"))) and not _has_fact(text)


def _is_empty(text: str) -> bool:
    return not _LETTER.search(text)


def _has_fact(text: str) -> bool:
    return bool(figures(re.sub(r"^[\s#>*_]*(?:\d+(?:\.\d+)*[.、\s])?", "", text), claims=True))


def _bare(text: str) -> str:
    return _DECORATION.sub("", text).strip()
