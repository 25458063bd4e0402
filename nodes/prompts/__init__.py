"""The prompts, one Markdown file each, read once; and the phrases that code must recognise."""

from functools import cache
from importlib.resources import files

PLAN_TASK = "# Task: plan"
ANSWER_TASK = "# Task: answer"
REPAIR_TASK = "# Task: repair"
SUMMARIZE_TASK = "# Task: summarize"
EXTRACT_TASK = "# Task: propose memory operations"
RERANK_TASK = "# Task: rerank"
SUPPORT_TASK = "# Task: check support"
"""Each prompt's first line. The offline model tells its tasks apart by it."""

NO_SEARCH = "NO_SEARCH"
"""What the planner writes when neither documents nor tools are needed."""
INSUFFICIENT = "INSUFFICIENT_MATERIAL"
"""What the answering model writes, followed by what is missing, when the passages do not hold the answer."""


@cache
def prompt(name: str) -> str:
    """The text of `nodes/prompts/<name>.md`."""
    return (files(__package__) / f"{name}.md").read_text(encoding="utf-8").strip()
