"""Words that ask, bind or point, and say nothing about what a question is about."""

import re

_ZH_STOP = (
    "为什么 什么时候 什么时间 什么样 什么 多少个 多少次 多少天 多少年 多少人 多少元 怎么样"
    " 怎么办 怎么 怎样 如何 为何 为啥 何时 何地 多少 多久 多长 多大 多高 几个 几次 几天"
    " 几种 几点 几号 几月 几岁 几位 几名 几本 几件 几条 几张 几台 几份 几间"
    " 几 哪些 哪个 哪里 哪儿 哪种 哪一 哪 由谁 被谁 归谁 谁来 谁的 谁 是不是 是否"
    " 有没有 能不能 可不可以 可以 能否 能够 需要 应该 应当 必须 请问 请你 请 告诉我 告诉"
    " 介绍一下 介绍 说明一下 解释一下 解释 说说 讲讲 帮我 查一下 查询 查找 一下 想知道"
    " 想了解 想问 关于 根据 按照 文档 资料 文件里 里面 之间 以及 还有 分别 一共 总共 最多"
    " 最少 至少 大概 大约 左右 的话 的时候 时候 这个 那个 这些 那些 这种 那种 这样 那样"
    " 这里 那里 它们 他们 她们 我们 你们 咱们 其中 另外 那么 然后 所以 但是 如果 因为"
    " 一步一步 一步步 由于 已经 还是 或者 并且 而且 同时 属于 就是 以下 上述 有些 有关 会不会 有 吗 呢"
    " 吧"
)
_OUGHT = "(?<![主重首概摘不纪提次简紧])要(?![求点素件闻塞么是领价害约])"
_ZH_SEPARATORS = "[的了是在和与及或呀啊么我你您他她它]"
_ZH_WHOLE = (
    "申请|邀请|聘请|提请|报请|请假(?![设如定])|请求|请示|请客|所有|有效|有限|有权|有偿|有害|有机|有序|有毒|有线|有价|有息|拥有|持有|占有"
    "|含有|享有|共有|国有|原有|现有|固有|目的|标的|存在|内在|潜在|在线(?![程段上下])|在职|在校(?![验对准])|在岗|在途|在库|在读(?![取写者])|在建(?!立)"
    "|及时(?!间)|及格|普及|涉及|饱和|总和|共和|和谐|其他|其它|他人|自我|酒吧|网吧|几何|茶几"
)
"""Words that hold a character which asks, binds or points when it stands alone."""
_ZH_STOPS = "|".join([*sorted(map(re.escape, _ZH_STOP.split()), key=len, reverse=True), _OUGHT, _ZH_SEPARATORS])
_ZH_CUT = re.compile(f"(?P<whole>{_ZH_WHOLE})|{_ZH_STOPS}")
ZH_ASPECTS = re.compile(
    "区别|不同|差别|作用|意思|含义|定义|原因|方法|步骤|流程|规定|要求|内容|情况|主要|具体|一般|通常|问题|特点|优点|缺点|用途|功能|公司|企业|单位|函数|字符串|变量|参数|字段|属性|注解|命令|时间|名字|标准"
)

_EN_STOP = (
    "a an the of to in on at by for from with about into over under between as is are was were be been being am do"
    " does did done doing have has had having will would shall should can could may might must what which who whom"
    " whose when where why how that this these those it its they them their there here he she his her him i me my we"
    " our us you your and or but if then than so not no yes any some all each every both either neither please tell"
    " explain describe list show give find know want need many much long often far old tall big large more most less"
    " least few lot also just only very too up out off down during before after while per get gets got let s t re ve"
    " ll d m one ones ever there's what's documents document according within happens happen happened"
)
EN_STOP = frozenset(_EN_STOP.split())
_EN_ASPECTS = (
    "difference differences differ different meaning mean means definition purpose reason reasons cause kind kinds"
    " type types way ways step steps use used usage role name named called allowed possible work works go goes come"
    " number amount year date day time month limit maximum minimum"
)
EN_ASPECTS = frozenset(_EN_ASPECTS.split())


def content_runs(run: str) -> list[str]:
    """What is left of a run of Chinese characters without such words, in pieces."""
    return _ZH_CUT.sub(lambda found: found["whole"] or " ", run).split()
