"""A reply: what one question came to, ready for a person, a notebook or a script."""

import html
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from nodes.citations.inert import harmless, inert_line
from nodes.citations.record import Sentence
from nodes.citations.render import GAP, Citation, as_json
from nodes.state import Status, ToolResult, Usage
from stores.documents.document import Location
from stores.memories.memory import Memory
from tools.tasks import Task

SOURCE_GONE = "source deleted"
"""What stands for the quote of a citation whose passage is no longer in the store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedCitation:
    """A citation with the passage's words, read from the store when the reply was made."""

    citation: Citation
    quote: str
    """The stretch that supports the answer best."""
    quotes: Sequence[str] = ()
    """Every stretch of the passage that the answer rests on, in document order."""

    @property
    def number(self) -> int:
        """The number in square brackets."""
        return self.citation.number

    @property
    def path(self) -> str:
        """The file it stands in."""
        return self.citation.path

    @property
    def title(self) -> str:
        """The document's title."""
        return self.citation.title

    @property
    def location(self) -> dict[str, Any]:
        """Page, slide, lines, heading, symbol: what applies."""
        return self.citation.location

    @property
    def support(self) -> float:
        """How well the passage supports the sentences that cite it, 0 to 1."""
        return self.citation.support

    def place(self) -> str:
        """Path and location in one line."""
        where = ", ".join(Location.from_json(self.location).parts())
        return f"{self.path} ({where})" if where else self.path

    def as_json(self) -> dict[str, Any]:
        """The shape of `recite ask --json`."""
        return as_json(self.citation, self.quote, self.quotes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The answer to one question with everything that led to it."""

    answer: str
    status: Status
    thread: str
    user: str
    task: Task = "chat"
    """What the question asked for: it chose the form of the answer and how much was brought."""
    citations: Sequence[QuotedCitation] = ()
    missing: Sequence[str] = ()
    searched: Sequence[str] = ()
    memories: Sequence[Memory] = ()
    tools: Sequence[ToolResult] = ()
    steps: Sequence[dict[str, Any]] = ()
    messages: Sequence[dict[str, Any]] = ()
    """Each model call of the turn with the messages that were sent, secrets redacted; empty unless recorded."""
    usage: Usage = field(default_factory=Usage)
    degraded: Sequence[str] = ()
    model: str = ""
    sentences: Sequence[Sentence] = ()
    """What became of each sentence that the model wrote."""
    nearest: Sequence[dict[str, Any]] = ()
    """Of a refusal: title, path and place of what was found and does not suffice."""
    first_ms: float | None = None
    """How long the reader waited for the first words, in milliseconds; `None` in answers of earlier releases."""

    def as_json(self) -> dict[str, Any]:
        """The object that `recite ask --json` prints."""
        return {
            "answer": self.answer,
            "status": self.status,
            "task": self.task,
            "thread": self.thread,
            "user": self.user,
            "citations": [citation.as_json() for citation in self.citations],
            "missing": list(self.missing),
            "searched": list(self.searched),
            "memories": [
                {"id": memory.memory_id, "type": memory.type, "content": memory.content} for memory in self.memories
            ],
            "tools": [
                {
                    "name": tool.name,
                    "arguments": tool.arguments,
                    "status": tool.status,
                    "content": tool.content,
                }
                for tool in self.tools
            ],
            "steps": [{"node": step["node"], "ms": step["ms"]} for step in self.steps],
            "usage": {
                "model_calls": self.usage.model_calls,
                "input_tokens": self.usage.input_tokens,
                "output_tokens": self.usage.output_tokens,
            },
            "degraded": list(self.degraded),
            "sentences": [sentence.stored() for sentence in self.sentences],
            "nearest": list(self.nearest),
            "first_ms": self.first_ms,
            **({"messages": list(self.messages)} if self.messages else {}),
        }

    def __str__(self) -> str:
        sources = [f"[{c.number}] {c.place()}" for c in self.citations]
        return "\n".join([self.answer, *(["", *sources] if sources else [])])

    def _repr_markdown_(self) -> str:
        lines = [self.answer, ""]
        lines += [f"{c.number}. {_code(c.place())}: {inert_line(_all_quotes(c))}" for c in self.citations]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        sources = "".join(
            f"<li><code>{_html(c.place())}</code><br><q>{_html(' '.join(_all_quotes(c).split()))}</q></li>"
            for c in self.citations
        )
        steps = " → ".join(f"{step['node']} {step['ms']:.0f} ms" for step in self.steps)
        answer = _html(self.answer).replace("\n", "<br>")
        return (
            f"<div><p>{answer}</p><ol>{sources}</ol>{self._sentences_html()}"
            f"<p><small>{_html(f'{self.status} · {self.task} · {self.model} · {steps}')}</small></p></div>"
        )

    def _sentences_html(self) -> str:
        """Every sentence with its verdict, folded away until somebody looks."""
        if not self.sentences:
            return ""
        rows = "".join(
            f"<tr><td>{_html(one.verdict)}</td><td>{one.score:.2f}</td><td>{_html(one.reason)}</td>"
            f"<td>{', '.join(map(str, one.numbers))}</td><td>{_html(one.text)}</td></tr>"
            for one in self.sentences
        )
        head = "".join(f"<th>{name}</th>" for name in ("verdict", "support", "reason", "cites", "sentence"))
        table = f"<table><tr>{head}</tr>{rows}</table>"
        return f"<details><summary>{len(self.sentences)} sentences checked</summary>{table}</details>"


def _html(text: str) -> str:
    return html.escape(harmless(text))


def _code(text: str) -> str:
    """A code span that the text cannot end."""
    return f"`{harmless(text).replace('`', chr(39))}`"


def _all_quotes(citation: QuotedCitation) -> str:
    return GAP.join(citation.quotes or (citation.quote,))
