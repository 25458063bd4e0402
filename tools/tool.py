"""A tool: what the model is told of it, what the application demands of a call, and how it is run."""

import re
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from jsonschema import Draft202012Validator

from tools.errors import InvalidToolError
from tools.redaction import redacted
from tools.schema import checked_schema, validator

Impact = Literal["read", "write", "high"]
"""`read` changes nothing, `write` changes something of the user's, `high` needs the user's word each time."""

NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """Who calls, in which conversation, when, and what they may do."""

    user_id: str
    thread_id: str
    call_id: str
    now: datetime
    """With a time zone: the user's, if it is known."""
    permissions: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.now.tzinfo is None:
            raise InvalidToolError(f"ToolContext.now has no time zone: {self.now.isoformat()}.")


Run = Callable[[dict[str, Any], ToolContext], Awaitable[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """Something the model may propose to call. One that exists has a usable name and a valid, closed schema.

    Raises:
        InvalidToolError: name, description or limits cannot be used.
        InvalidSchemaError: `parameters` is refused by `checked_schema`.
    """

    name: str
    description: str
    parameters: dict[str, Any] = field(hash=False)
    """JSON Schema 2020-12 of the arguments, closed."""
    run: Run | None = field(repr=False)
    """`None`: the schema is offered to the model, and a node of its own carries the call out."""
    timeout_s: float = 30.0
    retries: int = 0
    """Further tries after a failure or a time-out; they happen only if `idempotent`."""
    idempotent: bool = False
    """Calling it twice with the same arguments is the same as calling it once."""
    impact: Impact = "read"
    permission: str | None = None
    """The permission a user must hold; `None`: everybody may."""
    tags: frozenset[str] = frozenset()
    validator: Draft202012Validator = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise InvalidToolError(
                f"Tool name {self.name[:80]!r}: use 1 to 64 of a-z A-Z 0-9 _ -, beginning with a letter or _."
            )
        if not self.description.strip():
            raise InvalidToolError(f"Tool {self.name} has no description: the model could not choose it.")
        if self.timeout_s <= 0 or self.retries < 0:
            raise InvalidToolError(f"Tool {self.name}: timeout_s must be positive and retries not negative.")
        schema = checked_schema(self.parameters)
        object.__setattr__(self, "parameters", schema)
        object.__setattr__(self, "validator", validator(schema))

    def permitted(self, permissions: Collection[str]) -> bool:
        """Whether a user with these permissions may use it."""
        return self.permission is None or self.permission in permissions


def as_openai(tool: Tool) -> dict[str, Any]:
    """The function schema that `bind_tools` takes."""
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
    }


def as_listing(tool: Tool) -> dict[str, Any]:
    """What a person may see of a tool: never what it is run with, and no secret in its texts."""
    listing = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "impact": tool.impact,
        "permission": tool.permission,
        "tags": sorted(tool.tags),
    }
    return {key: redacted(value) for key, value in listing.items()}
