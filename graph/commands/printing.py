"""A reply on the terminal: answer, sources, and on request every step."""

from typing import Any

from graph.commands import shared
from graph.commands.escaping import escape
from graph.reply import Reply
from nodes.citations.render import GAP
from stores.counting import counted

LINE = 160


def print_sources(reply: Reply) -> None:
    """Where the answer stands, each source with its quote."""
    for citation in reply.citations:
        quote = " ".join(GAP.join(citation.quotes or (citation.quote,)).split())
        shortened = quote if len(quote) <= LINE else quote[:LINE] + "…"
        shared.out.print(
            f"  [cyan]\\[{citation.number}][/cyan] {escape(citation.place())}\n      [dim]{escape(shortened)}[/dim]"
        )
    if reply.memories:
        shared.out.print("  [dim]remembered: " + escape("; ".join(m.content for m in reply.memories)) + "[/dim]")
    if reply.degraded:
        shared.out.print(f"  [yellow]without: {', '.join(reply.degraded)}[/yellow]")


def print_footer(reply: Reply) -> None:
    """What produced the answer and what it cost."""
    total = sum(step["ms"] for step in reply.steps)
    calls = reply.usage.model_calls
    parts = [escape(reply.model), reply.status, reply.task, counted(calls, "model call"), f"{total / 1000:.1f} s"]
    shared.out.print(f"  [dim]{' · '.join(parts)}[/dim]")


def print_step(step: dict[str, Any]) -> None:
    """One node of the turn with what it decided."""
    shared.out.print(
        f"  [magenta]{step['node']:17}[/magenta] {step['ms']:7.1f} ms  [dim]{escape(_told(step['detail']))}[/dim]"
    )
    for sentence in step["detail"].get("sentences", []):
        shared.out.print(f"      [dim]{escape(_sentence(sentence))}[/dim]")


def _sentence(sentence: dict[str, Any]) -> str:
    """What became of one sentence: `pass 0.93 ok [1]  本科生…`."""
    numbers = "".join(f"[{number}]" for number in sentence["numbers"])
    text = " ".join(sentence["text"].split())
    shortened = text if len(text) <= LINE else text[:LINE] + "…"
    head = f"{sentence['verdict']:10} {sentence['score']:.2f} {sentence['reason']}"
    return f"{head}  {numbers} {shortened}" if numbers else f"{head}  {shortened}"


def print_call(number: int, call: dict[str, Any]) -> None:
    """The messages of one model call, word for word."""
    offered = f" · tools: {', '.join(call['tools'])}" if call["tools"] else ""
    shared.out.print(f"  [magenta]model call {number}[/magenta] [dim]{escape(call['node'] + offered)}[/dim]")
    for message in call["messages"]:
        shared.out.print(f"    [cyan]{escape(message['role'])}[/cyan]")
        for asked in message.get("tool_calls", ()):
            shared.out.print(f"      → {escape(asked['name'])}({escape(str(asked['args']))})")
        for line in message["text"].splitlines():
            shared.out.print(f"      {escape(line)}")


def _told(detail: dict[str, Any]) -> str:
    parts: list[str] = []
    for key, value in detail.items():
        if key == "calls":
            parts += [f"{call['name']}({call['arguments']})" for call in value]
        elif key == "results":
            parts += [f"{result['name']} → {result['status']}: {result['content']}" for result in value]
        elif key == "sentences":
            parts.append(f"sentences: {len(value)}")
        elif key == "first_ms":
            parts += [f"first words after {value:.0f} ms"] if value is not None else []
        elif key == "evidence":
            parts.append(", ".join(f"[{e['number']}] {e['score']:.2f} {e['source']}" for e in value) or "nothing found")
        elif value:
            parts.append(f"{key}: {value}")
    return "; ".join(parts)
