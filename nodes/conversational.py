"""Does a message need the documents? The planner proposes; for a plain question the application insists."""

import re

from stores.memories.intent import wants_forgetting, wants_remembering

_QUESTION = re.compile(
    r"[?？]|什么|怎么|怎样|如何|为何|为什么|多少|几[天个次种年月元岁只条口号]|哪[些里个种儿]?|谁|是否|能不能"
    r"|可不可以|吗|呢"
    r"|^(?:who|what|when|where|why|which|how|is|are|was|were|do|does|did|can|could|should|may|must|will)\b"
    r"|^(?:please )?(?:explain|describe|compare|list|tell me|summari[sz]e|quiz|解释|说明|介绍|比较|列出)"
    r"|总结|概括|归纳|概述|(?<!第)[几两一二三四五六七八九十\d]+\s*道[^，。]{0,8}题|(?:出|编|写|做"
    r"|来)[^，。第]{0,14}(?:复习|练习|测试|自测)题|考考?我"
    r"|\b(?:summary|overview) of\b|\b(?:review|practi[cs]e|quiz) questions?\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"^(?:请|麻烦|帮我|帮忙|给我)*"
    r"(?:看看|展示|查(?:一下|找|询|查)?|找(?:一下|出|到)?|搜索?|列举|写出|给出|引用|摘录|对比)[^，。]{2,}"
    r"|^(?:please |can you |could you )?"
    r"(?:show|find|look up|search|quote|cite|give the|get the|name the|outline)\b.{3,}",
    re.IGNORECASE,
)
"""Asks for something without the shape of a question."""
_ABOUT_THE_CONVERSATION = re.compile(
    r"我(?:叫|是谁|的名字|喜欢|不喜欢|讨厌|说过|刚才|之前)|记得我|关于我|了解我|记住|别忘|忘掉|忘记|忘了"
    r"|你(?:好|是谁|叫什么|能做什么|会什么|刚才|上面|之前)|谢谢|再见|上面(?:的|那)|上一[个条]|刚才的|翻译"
    r"|换[个种]说法|重新说"
    r"|\b(?:my name|who am i|about me|remember|forget|do i (?:like|prefer)|did i (?:say|tell))\b"
    r"|\b(?:hello|hi|hey|thanks|thank you|bye|goodbye)\b|\bwho are you\b|\bwhat can you do\b|\bhow are you\b"
    r"|\b(?:you (?:just )?said|the above|previous (?:answer|message)|your (?:last|previous) answer)\b"
    r"|\b(?:translate|rephrase|shorter|summari[sz]e (?:that|this|it|our)"
    r"(?! (?:document|file|paper|article|manual|chapter|section|page|text|course)))\b",
    re.IGNORECASE,
)
_SMALL_TALK = re.compile(
    r"^\W*(?:(?:你好|您好|嗨|哈喽|大家好|早上好|早安|上午好|下午好|晚上好|晚安|再见|拜拜|在吗|好的?|嗯+|行|可以"
    r"|知道了?|明白了?|收到|了解"
    r"|没事|(?:非常|多|太)?(?:谢谢|感谢|多谢|谢了|辛苦)(?:[你您]|大家|了|啦)*(?:的?(?:帮助|回答|解答))?"
    r"|[啊呀哦呢吧了哈])[\W_]*)+$"
    r"|^\W*(?:(?:hi|hello|hey|good (?:morning|afternoon|evening|night)|bye|goodbye|see you|ok(?:ay)?|sure|great"
    r"|perfect|got it|i see"
    r"|all right|alright|fine|cool|nice|(?:many |great,? |ok(?:ay)?,? )?(?:thanks|thank you|thx)(?: a lot"
    r"| so much| very much| again)?"
    r"|there|all|how are you)[\W_]*)+$",
    re.IGNORECASE,
)
_ASKS_TOO = re.compile(
    r"告诉我|查|流程|步骤|tell me|explain|find|look up|show me|compare|describe|总结|概括|解释", re.IGNORECASE
)
_PURE_TOOL = re.compile(
    r"^\W*(?:请|帮我|麻烦)*(?:计算|算一?下?|算算|calculate|compute|what(?:['’]s| is)|how much is)?"
    r"(?:[\s\d.,()+\-*/×÷^%＋－＝=（）]|加上?|减去?|乘以?|除以|等于|是|的|多少|plus|minus|times|divided by|of"
    r"|equals?)+[?？。!！]*$"
    r"|^\W*(?:请问)?(?:今天|明天|昨天|后天|前天|现在|今日)(?:是)?(?:几号|几月几[号日]|星期几|周几|礼拜几|几点了?"
    r"|什么日期|哪一?天)[?？。\s]*$"
    r"|^\W*what(?:['’]s| is) (?:the )?(?:date|time|day)(?: today| now)?\W*$|^\W*what (?:day|time"
    r"|date) is it(?: today| now)?\W*$",
    re.IGNORECASE,
)


_ABOUT_USER = re.compile(
    r"(?:^|[，,。！!\s]|你|记得|知道|请问|说说|那|所以)我(?:现在|目前|今年|还|到底|平时|最近|最|的|家的?|对|是|在"
    r"|不|到底)*"
    r"(?:哪(?:里|儿|个城市|家公司|个公司|所学校)?(?:住|工作|上班|生活|出生|上学|长大)|住|搬到|来自|老家|家乡|家在"
    r"|叫|姓|名字|全名|姓名|昵称|是谁|是做|是干|多大|几岁|岁数|年龄|生日|属什么|职业|工作|职位|岗位|上班|做什么"
    r"|干什么"
    r"|[不最]?(?:喜欢|爱[吃喝玩看听好]|讨厌)|偏好|口味|爱好|习惯|不?能?(?:吃|喝)(?:什么|哪)|(?:什么|哪些东?西?"
    r"|啥)[^，。？?]{0,4}过敏|[^，。？?]{1,8}过敏吗|过敏"
    r"|(?:[一二两三几]?[只条个位])?(?:[大小]?(?:猫|狗|兔子|仓鼠|鹦鹉|乌龟|宠物|儿子|女儿|孩子|娃)|爸|妈|父亲|母亲"
    r"|父母|妻子|老婆|丈夫|老公|男朋友|女朋友"
    r"|男友|女友|对象|哥哥|姐姐|弟弟|妹妹|爷爷|奶奶|外公|外婆|家人|老板|上司|同事|朋友|室友)"
    r"|手机号|电话|邮箱|车|衣服|鞋|身高|体重|血型|星座|编辑器|会说?(?:什么|哪|几)|养(?:了|的)?(?:什么|几|哪|宠物))"
    r"|\b(?:where|who|what|which|when|how)\b[^.?!]{0,40}\b(?:do|did|am|was"
    r"|have) i\b[^.?!]{0,30}\b(?:work|live|like|prefer|love|hate|enjoy"
    r"|dislike|eat|drink|born|allergic|called|named|from|based|do for a living|speak|drive|own)\b"
    r"|\b(?:where|who|what) (?:do|am) i(?: (?:live|work|do))?[?\s]*$|\bhow old am i\b|\bam i allergic\b"
    r"|\bdo i (?:have (?:any |an? )?(?:pets?|allerg\w+|kids|children|cat|dog|siblings)|live|work|like"
    r"|prefer|love|hate)\b"
    r"|\bmy (?:(?:full |first |last |favou?rite |old |little |older |younger )?)(?:name|job|employer"
    r"|company|role|title|profession|occupation|birthday"
    r"|age|address|home ?town|city|hobb(?:y|ies)|allerg(?:y|ies)|dog|cat|pet|parrot|rabbit|horse|wife"
    r"|husband|partner|son|daughter|kids?|child(?:ren)?"
    r"|mother|father|mom|mum|dad|brother|sister|boss|manager|friend|colou?r|food|drink|editor|car"
    r"|shoe size|height|diet)s?(?:'s?)?\b",
    re.IGNORECASE,
)
_MATTER = re.compile(
    r"政策|规定|制度|流程|条款|合同|手册|文档|资料|假|报销|补贴|申请|审批|怎么办|如何|可以|应该|需要|能否|多少钱|要求"
    r"|\b(?:polic(?:y|ies)|rules?|contract|handbook|document|leave|vacation|refund|reimburse\w*"
    r"|entitle\w*|how (?:do|can|should) i|should|may i|can i"
    r"|allowed|need to|have to|must)\b",
    re.IGNORECASE,
)


def asks_about_user(question: str) -> bool:
    """Whether a question asks who the user is, has or likes: only what is remembered can answer it.

    What rules grant the user (我的年假, "my leave") is a matter of documents.
    """
    stripped = question.strip()
    asking = _QUESTION.search(stripped) or re.search(r"\b(?:do|remind|tell) (?:you|me)\b", stripped, re.IGNORECASE)
    return bool(asking and _ABOUT_USER.search(stripped)) and not _MATTER.search(stripped)


def searches_nothing(question: str) -> bool:
    """Whether a message is small talk, or a request to remember or forget and nothing else.

    Whatever a planner proposes, there is nothing to look up for it.
    """
    stripped = question.strip()
    if _SMALL_TALK.match(stripped):
        return True
    if _QUESTION.search(stripped) or _ASKS_TOO.search(stripped):
        return False
    return wants_remembering(stripped) or wants_forgetting(stripped)


def is_for_a_tool(question: str) -> bool:
    """Whether a message asks for nothing but a sum or today's date."""
    return _PURE_TOOL.match(question.strip()) is not None


def needs_documents(question: str) -> bool:
    """Whether a message asks for something that is neither small talk nor about the conversation itself.

    Only consulted when the planner wants no search: a local search costs no model call, an answer from the
    model's own knowledge would cost the user's trust.
    """
    stripped = question.strip()
    if asks_about_user(stripped):
        return False
    asks = _QUESTION.search(stripped) or _ORDER.search(stripped)
    return bool(asks) and not _ABOUT_THE_CONVERSATION.search(stripped)
