"""Frames around text that is data: passages, memories, tool results, history.

A frame carries a token that the framed text cannot know, so the text cannot close it. The same
module writes and reads frames, so that the prompt and whoever reads it agree.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

_ATTRIBUTE = re.compile(r'([a-z]+)="([^"]*)"')


@dataclass(frozen=True, slots=True)
class Fenced:
    """One framed text as read back."""

    label: str
    attributes: dict[str, str]
    text: str


def fence_token(secret: str) -> str:
    """A short token from something the framed text cannot know, such as the id of the turn's message."""
    return hashlib.sha256(secret.encode()).hexdigest()[:8]


def fence(label: str, text: str, *, token: str, attributes: Mapping[str, object] | None = None) -> str:
    """Frame `text` as data: `<passage-1a2b3c4d n="1">…</passage-1a2b3c4d>`."""
    written = "".join(f' {key}="{str(value).replace(chr(34), chr(39))}"' for key, value in (attributes or {}).items())
    return f"<{label}-{token}{written}>\n{text}\n</{label}-{token}>"


def read_fences(prompt: str, label: str) -> list[Fenced]:
    """Every text framed under `label`, in order. The token of the first such frame is the one that counts."""
    opening = re.search(rf"<{label}-([0-9a-f]{{8}})[ >]", prompt)
    if opening is None:
        return []
    name = f"{label}-{opening[1]}"
    found = re.finditer(rf"<{name}((?: [a-z]+=\"[^\"]*\")*)>\n(.*?)\n</{name}>", prompt, re.DOTALL)
    return [Fenced(label, dict(_ATTRIBUTE.findall(match[1])), match[2]) for match in found]
