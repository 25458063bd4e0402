"""`python -m training`: prepare the data, train, export, compare."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from eval.errors import EvaluationError
from stores.errors import StoreError
from training.errors import TrainingError

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Train Recite's own cross-encoder.")

Data = Annotated[Path, typer.Argument(help="The folder with train_pairs/ and the BEIR folders.")]
Run = Annotated[Path, typer.Argument(help="The run's folder: its checkpoint, log and exported model.")]
Layers = Annotated[int, typer.Option(min=1, max=12, help="Layers taken from the embedder.")]


@app.command()
def prepare(
    data: Data,
    output: Annotated[Path, typer.Argument(help="Where the examples are written (.jsonl.gz).")],
    lists: Annotated[int, typer.Option(min=1, help="As many lists are to be met without a repetition.")] = 45_000,
) -> None:
    """Read the sets, mine negatives, write the examples."""
    from training.prepare import prepare as made  # noqa: PLC0415 - the help must not wait for this

    counts = made(data, output, lists=lists)
    for name, count in sorted(counts.items()):
        print(f"{count:7d} {name}")


@app.command()
def train(
    examples: Annotated[Path, typer.Argument(help="What `prepare` wrote.")],
    run: Run,
    pairs: Annotated[int, typer.Option(min=1, help="Budget in (query, passage) pairs.")] = 1_000_000_000,
    minutes: Annotated[float, typer.Option(min=0.01, help="Budget in minutes of training, over all restarts.")] = 1e9,
    layers: Layers = 6,
    seed: Annotated[int, typer.Option(help="Of the order of the examples.")] = 5,
    threads: Annotated[int, typer.Option(min=1, help="Threads of the arithmetic.")] = 2,
) -> None:
    """Train, or go on from the run's checkpoint, until the first of the budgets is used up."""
    import torch  # noqa: PLC0415 - heavy

    from training.encoder import from_embedder  # noqa: PLC0415
    from training.examples import read_examples  # noqa: PLC0415
    from training.loop import Plan  # noqa: PLC0415
    from training.loop import train as trained  # noqa: PLC0415
    from training.mixture import SHARES  # noqa: PLC0415
    from training.packaged import MODEL, tokenizer  # noqa: PLC0415

    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    plan = Plan(pairs=pairs, minutes=minutes, seed=seed, shares=SHARES)
    encoder = from_embedder(MODEL, layers)
    progress = trained(encoder, tokenizer(), read_examples(examples), plan, run)
    print(f"{progress.steps} steps, {progress.pairs} pairs, {progress.seconds / 60:.1f} minutes")


@app.command()
def export(
    run: Run,
    output: Annotated[Path, typer.Argument(help="Where the ONNX file is written.")],
    weights: Annotated[str, typer.Option(help="fp32, q8 or int8.")] = "q8",
    layers: Layers = 6,
) -> None:
    """Write the run's checkpoint as an ONNX file, after its scores were compared with the checkpoint's own."""
    from training.check import written  # noqa: PLC0415

    print(written(run, output, weights, layers))


@app.command()
def compare(
    data: Data,
    model: Annotated[Path, typer.Argument(help="What `export` wrote.")],
    parts: Annotated[Path, typer.Option(help="Where the questions and their corpora are written.")] = Path("parts"),
    cache: Annotated[Path, typer.Option(help="Where indexes are kept between runs.")] = Path(".recite-eval"),
    limit: Annotated[int, typer.Option(min=1, help="Ask only the first so many questions of each set.")] = 1_000,
) -> None:
    """Rerank what the search finds, on questions that nothing was trained on, and say whether the model may ship."""
    import asyncio  # noqa: PLC0415

    from stores.embeddings.local import LocalEmbeddings  # noqa: PLC0415
    from stores.rerankers.scorer import PairScorer  # noqa: PLC0415
    from training import compare as comparing  # noqa: PLC0415
    from training.candidates import questions  # noqa: PLC0415
    from training.packaged import FOLDER  # noqa: PLC0415
    from training.parts import write_parts  # noqa: PLC0415

    embedder, scorer = LocalEmbeddings(), PairScorer(model.read_bytes(), FOLDER)
    sets = {}
    for name in write_parts(data, parts):
        found = asyncio.run(questions(parts / name, embedder, cache))
        sets[name] = comparing.judged(found[:limit], scorer)
    weights = comparing.chosen(sets)
    figures = comparing.report(sets, weights)
    print(comparing.markdown(figures))
    print(f"{weights}. By the rule it {'ships' if comparing.ships(figures) else 'does not ship'}.")


def main() -> None:
    """Run the command; what went wrong is one line."""
    try:
        app()
    except (TrainingError, EvaluationError, StoreError) as error:
        print(f"training: {error}", file=sys.stderr)
        raise SystemExit(1) from error


if __name__ == "__main__":
    main()
