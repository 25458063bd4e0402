"""The answer's form where the question asks for more than the best quotations: a summary, questions, sides, steps."""

from collections.abc import Sequence

from graph.models.comparing import compared
from graph.models.language import Language
from graph.models.overview import summarised
from graph.models.preferences import Style
from graph.models.quoting import Material
from graph.models.reviewing import reviewed
from graph.models.stepping import stepped
from tools.tasks import Searched

Formed = tuple[str, list[str]]
"""The text, and what the material does not hold."""


def in_form(
    task: Searched | None,
    question: str,
    earlier: Sequence[str],
    material: Material,
    style: Style,
    language: Language,
) -> Formed | None:
    """The answer in the form of its task; `None` where the best quotations are the answer, or nothing fits the form."""
    if not material.units:
        return None
    match task:
        case "summarise":
            return summarised(question, material, style, language)
        case "review":
            return reviewed(question, material, style, language)
        case "compare":
            return compared(question, earlier, material, language)
        case "steps":
            return stepped(question, earlier, material)
        case _:
            return None
