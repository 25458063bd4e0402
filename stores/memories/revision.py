"""When a memory may take another's place: same subject, same slot, and nothing lost on the way."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from stores.memories.evidence import informative
from stores.memories.memory import Memory, MemoryType
from stores.memories.polarity import has_negation
from stores.memories.sameness import opposite
from stores.memories.slots import Slot, mentioned_slots, tells_addition, tells_change
from stores.memories.statements import statements
from stores.memories.text import clauses, fold, numbers, same_unit, sentences

UpdateProblem = Literal["different_slot", "detail_lost", "additional_value"]

MIN_KEPT = 0.6
"""Share of an old clause's informative units that make it count as kept."""
MIN_LIKENESS = 0.4
"""Dice likeness of unit pairs above which two memories are about the same thing."""
SINGLE_VALUED: frozenset[Slot] = frozenset({"name", "residence", "employment", "age", "birthday"})


def update_problem(old: str, new: str, quote: str) -> UpdateProblem | None:
    """Why `new` may not replace `old` on the strength of the user's words `quote`; `None` if it may."""
    if not _same_matter(old, new, quote):
        return "different_slot"
    if _drops_detail(old, new, quote):
        return "detail_lost"
    if tells_addition(quote) and not tells_change(quote) and _share(old, new) < 1.0 and not _mostly_kept(old, new):
        return "additional_value"
    return None


def superseded_by(content: str, kind: MemoryType, quote: str, snapshot: Sequence[Memory]) -> Memory | None:
    """The active memory that a proposed ADD contradicts and therefore replaces.

    That is one that says the opposite, or the only one in a single-valued slot when the user tells of a change.
    """
    same_type = [memory for memory in snapshot if memory.type == kind]
    for memory in same_type:
        if opposite(memory.content, content):
            return memory
    if tells_addition(quote) or not tells_change(quote):
        return None
    slots = mentioned_slots(content) & SINGLE_VALUED
    rivals = [
        memory
        for memory in same_type
        if mentioned_slots(memory.content) & slots and _holder(memory.content) == _holder(content)
    ]
    if len(rivals) == 1 and not _drops_detail(rivals[0].content, content, quote):
        return rivals[0]
    return None


def _holder(content: str) -> str:
    """Whom a memory is about, empty for the user: the dog's name and the user's are two slots."""
    spoken = re.sub(
        r"\bthe user\b", "I", re.sub(r"\bthe user['’]s\b", "my", content, flags=re.IGNORECASE), flags=re.IGNORECASE
    )
    told = statements(spoken.replace("用户", "我"))
    return told[0].holder if told else ""


def _parts(text: str) -> list[str]:
    return [part for sentence in sentences(text) for part in clauses(sentence)]


def _share(part: str, text: str) -> float:
    """Share of a part's informative units that the text holds."""
    wanted, held = informative(part), informative(text)
    if not wanted:
        return 1.0
    return sum(any(same_unit(unit, other) for other in held) for unit in wanted) / len(wanted)


def _mostly_kept(old: str, new: str) -> bool:
    return all(_share(part, new) >= MIN_KEPT for part in _parts(old))


def _likeness(one: str, other: str) -> float:
    mine, theirs = informative(one), informative(other)
    if not mine or not theirs:
        return 0.0
    if min(len(mine), len(theirs)) == 1:
        return float(bool(set(mine) & set(theirs)))
    pairs, others = set(pairwise(mine)), set(pairwise(theirs))
    return 2 * len(pairs & others) / (len(pairs) + len(others))


def _same_matter(old: str, new: str, quote: str) -> bool:
    """A shared mention is not enough: the same slot, the same wording, or a change that names the old value."""
    mine, theirs = mentioned_slots(old), mentioned_slots(new)
    if mine & theirs and _holder(old) == _holder(new):
        return True
    if any(_likeness(part, new) >= MIN_LIKENESS for part in _parts(old)):
        return True
    shared = any(same_unit(a, b) for a in informative(old) for b in informative(f"{new} {quote}"))
    return tells_change(quote) and shared


def _drops_detail(old: str, new: str, quote: str) -> bool:
    """Whether a clause of the old memory that the quote is not about is lost."""
    parts = _parts(old)
    replaced = max(parts, key=lambda part: _affinity(part, new, quote), default="")
    for part in parts:
        if part == replaced or _share(part, new) >= MIN_KEPT or _share(part, quote) >= MIN_KEPT:
            continue
        return True
    if not replaced or _share(replaced, quote) >= MIN_KEPT or tells_change(quote):
        return False
    lost_number = not numbers(replaced) <= numbers(new) and not numbers(new) - numbers(old)
    return lost_number or (has_negation(replaced) and not has_negation(new) and fold(quote) not in fold(old))


def _affinity(part: str, new: str, quote: str) -> float:
    same_slot = bool(mentioned_slots(part) & mentioned_slots(f"{new} {quote}"))
    return _share(part, f"{new} {quote}") + float(same_slot)
