"""What the application itself tells the user about their memory: nothing of it is a model's to decide or to word."""

import re
from collections.abc import Sequence

from langchain_core.messages import AnyMessage

from nodes.spoken import is_chinese
from nodes.turn import ANSWER, is_answer
from stores.memories.intent import wants_remembering
from stores.memories.own_words import own_words
from stores.memories.sensitive import find_sensitive
from stores.memories.statements import statements

AWAITING = "awaiting_confirmation"
_CONFIRMED = re.compile(
    r"^\s*(?:(?:是的?|对|好的?|嗯)[，,、\s]*)?(?:确认|确定|我确认|我确定|全部删除|都删[了掉]?|全删[了掉]?|删吧|全忘[了掉]?|都忘[了掉]吧?)"
    r"(?:删除|全部|全部删除|忘掉|清除|删|吧|了|的|[，,\s])*[。.!！\s]*$"
    r"|^\s*(?:yes|yeah|yep|ok(?:ay)?|sure|i confirm|confirm(?:ed)?)(?:[,.\s]+(?:i confirm|confirm(?:ed)?"
    r"|please|(?:do|delete|forget|erase"
    r"|wipe|remove) (?:it|them|that|all|everything)(?: of (?:it|them))?))*[.!\s]*$"
    r"|^\s*(?:delete|forget|erase) (?:all|everything|them all|it all)[.!\s]*$",
    re.IGNORECASE,
)


def confirms(question: str, before: Sequence[AnyMessage]) -> bool:
    """Whether a message says yes to the confirmation that the last message of the thread asked for."""
    last = before[-1] if before else None
    if last is None or not is_answer(last) or last.additional_kwargs[ANSWER].get("status") != AWAITING:
        return False
    return _CONFIRMED.match(question) is not None


def confirmation_asked(question: str, count: int) -> str:
    """One line: how much would be forgotten, and how to say so."""
    if is_chinese(question):
        return f"将永久删除关于您的全部 {count} 条记忆。回复“确认”即删除；回复其他内容则取消。"
    memories = "the 1 memory" if count == 1 else f"all {count} memories"
    return f"This erases {memories} about you for good. Reply “yes, delete all” to do so; anything else cancels."


def nothing_to_forget(question: str) -> str:
    """There is no memory of this user at all."""
    return "我没有关于您的任何记忆。" if is_chinese(question) else "I remember nothing about you."


def all_forgotten(question: str, count: int) -> str:
    """The full delete is done."""
    if is_chinese(question):
        return f"已删除全部 {count} 条记忆。"
    return "The 1 memory is erased." if count == 1 else f"All {count} memories are erased."


def not_kept(question: str) -> str:
    """Why a part of the message is never remembered; empty if nothing in it is refused.

    Only what the user tells of themselves or asks to remember counts, not a number that they ask about.
    """
    dictated = wants_remembering(question)
    said = [one.text for one in statements(question) if dictated or one.kind in {"statement", "directive"}]
    kinds = {kind for text in [*said, own_words(question) if dictated else ""] for kind in find_sensitive(text)}
    chinese = is_chinese(question)
    if kinds - {"personal"}:
        if chinese:
            return "这里含有密钥、密码、证件号或联系方式等内容，应用从不把这类内容存入记忆，因此没有保存。"
        return (
            "This holds a secret, or somebody's number or address. Such things are never remembered: it was not kept."
        )
    if kinds and dictated:
        if chinese:
            return "这涉及健康、信仰、收入等私事，应用不会自动保存。确实要保存，请自己添加：recite memory add。"
        return (
            "This is a private matter, such as health, belief or pay, and is not kept on its own. "
            "To keep it, add it yourself: recite memory add."
        )
    return ""


def has_secret(text: str) -> bool:
    """Whether a text holds what is shown nowhere but in the conversation itself."""
    return any(kind != "personal" for kind in find_sensitive(text))
