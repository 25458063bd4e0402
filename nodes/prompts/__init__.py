"""The prompts, one Markdown file each and per language where it matters; and the phrases that code must recognise."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from tools.tasks import SEARCHED, Searched

PLAN_TASK = "# Task: plan"
ANSWER_TASK = "# Task: answer"
REPAIR_TASK = "# Task: repair"
SUMMARIZE_TASK = "# Task: summarize"
EXTRACT_TASK = "# Task: propose memory operations"
RERANK_TASK = "# Task: rerank"
SUPPORT_TASK = "# Task: check support"
"""Each prompt's first line, in every language. The offline model tells its tasks apart by it."""

NO_SEARCH = "NO_SEARCH"
"""What the planner writes when neither documents nor tools are needed."""
CLARIFY = "CLARIFY"
"""What the planner writes, followed by one short question, when nothing says what the message is about."""
INSUFFICIENT = "INSUFFICIENT_MATERIAL"
"""What the answering model writes, followed by what is missing, when the passages do not hold the answer."""
THIS_QUESTION = "## This question: "
"""What the section about the question's task begins with in the answer prompt; the task's name follows."""

Language = Literal["en", "zh"]

NAMES = (
    "answer", "answer.zh", "extract", "plan", "plan.zh", "repair", "repair.zh", "rerank", "summarize", "summarize.zh",
    "support", "tasks", "tasks.zh",
)  # fmt: skip
"""Every prompt, as its file is called without `.md`. Those with a `.zh` are written in both languages."""

FIELDS: Mapping[str, tuple[str, ...]] = MappingProxyType({"plan": ("rounds",), "answer": ("task",)})
"""What the application fills in: `{rounds}` searches that are left, `{task}` the section about the question's task."""

MARKERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "answer": (INSUFFICIENT, "[2]"),
        "extract": ('"operations"', "ADD", "UPDATE", "DELETE", "IGNORE"),
        "plan": ("search_documents", NO_SEARCH, f"{CLARIFY}: ", "`then`", "`task`", *SEARCHED),
        "repair": ("[n]",),
        "rerank": ("[2, 3, 1]",),
        "summarize": (),
        "support": ('"n"', '"supported"'),
        "tasks": tuple(f"## {task}" for task in SEARCHED),
    }
)
"""What code recognises in a reply, or reads in the prompt: it stands in the prompt of every language."""

_FIRST_LINES = {
    "answer": ANSWER_TASK,
    "extract": EXTRACT_TASK,
    "plan": PLAN_TASK,
    "repair": REPAIR_TASK,
    "rerank": RERANK_TASK,
    "summarize": SUMMARIZE_TASK,
    "support": SUPPORT_TASK,
}
_FIELD = re.compile(r"\{([a-z_]+)\}")


class PromptError(ValueError):
    """A prompt of one's own cannot be used. The message names the file, what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prompts of one deployment: the built-in ones, some of them replaced. Made by `read_prompts`."""

    replaced: Mapping[str, str] = field(default_factory=dict)

    def text(self, name: str, language: Language = "en") -> str:
        """The prompt of this name in the language of the question, if it is written in it."""
        own = f"{name}.zh"
        chosen = own if language == "zh" and own in NAMES else name
        return self.replaced.get(chosen) or prompt(chosen)

    def plan(self, language: Language, *, rounds: int) -> str:
        """The planner's prompt, with the number of searches that are left."""
        return self.text("plan", language).replace("{rounds}", str(rounds))

    def answer(self, language: Language, task: Searched | None) -> str:
        """The answer prompt with the section about the question's task; without one where nothing is looked up."""
        section = f"{THIS_QUESTION}{task}\n\n{self._section(task, language)}" if task else ""
        return re.sub(r"\n{3,}", "\n\n", self.text("answer", language).replace("{task}", section))

    def _section(self, task: Searched, language: Language) -> str:
        _, _, rest = f"\n{self.text('tasks', language)}".partition(f"\n## {task}\n")
        return rest.partition("\n## ")[0].strip()


@cache
def prompt(name: str) -> str:
    """The text of the built-in `nodes/prompts/<name>.md`."""
    return (files(__package__) / f"{name}.md").read_text(encoding="utf-8").strip()


BUILT_IN = Prompts()
"""The prompts as they come."""


def read_prompts(folder: Path) -> Prompts:
    """The built-in prompts, with each `<name>.md` of the folder in the place of the one of that name.

    Raises:
        PromptError: there is no such folder, a file has no prompt's name, cannot be read, or lacks what code needs.
    """
    if not folder.is_dir():
        raise PromptError(
            f"There is no folder {folder}. Make it, or leave RECITE_PROMPTS empty for the built-in prompts."
        )
    replaced: dict[str, str] = {}
    for path in sorted(folder.glob("*.md")):
        if path.name.lower() == "readme.md":
            continue
        if path.stem not in NAMES:
            raise PromptError(
                f"{path} is no prompt's file. The prompts are {', '.join(NAMES)}, each with .md behind it."
            )
        try:
            replaced[path.stem] = path.read_text(encoding="utf-8-sig").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise PromptError(f"{path} cannot be read as UTF-8 text ({error}).") from error
        if complaint := fault_of(path.stem, replaced[path.stem]):
            raise PromptError(f"{path} {complaint}")
    return Prompts(replaced)


def fault_of(name: str, text: str) -> str | None:
    """What is wrong with the text of a prompt, `None` if nothing is."""
    kind = name.removesuffix(".zh")
    first = _FIRST_LINES.get(kind)
    if first is not None and text.partition("\n")[0].strip() != first:
        return f"must begin with the line {first!r}."
    missing = [repr(marker) for marker in MARKERS[kind] if marker not in text]
    missing += [f"the field {{{one}}}" for one in FIELDS.get(kind, ()) if f"{{{one}}}" not in text]
    if missing:
        return f"lacks {', '.join(missing)}: the application fills it in or recognises it. Add it."
    unknown = sorted(set(_FIELD.findall(text)) - set(FIELDS.get(kind, ())))
    if unknown:
        return f"has a field {{{unknown[0]}}} that nothing fills in. Take it out."
    return None


def task_in(system: str) -> Searched | None:
    """The task that an answer prompt speaks of, `None` if it has no such section."""
    _, found, rest = system.partition(f"\n{THIS_QUESTION}")
    name = rest.partition("\n")[0].strip() if found else ""
    return next((task for task in SEARCHED if task == name), None)
