"""The command line. Heavy imports happen inside the commands, so that `recite --help` answers at once."""

import gc
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from graph.command_line import NAME, CommandLine
from graph.console import run
from graph.narrowing_options import Documents, Kinds, Languages, Paths, Since, Until
from stores.documents.narrowing import narrowing
from stores.names import MAX_HITS, collection_name, path_names, thread_name, user_name

app = typer.Typer(
    name=NAME,
    cls=CommandLine,
    help="Answers from your own documents, with citations that were checked.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
documents = typer.Typer(no_args_is_help=True, help="What was ingested.")
memory = typer.Typer(no_args_is_help=True, help="What is remembered about a user.")
threads = typer.Typer(no_args_is_help=True, help="Conversations.")
tools = typer.Typer(no_args_is_help=True, help="What the model may call.")
jobs = typer.Typer(no_args_is_help=True, help="The outbox of memory jobs.")
for name, group in (
    ("documents", documents),
    ("memory", memory),
    ("threads", threads),
    ("tools", tools),
    ("jobs", jobs),
):
    app.add_typer(group, name=name)

User = Annotated[str, typer.Option("--user", callback=user_name, help="Whose documents, memories and threads.")]
Collection = Annotated[
    str | None, typer.Option("--collection", callback=collection_name, help="A named set of documents.")
]
Thread = Annotated[str, typer.Option("--thread", callback=thread_name, help="The conversation's name.")]
ThreadName = Annotated[str, typer.Argument(callback=thread_name, help="The conversation's name or id.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.callback()
def root(
    home: Annotated[str | None, typer.Option("--home", help="The data directory (RECITE_HOME).")] = None,
) -> None:
    """Answers from your own documents, with citations that were checked."""
    if home is not None:
        from graph.commands import shared  # noqa: PLC0415

        shared.HOME = home


@app.command()
def ingest(
    paths: Annotated[list[str], typer.Argument(callback=path_names, help="Files and folders.")],
    collection: Collection = None,
    user: User = "local",
    prune: Annotated[
        bool, typer.Option("--prune", help="Delete documents of these folders whose file is gone.")
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Keep these folders in step until Ctrl-C; implies --prune.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Take in documents: one line a file."""
    from graph.commands.documents import ingest_paths, watch_paths  # noqa: PLC0415

    if watch:
        run(watch_paths([Path(path) for path in paths], user=user, collection=collection, as_json=as_json))
        return
    run(ingest_paths([Path(path) for path in paths], user=user, collection=collection, prune=prune, as_json=as_json))


@app.command()
def search(
    query: str,
    collection: Collection = None,
    document: Documents = None,
    kind: Kinds = None,
    language: Languages = None,
    path: Paths = None,
    since: Since = None,
    until: Until = None,
    k: Annotated[int | None, typer.Option("--k", min=1, max=MAX_HITS, help="How many hits.")] = None,
    user: User = "local",
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Show each leg's rank and score, the terms that matched, and what was cut."),
    ] = False,
    as_json: Json = False,
) -> None:
    """The retrieval stage alone."""
    from graph.commands.documents import search_documents  # noqa: PLC0415

    wishes = narrowing(
        collection=collection, documents=document, kinds=kind, languages=language, paths=path, since=since, until=until
    )
    run(search_documents(query, user=user, narrowing=wishes, k=k, explain=explain, as_json=as_json))


@app.command()
def ask(
    question: str,
    user: User = "local",
    thread: Thread = "default",
    collection: Collection = None,
    document: Documents = None,
    kind: Kinds = None,
    language: Languages = None,
    path: Paths = None,
    since: Since = None,
    until: Until = None,
    trace: Annotated[bool, typer.Option("--trace", help="Show every step.")] = False,
    as_json: Json = False,
) -> None:
    """One question, one answer with its sources."""
    from graph.commands.ask import ask_once  # noqa: PLC0415

    wishes = narrowing(
        collection=collection, documents=document, kinds=kind, languages=language, paths=path, since=since, until=until
    )
    run(ask_once(question, user=user, thread=thread, narrowing=wishes, trace=trace, as_json=as_json))


@app.command()
def chat(user: User = "local", thread: Thread = "default", collection: Collection = None) -> None:
    """A conversation; /help lists what else can be typed."""
    from graph.commands.chat import converse  # noqa: PLC0415

    run(converse(user=user, thread=thread, collection=collection))


@app.command()
def demo() -> None:
    """Everything at once on the example documents, without any key."""
    from graph.commands.demo import show  # noqa: PLC0415

    run(show())


@app.command()
def doctor(as_json: Json = False) -> None:
    """Configuration, models, index and store health, each with what to do."""
    from graph.commands.doctor import examine  # noqa: PLC0415

    run(examine(as_json=as_json))


@documents.command("list")
def documents_list(user: User = "local", collection: Collection = None, as_json: Json = False) -> None:
    """What this user may see."""
    from graph.commands.documents import list_documents  # noqa: PLC0415

    run(list_documents(user=user, collection=collection, as_json=as_json))


@documents.command("show")
def documents_show(document_id: str, user: User = "local", as_json: Json = False) -> None:
    """One document, by id or the beginning of its id."""
    from graph.commands.documents import show_document  # noqa: PLC0415

    run(show_document(document_id, user=user, as_json=as_json))


@documents.command("delete")
def documents_delete(document_id: str, user: User = "local", as_json: Json = False) -> None:
    """Remove a document and everything made from it."""
    from graph.commands.documents import delete_document  # noqa: PLC0415

    run(delete_document(document_id, user=user, as_json=as_json))


@documents.command("reindex")
def documents_reindex(as_json: Json = False) -> None:
    """Build the indexes anew from the files."""
    from graph.commands.documents import reindex_all  # noqa: PLC0415

    run(reindex_all(as_json=as_json))


@memory.command("list")
def memory_list(user: User = "local", as_json: Json = False) -> None:
    """What is remembered, with where it comes from."""
    from graph.commands.memory import list_memories  # noqa: PLC0415

    run(list_memories(user=user, as_json=as_json))


@memory.command("show")
def memory_show(memory_id: str, user: User = "local", as_json: Json = False) -> None:
    """One memory."""
    from graph.commands.memory import show_memory  # noqa: PLC0415

    run(show_memory(memory_id, user=user, as_json=as_json))


@memory.command("add")
def memory_add(
    content: str,
    kind: Annotated[
        Literal["semantic", "episodic", "procedural"], typer.Option("--type", help="Fact, event, or how to answer.")
    ] = "semantic",
    user: User = "local",
    as_json: Json = False,
) -> None:
    """Remember something, in your own words."""
    from graph.commands.memory import add_memory  # noqa: PLC0415

    run(add_memory(content, kind=kind, user=user, as_json=as_json))


@memory.command("forget")
def memory_forget(memory_id: str, user: User = "local", as_json: Json = False) -> None:
    """Erase one memory."""
    from graph.commands.memory import forget_memory  # noqa: PLC0415

    run(forget_memory(memory_id, user=user, as_json=as_json))


@memory.command("forget-all")
def memory_forget_all(
    user: User = "local",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: Json = False,
) -> None:
    """Erase everything that is remembered about a user."""
    from graph.commands.memory import forget_everything  # noqa: PLC0415

    if not yes:
        typer.confirm(f"Forget everything about {user}?", abort=True)
    run(forget_everything(user=user, as_json=as_json))


@threads.command("list")
def threads_list(user: User = "local", as_json: Json = False) -> None:
    """A user's conversations, newest first."""
    from graph.commands.threads import list_threads  # noqa: PLC0415

    run(list_threads(user=user, as_json=as_json))


@threads.command("show")
def threads_show(thread: ThreadName, user: User = "local", as_json: Json = False) -> None:
    """A conversation's full history, by name or id."""
    from graph.commands.threads import show_thread  # noqa: PLC0415

    run(show_thread(thread, user=user, as_json=as_json))


@threads.command("delete")
def threads_delete(thread: ThreadName, user: User = "local", as_json: Json = False) -> None:
    """Delete a conversation with its history."""
    from graph.commands.threads import delete_thread  # noqa: PLC0415

    run(delete_thread(thread, user=user, as_json=as_json))


@tools.command("list")
def tools_list(as_json: Json = False) -> None:
    """Every registered tool."""
    from graph.commands.tools import list_tools  # noqa: PLC0415

    run(list_tools(as_json=as_json))


@tools.command("search")
def tools_search(query: str, as_json: Json = False) -> None:
    """The tools that fit a task best."""
    from graph.commands.tools import search_tools  # noqa: PLC0415

    run(search_tools(query, as_json=as_json))


@tools.command("show")
def tools_show(name: str, as_json: Json = False) -> None:
    """One tool with its arguments."""
    from graph.commands.tools import show_tool  # noqa: PLC0415

    run(show_tool(name, as_json=as_json))


@jobs.command("list")
def jobs_list(as_json: Json = False) -> None:
    """Waiting, failed and dead jobs."""
    from graph.commands.jobs import list_jobs  # noqa: PLC0415

    run(list_jobs(as_json=as_json))


@jobs.command("retry")
def jobs_retry(job_id: Annotated[int, typer.Argument(min=1, max=sys.maxsize)], as_json: Json = False) -> None:
    """Give a failed or dead job another chance."""
    from graph.commands.jobs import retry_job  # noqa: PLC0415

    run(retry_job(job_id, as_json=as_json))


@jobs.command("run")
def jobs_run(as_json: Json = False) -> None:
    """Work on waiting jobs until none is due."""
    from graph.commands.jobs import run_jobs  # noqa: PLC0415

    run(run_jobs(as_json=as_json))


def main() -> None:
    """The console script.

    Importing allocates much and frees nothing: collecting garbage meanwhile, and once more at the end, is a
    quarter of the time that a short command takes.
    """
    gc.disable()
    try:
        app()
    finally:
        gc.freeze()


if __name__ == "__main__":
    main()
