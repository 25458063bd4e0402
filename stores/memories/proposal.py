"""A model's reply read as memory operations. A reply that cannot be read is a failed attempt, never "nothing to do"."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import json_repair
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, field_validator

from stores.errors import StoreError
from stores.memories.memory import Action, MemoryType, Operation

MAX_REPLY = 100_000
"""Characters; a longer reply is a model that runs on."""
MAX_OPERATIONS = 50
_MAX_BRACES = 500
_REPAIRABLE: frozenset[Action] = frozenset({"ADD", "IGNORE"})
_KEY = "operations"

_THINK_TAG = r"(?:think|thinking|thought|reasoning|reflection)"
_THINK_CLOSED = re.compile(rf"<{_THINK_TAG}>.*?</{_THINK_TAG}>", re.DOTALL | re.IGNORECASE)
_THINK_REST = re.compile(rf"\A.*</{_THINK_TAG}>|<{_THINK_TAG}>.*\Z", re.DOTALL | re.IGNORECASE)
_STRUCTURE = str.maketrans("｛｝［］【】：，、．－０１２３４５６７８９　", "{}[][]:,,.-0123456789 ")
_CLOSING = {'"': '"', "“": "”", "”": "”", "＂": "＂", "„": "”"}


class ProposalError(StoreError):
    """The reply holds no readable object with `operations`: a refusal, another shape, or a reply cut off."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """An entry of the reply that is no operation. `index` counts from 0 in the reply's own list."""

    index: int
    reason: Literal["unknown_action", "structure", "after_repair", "too_many"]


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a reply proposes. `repaired` says that its JSON had to be guessed at."""

    operations: tuple[Operation, ...]
    dropped: tuple[Dropped, ...] = ()
    repaired: bool = False


class _Entry(BaseModel):
    """One entry of the list. Extra fields are ignored: models like to add a reason, and code reads none."""

    model_config = ConfigDict(strict=True, extra="ignore")

    action: Action = Field(validation_alias=AliasChoices("action", "operation"))
    type: MemoryType | None = None
    content: str | None = None
    target_id: str | None = None
    confidence: float = Field(ge=0, le=1, allow_inf_nan=False)

    @field_validator("content", "target_id", mode="before")
    @classmethod
    def _clean(cls, value: object) -> object:
        return _without_surrogates(value) if isinstance(value, str) else value


def parse_operations(text: str) -> list[Operation]:
    """The operations that a model's reply proposes; see `parse_proposal`.

    Raises:
        ProposalError: the reply cannot be read.
    """
    return list(parse_proposal(text).operations)


def parse_proposal(text: str) -> Proposal:
    """Read a reply: strict JSON first, then with full-width punctuation mended, and repaired only as a last resort.

    Thinking is stripped before anything is looked for. After a repair only ADD and IGNORE survive, since a guessed
    UPDATE or DELETE could destroy something.

    Raises:
        ProposalError: no object with a list `operations`, or nothing of a repaired one survives.
    """
    if len(text) > MAX_REPLY:
        raise ProposalError(f"The reply has {len(text)} characters, over {MAX_REPLY}. Ask the model again.")
    whole = _holder(_load(text.strip()))
    if whole is not None:
        return _read(whole, repaired=False)
    visible = _THINK_REST.sub("", _THINK_CLOSED.sub("", text))
    for candidate in (visible, _mend_punctuation(visible)):
        found = [entries for value in _objects(candidate) if (entries := _holder(value)) is not None]
        if found:
            return _read(found[-1], repaired=False)
    return _repair(_mend_punctuation(visible))


def _load(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _holder(value: Any) -> list[Any] | None:
    entries = value.get(_KEY) if isinstance(value, dict) else None
    return entries if isinstance(entries, list) else None


def _objects(text: str) -> Iterator[Any]:
    """Every outermost JSON object of a text, prose and stray braces between them skipped."""
    decoder = json.JSONDecoder()
    position = text.find("{")
    for _ in range(_MAX_BRACES):
        if position < 0:
            return
        try:
            value, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            end = position + 1
        else:
            yield value
        position = text.find("{", end)


def _mend_punctuation(text: str) -> str:
    """Full-width structure outside strings made plain; what stands inside a string is kept as it is."""
    written: list[str] = []
    closing = ""
    escaped = False
    for char in text:
        if not closing:
            closing = _CLOSING.get(char, "")
            written.append('"' if closing else char.translate(_STRUCTURE))
        elif escaped:
            written.append(char)
            escaped = False
        elif char == closing:
            written.append('"')
            closing = ""
        else:
            escaped = char == "\\"
            written.append('\\"' if char == '"' else char)
    return "".join(written)


def _repair(text: str) -> Proposal:
    key = text.find(f'"{_KEY}"')
    start = text.rfind("{", 0, key) if key >= 0 else -1
    if start < 0:
        raise ProposalError(
            f"The reply holds no JSON object with {_KEY!r} ({len(text.strip())} characters). Ask the model again."
        )
    try:
        entries = _holder(json_repair.loads(text[start:]))
    except (ValueError, RecursionError) as error:
        raise ProposalError("The reply's JSON is beyond repair. Ask the model again.") from error
    if entries is None:
        raise ProposalError(f"The reply's {_KEY!r} is no list. Ask the model again.")
    proposal = _read(entries, repaired=True)
    if not proposal.operations:
        raise ProposalError("The reply's JSON is broken and nothing in it can be trusted. Ask the model again.")
    return proposal


def _read(entries: list[Any], *, repaired: bool) -> Proposal:
    operations: list[Operation] = []
    dropped: list[Dropped] = []
    for index, entry in enumerate(entries):
        if len(operations) == MAX_OPERATIONS:
            dropped.append(Dropped(index, "too_many"))
            continue
        try:
            read = _Entry.model_validate(_upper_action(entry))
        except ValidationError as error:
            wrong_action = any(problem["loc"][:1] in {("action",), ("operation",)} for problem in error.errors())
            dropped.append(Dropped(index, "unknown_action" if wrong_action else "structure"))
            continue
        if repaired and read.action not in _REPAIRABLE:
            dropped.append(Dropped(index, "after_repair"))
            continue
        operations.append(Operation(**read.model_dump()))
    return Proposal(tuple(operations), tuple(dropped), repaired)


def _upper_action(entry: Any) -> Any:
    if not isinstance(entry, dict):
        return entry
    return {
        key: value.strip().upper() if key in {"action", "operation"} and isinstance(value, str) else value
        for key, value in entry.items()
    }


def _without_surrogates(text: str) -> str:
    """Pairs joined, lone halves dropped: a lone surrogate cannot be written as UTF-8."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
