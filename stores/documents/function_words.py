"""Function words: what a question is put with, in English and Chinese, as opposed to what it is about."""

import re

FUNCTION_WORDS = frozenset(
    "a an and any are as at be been being but by can could did do does doing done for from had has have he her him his "
    "how i if in into is it its me my of on or our shall she should so some such than that the their them then there "
    "these they this those to us was we were what when where whether which while who whom whose why will with would "
    "you your s t don doe thi hi wa ha".split()
)
"""English words that say nothing about the subject, as terms (so also without a final s)."""
FUNCTION_CHARACTERS = frozenset(
    "的了是在和与及或而也都就还又被把对从向于以为这那其之吗呢吧啊呀么个有着过得地所我你他她它们谁哪几请何会能可要该并但等让给到上下中里"
)
_PHRASES = (
    "为什么 有没有 是不是 能不能 可不可以 怎么样 什么 怎么 怎样 如何 为何 哪些 哪个 哪里 哪儿 多少 几个 是否 能否 可否 "
    "请问 告诉 以及 或者 还是 关于 一下 一个 这个 那个 哪种 何时 何种 之间"
).split()
_ASKING = re.compile("|".join([*_PHRASES, f"[{''.join(sorted(FUNCTION_CHARACTERS))}]"]))


def asking_characters(run: str) -> list[bool]:
    """For each character of a Chinese run (simplified), whether it only puts the question."""
    asks = [False] * len(run)
    for match in _ASKING.finditer(run):
        asks[match.start() : match.end()] = [True] * (match.end() - match.start())
    return asks
