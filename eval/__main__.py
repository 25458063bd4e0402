"""`python -m eval`: measurements against baselines."""

import asyncio
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import typer
from rich.console import Console

from graph.console import INTERRUPTED, open_streams

if TYPE_CHECKING:
    from eval.material import Tell
    from eval.measuring import Request

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Measure Recite against baselines.")

DOCUMENTS = typer.Option(
    help="A folder or file that the questions are about; may be given again. Default: RECITE_HOME."
)
CACHE = typer.Option(help="Where indexes are kept between runs.")


@app.callback()
def _root() -> None:
    """Measure Recite against baselines."""


@app.command()
def retrieval(
    dataset: Annotated[
        Path,
        typer.Argument(
            help="A BEIR folder (corpus.jsonl[.gz], queries.jsonl, qrels/test.tsv) or an own set FILE.jsonl."
        ),
    ],
    queries: Annotated[Path | None, typer.Option(help="Take queries and labels from this folder.")] = None,
    documents: Annotated[list[Path] | None, DOCUMENTS] = None,
    pipelines: Annotated[
        str, typer.Option(help="Which to compare, by commas; rewrite+NAME has the chat model plan the queries.")
    ] = "keyword,vector,hybrid,stock",
    limit: Annotated[int | None, typer.Option(min=1, help="Ask only the first so many questions.")] = None,
    output: Annotated[Path | None, typer.Option("--json", help="Write the whole report here as JSON.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write the report here as Markdown.")] = None,
    chart: Annotated[Path | None, typer.Option(help="Draw the figures here: FILE.png or FILE.svg.")] = None,
    cache: Annotated[Path, CACHE] = Path(".recite-eval"),
) -> None:
    """Rank the passages of a labelled corpus with each pipeline, and compare."""
    open_streams()
    names = _named(pipelines)
    _writable(output, markdown, chart)
    from eval.measuring import Request  # noqa: PLC0415 - the help must not wait for this

    request = Request(
        dataset=dataset, pipelines=names, queries=queries, documents=documents or (), limit=limit, cache=cache
    )
    with _one_line_errors():
        _report(request, output, markdown, chart)


@app.command()
def citations(
    pairs: Annotated[
        list[Path], typer.Argument(help="Labelled claims: FILE.jsonl, or several that are measured as one set.")
    ],
    part: Annotated[
        Literal["calibration", "report", "all"],
        typer.Option(help="Which half of the documents: thresholds are fitted on one and reported on the other."),
    ] = "all",
    failures: Annotated[int, typer.Option(min=0, help="So many failed claims of each kind in the Markdown.")] = 5,
    limit: Annotated[int | None, typer.Option(min=1, help="Check only the first so many claims.")] = None,
    output: Annotated[Path | None, typer.Option("--json", help="Write the whole report here as JSON.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write the report here as Markdown.")] = None,
    chart: Annotated[Path | None, typer.Option(help="Draw the figures here: FILE.png or FILE.svg.")] = None,
) -> None:
    """Check labelled claims against the passages they cite, and compare with the labels."""
    open_streams()
    _writable(output, markdown, chart)
    from eval.claims.checking import check_delivered  # noqa: PLC0415 - the help must not wait for these
    from eval.claims.pairs import read_all  # noqa: PLC0415
    from eval.claims.report import as_markdown, dataset_name, report  # noqa: PLC0415
    from graph.settings import read_settings  # noqa: PLC0415

    with _one_line_errors():
        if chart:
            from eval.chart import ready  # noqa: PLC0415

            ready(chart)
        chosen = read_all(pairs, part=part)[:limit]
        with _stage() as tell:
            checked = asyncio.run(check_delivered(chosen, read_settings(), tell))
        told = report(checked, dataset=dataset_name(pairs), part=part)
        if output:
            output.write_text(json.dumps(told, ensure_ascii=False, indent=1), encoding="utf-8")
        if chart:
            from eval.claims.chart import draw  # noqa: PLC0415

            draw(told, chart)
        if markdown:
            link = os.path.relpath(chart, markdown.parent) if chart else None
            markdown.write_text(as_markdown(told, chart=link, failures=failures), encoding="utf-8")
        print(as_markdown(told, failures=0))


@app.command()
def new(
    file: Annotated[Path, typer.Argument(help="The set to begin or to go on with: FILE.jsonl.")],
    documents: Annotated[list[Path] | None, DOCUMENTS] = None,
    cache: Annotated[Path, CACHE] = Path(".recite-eval"),
) -> None:
    """Build an own labelled set while searching: ask, pick what answers, keep the quotation."""
    from eval.labelling import Labelling  # noqa: PLC0415 - the help must not wait for this and the next
    from graph.settings import read_settings  # noqa: PLC0415

    _writable(file)
    open_streams()
    with _one_line_errors():
        labelling = Labelling(file)
        try:
            asyncio.run(labelling.run(read_settings(), documents or [], cache, _stage))
        except KeyboardInterrupt:
            print()
        print(labelling.told())


@app.command()
def answers(
    source: Annotated[Path, typer.Argument(help="A file of RGB (FILE.jsonl), or a folder of such files.")],
    other: Annotated[
        Path | None, typer.Option(help="Documents about another subject: every question is asked of them as well.")
    ] = None,
    questions: Annotated[
        Path | None, typer.Option(help="Own questions about those documents: rows of `query` and `answer` (or null).")
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="The chat model, as RECITE_CHAT_MODEL names it; `offline` needs no key.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Of each file of RGB only the first so many questions.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--json", help="Write the whole report here as JSON.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write the report here as Markdown.")] = None,
    chart: Annotated[Path | None, typer.Option(help="Draw the curve of refusal here: FILE.png or FILE.svg.")] = None,
    cache: Annotated[Path, CACHE] = Path(".recite-eval"),
) -> None:
    """Ask questions with passages that answer, do not answer, or contradict each other; see what is released."""
    open_streams()
    _writable(output, markdown, chart)
    from eval.answers import AnswersRequest, measured_answers  # noqa: PLC0415 - the help must not wait for these
    from eval.answers_report import answers_markdown, draw_curves  # noqa: PLC0415
    from eval.chart import ready  # noqa: PLC0415
    from graph.settings import read_settings  # noqa: PLC0415

    with _one_line_errors():
        if chart:
            ready(chart)
        settings = read_settings()
        chosen = settings.model_copy(update={"chat_model": model}) if model else settings
        request = AnswersRequest(source=source, other=other, questions=questions, limit=limit, cache=cache)
        with _stage() as tell:
            report = asyncio.run(measured_answers(request, chosen, tell))
        if output:
            output.write_text(json.dumps(report, ensure_ascii=False, indent=1), encoding="utf-8")
        if chart:
            draw_curves(report, chart)
        link = os.path.relpath(chart, markdown.parent) if chart and markdown else None
        if markdown:
            markdown.write_text(answers_markdown(report, chart=link), encoding="utf-8")
        print(answers_markdown(report))


def _named(pipelines: str) -> list[str]:
    from eval.measuring import is_pipeline  # noqa: PLC0415
    from eval.pipelines import REWRITE, PipelineName  # noqa: PLC0415

    named = [name.strip() for name in pipelines.split(",") if name.strip()]
    unknown = [name for name in named if not is_pipeline(name)]
    if unknown or not named:
        raise typer.BadParameter(
            f"{', '.join(unknown) or 'nothing'}: choose from {', '.join(get_args(PipelineName))}, "
            f"each also as {REWRITE}NAME."
        )
    return list(dict.fromkeys(named))


def _writable(*files: Path | None) -> None:
    """Better now than after the measurement."""
    for file in files:
        if file is not None and (file.is_dir() or not file.parent.is_dir()):
            raise typer.BadParameter(f"{file} cannot be written: {file.parent} must be a folder, and {file.name} none.")


def _report(request: "Request", output: Path | None, markdown: Path | None, chart: Path | None) -> None:
    from eval.chart import draw, ready  # noqa: PLC0415
    from eval.measuring import measured  # noqa: PLC0415
    from eval.report import as_markdown  # noqa: PLC0415
    from graph.settings import read_settings  # noqa: PLC0415

    if chart:
        ready(chart)
    with _stage() as tell:
        report = asyncio.run(measured(request, read_settings(), tell))
    if output:
        output.write_text(json.dumps(report, ensure_ascii=False, indent=1), encoding="utf-8")
    if chart:
        draw(report, chart)
    if markdown:
        link = os.path.relpath(chart, markdown.parent) if chart else None
        markdown.write_text(as_markdown(report, chart=link), encoding="utf-8")
    print(as_markdown(report, failures=0))


@contextmanager
def _stage() -> "Iterator[Tell]":
    """Shows on a terminal what is going on."""
    with Console(stderr=True).status("reading") as status:

        def tell(stage: str, done: int, of: int) -> None:
            status.update(f"{stage}: {done} of {of}")

        yield tell


@contextmanager
def _one_line_errors() -> Iterator[None]:
    """What a user can cause or mend ends in what it is and what to do, with status 1."""
    from eval.errors import EvaluationError  # noqa: PLC0415
    from graph.failures import EXPECTED  # noqa: PLC0415

    try:
        yield
    except (EvaluationError, *EXPECTED) as error:
        print(f"eval: {error}", file=sys.stderr)
        raise typer.Exit(1) from error
    except KeyboardInterrupt:
        print("eval: interrupted; nothing was written.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None


if __name__ == "__main__":
    app()
