"""The tasks that a question can set: what the planner names, and what the answer's form and breadth follow."""

from typing import Any, Literal, get_args

Task = Literal["explain", "find", "compare", "steps", "diagnose", "review", "summarise", "chat"]
"""`review`: questions to learn from; `summarise`: a document in short; `chat`: nothing is looked up."""
Searched = Literal["explain", "find", "compare", "steps", "diagnose", "review", "summarise"]
"""A task that looks something up."""

SEARCHED: tuple[Searched, ...] = get_args(Searched)

_SPELLINGS: dict[str, Searched] = {"summarize": "summarise", "summary": "summarise", "step": "steps"}


def task_named(value: Any) -> Searched | None:
    """The task that a model named, case and spaces aside; `None` if it named none that looks something up."""
    if not isinstance(value, str):
        return None
    name = value.strip().lower()
    return next((task for task in SEARCHED if task == _SPELLINGS.get(name, name)), None)
