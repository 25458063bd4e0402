"""What a question asks for, by rule, when the planner named nothing; and how many passages each task brings."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from tools.tasks import Searched


@dataclass(frozen=True, slots=True)
class Breadth:
    """How much one round brings: passages that fit best, and how many spread over a document that is meant."""

    passages: int = 10
    spread: int = 0


BREADTH: Mapping[Searched, Breadth] = MappingProxyType(
    {
        "explain": Breadth(),
        "find": Breadth(),
        "diagnose": Breadth(),
        "compare": Breadth(14),
        "steps": Breadth(12),
        "review": Breadth(12, spread=16),
        "summarise": Breadth(12, spread=16),
    }
)

_PATTERNS: tuple[tuple[Searched, str], ...] = (
    (
        "review",
        (
            r"(?<!第)(?<!第.)[几两一二三四五六七八九十\d]+\s*[道个][^，。？?第问]{0,8}题"
            r"|(?:出|生成|编|设计|写|来|拟|准备|给我|做)[^，。？?第]{0,14}(?:复习|练习|测试|测验|选择|填空|判断"
            r"|简答|思考|自测|考|试)题"
            r"|(?:出|编)(?:些|几|一些)?题|考考?我|考一考|抽查我|小测验"
            r"|\b(?:review|practi[cs]e|quiz|test|exam|study|revision|self-test) questions?\b|\bquiz\b"
            r"|\bflash ?cards?\b"
            r"|\btest (?:me|my knowledge)\b|\bquestions? to (?:test|check|review)\b"
        ),
    ),
    (
        "summarise",
        (
            r"总结|概括|归纳|摘要|综述|概述|提要|大意|梳理|提炼|(?:主要|大致|大概|到底)?(?:讲|说|写|介绍)了?(?:些"
            r"|的是)?(?:什么|啥)"
            r"|主要内容|核心内容|(?:文档|文件|资料|章|节|篇|全文)的?(?:要点|重点|内容是什么)"
            r"|\bsummar(?:y|i[sz]e[sd]?|i[sz]ing|ies)\b|\boverview\b|\bgist\b|\b(?:key|main) (?:points|takeaways"
            r"|ideas)\b"
            r"|\btl;?dr\b|\brecap\b|\bin a nutshell\b|\bwhat (?:is|are|does)\b[^?.]{0,60}\b(?:all )?about\??\s*$"
            r"|\bwhat does\b[^?.]{0,60}\b(?:cover|contain)\b"
        ),
    ),
    (
        "compare",
        (
            r"区别|不同之处|有[什何]么?不同|差别|差异|异同|对比|相比|比较(?!好|多|少|大|小|快|慢|高|低|常|合适"
            r"|容易|难|重要|适合)"
            r"|哪[个种一][^，。？?]{0,8}(?:更|比较)|分别[^，。？?]{0,6}优缺点"
            r"|\bdiffer(?:ence|ences|s|ent from)?\b|\bcompar(?:e[sd]?|ing|ison)\b|\bversus\b|\bvs\b|\bcontrast\b"
            r"|\bdistinguish\b|\bsimilarit|\bor\b[^?.]{0,40}\bbetter\b|\bbetter (?:than|,)"
        ),
    ),
    (
        "diagnose",
        (
            r"报错|出错|错误(?:码|代码|信息|提示|是|怎么|如何)|抛(?:出|了)[^，。？?]{0,8}异常"
            r"|出现[^，。？?]{0,12}(?:错误|异常|故障|问题)"
            r"|崩溃|故障|排查|排错|怎么回事|没有?反应|不生效|(?:启动|运行|连接?|登录|编译|部署|上传|下载|打开?|安装"
            r"|请求|执行|保存|访问)(?:不了|不上|不开|失败)"
            r"|(?:无法|不能|没法)(?:启动|运行|连接|登录|编译|部署|上传|下载|打开|安装|保存|访问|使用)|失败(?:了"
            r"|怎么办|的原因|原因)"
            r"|为(?:什么|何)[^，。？?]{0,16}(?:失败|不行|锁|停|断)"
            r"|(?<![A-Za-z])[A-Z]\w*(?:Exception|Error)\b|\berrors?\b(?! (?:rate|margin|bar))|\bexception\b"
            r"|\bfail(?:s|ed|ing|ure)?\b"
            r"|\bcrash(?:es|ed|ing)?\b|(?:n['’]t|\bnot) (?:work|start|run|load|open|connect|respond)(?:ing|s)?\b"
            r"|\bbroken\b"
            r"|\btroubleshoot\w*\b|\bdebug\w*\b|\bstack ?trace\b|\bwent wrong\b|\btimed? out\b"
        ),
    ),
    (
        "steps",
        (
            r"步骤|一步一?步|逐步|流程|过程|(?:怎么|怎样|如何)(?:去|来|才能?)?(?:做|安装|配置|设置|申请|提交|搭建"
            r"|部署|操作|完成|实现|办理|创建"
            r"|编写|写|报销|预约|续借|注册|更换|启用|解)|第[一二三四五六七八九十\d]+[道个]?(?:题|练习|实验)"
            r"|\bstep[- ]by[- ]step\b|\b(?:steps|instructions|procedure|walk me through|walkthrough)\b"
            r"|\bhow (?:do|can|should|would|could) (?:i|we|you|one)\b|\bhow to\b|\b(?:solve|do"
            r"|complete) (?:the )?exercise\b"
        ),
    ),
    (
        "explain",
        (
            r"为什么|为何|为啥|解释|说明|介绍|讲[讲解]|什么是|什么意思|含义|原理|理解|(?:怎么|怎样|如何)(?:工作"
            r"|运作|运行|实现的)|概念"
            r"|\bexplain\b|\bwhy\b|\bdescribe\b|\btell me about\b|\bmeans?\b|\bmeaning\b|\bdefin(?:e|ition)\b"
            r"|\bconcept\b"
            r"|\bhow (?:does|do|is|are)\b[^?.]{0,60}\b(?:works?|made|built|organi[sz]ed)\b|^what(?: is|['’]s) an? "
        ),
    ),
)
_RULES = tuple((task, re.compile(pattern, re.IGNORECASE)) for task, pattern in _PATTERNS)


def task_by_rule(question: str) -> Searched:
    """What a question that is looked up asks for, by its own words; `find` where they say nothing else."""
    return next((task for task, pattern in _RULES if pattern.search(question)), "find")
