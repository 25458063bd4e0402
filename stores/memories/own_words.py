"""The user's own words: a message without code, quotations and pasted text.

Nothing outside them is evidence for a memory or a wish: a document that says "delete everything" was not said
by the user, even when the user sent it.
"""

import re

GAP = "\ufffc"
"""Stands where something was taken out, so that what was apart stays apart."""

_FENCED = re.compile(r"(```|~~~).*?(?:\1|\Z)", re.DOTALL)
_INLINE_CODE = re.compile(r"`[^`\n]*`")
_TAGGED = re.compile(r"<([A-Za-z][\w-]*)(?:\s[^<>]*)?>.*?(?:</\1>|\Z)", re.DOTALL)
_BLOCK_QUOTE = re.compile(r"^[ \t]*[>＞|].*$", re.MULTILINE)
_RULED = re.compile(
    r"^[ \t]*([-=*_]{3,}|[-=]{2,}.{0,40}[-=]{2,})[ \t]*$.*?(?:^[ \t]*[-=*_]{3,}.*?$|\Z)",
    re.DOTALL | re.MULTILINE,
)
_QUOTED = re.compile(
    r"“[^”]*(?:”|\Z)|„[^“”]*[“”]|‘[^’\n]*’(?![A-Za-z])|「[^」]*(?:」|\Z)|『[^』]*(?:』|\Z)|«[^»]*»"
    r"|\"[^\"]*(?:\"|\Z)|＂[^＂]*＂"
    r"|(?<![A-Za-z0-9])'[^'\n]+'(?![A-Za-z])"
)
_SPEECH_BEFORE = re.compile(
    r"(?:[:：]|说|道|问|喊|讲|写|写着|回复|表示|叫做?(?=.{0,0}\Z)|\b(?:said|says?|told|asks?|asked|wrote"
    r"|writes|reads|goes|replied|text(?:ed)?|email(?:ed)?))[,，:：\s]*\Z",
    re.IGNORECASE,
)
_SPEECH_INSIDE = re.compile(
    r"我|你|您|记住|记得|忘|删|\b(?:i|my|me|you|your|remember|forget|delete|ignore)\b", re.IGNORECASE
)
_LONGEST_NAME = 24
_LONGEST_TASK = 80

_TASK = (
    r"(?:总结|概括|归纳|摘要|翻译|译成|译一下|润色|改写|修改|校对|纠错|解释|分析|看看|看一下|看下|审一下"
    r"|审阅|审核|检查|读一下|读读|提取|整理|改一下|改成|评价|点评|怎么看|什么意思|讲了什么|说了什么"
    r"|summari[sz]e|summary|translate|rewrite|polish|proofread|explain|analy[sz]e|review|check|edit"
    r"|extract|fix|paraphrase"
    r"|look at|read|tl;?dr|what (?:does|do) (?:this|it|that)|what(?:'s| is) this)"
)
_DEICTIC = (
    r"(?:这|上面|下面|以上|以下|下列|如下|原文|全文|它"
    r"|\b(?:this|these|the (?:above|following|below|text|page|article|document|email|e-mail|message"
    r"|contract|passage|paragraph)|above|below|it)\b)"
)
_MATERIAL = (
    r"(?:网页|页面|文章|文档|文件|邮件|合同|材料|资料|内容|文字|文本|段落|段话|这段|日志|聊天记录|短信"
    r"|通知|公告|帖子|简历|新闻|原文|全文"
    r"|\b(?:page|article|document|e-?mail|contract|text|log|message|post|passage|paragraph|notes?"
    r"|transcript|news|letter|snippet|following|content)\b)"
)
_BARE_TASK = re.compile(
    rf"^\s*(?:请|麻烦|帮我|帮忙|给我|能不能|可以|please|can you|could you|help me|kindly|quickly|\s|,"
    rf"|，)*{_TASK}"
    rf"(?:一下|下|一遍|成(?:中文|英文|英语)|(?:in)?to (?:english|chinese)|吧|吗|\s|for me|please"
    rf"|{_DEICTIC}|{_MATERIAL}|的|in one sentence|briefly)*[。.!！?？\s]*$",
    re.IGNORECASE,
)
_DEICTIC_TASK = re.compile(rf"{_TASK}.{{0,12}}{_DEICTIC}|{_DEICTIC}.{{0,20}}{_TASK}", re.IGNORECASE)
_INTRODUCTION = re.compile(
    rf"(?:{_TASK}|{_DEICTIC}|{_MATERIAL}|写(?:一|个|封|篇|段|首)|\b(?:write|draft|here (?:is|are)|here's"
    rf"|from)\b)[^\n:：]{{0,40}}[:：]",
    re.IGNORECASE,
)
_ABOUT_SELF = re.compile(
    r"记住|记得|记一下|记下|别忘|关于我|我的(?:情况|信息|偏好|习惯|要求|资料)|自我介绍|\b(?:remember"
    r"|about me|my (?:details|preferences|profile|info)|note that|keep in mind)\b",
    re.IGNORECASE,
)
_FIELD = re.compile(
    r"(?:^|(?<=[\n。；;，,]))[ \t]*[^\s:：，,。；;]{1,12}(?: [A-Za-z]{1,12})?[:：][ \t]*[^\n。；;，,\ufffc]+",
    re.MULTILINE,
)
_FIRST_PERSON = re.compile(r"我|咱|俺|本人|记|忘|删|\b(?:i|i'm|my|me|remember|note|forget|delete)\b", re.IGNORECASE)


def own_words(message: str, *, names: bool = False) -> str:
    """The message with everything that is not the user's own speech replaced by a gap.

    With `names`, a short quoted term inside a sentence (我喜欢“深色模式”) stays, as it names something and
    repeats nobody; without, every quotation goes.
    """
    text = message
    for pattern in (_FENCED, _TAGGED, _RULED, _INLINE_CODE, _BLOCK_QUOTE):
        text = pattern.sub(GAP, text)
    text = _drop_introduced(text)
    text = _drop_around_task(text)
    text = _QUOTED.sub(lambda match: _quotation(match, names=names), text)
    return _FIELD.sub(_field, text)


def _quotation(match: re.Match[str], *, names: bool) -> str:
    inside = match[0][1:-1]
    before = match.string[: match.start()]
    if (
        names
        and len(inside) <= _LONGEST_NAME
        and not _SPEECH_INSIDE.search(inside)
        and not _SPEECH_BEFORE.search(before)
    ):
        return inside
    return GAP


def _field(match: re.Match[str]) -> str:
    """A `label: value` of a form is not speech, unless its label or value speaks of the user."""
    return match[0] if _FIRST_PERSON.search(match[0]) else GAP


def _drop_introduced(text: str) -> str:
    """Drop what follows "summarise this page:" to the end of the message."""
    for found in _INTRODUCTION.finditer(text):
        line_start = max(text.rfind(mark, 0, found.start()) for mark in "\n。！？!?") + 1
        if not _ABOUT_SELF.search(text[line_start : found.end()]):
            return text[: found.end()] + GAP
    return text


def _drop_around_task(text: str) -> str:
    """Drop the other lines of a message whose first or last line asks to work on a text without naming one."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) > 1:
        for index in (0, len(lines) - 1):
            if _works_on_text(lines[index]) and not _ABOUT_SELF.search(lines[index]):
                return lines[index] if index else lines[index] + GAP
        return text
    parts = [part for part in re.split(r"(?<=[。！？!?；;])|(?<=\.)\s", text) if part.strip()]
    if len(parts) > 1 and any(_works_on_text(part) for part in (parts[0], parts[-1])):
        return GAP.join(p for p in parts if _works_on_text(p) or _FIRST_PERSON.search(p))
    return text


def _works_on_text(line: str) -> bool:
    return bool(_BARE_TASK.match(line) or (len(line) <= _LONGEST_TASK and _DEICTIC_TASK.search(line)))
