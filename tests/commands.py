"""`recite` as tests call it, in this process."""

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from graph.cli import app

TEXT = "# 借阅\n\n本科生每次最多借 12 册，借期为 30 天。\n"


def run(*arguments: str, typed: str | None = None) -> Any:
    """`recite` with these arguments."""
    return CliRunner().invoke(app, list(arguments), input=typed)


class Recite:
    """`recite` on a data directory of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def __call__(self, *arguments: str, typed: str | None = None) -> Any:
        return run("--home", str(self.home), *arguments, typed=typed)

    def json(self, *arguments: str, status: int = 0) -> Any:
        result = self(*arguments, "--json")
        assert result.exit_code == status, result.output
        return json.loads(result.stdout)

    def fails(self, *arguments: str, status: int = 1) -> str:
        """Runs what must fail; returns the one line on stderr."""
        result = self(*arguments)
        assert result.exit_code == status, result.output
        assert "Traceback" not in result.output
        lines = result.stderr.strip().splitlines()
        assert len(lines) == 1, result.stderr
        return lines[0]
