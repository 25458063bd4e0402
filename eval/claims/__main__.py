"""`python -m eval.claims WRITTEN.jsonl FOLDER…`: print the altered claims of the set, one JSON object a line."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from eval.claims.generate import generated
from eval.claims.pairs import read_pairs
from eval.errors import EvaluationError
from graph.console import open_streams


def main(
    written: Annotated[Path, typer.Argument(help="Pairs written by hand; the supported ones are altered too.")],
    documents: Annotated[list[Path], typer.Argument(help="Folders of Markdown whose sentences are altered.")],
    each: Annotated[int, typer.Option(min=1, help="So many of each kind, language and folder at most.")] = 18,
) -> None:
    """Print altered claims, the same for the same documents."""
    open_streams()
    if missing := [str(one) for one in documents if not one.is_dir()]:
        raise typer.BadParameter(f"{', '.join(missing)}: no such folder.")
    try:
        rows = generated(documents, read_pairs(written), each=each)
    except EvaluationError as error:
        print(f"eval: {error}", file=sys.stderr)
        raise typer.Exit(1) from error
    for row in rows:
        print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    typer.run(main)
