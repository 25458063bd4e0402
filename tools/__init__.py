"""Tools: what the model may call, and what the application lets happen."""

from tools.calculator import calculator
from tools.current_date import current_date
from tools.search_documents import search_documents
from tools.tool import Tool


def builtin_tools() -> tuple[Tool, ...]:
    """The tools that every installation has."""
    return (search_documents, calculator, current_date)
