"""`python -m eval`: measurements against baselines."""

import asyncio
import json
import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from rich.console import Console

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Measure Recite against baselines.")


@app.callback()
def _root() -> None:
    """Measure Recite against baselines."""


@app.command()
def retrieval(
    dataset: Annotated[Path, typer.Argument(help="A BEIR folder: corpus.jsonl[.gz], queries.jsonl, qrels/test.tsv.")],
    queries: Annotated[Path | None, typer.Option(help="Take queries and labels from this folder.")] = None,
    pipelines: Annotated[str, typer.Option(help="Which to compare, by commas.")] = "keyword,vector,hybrid,stock",
    limit: Annotated[int | None, typer.Option(min=1, help="Ask only the first so many questions.")] = None,
    output: Annotated[Path | None, typer.Option("--json", help="Write the whole report here as JSON.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write the report here as Markdown.")] = None,
    cache: Annotated[Path, typer.Option(help="Where indexes are kept between runs.")] = Path(".recite-eval"),
) -> None:
    """Rank the passages of a labelled corpus with each pipeline, and compare."""
    from eval.errors import EvaluationError  # noqa: PLC0415 - the help must not wait for this
    from eval.report import markdown as as_markdown  # noqa: PLC0415
    from graph.errors import SettingsError  # noqa: PLC0415
    from stores.errors import StoreError  # noqa: PLC0415

    try:
        report = asyncio.run(_measured(dataset, queries, _named(pipelines), limit, cache))
    except (EvaluationError, SettingsError, StoreError) as error:
        print(f"eval: {error}", file=sys.stderr)
        raise typer.Exit(1) from error
    text = as_markdown(report)
    if output:
        output.write_text(json.dumps(report, ensure_ascii=False, indent=1), encoding="utf-8")
    if markdown:
        markdown.write_text(text, encoding="utf-8")
    print(text)


def _named(pipelines: str) -> list[str]:
    from eval.pipelines import PipelineName  # noqa: PLC0415

    named = [name.strip() for name in pipelines.split(",") if name.strip()]
    unknown = [name for name in named if name not in get_args(PipelineName)]
    if unknown or not named:
        raise typer.BadParameter(f"{', '.join(unknown) or 'nothing'}: choose from {', '.join(get_args(PipelineName))}.")
    return list(dict.fromkeys(named))


async def _measured(
    folder: Path, queries: Path | None, names: list[Any], limit: int | None, cache: Path
) -> dict[str, Any]:
    from eval.beir import load  # noqa: PLC0415
    from eval.corpus_index import open_index  # noqa: PLC0415
    from eval.pipelines import pipeline  # noqa: PLC0415
    from eval.retrieval import measure, report  # noqa: PLC0415
    from graph.parts import chat_model, embedder, reranker_for  # noqa: PLC0415
    from graph.settings import read_settings  # noqa: PLC0415

    settings = read_settings()
    data = load(folder, queries=queries, limit=limit)
    model = embedder(settings)
    with Console(stderr=True).status("reading") as status:

        def tell(stage: str, done: int, of: int) -> None:
            status.update(f"{stage}: {done} of {of}")

        index = await open_index(data, model, cache, partial(tell, "embedding passages"))
        try:
            async with chat_model(settings, model) as (chat, _):
                ranker = reranker_for(settings, model=chat, hurried=False) if "hybrid+rerank" in names else None
                runs = [
                    await measure(data, name, pipeline(name, index, model, ranker), partial(tell, f"asking {name}"))
                    for name in names
                ]
        finally:
            await index.pair.close()
    return report(data, index, runs, threshold=settings.min_score)


if __name__ == "__main__":
    app()
