"""Whether a proposed memory rests on the user's own words of the turn, and which words those are."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from stores.memories.dates import without_dates
from stores.memories.intent import wants_privacy
from stores.memories.own_words import GAP, own_words
from stores.memories.polarity import is_doubly_negated, is_past, sign
from stores.memories.sameness import signature
from stores.memories.slots import mentioned_slots, supported
from stores.memories.statements import Kind, Statement, is_lasting, statements
from stores.memories.text import (
    cjk_share,
    clauses,
    fold,
    numbers,
    same_unit,
    sentences,
    spoken_numbers,
    units,
)
from stores.memories.turn import Turn

EvidenceProblem = Literal[
    "no_evidence", "polarity", "past_state", "hypothetical", "quoted", "third_person", "question", "momentary",
    "language",
]  # fmt: skip

MIN_COVERAGE = 0.75
"""Share of a clause's informative units that the user must have used themselves."""
LONGEST_NEW_RUN = 2
"""Units in a row that a memory may put in its own words."""
LONGEST_ASSENT = 60
"""Characters; a longer answer says more than yes."""
_MIN_SHARE = {"zh": 0.5, "en": 0.2}

_FRAME = re.compile(
    r"该?用户(?:本人)?的?|本人|自己的?|希望|想要|要求|需要|倾向于|偏好|偏爱|更?喜欢|喜爱|热爱|爱好|爱"
    r"|讨厌|厌恶|反感|受不了|表示|提到|目前|现在|以前|曾经|过去|之前|已经|一直|通常|平时|名字|姓名|名叫"
    r"|叫做?|称呼|称为|昵称|全名|住在|居住在?|居住|定居|住|工作|任职于?|就职于?|供职于?|入职|职业|职务"
    r"|职位|担任|从事|身份"
    r"|是?一[名位个]|来自|今后|以后|始终|总是|每次|默认|回答|回复|问题|时候?|使用|采用|用|不再|没有|未"
    r"|患有|具有|拥有|计划|打算|将要?|大约|约|左右|正在|在看|进行|年龄|生日|对于|关于|由|从|于|其"
    r"|\b(?:the |this )?users?(?:['’]s)?\b|\b(?:he|she|they|his|her|their|him|them|i|my|me)\b"
    r"|\b(?:prefers?|preferred|preference|likes?|loves?|enjoys?|hates?|dislikes?|wants?|wishes"
    r"|would like|needs?|asks?|asked|expects?|stated?|says?|mentioned|currently|now|formerly|previously"
    r"|used to|named?|called|known as|goes by|lives?|living|resid\w+|based|works?|working|worked"
    r"|employed|job|occupation|profession|role|serves?|being|stand|bear|longer|any more|anymore"
    r"|always|from now on|in future|future|going forward|answers?|answered|answering|replies|reply"
    r"|replied|responses?|respond\w*|assistant|be|been|to be|has|have|had|having|will|plans?|intends?"
    r"|about|around|approximately|comes?|originally|uses?|using)\b"
)
_EMPTY_WORDS = (
    "a an the of to in on at for with and or but is are am was were be been it it's this that these "
    "those as by from do doe did not no so very really quit much mor"
)
_EMPTY = set("的了是在我你他她它们和与及或也都就很太更最还又吧呢啊吗呀着过地得把被给对有会能要想说这那个些为以") | set(
    _EMPTY_WORDS.split()
)
_NEGATORS = set("不没无未别")
_PROPER = re.compile(r"(?<![.!?。！？]\s)(?<!^)\b[A-Z][A-Za-z]+\b")
_ASSENT = re.compile(
    r"^(?:嗯+|好|行|可以|对|是|没错|同意|就这样|就这么|当然|没问题|要|必须|yes|yeah|yep|yup|sure|ok|okay"
    r"|right|correct|exactly|agreed|please do|of course|absolutely|sounds good|that works|do that"
    r"|go ahead)(?:的|呀|啊|吧|了|[，,。.!！\s]|$)",
    re.IGNORECASE,
)
_DISSENT = re.compile(
    r"考虑|想想|再说|不用|不要|不了|算了|不过|但|先不|改天|继续|\b(?:but|later|think about|not|no|maybe"
    r"|don['’]?t|continue|go on)\b",
    re.IGNORECASE,
)
_PROPOSAL = re.compile(
    r"[?？]\s*$|吗|好吗|怎么样|要不要|建议|\b(?:shall|should|would you|do you want|i suggest|i can|may i"
    r"|how about|want me)\b",
    re.IGNORECASE,
)
_KIND_PROBLEM: dict[Kind, EvidenceProblem] = {
    "question": "question",
    "request": "question",
    "hypothetical": "hypothetical",
    "reported": "quoted",
    "momentary": "momentary",
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """The words of the user that a memory rests on; `index` is the message they stand in."""

    quote: str
    index: int


def find_evidence(content: str, turn: Turn, *, known: str = "") -> Evidence | EvidenceProblem:
    """The evidence for a memory's content, from the latest message backwards, or why there is none.

    Each clause of the content must be covered by eligible statements of one message: the informative units
    themselves, every number, every name, no value put in another's place, the same polarity and tense.
    Clauses that an update carries over from the memory it replaces (`known`) need no new evidence.
    """
    claims = _claims(content, known)
    problems: list[EvidenceProblem] = []
    for index in range(len(turn.user_messages) - 1, -1, -1):
        message = turn.user_messages[index]
        if wants_privacy(message):
            continue
        outcome = _in_message(claims, message, index)
        if isinstance(outcome, Evidence):
            return outcome
        problems.append(outcome)
    assent = _assented(claims, turn)
    if assent is not None:
        return Evidence(assent, len(turn.user_messages) - 1)
    if _other_language(content, turn):
        return "language"
    return next((problem for problem in problems if problem != "no_evidence"), "no_evidence")


def _claims(content: str, known: str) -> list[str]:
    """The clauses of a content that need evidence, without their dates."""
    carried = {signature(part) for part in _clauses(known)}
    return [part for part in _clauses(content) if signature(part) not in carried]


def _clauses(content: str) -> list[str]:
    return [part for one in sentences(without_dates(content)) for part in clauses(one)]


def _in_message(claims: Sequence[str], message: str, index: int) -> Evidence | EvidenceProblem:
    said = statements(message)
    whole = " ".join(claims)
    outcome = _covered(claims, [one for one in said if _eligible(one, whole)])
    if not isinstance(outcome, str):
        return Evidence("；".join(dict.fromkeys(one.text for one in outcome)), index)
    return _why_not(claims, said, message) if outcome == "no_evidence" else outcome


def _eligible(one: Statement, content: str) -> bool:
    if one.kind not in {"statement", "directive"}:
        return False
    return not one.holder or fold(one.holder) in fold(content)


def _why_not(claims: Sequence[str], said: Sequence[Statement], message: str) -> EvidenceProblem:
    """Name the reason if words that are not eligible would have covered the content."""
    whole = " ".join(claims)
    for kind, problem in _KIND_PROBLEM.items():
        chosen = [one for one in said if one.kind == kind or _eligible(one, whole)]
        if any(one.kind == kind for one in chosen) and not isinstance(_covered(claims, chosen), str):
            return problem
    others = [replace(one, holder="") for one in said if one.kind in {"statement", "directive"}]
    if not isinstance(_covered(claims, others), str):
        return "third_person"
    everything = [Statement(text=part, kind="statement") for part in sentences(message)]
    if GAP in own_words(message, names=True) and not isinstance(_covered(claims, everything), str):
        return "quoted"
    return "no_evidence"


def _covered(claims: Sequence[str], eligible: Sequence[Statement]) -> list[Statement] | EvidenceProblem:
    """The statements that cover every claim, or the first thing wrong with one."""
    used: list[Statement] = []
    past = any(is_past(claim) for claim in claims)
    for claim in claims:
        chosen = _choose(informative(claim), eligible)
        if not chosen or not _rests_on(claim, chosen):
            return "no_evidence"
        if _turned_round(claim, chosen):
            return "polarity"
        words = " ".join(one.text for one in chosen)
        if is_past(words) and not past:
            return "past_state"
        if not all(supported(slot, words) for slot in mentioned_slots(claim)):
            return "no_evidence"
        used += chosen
    return used or "no_evidence"


def informative(clause: str) -> list[str]:
    """The units of a clause that carry its meaning; all but the emptiest when nothing else is left."""
    folded = fold(clause)
    framed = [unit for unit in units(_FRAME.sub(" ", folded)) if unit not in _EMPTY and unit not in _NEGATORS]
    return framed or [unit for unit in units(folded) if unit not in _EMPTY and unit not in _NEGATORS]


def _choose(wanted: Sequence[str], eligible: Sequence[Statement]) -> list[Statement]:
    """The fewest statements, greedily, that hold the wanted units; in their own order."""
    missing = set(wanted)
    chosen: list[Statement] = []
    while missing:
        gains = [(len(_held(missing, units(one.text))), one) for one in eligible if one not in chosen]
        best = max(gains, key=lambda pair: pair[0], default=(0, None))
        if best[1] is None or best[0] == 0:
            break
        chosen.append(best[1])
        missing -= _held(missing, units(best[1].text))
    return [one for one in eligible if one in chosen]


def _held(wanted: set[str], available: Sequence[str]) -> set[str]:
    return {unit for unit in wanted if any(same_unit(unit, other) for other in available)}


def _rests_on(claim: str, chosen: Sequence[Statement]) -> bool:
    wanted = informative(claim)
    words = " ".join(one.text for one in chosen)
    said = spoken_numbers(words)
    spoken = [unit for one in chosen for unit in [*units(one.text), ""]]
    held = _held(set(wanted), spoken) | (set(wanted) & said)
    if not numbers(claim) <= said or sum(unit in held for unit in wanted) / len(wanted) < MIN_COVERAGE:
        return False
    if _has_new_run(wanted, held) or _replaces_value(wanted, held, spoken):
        return False
    return _names_said(claim, words)


def _has_new_run(wanted: Sequence[str], held: set[str]) -> bool:
    run = 0
    for unit in wanted:
        run = 0 if unit in held else run + 1
        if run > LONGEST_NEW_RUN:
            return True
    return False


def _replaces_value(wanted: Sequence[str], held: set[str], spoken: Sequence[str]) -> bool:
    """Whether a new unit stands where the user put another: 浅色 for 深色, "light mode" for "dark mode"."""
    kept = set(wanted)
    for place, unit in enumerate(wanted):
        if unit in held:
            continue
        before = wanted[place - 1] if place else None
        after = wanted[place + 1] if place + 1 < len(wanted) else None
        for at, other in enumerate(spoken):
            if not other or other in kept or other in _EMPTY:
                continue
            follows = at + 1 < len(spoken) and after is not None and same_unit(spoken[at + 1], after)
            precedes = at > 0 and before is not None and same_unit(spoken[at - 1], before)
            if follows or precedes:
                return True
    return False


def _names_said(clause: str, words: str) -> bool:
    """Latin names, identifiers and any Latin word in a Chinese clause must stand in the user's words literally."""
    folded = fold(words)
    strict = set(re.findall(r"[A-Za-z]+[0-9][A-Za-z0-9]*|[0-9]+[A-Za-z][A-Za-z0-9]*", clause))
    if cjk_share(clause) >= _MIN_SHARE["zh"]:
        strict |= set(re.findall(r"[A-Za-z][A-Za-z0-9+#.-]*[A-Za-z0-9+#]|[A-Za-z]", clause)) - {
            "User",
            "user",
        }
    else:
        strict |= {name for name in _PROPER.findall(clause) if not _FRAME.fullmatch(fold(name))}
    return all(fold(name) in folded for name in strict)


def _turned_round(clause: str, chosen: Sequence[Statement]) -> bool:
    words = [one.text for one in chosen]
    if any(is_doubly_negated(text) for text in words) and not is_doubly_negated(clause):
        return True
    product = 1
    for text in words:
        product *= sign(text)
    return product != sign(clause)


def _assented(claims: Sequence[str], turn: Turn) -> str | None:
    """The user's yes to what the assistant proposed: the proposal says to what, the yes is the evidence."""
    proposal, answer = turn.assistant_message, own_words(turn.latest).strip()
    if not proposal or not _ASSENT.match(answer) or _DISSENT.search(answer) or len(answer) > LONGEST_ASSENT:
        return None
    proposed = [one for one in sentences(proposal) if _PROPOSAL.search(one)]
    if not any(is_lasting(text) for text in (*proposed, answer)) and not any("?" in fold(one) for one in proposed):
        return None
    offered = [
        Statement(text=re.sub(r"(?:好吗|可以吗|吗|呢)?[？?]\s*$", "", part), kind="directive")
        for one in proposed
        for part in clauses(one)
    ]
    return None if isinstance(_covered(claims, offered), str) else answer


def _other_language(content: str, turn: Turn) -> bool:
    """Whether the user writes one language and the content is in the other."""
    words = " ".join(own_words(message) for message in turn.user_messages)
    mine, theirs = cjk_share(content), cjk_share(words)
    return bool(words.strip(GAP + " ")) and (
        (theirs >= _MIN_SHARE["zh"] and mine < _MIN_SHARE["en"])
        or (theirs < _MIN_SHARE["en"] and mine >= _MIN_SHARE["zh"])
    )
