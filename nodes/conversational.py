"""Does a message need the documents? The planner proposes; for a plain question the application insists."""

import re

_QUESTION = re.compile(
    r"[?？]|什么|怎么|怎样|如何|为何|为什么|多少|几[天个次种年月元]|哪[些里个种儿]?|谁|是否|能不能|可不可以|吗|呢"
    r"|^(?:who|what|when|where|why|which|how|is|are|was|were|do|does|did|can|could|should|may|must|will)\b"
    r"|^(?:explain|describe|compare|list|tell me|解释|说明|介绍|比较|列出)",
    re.IGNORECASE,
)
_ABOUT_THE_CONVERSATION = re.compile(
    r"我(?:叫|是谁|的名字|喜欢|不喜欢|讨厌|说过|刚才|之前)|记得我|关于我|了解我|记住|别忘|忘掉|忘记|忘了"
    r"|你(?:好|是谁|叫什么|能做什么|会什么|刚才|上面|之前)|谢谢|再见|上面(?:的|那)|上一[个条]|刚才的|翻译|换[个种]说法|重新说"
    r"|\b(?:my name|who am i|about me|remember|forget|do i (?:like|prefer)|did i (?:say|tell))\b"
    r"|\b(?:hello|hi|hey|thanks|thank you|bye|goodbye)\b|\bwho are you\b|\bwhat can you do\b|\bhow are you\b"
    r"|\b(?:you (?:just )?said|the above|previous (?:answer|message)|your (?:last|previous) answer)\b"
    r"|\b(?:translate|rephrase|shorter|summari[sz]e (?:that|this|it|our))\b",
    re.IGNORECASE,
)


def needs_documents(question: str) -> bool:
    """Whether a message asks for something that is neither small talk nor about the conversation itself.

    Only consulted when the planner wants no search: a local search costs no model call, an answer from the
    model's own knowledge would cost the user's trust.
    """
    stripped = question.strip()
    return bool(_QUESTION.search(stripped)) and not _ABOUT_THE_CONVERSATION.search(stripped)
