"""The tool registry, listed and searched."""

from graph.commands import shared
from graph.commands.escaping import escape
from graph.console import print_json
from tools import builtin_tools
from tools.registry import Registry
from tools.tool import Tool, as_listing


async def list_tools(*, as_json: bool) -> None:
    """`recite tools list`."""
    _print(list(builtin_tools()), as_json=as_json)


async def search_tools(query: str, *, as_json: bool) -> None:
    """`recite tools search`."""
    found = Registry(builtin_tools()).search(query, limit=5)
    _print([tool for tool, _ in found], as_json=as_json)


async def show_tool(name: str, *, as_json: bool) -> None:
    """`recite tools show`."""
    tool = Registry(builtin_tools()).get(name)
    if as_json:
        print_json(as_listing(tool))
        return
    for key, value in as_listing(tool).items():
        shared.out.print(f"{key:12} {escape(str(value))}")


def _print(tools: list[Tool], *, as_json: bool) -> None:
    if as_json:
        print_json([as_listing(tool) for tool in tools])
        return
    if not tools:
        shared.out.print("No tool fits.")
    for tool in tools:
        shared.out.print(f"[bold]{tool.name:18}[/bold] {tool.impact:6} {escape(tool.description)}")
