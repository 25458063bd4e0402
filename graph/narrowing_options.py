"""The options that narrow `recite search` and `recite ask`. Light to import, as all of the command line is."""

from typing import Annotated

import typer

from stores.documents.document import Kind, Language

Documents = Annotated[
    list[str] | None,
    typer.Option("--document", help="Only this document: its id or the beginning of it. Repeatable."),
]
Kinds = Annotated[list[Kind] | None, typer.Option("--kind", help="Only passages of this kind. Repeatable.")]
Languages = Annotated[
    list[Language] | None, typer.Option("--language", help="Only passages in this language. Repeatable.")
]
Paths = Annotated[
    list[str] | None,
    typer.Option("--path", help="Only files whose path matches, such as 'docs/**/*.md' or '*.java'. Repeatable."),
]
Since = Annotated[
    str | None, typer.Option("--since", metavar="DATE", help="Only documents taken in on this day (UTC) or later.")
]
Until = Annotated[
    str | None, typer.Option("--until", metavar="DATE", help="Only documents taken in on this day (UTC) or earlier.")
]
