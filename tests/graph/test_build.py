"""The graph's shape, and that the README shows it as it is."""

from pathlib import Path
from typing import cast

from graph.build import build
from graph.services import Services
from nodes.limits import Limits

README = Path(__file__).parents[2] / "README.md"


class _Anything:
    """Stands for every service: building has no side effects, so nothing is ever asked of it."""

    limits = Limits()

    def __getattr__(self, name: str) -> None:
        return None


def drawn() -> str:
    graph = build(cast("Services", _Anything())).compile().get_graph()
    lines = graph.draw_mermaid().splitlines()
    return "\n".join(line.replace("&nbsp;", " ") for line in lines[lines.index("graph TD;") :]).strip()


def test_the_graph_has_the_eight_nodes() -> None:
    nodes = build(cast("Services", _Anything())).nodes

    assert set(nodes) == {
        "recall_memory", "plan", "tool_call", "retrieve", "answer", "check_citations", "extract_memory",
        "compress_history",
    }  # fmt: skip


def test_the_readme_shows_the_graph_as_it_is() -> None:
    assert drawn() in README.read_text(encoding="utf-8")


def test_every_import_name_resolves_to_this_repository() -> None:
    import importlib

    root = Path(__file__).parents[2]
    for name in ("graph", "nodes", "tools", "stores", "eval", "training"):
        assert Path(importlib.import_module(name).__file__ or "").is_relative_to(root)
