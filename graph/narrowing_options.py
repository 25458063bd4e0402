"""The options that narrow `recite search` and `recite ask`. Light to import, as all of the command line is.

What they may say is checked by `stores.documents.narrowing`: typer knows no lists of closed choices.
"""

from typing import Annotated, get_args

import typer

from stores.documents.document import Kind, Language

Documents = Annotated[
    list[str] | None,
    typer.Option("--document", metavar="ID", help="Only this document: its id or the beginning of it. Repeatable."),
]
Kinds = Annotated[
    list[str] | None,
    typer.Option("--kind", metavar="|".join(get_args(Kind)), help="Only passages of this kind. Repeatable."),
]
Languages = Annotated[
    list[str] | None,
    typer.Option("--language", metavar="|".join(get_args(Language)), help="Only passages in this one. Repeatable."),
]
Paths = Annotated[
    list[str] | None,
    typer.Option(
        "--path", metavar="GLOB", help="Only files whose path matches, such as 'docs/**/*.md' or '*.java'. Repeatable."
    ),
]
Since = Annotated[
    str | None, typer.Option("--since", metavar="DATE", help="Only documents taken in on this day (UTC) or later.")
]
Until = Annotated[
    str | None, typer.Option("--until", metavar="DATE", help="Only documents taken in on this day (UTC) or earlier.")
]
