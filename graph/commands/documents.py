"""Documents in, out and listed; the retrieval stage alone."""

import asyncio
import math
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import typer
from pydantic import TypeAdapter
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from graph.commands import shared
from graph.commands.escaping import escape
from graph.commands.narrowed import tell_if_nothing_is_left
from graph.console import PARTLY_DONE, complain, print_json
from nodes.errors import EmptyQuestionError
from stores.counting import counted
from stores.documents.document import Document, DocumentState, FileResult, Hit, Occurrence, SearchResult
from stores.documents.narrowing import Narrowing
from stores.documents.walk import PathNotFoundError
from stores.documents.watch import INTERVAL_S, changes
from stores.errors import IndexInUseError

if TYPE_CHECKING:
    from graph.agent import Agent

COLOURS = {
    "added": "green",
    "updated": "green",
    "unchanged": "dim",
    "skipped": "dim",
    "failed": "red",
    "deleted": "yellow",
}
STATE_COLOURS: dict[DocumentState, str] = {
    "queued": "dim", "indexing": "cyan", "ready": "green", "stale": "yellow", "failed": "red"
}  # fmt: skip


async def ingest_paths(paths: list[Path], *, user: str, collection: str | None, prune: bool, as_json: bool) -> None:
    """`recite ingest`."""
    async with shared.agent() as agent:
        into = collection or agent.services.settings.collection
        absolute = [path.absolute() for path in paths]
        results = agent.services.documents.ingest(absolute, owner=user, collection=into, prune=prune)
        await _report(results, as_json=as_json)


async def watch_paths(paths: list[Path], *, user: str, collection: str | None, as_json: bool) -> None:
    """`recite ingest --watch`: until it is interrupted. If the process that owns the data directory ends, this one
    takes its place.
    """
    absolute = [path.absolute() for path in paths]
    while True:
        async with shared.agent() as agent:
            try:
                await _keep_in_step(agent, absolute, user=user, collection=collection, as_json=as_json)
            except IndexInUseError as error:
                complain(str(error))
        await asyncio.sleep(INTERVAL_S)


async def _keep_in_step(agent: "Agent", paths: list[Path], *, user: str, collection: str | None, as_json: bool) -> None:
    into = collection or agent.services.settings.collection
    if not as_json:
        shared.out.print("Watching; Ctrl-C ends it.")
    async for _ in changes(paths, leave_out=agent.services.settings.home):
        results = agent.services.documents.ingest(paths, owner=user, collection=into, prune=True)
        try:
            await _report(_news(results), as_json=as_json)
        except typer.Exit:
            continue  # failed files were told; they may be mended at any moment
        except PathNotFoundError as error:
            complain(str(error))


async def _news(results: AsyncIterator[tuple[FileResult, int, int]]) -> AsyncIterator[tuple[FileResult, int, int]]:
    async for result, done, total in results:
        if result.status not in {"unchanged", "skipped"}:
            yield result, done, total


async def reindex_all(*, as_json: bool) -> None:
    """`recite documents reindex`."""
    async with shared.agent() as agent:
        await _report(agent.services.documents.reindex(), as_json=as_json)


async def _report(results: AsyncIterator[tuple[FileResult, int, int]], *, as_json: bool) -> None:
    """One line a file under a progress bar, or one JSON object; status 3 if some files failed."""
    start = perf_counter()
    files: list[FileResult] = []
    chunks = 0
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=shared.out, transient=True, disable=as_json) as progress:
        bar = progress.add_task("ingest", total=None, rate="")
        async for result, done, total in results:
            files.append(result)
            chunks += result.chunks if result.status in {"added", "updated"} else 0
            rate = f"{chunks / max(perf_counter() - start, 1e-3):.1f} chunks/s" if chunks else ""
            progress.update(bar, completed=done, total=total, rate=rate)
            if not as_json:
                progress.console.print(_line(result))
    seconds = perf_counter() - start
    if as_json:
        rows = TypeAdapter(list[FileResult]).dump_python(files, mode="json")
        print_json({"files": rows, "seconds": round(seconds, 3)})
    else:
        counts = Counter(result.status for result in files)
        summary = ", ".join(f"{count} {status}" for status, count in counts.items())
        shared.out.print(f"{summary or 'no files'} in {seconds:.1f} s")
    failed = sum(result.status == "failed" for result in files)
    if failed:
        complain(f"{failed} of {counted(len(files), 'file')} could not be taken in; the reason stands beside each.")
        raise typer.Exit(PARTLY_DONE)


def _line(result: FileResult) -> str:
    colour = COLOURS[result.status]
    details = [counted(result.chunks, "chunk")] if result.chunks else []
    if result.pages:
        details.append(counted(result.pages, "page"))
    if result.encoding and result.encoding not in {"utf-8", "ascii"}:
        details.append(result.encoding)
    tail = f" [dim]{escape(result.reason or ', '.join(details))}[/dim]"
    return f"[{colour}]{result.status:9}[/{colour}] {escape(result.path)}{tail}"


async def search_documents(
    query: str, *, user: str, narrowing: Narrowing, k: int | None, explain: bool, as_json: bool
) -> None:
    """`recite search`: what is below the threshold is shown apart, for it is nothing that was found.

    To explain, the search is made as for an answer, and `cut` is what the threshold took out of it.

    Raises:
        EmptyQuestionError: there is nothing to search for.
    """
    if not query.strip():
        raise EmptyQuestionError("The query is empty. Write what you are looking for.")
    async with shared.agent() as agent:
        threshold = agent.services.limits.min_score
        min_score = threshold if explain else 0.0
        wishes = narrowing.as_json()
        found = await agent.search(query, user=user, k=k, min_score=min_score, explain=explain, **wishes)
        if not (found.hits or found.cut):
            await tell_if_nothing_is_left(agent, narrowing, user=user)
    if as_json:
        print_json(_search_json(found, explain=explain))
        return
    relevant = [hit for hit in found.hits if hit.score >= threshold]
    if not relevant:
        shared.out.print("Nothing relevant was found. `recite documents list` shows what was ingested.")
    for number, hit in enumerate(relevant, start=1):
        _print_hit(f"[bold]{number}.[/bold]", hit, explain=explain)
    rest = [*(hit for hit in found.hits if hit.score < threshold), *found.cut]
    if rest:
        shared.out.print(f"[yellow]Below the threshold {threshold:g}, so not used for answers:[/yellow]")
    for hit in rest:
        _print_hit("[yellow]cut[/yellow]" if explain else "[dim]–[/dim]", hit, explain=explain)
    for leg in found.degraded:
        complain(f"the {leg} stage failed and took no part; `recite doctor` says more.")


def _search_json(found: SearchResult, *, explain: bool) -> dict[str, Any]:
    return {
        "query": found.query,
        "hits": [hit_json(hit) for hit in found.hits],
        **({"cut": [hit_json(hit) for hit in found.cut]} if explain else {}),
        "degraded": list(found.degraded),
        "ms": found.ms,
    }


def _print_hit(mark: str, hit: Hit, *, explain: bool) -> None:
    # Rounded down: a score below the threshold must not be printed as one that reaches it.
    score = math.floor(hit.score * 100) / 100
    shared.out.print(f"{mark} {score:.2f} {escape(hit.path)} [dim]{escape(str(hit.chunk.location))}[/dim]")
    if explain:
        shared.out.print(f"   [dim]{_explained(hit)}[/dim]")
    shared.out.print("   " + escape(" ".join(hit.chunk.text.split())[:300]))
    for other in hit.also_in:
        shared.out.print(f"   [dim]also in {escape(_place(other))}[/dim]")


def _place(other: Occurrence) -> str:
    return " ".join(filter(None, [other.path, str(other.location)]))


def _explained(hit: Hit) -> str:
    def leg(name: str, rank: int | None, score: float | None) -> str:
        return f"{name} –" if rank is None else f"{name} #{rank} ({score:.3f})"

    parts = [
        leg("keyword", hit.keyword_rank, hit.keyword_score),
        leg("vector", hit.vector_rank, hit.vector_score),
    ]
    if hit.fused_score is not None:
        parts.append(f"RRF {hit.fused_score:.4f}")
    if hit.rerank_score is not None:
        parts.append(f"rerank {hit.rerank_score:.3f}")
    told = f"; matched {' · '.join(hit.matched)}" if hit.matched else "; no term matched"
    return ", ".join(parts) + escape(told)


def hit_json(hit: Hit) -> dict[str, Any]:
    """One hit of `recite search --json`."""
    return {
        "chunk_id": hit.chunk.chunk_id,
        "document_id": hit.chunk.document_id,
        "path": hit.path,
        "title": hit.title,
        "location": hit.chunk.location.as_json(),
        "language": hit.chunk.language,
        "content": hit.chunk.text,
        "score": hit.score,
        "retrieval_source": hit.source,
        "keyword_rank": hit.keyword_rank,
        "vector_rank": hit.vector_rank,
        "rerank_score": hit.rerank_score,
        "keyword_score": hit.keyword_score,
        "vector_score": hit.vector_score,
        "fused_score": hit.fused_score,
        "also_in": [
            {
                "chunk_id": other.chunk_id,
                "document_id": other.document_id,
                "path": other.path,
                "title": other.title,
                "location": other.location.as_json(),
            }
            for other in hit.also_in
        ],
        **({} if hit.matched is None else {"matched": list(hit.matched)}),
    }


async def list_documents(*, user: str, collection: str | None, as_json: bool) -> None:
    """`recite documents list`."""
    async with shared.agent() as agent:
        found = await agent.services.documents.documents(reader=user, collection=collection)
    if as_json:
        print_json([document_json(document) for document in found])
        return
    if not found:
        shared.out.print("No documents yet. `recite ingest PATH` takes some in.")
        return
    for document in sorted(found, key=lambda one: one.state == "failed"):
        _print_document(document)
    shared.out.print(_summary(Counter(document.state for document in found)))


def _print_document(document: Document) -> None:
    colour = STATE_COLOURS[document.state]
    chunks = counted(document.chunks, "chunk") if document.chunks else ""
    reason = f"  [dim]{escape(document.reason)}[/dim]" if document.reason else ""
    shared.out.print(
        f"{document.document_id[:8]}  [{colour}]{document.state:8}[/{colour}] {chunks:>12}  "
        f"{escape(document.path)}{reason}"
    )


def _summary(states: Counter[DocumentState]) -> str:
    told = [counted(states.total() - states["failed"], "document")]
    told += [f"{states[state]} {state}" for state in ("queued", "indexing", "stale") if states[state]]
    if states["failed"]:
        told.append(f"{counted(states['failed'], 'file')} could not be taken in")
    return ", ".join(told)


async def show_document(document_id: str, *, user: str, as_json: bool) -> None:
    """`recite documents show`."""
    async with shared.agent() as agent:
        document = await agent.services.documents.document(document_id, reader=user)
    if as_json:
        print_json(document_json(document))
        return
    for key, value in document_json(document).items():
        shared.out.print(f"{key:12} {escape(str(value))}")


async def delete_document(document_id: str, *, user: str, as_json: bool) -> None:
    """`recite documents delete`."""
    async with shared.agent() as agent:
        document = await agent.services.documents.document(document_id, reader=user)
        deleted = await agent.services.documents.delete(document.document_id, owner=user)
    if as_json:
        print_json({"deleted": document_json(deleted)})
    else:
        shared.out.print(f"deleted {escape(deleted.path)} ({counted(deleted.chunks, 'chunk')})")


def document_json(document: Document) -> dict[str, Any]:
    """One document of `recite documents list --json`."""
    row: dict[str, Any] = TypeAdapter(Document).dump_python(document, mode="json")
    return row
