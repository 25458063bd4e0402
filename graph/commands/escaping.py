"""Text for the terminal: no markup of rich's, and nothing that a terminal would obey."""

from rich import markup

from nodes.citations.inert import harmless


def escape(text: str) -> str:
    """`text` as it reads, whoever wrote it: without escape sequences, and with square brackets that style nothing."""
    return markup.escape(harmless(text))
