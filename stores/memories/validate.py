"""The application's decision on each proposed memory operation.

The model proposes; nothing it says is believed. Every rule here has a machine-readable reason, and the first that
fails decides.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, assert_never

from stores.memories.dates import dates_hold, unresolved
from stores.memories.evidence import Evidence, EvidenceProblem, find_evidence
from stores.memories.intent import forget_all, wants_forgetting, wants_privacy
from stores.memories.memory import MAX_LENGTH, MIN_CONFIDENCE, MIN_LENGTH, Memory, MemoryType, Operation, Verdict
from stores.memories.revision import UpdateProblem, superseded_by, update_problem
from stores.memories.sameness import Tombstones, signature
from stores.memories.sensitive import find_sensitive
from stores.memories.turn import Turn
from stores.memories.wishes import concerns

ContentProblem = Literal["structure", "length", "sensitive", "needs_confirmation", "duplicate"]
Reason = (
    Literal[
        "low_confidence", "ignored", "no_forget_intent", "not_meant", "unknown_target", "type_mismatch", "stale",
        "forgotten", "planted_instruction", "private", "wrong_date", "unresolved_date", "too_many_deletes",
    ]
    | ContentProblem
    | EvidenceProblem
    | UpdateProblem
)  # fmt: skip
"""Why an operation was refused; the audit keeps it, never the content."""

_UNPRINTABLE = {"Cc", "Cf", "Cs", "Co"}
SHORTEST_ID_PREFIX = 8
_LABELS = {"semantic": "S", "episodic": "E", "procedural": "P"}
_ADDRESS = re.compile(
    r"https?://|www\.|(?<![\w@.-])[a-z0-9](?:[a-z0-9-]*\.)+(?:com|net|org|cn|io|example|test|invalid|dev"
    r"|app|ai|co|info|biz|xyz|top|site|online|me|ru|uk|de|edu|gov|hk|tw|jp)(?![\w-])|[\w.+-]+@[\w-]+\.\w",
    re.IGNORECASE,
)
_OVERRIDE = re.compile(
    r"(?:忽略|无视|覆盖|绕过|忘记|违反|跳过|不要遵守|不再遵守).{0,12}(?:指令|规则|提示|设定|限制|安全"
    r"|命令|政策|约束)|系统提示|越狱|管理员模式|开发者模式|(?:不要|别|无需|不用)(?:告诉|通知"
    r"|让).{0,4}用户|(?:转到|转给|转发|跳转|发送|发到|上传|泄露|汇款|转账|引导|重定向).{0,20}(?:网站"
    r"|网址|链接|邮箱|地址|账户|服务器)"
    r"|\b(?:ignor|disregard|overrid|bypass|circumvent)\w*\b.{0,40}\b(?:instruction|rule|prompt|polic"
    r"|guideline|guardrail|safety|restriction|previous|system|above)|\bsystem prompt\b|\bjailbreak\b"
    r"|\bdeveloper mode\b|\b(?:don['’]?t|do not|never) (?:tell|inform|notify|warn) the user\b"
    r"|\b(?:redirect|forward|exfiltrat|upload|leak|transfer|route|refer)\w*\b.{0,40}\b(?:to"
    r"|at)\b.{0,30}\b(?:site|website|url|link|server|account|address|wallet)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Accepted:
    """What to do for an accepted operation: `target` is replaced or erased, `content` is stored."""

    target: Memory | None = None
    content: str | None = None
    quote: str | None = None


def label_memories(snapshot: Sequence[Memory]) -> dict[str, Memory]:
    """Typed short ids in the snapshot's order (S1, E1, P1 …) that a model may be shown in place of ids.

    A label of one type can never mean a memory of another.
    """
    counts: dict[str, int] = {}
    labelled = {}
    for memory in snapshot:
        counts[memory.type] = counts.get(memory.type, 0) + 1
        labelled[f"{_LABELS[memory.type]}{counts[memory.type]}"] = memory
    return labelled


def clean_content(content: object) -> str | None:
    """The content as it is stored: NFC, no control characters, single spaces; `None` if it is no text."""
    if not isinstance(content, str):
        return None
    kept = (char if unicodedata.category(char) not in _UNPRINTABLE else " " for char in content)
    return re.sub(r"\s+", " ", unicodedata.normalize("NFC", "".join(kept))).strip()


def content_problem(
    content: str | None, snapshot: Sequence[Memory], *, confirmed: bool, except_id: str | None = None
) -> ContentProblem | None:
    """The checks that hold for everybody who writes a memory, the user's own hand included.

    `confirmed` says that the user themselves decided to keep it: personal matters then pass, secrets never.
    """
    if content is None:
        return "structure"
    if not MIN_LENGTH <= len(content) <= MAX_LENGTH:
        return "length"
    kinds = find_sensitive(content)
    if any(kind != "personal" for kind in kinds):
        return "sensitive"
    if kinds and not confirmed:
        return "needs_confirmation"
    said = signature(content)
    if any(signature(memory.content) == said for memory in snapshot if memory.memory_id != except_id):
        return "duplicate"
    return None


def validate(operation: Operation, *, turn: Turn, snapshot: Sequence[Memory], tombstones: Tombstones) -> Verdict:
    """Decide on one operation; nothing is written.

    `snapshot` are this user's active memories in the order the model saw them. An accepted verdict carries the id
    of the memory that would be replaced or erased, `None` when a new one would be made.
    """
    outcome = decide(operation, turn=turn, snapshot=snapshot, tombstones=tombstones)
    if isinstance(outcome, Accepted):
        return Verdict(operation=operation, reason=None, memory_id=outcome.target.memory_id if outcome.target else None)
    return Verdict(operation=operation, reason=outcome)


def decide(
    operation: Operation, *, turn: Turn, snapshot: Sequence[Memory], tombstones: Tombstones
) -> Accepted | Reason:
    """As `validate`, with what is to be written instead of a verdict."""
    if operation.action == "IGNORE":
        return "ignored"
    if not operation.confidence >= MIN_CONFIDENCE:
        return "low_confidence"
    match operation.action:
        case "DELETE":
            return _delete(operation, turn, snapshot)
        case "ADD" | "UPDATE":
            return _write(operation, turn, snapshot, tombstones)
        case _:
            assert_never(operation.action)


def _target(operation: Operation, snapshot: Sequence[Memory]) -> Memory | None:
    wanted = (operation.target_id or "").strip()
    if not wanted:
        return None
    labelled = label_memories(snapshot).get(wanted.upper())
    found = [
        memory
        for memory in snapshot
        if memory.memory_id == wanted or (len(wanted) >= SHORTEST_ID_PREFIX and memory.memory_id.startswith(wanted))
    ]
    return found[0] if len(found) == 1 else labelled


def _delete(operation: Operation, turn: Turn, snapshot: Sequence[Memory]) -> Accepted | Reason:
    if not wants_forgetting(turn.latest):
        return "no_forget_intent"
    if forget_all(turn.latest):
        return "needs_confirmation"
    target = _target(operation, snapshot)
    if target is None:
        return "unknown_target"
    if operation.type is not None and operation.type != target.type:
        return "type_mismatch"
    return Accepted(target=target) if concerns(turn, target.content) else "not_meant"


def _write(operation: Operation, turn: Turn, snapshot: Sequence[Memory], tombstones: Tombstones) -> Accepted | Reason:
    content = clean_content(operation.content)
    if operation.type is None or content is None:
        return "structure"
    target = None
    if operation.action == "UPDATE":
        target = _target(operation, snapshot)
        if target is None:
            return "unknown_target"
        if operation.type != target.type:
            return "type_mismatch"
    problem = content_problem(content, snapshot, confirmed=False) or _unwanted(operation, content, turn)
    if problem is not None:
        return problem
    evidence = find_evidence(content, turn, known=target.content if target else "")
    if not isinstance(evidence, Evidence):
        return evidence
    late = _date_problem(operation, content, turn, evidence) or _erased(content, evidence, turn, tombstones)
    return late or _placed(operation.type, content, evidence, target, snapshot)


def _placed(
    kind: MemoryType, content: str, evidence: Evidence, target: Memory | None, snapshot: Sequence[Memory]
) -> Accepted | UpdateProblem:
    """Settle which memory the content replaces, if any; a quote that holds personal matters is not kept."""
    if target is None:
        target = superseded_by(content, kind, evidence.quote, snapshot)
    else:
        refused = update_problem(target.content, content, evidence.quote)
        if refused is not None:
            return refused
    quote = None if find_sensitive(evidence.quote) else evidence.quote
    return Accepted(target=target, content=content, quote=quote)


def _unwanted(operation: Operation, content: str, turn: Turn) -> Literal["private", "planted_instruction"] | None:
    if wants_privacy(turn.latest):
        return "private"
    return "planted_instruction" if _is_planted(operation, content) else None


def _is_planted(operation: Operation, content: str) -> bool:
    """A preference needs no address to send anything to, and no memory overrides rules."""
    return bool(_OVERRIDE.search(content)) or (operation.type == "procedural" and bool(_ADDRESS.search(content)))


def _date_problem(
    operation: Operation, content: str, turn: Turn, evidence: Evidence
) -> Literal["wrong_date", "unresolved_date"] | None:
    if operation.type != "procedural" and unresolved(content):
        return "unresolved_date"
    if not dates_hold(content, turn.user_messages[evidence.index], turn.time):
        return "wrong_date"
    return None


def _erased(content: str, evidence: Evidence, turn: Turn, tombstones: Tombstones) -> Literal["forgotten"] | None:
    """Only a new statement, made after the erasing and in the latest message, teaches an erased memory again."""
    if tombstones.all_before is not None and turn.time <= tombstones.all_before:
        return "forgotten"
    erased_at = tombstones.erased_at([content, evidence.quote])
    if erased_at is None:
        return None
    new = turn.time > erased_at and evidence.index == len(turn.user_messages) - 1
    return None if new else "forgotten"
