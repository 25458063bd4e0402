"""What each clause of a message is: a statement about the user, a standing wish, a question, a role played …

Only what the user says about themselves, or how they want to be answered, may become a memory.
"""

import re
from dataclasses import dataclass, replace
from typing import Literal

from stores.memories.intent import wants_remembering
from stores.memories.own_words import GAP, own_words
from stores.memories.text import clauses, sentences

Kind = Literal["statement", "directive", "question", "request", "hypothetical", "reported", "momentary"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One clause of the user's own words.

    `holder` is who or what it is about when that is not the user: 老板 in 我老板对花生过敏, `cat` in "my cat is
    called Tom"; empty for the user.
    """

    text: str
    kind: Kind
    holder: str = ""


_HYPOTHETICAL = re.compile(
    r"假设|假如|假定|假装|假想|设想|想象|扮演|角色扮演|(?:如果|若|要是|倘若|万一)我(?:是|有|不|没|叫|住"
    r"|能|变成|当)|就当我|当我是|把我当|把自己当|以.{1,12}(?:的)?(?:身份|口吻|视角|角度)|比方说我"
    r"|比如说?我是|例如我是|举个例子|例句|例子里|小说|剧本|台词"
    r"|\b(?:as if|as though|pretend\w*|imagin\w+|suppos(?:e|ing)|assum(?:e|ing)|hypothetical\w*"
    r"|role[- ]?play\w*|act as|what if|let['’]?s say|say (?:that )?i['’]?(?:m| am| was| were)"
    r"|if i (?:were|was|had|lived|worked|am)|were i|for example i|in character|in the (?:story|novel"
    r"|role))\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"(?P<who>他们?|她们?|有人|别人|人家|大家|对方|客户|领导|书上|书里|文章里?|网上|作者|新闻"
    r"|[\u4e00-\u9fff]{1,6})(?:跟我|对我|和我|给我|又|总|常|还|就)?(?:说过?|讲|问|写道|写着|表示|认为"
    r"|觉得|声称|回复|告诉我)(?:[:：,，]|(?=他|她|自己|我))"
    r"|(?P<en>\b(?:he|she|they|someone|somebody|people|everyone|(?:my|the|our|a|his|her) \w+(?: \w+)?"
    r"|[A-Z][a-z]+)) (?:once |always |just |also )?(?:said|says|told|tells|asked|asks|wrote|writes"
    r"|thinks|thought|claims|claimed|replied|texted|believes|mentioned)\b",
    re.IGNORECASE,
)
_SELF_REPORT = re.compile(
    r"(?:我|你|您|可以|应该|想|是|也|再|要|来|么|怎|就|这样|那样|跟你|和你|对你|请|不用|老实|坦白|总的来"
    r"|换句话|简单|具体)$|^(?:i|you|we)\b",
    re.IGNORECASE,
)

_QUESTION_MARK = re.compile(r"[?？]\s*$")
_QUESTION_WORD = re.compile(
    r"什么(?!都|也|的)|谁(?!都|也)|哪(?!怕)|怎么(?!都|也|样都)|怎样|如何|为什么|为何|几(?:个|点|岁|号|时"
    r"|天|次)(?!都)|多少(?!都)|是不是|是否|有没有|能不能|可不可以|要不要|会不会|行不行|(?:吗|么"
    r"|呢)[？?。!！\s]*$"
    r"|^\s*(?:and |so |but |then |hey,? |well,? )*(?:what|who|whom|whose|which|where|when|why|how|do"
    r"|does|did|is|are|am|was|were|can|could|should|would|will|have|has|may|might)(?:['’]s"
    r"|n['’]t)?\s+(?!i (?:don|do not))",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"以后|今后|往后|从现在起|从今天起|从此|从今以后|每次|每回|总是|始终|一直|一律|永远|默认|统一|都这样"
    r"|下次|将来|都用|都要|都请"
    r"|\b(?:from now on|always|never|in (?:the )?future|going forward|from here on|every time|each time"
    r"|by default|whenever|any ?time|next time|all (?:your|my) (?:answers|replies)|permanently"
    r"|for all)\b",
    re.IGNORECASE,
)
_MANNER = re.compile(
    r"回答|回复|答复|作答|叫我|称呼我|喊我|管我叫|语气|口吻|简短|简洁|详细|啰嗦|废话|先给结论|分点|列表"
    r"|要点|表格|表情|用(?:中文|英文|英语|繁体|简体|粤语|日语|母语|公制|英制|摄氏|华氏|markdown|代码)"
    r"|别用|不要用|请用|注释|格式|输出"
    r"|\b(?:answer|repl(?:y|ies)|respond|response|call me|address me|refer to me|tone|concise|brief"
    r"|short|terse|detailed|bullet|table|emoji|format|cite|metric|imperial|celsius|fahrenheit|keep (?:it"
    r"|your|the|answers|replies)|use|avoid|speak|write to me|talk to me|no more)\b",
    re.IGNORECASE,
)
_TASK = re.compile(
    r"查(?!理)|搜|找(?!到|工作)|告诉我|解释|总结|翻译|概括|介绍|列出|写(?:一|个|封|篇|段|首|份|点)|生成"
    r"|计算|算一?下|分析|比较|对比|推荐|帮我|帮忙|给我|讲讲|说说|看看|看一下|整理|设计|画|改写|润色|打开"
    r"|运行|下载|提醒"
    r"|\b(?:find|search|look (?:up|for|at)|tell me|show|explain|summari[sz]e|translate|list|write (?:a"
    r"|an|me|the|some)|draft|generate|calculate|compute|analy[sz]e|compare|recommend|suggest|help"
    r"|give me|describe|create|check|fetch|open|run|download|remind|make (?:a|me|an)|plan (?:a|my))\b",
    re.IGNORECASE,
)
_BENEFICIARY = re.compile(
    r"(?:帮|给|替|为|告诉|跟|和|对|教|让|陪|提醒|发|推荐给)我(?!们公司|自己|的)(?=$|[^\s])|\b(?:tell"
    r"|show|give|help|remind|send|get|find|teach|let|for|to|write|make|draft)\s+me\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(
    r"我|咱|俺|本人|鄙人|\b(?:i|i['’]m|i['’]ve|i['’]d|i['’]ll|im|my|me|mine|we|our|us|myself)\b",
    re.IGNORECASE,
)
_REMEMBER_LEAD = re.compile(
    r"^(?:请|麻烦|帮我|给我|能不能|可不可以|能|可以|你(?:要)?|一定要?|务必|千万|(?:can|could|would"
    r"|will) you|please|and|also|so|hey|ok|okay|\s|,|，)*(?:记住"
    r"|牢记|谨记|记着|记得|记一下|记下来?|(?:别|不要|千万别)忘(?:了|记)?|remember(?: that| to)?"
    r"|keep in mind(?: that)?|bear in mind(?: that)?|(?:make a )?note(?: that| down)?"
    r"|don['’]?t forget(?: that)?|do not forget(?: that)?|for future reference)[\s:：,，]*",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"^(?:其实|对了|顺便说一下|顺便|另外|还有|哦|嗯|啊|那个|因为|由于|所以|因此|而且|并且|也|还|就|都"
    r"|真的|最近|目前|现在|如今|已经|刚刚?|昨天|前天|今天|明天|后天|(?:上上?|下下?|这|本|每)?个?(?:周"
    r"|星期|礼拜)[一二三四五六日天末]?|[0-9一二三四五六七八九十零两]+(?:点半?|时|分|号|日|月|年)|上个?月"
    r"|下个?月|去年|今年|明年|以前|曾经|从小|平时|通常|一般|经常|每天|早上|晚上|特别|非常|很|超|最|比较"
    r"|不太|从来|一直|有点|只|仅|先|再|尽量|尽可能|最好|一律|统一|直接"
    r"|well|so|and|also|but|btw|by the way|actually|because|since|oh|ok|okay|yes|yeah|yesterday|today"
    r"|tomorrow|currently|usually|recently|lately|nowadays|still|really|just|please|hi|hello|\s|,|，)+",
    re.IGNORECASE,
)
_SUBJECTLESS = re.compile(
    r"^(?:[0-9一二两三四五六七八九十]+个?多?(?:周?岁|月大)|刚?满|不|没|无|别|在|住|来自|叫|是|有|想|要|会|能|喜欢|爱|讨厌|恨|怕|对|用|吃|喝|看|读|学|写|做|开"
    r"|买|养|玩|练|跑|走|去|来|到|从|换|搬|改|跳槽|入职|加入|离|辞|毕业|签|参加|打算|计划|准备|希望|偏好"
    r"|偏爱|习惯|需要|受不了|负责|担任|从事|主要|擅长|戒|订|约|迷|收集|更|过敏|起床|睡|游泳|骑|打|弹|唱"
    r"|拍|坐|乘|飞|见|拿|得|收|卖|租|装|修|办|交|付|上|下|获|考|申请|接|带|陪|教|听|讲|管|当|画|种|钓|旅"
    r"|出差|加班|请假|休|度假|参与|完成|开始|停|取消|预|报名|拒绝|支持|反对|关注|研究|编|测|部署|维护"
    r"|运营|设计|翻译|说|给|列|附|标|引|省略|略|跳过|控制"
    r"|(?:not|no|never|allergic|prefer|love|like|hate|dislike|can['’]?t|cannot|don['’]?t|do not|live"
    r"|living|work|working|born|based|moved|signed|joined|started|switched|quit|named|called|used|been"
    r"|only|keep|give|skip|include|add|state|leave out|start with|have|had|am|want|need|use|using|drink"
    r"|eat|speak|play|vegan|vegetarian|left-handed|right-handed)\b)",
    re.IGNORECASE,
)
_PRONOUN_SUBJECT = re.compile(
    r"^(?:他|她|它|你|您|这|那|其|该|有人|别人|大家|人家|(?:he|she|it|they|you|this|that|there|these"
    r"|those|who|everyone|people|someone)\b)",
    re.IGNORECASE,
)
_RELATION_ZH = (
    r"老板|上司|领导|经理|主管|同事|下属|朋友|闺蜜|哥们|同学|室友|邻居|客户|老师|导师|学生|医生|律师"
    r"|男友|女友|男朋友|女朋友|对象|爱人|伴侣|老公|丈夫|先生|老婆|妻子|太太|媳妇|未婚夫|未婚妻|前任"
    r"|爸爸?|父亲|妈妈?|母亲|父母|爸妈|爷爷|奶奶|外公|外婆|姥爷|姥姥|哥哥?|姐姐?|弟弟?|妹妹?|儿子|女儿"
    r"|孩子|娃|宝宝|叔叔?|阿姨|舅舅?|姑姑?|姨妈?|伯伯?|侄子|侄女|表[哥姐弟妹]|堂[哥姐弟妹]|岳父|岳母"
    r"|公公|婆婆|家人|亲戚|猫|狗|宠物"
)
_RELATION = re.compile(rf"^(?:我|我们|咱|俺)(?:家|的|那个|们)*(?P<holder>{_RELATION_ZH})")
_POSSESSED_ZH = re.compile(
    r"^我们?的(?P<holder>[\u4e00-\u9fffA-Za-z]{1,8}?)(?=是|叫|在|对|有|不|没|很|也|都|喜欢|爱|讨厌|会|要"
    r"|从|去|来|住|最|被|换|改|已|$)"
)
_POSSESSED_EN = re.compile(
    r"^(?:my|our)\s+(?P<holder>[A-Za-z'’ -]{2,40}?)(?=\s+(?:is|are|was|were|has|have|had|lives?|works?"
    r"|likes?|loves?|hates?|dislikes?|prefers?|can(?:not|['’]?t)?|does|do|did|doesn['’]?t|moved|got|just"
    r"|also|wants?|needs?|uses?|called|named|comes|came|will|went|goes|plays?|turn(?:s|ed)|started|joined|stud(?:y|ies)|barks?|drinks?|eats?|speaks?)\b|['’]s\b|\s*$)",
    re.IGNORECASE,
)
_OWN_ATTRIBUTE = re.compile(
    r"名字?$|姓名|全名|昵称|英文名|网名|称呼|工作|职业|职位|职务|岗位|角色|生日|爱好|兴趣|偏好|习惯|年龄"
    r"|岁数|家$|家乡|老家|籍贯|专业|母语|身高|体重|星座|血型|目标|口味|时区|公司|团队|部门|项目|主题"
    r"|编辑器|最爱|需求|要求|意思|手机号|地址|电话|邮箱|情况"
    r"|\b(?:name|nickname|surname|job|work|role|title|position|occupation|profession|birthday|birth"
    r"|favou?rite|hobby|hobbies|interests?|age|address|home|hometown|major|nationality|preferences?"
    r"|preferred|native|language|time ?zone|employer|company|team|department|project|goal|goals|pronouns"
    r"|diet|theme|editor|default|height|office|allergy|allergies)\b",
    re.IGNORECASE,
)
_BEGINNING = re.compile(
    r"^(?:(?:the|a|an|our|this|that|his|her|their)\s+)?(?P<what>[\u4e00-\u9fff]{1,2}|[A-Za-z0-9][\w'’-]*)",
    re.IGNORECASE,
)
_MOMENTARY = re.compile(
    r"(?:在|坐|上了|乘|搭|刚上|赶)(?:着|了)?(?:去[^，。]{0,8}的)?(?:高铁|火车|地铁|飞机|公交|出租车|大巴"
    r"|轮船|电梯|车|机场|路)(?:上|里|站|中)|路上$|在(?:开会|吃饭|排队|堵车|赶路|等车|等人|洗澡|睡觉|上课"
    r"|打车|加班)|正(?:在)?(?:吃|开会|等|忙|赶|堵|排队|打电话|开车|走路|看电影)"
    r"|^(?:我)?(?:现在|此刻|这会儿|今天|刚刚?)?(?:有点|好|很|太|真|非常|特别|超级?)?(?:困|累|饿|渴|忙|烦"
    r"|头疼|头痛|难受|开心|高兴|难过|生气|无聊|冷|热|紧张)(?:了|死了|极了|坏了|啊|呀|哦|！|!|。)*$"
    r"|(?:现在|此刻|这会儿|马上)(?:要|就要)?(?:出门|下班|上车|登机|开会|去吃饭|睡觉)"
    r"|\bon (?:the|a|my) (?:train|bus|plane|flight|subway|metro|tube|ferry|way|road|phone|call)\b"
    r"|\bin (?:a|the|my) (?:meeting|taxi|cab|car|queue|line|call|shower|elevator|lift|traffic|class"
    r"|waiting room)\b|\bat the (?:airport|station|gate|doctor['’]?s|dentist|gym right now|bus stop"
    r"|checkout)\b|\bstuck in\b"
    r"|\b(?:i['’]?m|i am|feel|feeling) (?:so |very |really |a bit |a little |quite |too |just )*(?:tired"
    r"|hungry|thirsty|sleepy|busy|cold|hot|bored|sad|angry|happy|excited|annoyed|stressed|nervous"
    r"|sick today|running late|late)\b|\bhave a headache\b|\b(?:right now|at the moment|this (?:second"
    r"|minute|instant))\b",
    re.IGNORECASE,
)


def statements(message: str) -> list[Statement]:
    """The clauses of the user's own words, in order, each with its kind and whom it is about."""
    found: list[Statement] = []
    hypothetical = False
    dictated = wants_remembering(message)
    for sentence in sentences(own_words(message, names=True)):
        hypothetical = hypothetical or bool(_HYPOTHETICAL.search(sentence))
        found += _sentence(sentence, hypothetical=hypothetical)
    return [_named(one) for one in found] if dictated else found


def _named(statement: Statement) -> Statement:
    """Of what the user asked to remember, a clause about somebody it does not know is about what it begins with.

    A memory of it must name that too: 会议改到三点 never tells of the user.
    """
    if statement.holder != "?":
        return statement
    begun = _BEGINNING.search(_FILLER.sub("", _REMEMBER_LEAD.sub("", statement.text)))
    return replace(statement, holder=begun["what"]) if begun else statement


def is_lasting(text: str) -> bool:
    """Whether a text speaks of more than this once: "from now on", 以后, "always"."""
    return bool(_LASTING.search(text))


def _sentence(sentence: str, *, hypothetical: bool) -> list[Statement]:
    reported_from = _reported_from(sentence)
    found: list[Statement] = []
    holder = ""
    parts = clauses(sentence)
    position = 0
    for index, part in enumerate(parts):
        position = sentence.find(part, position)
        text = part.replace(GAP, " ").strip()
        if not text:
            continue
        asked = index == len(parts) - 1 and bool(_QUESTION_MARK.search(sentence)) and not wants_remembering(text)
        statement = _classify(text, asked=asked, inherited=holder)
        holder = statement.holder
        if reported_from is not None and position + len(part) > reported_from:
            statement = replace(statement, kind="reported")
        if hypothetical:
            statement = replace(statement, kind="hypothetical")
        found.append(statement)
    return found


def _reported_from(sentence: str) -> int | None:
    """Where in the sentence somebody else's speech begins."""
    for match in _REPORTED.finditer(sentence):
        speaker = match["who"] or match["en"] or ""
        if not _SELF_REPORT.search(speaker):
            return match.start()
    return None


def _classify(text: str, *, asked: bool, inherited: str) -> Statement:
    told = _REMEMBER_LEAD.sub("", text)
    wanted = told != text
    if asked or _QUESTION_WORD.search(told):
        return Statement(text=text, kind="question", holder=inherited)
    lasting = is_lasting(told)
    if _TASK.search(told) and not lasting and not wanted and not _speaks_of_user(told):
        return Statement(text=text, kind="request")
    if lasting or _MANNER.search(told):
        return Statement(text=text, kind="directive")
    holder = _holder(_FILLER.sub("", told), inherited)
    if _MOMENTARY.search(told) and not holder:
        return Statement(text=text, kind="momentary")
    return Statement(text=text, kind="statement", holder=holder)


def _speaks_of_user(text: str) -> bool:
    """Whether the first person is more than whom a favour is asked for ("help me", 帮我)."""
    return bool(_FIRST_PERSON.search(_BENEFICIARY.sub(" ", text)))


def _holder(text: str, inherited: str) -> str:
    """Whom a clause is about: empty for the user, `?` for somebody it does not name."""
    relation = _RELATION.match(text)
    if relation:
        return relation["holder"]
    possessed = _POSSESSED_ZH.match(text) or _POSSESSED_EN.match(text)
    if possessed:
        return "" if _OWN_ATTRIBUTE.search(possessed["holder"]) else possessed["holder"].strip()
    if _PRONOUN_SUBJECT.match(text) and not _FIRST_PERSON.search(text):
        return inherited or "?"
    if _FIRST_PERSON.search(text):
        return ""
    if not text or _SUBJECTLESS.match(text):
        return inherited
    return inherited or "?" if len(text) > 1 else inherited
