"""The offline model's comparison: what the passages say of both sides, each quoted under its own name."""

import re
from collections.abc import Sequence

from graph.models.citing import cited
from graph.models.language import Language, language_of
from graph.models.questions import asked, subject_of
from graph.models.quoting import Material
from graph.models.units import Unit
from graph.models.wording import Question, Rarity, content_words, coverage, keys_of

PER_SIDE = 2
_HOLDS = 0.85
"""The share of a side's name that a quotation must hold, itself or in what stands over it, to speak of that side."""
_SIDES_ZH = re.compile(
    r"(?P<one>[^，。？?、\s和与跟同]{1,24}?)\s*(?:和|与|跟|同|、|相比于?|vs\.?|对比)\s*(?P<other>[^，。？?、]{1,24}?)"
    r"(?:之间)?(?P<rest>(?:的|在|有|相比|有何|有什么|哪|分别|之|对比|比较|的?区别|的?不同|的?差异|的?异同).*)$",
    re.IGNORECASE,
)
_BEFORE_ZH = re.compile(r"^(?:请|帮我|麻烦|请问|那么?|说说|解释|说明|比较|对比|一下|分析|介绍|区分|区别|下)+")
_SIDES_EN = re.compile(
    r"\b(?:differences? between|compar(?:e|ing|ison (?:of|between))|contrast(?: between)?"
    r"|distinguish(?: between)?)\s+"
    r"(?P<one>[^,?.]{1,60}?)\s+(?:and|with|to|from|versus|vs\.?)\s+(?P<other>[^,?.;]{1,60})"
    r"|(?:^(?:how\s+)?(?:(?:does|do|is|are)\s+)?)(?P<first>[^,?.]{1,60}?)\s+(?:differ(?:s|ent)? from|vs\.?|versus"
    r"|compare(?:s|d)? (?:to|with))\s+"
    r"(?P<second>[^,?.;]{1,60})",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"^(?:它们?|这个?|那个|前者|it|this|that|the former|they)$", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
_TAIL_EN = re.compile(r"\s+(?:in terms of|regarding|when|for|in|on|please)\b.*$", re.IGNORECASE)


def compared(
    question: str, earlier: Sequence[str], material: Material, language: Language
) -> tuple[str, list[str]] | None:
    """Both sides with their quotations, and the side that nothing speaks of; `None` where there are no two sides.

    What a pronoun stands for is a guess at the conversation: where nothing speaks of it, there are none either.
    """
    sides = sides_of(question, earlier)
    if len(sides) < 2:  # noqa: PLR2004 - a comparison has two
        return None
    whole = material.answers(asked(question, earlier))
    found = {side: _of_side(side, question, whole, material, language) for side in sides}
    both = [unit for unit in whole if all(_speaks_of(unit, side) for side in sides)]
    if not both and not all(units or side in question for side, units in found.items()):
        return None
    if not both and not any(found.values()):
        return None
    blocks = ["\n".join(map(cited, both))] if both else []
    told = set(both)
    for side, units in found.items():
        fresh = [unit for unit in units if unit not in told]
        told |= set(fresh)
        blocks += [f"**{side}**\n\n" + "\n\n".join(map(cited, fresh))] if fresh else []
    missing = [side for side, units in found.items() if not units and not both]
    return "\n\n".join(blocks), missing


def sides_of(question: str, earlier: Sequence[str] = ()) -> list[str]:
    """The names of the two things that a question compares, as the user wrote them; none where it is not said so."""
    stripped = question.strip()
    if language_of(stripped) == "zh":
        match = _SIDES_ZH.search(_BEFORE_ZH.sub("", stripped))
        named = [match["one"], match["other"]] if match else []
    else:
        match = _SIDES_EN.search(stripped)
        named = [part for part in match.groups() if part] if match else []
        named = [_ARTICLE.sub("", _TAIL_EN.sub("", part.strip())) for part in named]
    resolved = [subject_of(earlier) if _PRONOUN.match(one.strip()) else one.strip() for one in named]
    return [one for one in dict.fromkeys(resolved) if one]


def _of_side(side: str, question: str, whole: Sequence[Unit], material: Material, language: Language) -> list[Unit]:
    """At most two quotations that speak of one side: of those that answer the question, then of others."""
    own = [unit for unit in whole if _speaks_of(unit, side)]
    aspects = [word for word in content_words(question) if word not in side]
    for query in (f"{side} {' '.join(aspects)}", f"什么是{side}" if language == "zh" else f"what is {side}"):
        if len(own) < PER_SIDE:
            found = material.answers(Question(query))
            own += [unit for unit in found if unit not in own and _speaks_of(unit, side)]
    return sorted(own[:PER_SIDE], key=lambda unit: (unit.passage.number, unit.position))


def _speaks_of(unit: Unit, side: str) -> bool:
    keys = keys_of(f"{unit.text}\n{unit.heading}\n{' '.join(unit.header)}\n{unit.passage.context}")
    return coverage(Question(side), ((keys, 1.0),), Rarity([keys])) >= _HOLDS
