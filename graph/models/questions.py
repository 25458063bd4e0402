"""From a message to standalone questions: its parts, each with what it leaves to the conversation filled in."""

import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from graph.models.intents import intent_of
from graph.models.language import language_of
from graph.models.wording import Question, content_words
from nodes.clarify import names_nothing

MAX_PARTS = 5
_MAX_QUERY = 300

_STOP = re.compile(r"(?<=[?？!！。；])\s*|(?<=[.;])\s+(?=[A-Z\u4e00-\u9fff])|\n+")
_ASKING_ZH = r"什么|怎么|怎样|如何|为什么|为何|多少|几|哪|谁|是否|吗|能不能|有没有|可以"
_CLAUSE_ZH = re.compile(r"\s*[，,；;]\s*(?:以及|还有|另外|并且|同时|然后|而且|那么?)?\s*|\s*(?:以及|还有|另外|并且)\s*")
_WH = r"(?:what|how|who|when|where|which|why|is|are|does|do|did|can|should|calculate|compute)\b"
_CLAUSE_EN = re.compile(rf",?\s+(?:and|also|and also|then)\s+(?={_WH})|[;,]\s+(?={_WH})", re.IGNORECASE)
_EACH = re.compile(
    r"^(?P<lead>.{0,12}?)(?P<items>[^，,。？?]+?(?:和|与|、|跟|及|以及)[^，,。？?]+?)(?:各自|分别)(?P<rest>.+)$"
)
_ITEM = re.compile(r"\s*(?:、|以及|和|与|跟|及)\s*")
_POLITE = re.compile(
    r"^(?:请问一?下?|请|麻烦|帮我查一?下?|帮我|查一下|我想知道|我想问|你好|您好|那么|那"
    r"|please|could you|can you tell me"
    r"|tell me)[，,、\s]*",
    re.IGNORECASE,
)

_POINTS_ZH = re.compile(
    r"它们?|他们|她们|(?<![其尤极])其(?![他她它中实余次])|这个|那个|这些|那些|这种|那种|这里|那里|这样|那样|上述"
    r"|上面|前者|后者|此(?=[类种时])|该"
    r"|^(?:那么?|还有|然后|再|再说|继续|具体|为什么|为何|怎么办|怎么|什么时候|多少|例如|比如)|^.{0,14}呢[？?]?$"
)
_POINTS_EN = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|she|his|her|former|latter|both|(?<!-)ones?)\b|\bthere\b(?! (?:is|are|was|a"
    r"|any))"
    r"|^(?:and|or|but|so|also|then|what about|how about|what if|how so|which one)\b[^?]{0,40}\??$"
    r"|\b(?:this|that|these|those)(?=\s*[?.,]|\s*$|\s+(?:is|are|was|were|do|does|did|can|will|mean|happen|work"
    r"|one|case)\b)"
    r"|\b(?:about|of|for|with|in|does|do|is|to|from|than) (?:this|that|these|those)\b",
    re.IGNORECASE,
)
_SWITCHES = re.compile(
    r"^(?:那么?|还有|然后)?[，,\s]*(?P<zh>.{1,14}?)(?:又)?呢[？?]?$"
    r"|^(?:and|or|but|so|then)?,?\s*(?:what|how) about (?P<en>[^?]{2,60})\??$"
    r"|^(?:and|or|but|so) (?:for |in |the )?(?P<and>[^?]{2,40})\??$",
    re.IGNORECASE,
)
"""The follow-up asks the same of something else: 那年假呢？ What about old prints?"""
_PRONOUN = re.compile(
    r"它们?|他们?|她们?|其(?!中)|这个?|那个|\b(?:its?|they|them|their|he|she|his|her|this|that|these|those)\b",
    re.IGNORECASE,
)
_NAMELESS = re.compile(
    rf"[这那](?:个|份|篇|本|些)?(?:文件|文档|资料|文章)|\b(?:this|that|the) (?:file|document|paper|article|one)\b"
    rf"|{_PRONOUN.pattern}",
    re.IGNORECASE,
)
_LEADING_EN = re.compile(r"^(?:and|or|but|so|also|then|what about|how about|what if)\s+", re.IGNORECASE)
_LEADING_ZH = re.compile(r"^(?:那么|那|还有|然后|再说)[，,\s]*")
_SHORT_ZH, _SHORT_EN = 3, 2


def parts_of(message: str) -> list[str]:
    """The questions that a message holds, in order, at most five; the message itself if it is one."""
    parts: list[str] = []
    for sentence in _STOP.split(message):
        for clause in _clauses(sentence.strip()):
            parts += _each(clause)
    kept = [part for part in parts if content_words(part) or len(part) > 1]
    return list(dict.fromkeys(kept))[:MAX_PARTS] or [message.strip()]


def _clauses(sentence: str) -> list[str]:
    if not sentence:
        return []
    pattern = _CLAUSE_ZH if language_of(sentence) == "zh" else _CLAUSE_EN
    pieces = [piece for piece in pattern.split(sentence) if piece and piece.strip()]
    if not pieces[1:] or not all(_asks_by_itself(piece) for piece in pieces):
        return [sentence]
    return [piece.strip() for piece in pieces]


def _asks_by_itself(piece: str) -> bool:
    if intent_of(piece) in {"arithmetic", "date"}:
        return True
    if language_of(piece) == "zh":
        return re.search(_ASKING_ZH, piece) is not None and len(content_words(piece)) > 0
    return re.match(_WH, piece.strip(), re.IGNORECASE) is not None


def _each(clause: str) -> list[str]:
    """`甲和乙分别是什么` as one question for each."""
    match = _EACH.match(clause)
    if match is None:
        return [clause]
    items = [item for item in _ITEM.split(match["items"]) if item]
    last = items[-1]
    heads = [_completed(item, last) for item in items[:-1]]
    return [f"{match['lead']}{item}{match['rest']}" for item in (*heads, last)]


def _completed(item: str, last: str) -> str:
    """An item with the words that only the last one says: 甲级和乙级员工 → 甲级员工."""
    position = last.find(item[-1])
    if 0 <= position <= len(item) and position + 1 < len(last):
        return item + last[position + 1 :]
    _, of, rest = last.partition("的")
    return item + of + rest


def asked(part: str, earlier: Sequence[str], beside: Sequence[str] = ()) -> Question:
    """`part` so that it can be understood alone: what it points to comes from the questions before it.

    `earlier` are the user's questions so far, oldest first; small talk among them is passed over. `beside` are the
    parts before it in the same message. The words that are added are the user's own, in their own language; those of
    `part` stay as they are, and the question knows them: an answer that holds only the added ones answers the
    question before.
    """
    stripped = _POLITE.sub("", part.strip()) or part.strip()
    if not points_back(part, within=bool(beside)):
        return Question(stripped[:_MAX_QUERY])
    subject = _subject([*earlier, *beside])
    own = _LEADING_ZH.sub("", stripped) if language_of(part) == "zh" else _LEADING_EN.sub("", stripped)
    known = own.lower()
    added = [word for word in subject if word.lower() not in known]
    return Question(" ".join([*added, own])[:_MAX_QUERY], own=own if added else "", switches=_switches(part))


def standalone(part: str, earlier: Sequence[str], beside: Sequence[str] = ()) -> str:
    """The text of `asked`."""
    return asked(part, earlier, beside).text


def asked_back(before: Sequence[BaseMessage]) -> bool:
    """Whether the last thing said before a message is a short question back, to a message that names nothing."""
    if not before or not isinstance(before[-1], AIMessage):
        return False
    said = [message.text for message in before if isinstance(message, HumanMessage)]
    return (
        before[-1].text.strip().endswith(("？", "?"))
        and bool(said)
        and (names_nothing(said[-1]) or points_back(said[-1]))
    )


def named_for(unclear: str, name: str) -> str:
    """The question that named nothing, with the name the user then gave: `它怎么用？`, `过滤器` → `过滤器怎么用？`."""
    bare = name.strip().rstrip("。.!！?？")
    filled, found = _NAMELESS.subn(bare, unclear.strip(), count=1)
    return (filled if found else f"{bare} {unclear.strip()}")[:_MAX_QUERY]


def subject_of(earlier: Sequence[str]) -> str:
    """What the questions so far are about, in the user's words; empty if they are about nothing."""
    return " ".join(_subject(earlier))


def _switches(part: str) -> bool:
    """Whether a follow-up names another subject for the same question rather than points to the old one."""
    match = _SWITCHES.match(_POLITE.sub("", part.strip()))
    named = next(filter(None, match.groups()), "") if match else ""
    return bool(named) and not _PRONOUN.search(named) and bool(content_words(named))


def points_back(part: str, *, within: bool = False) -> bool:
    """Whether `part` leaves its subject to what was said before.

    `within` a message the parts stand side by side: only a pronoun, or a part that names nothing, points to another.
    """
    stripped = part.strip()
    content = content_words(stripped)
    if language_of(stripped) == "zh":
        return bool(_POINTS_ZH.search(stripped)) or len("".join(content)) < (1 if within else _SHORT_ZH)
    return bool(_POINTS_EN.search(stripped)) or len(content) < (1 if within else _SHORT_EN)


def _subject(earlier: Sequence[str]) -> list[str]:
    """The content words of the last question to the documents, with those of the one it points to itself."""
    for index in range(len(earlier) - 1, -1, -1):
        if intent_of(earlier[index]) != "documents":
            continue
        words = content_words(earlier[index])
        if points_back(earlier[index]):
            words = [*_subject(earlier[:index]), *words]
        return list(dict.fromkeys(words))
    return []
