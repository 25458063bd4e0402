"""What the user asks in so many words to remember: the sentences meant, without the words that ask for it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from stores.memories.intent import wants_remembering

_POLITE_ZH = (
    r"(?:请|麻烦|拜托|帮我|帮忙|给我|替我|你们?|能不能|可不可以|能|可以|要|也|就|再|顺便|一定"
    r"|务必|千万|希望|希望你|好好|先)*"
)
_COMMAND_ZH = (
    rf"{_POLITE_ZH}(?:记住|牢记|谨记|记一下|记下来|记下|记着|记得|记个|记好|帮我记|给我记|请记|(?:别|不要|勿|不可|切勿)(?:再)?忘(?:了|记|掉)?)"
    r"(?:一下|住|下来|下)?(?:这[一]?(?:点|件事|条|句话|些|个)|以下(?:内容|信息|几点|这些)?|下面(?:这)?(?:几点|句话|些|条|段)?)?"
)
_COMMAND_EN = (
    r"(?:(?:please|kindly|can you|could you|would you|will you|i(?:'d| would) like you to|i(?: want"
    r"|need) you to|you should"
    r"|make sure (?:to|you)|just|also|and)[, ]+)*"
    r"(?:remember|keep (?:this |that |it )?in mind|bear (?:this |that |it )?in mind"
    r"|don't(?: you)?(?: ever)? forget|do not forget|never forget"
    r"|(?:make|take) (?:a )?note(?: of)?|note(?: down)?|for (?:the record|future reference))"
    r"(?: (?:this|that|it|the following|these)(?: fact| one| for me| for later| about me"
    r"| down)?(?=[\s,.:;!]|$))?(?: for (?:me|later|next time|future))?(?: please)?"
)
_COMMAND = re.compile(
    rf"(?P<zh>{_COMMAND_ZH})(?:[了啊哦吧呀哈啦]*[\s：:，,。.!！~]*)|\b(?P<en>{_COMMAND_EN})[\s:,.!]*(?:that\b\s*)?",
    re.IGNORECASE,
)
_NOTHING_MORE = re.compile(
    r"^(?:[\s，,。.!！~～吧了啊哦呀哈啦的吗呢嘛?？]|谢谢你?|多谢|好吗|可以吗|行吗|拜托|please"
    r"|thanks?(?: you)?|thx|ok|okay|this|that|it"
    r"|for (?:me|later|next time|future conversations?|the future)|will you|would you|too|down|一下"
    r"|这[一]?点|这件事|刚刚|刚才|上面|前面|以上|我|说的(?:话|那句)?|what i(?: just)? (?:said|told you))*$",
    re.IGNORECASE,
)
_AS_QUESTION = re.compile(
    r"[，,\s]*(?:(?:好|可以|行)?[吗么嘛]|ok|okay|will you|would you|please)?[\s?？]*$", re.IGNORECASE
)
"""What makes a question of a command: 能记住我对虾过敏吗？"""
_SENTENCE = re.compile(r"(?<=[。！？!?；;])\s*|(?<=[.])\s+|\n+")


@dataclass(frozen=True, slots=True)
class Told:
    """One sentence the user said. `explicit`: they asked to remember it."""

    text: str
    explicit: bool


def sentences_told(message: str, earlier: Sequence[str] = ()) -> list[Told]:
    """The sentences of a message, the command to remember cut out of them.

    The command may stand before, inside or after what is meant, or be a sentence of its own: then the one before
    it is meant, or if there is none the last of the user's earlier messages, or what follows.
    """
    told: list[Told] = []
    pending = False
    for sentence in (part.strip() for part in _SENTENCE.split(message)):
        if not sentence:
            continue
        if not wants_remembering(sentence):
            told.append(Told(sentence, pending))
            continue
        before, after = _around_command(sentence)
        rest = [_AS_QUESTION.sub("", part) for part in (before, after) if not _NOTHING_MORE.match(part)]
        told += [Told(part, explicit=True) for part in rest]
        if rest:
            continue
        if told:
            told[-1] = Told(told[-1].text, explicit=True)
        else:
            pending = True
    if pending and not told and earlier:
        return [Told(one.text, explicit=True) for one in sentences_told(earlier[-1])]
    return told


def _around_command(sentence: str) -> tuple[str, str]:
    """What stands before and after the command; the last one counts that leaves it a command."""
    for found in _COMMAND.finditer(sentence):
        if wants_remembering(sentence[: found.end()] + "…") or wants_remembering(found[0]):
            return sentence[: found.start()].strip(" ，,：:、-—"), sentence[found.end() :].strip(" ，,：:")
    return "", sentence
