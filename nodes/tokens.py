"""How many tokens a text costs, without the model's vocabulary at hand.

Vocabularies need 0.6 to 1.0 tokens per Chinese character and about 0.25 per Latin one; the estimate takes
the upper end and adds a tenth, so that one round of trimming suffices.
"""

import re
from collections.abc import Iterable

from langchain_core.messages import AIMessage, BaseMessage

PER_MESSAGE = 4
"""Role and separators of one message."""

_WIDE = re.compile(
    "[\u1100-\u11ff\u2e80-\u303f\u3040-\u30ff\u3100-\u312f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00010000-\U0010ffff]"
)


def estimate_tokens(text: str) -> int:
    """Tokens of `text`, estimated from above."""
    wide = len(_WIDE.findall(text))
    return int((wide + (len(text) - wide) * 0.25) * 1.1) + 1


def estimate_messages(messages: Iterable[BaseMessage]) -> int:
    """Tokens of a list of messages with their tool calls."""
    total = 0
    for message in messages:
        total += PER_MESSAGE + estimate_tokens(message.text)
        if isinstance(message, AIMessage):
            total += sum(estimate_tokens(f"{call['name']}{call['args']}") for call in message.tool_calls)
    return total


def shorten(text: str, tokens: int) -> str:
    """Head and tail of a text that is over `tokens`, with a mark between them that says how much is gone."""
    if estimate_tokens(text) <= tokens:
        return text
    keep = max(40, len(text) * tokens // estimate_tokens(text) - 40)
    head, tail = text[: keep * 2 // 3], text[len(text) - keep // 3 :]
    return f"{head} […{len(text) - len(head) - len(tail)} characters left out…] {tail}"
