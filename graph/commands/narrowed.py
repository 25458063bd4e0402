"""What the command line says when a search was narrowed to nothing."""

from typing import TYPE_CHECKING

from graph.console import complain
from stores.documents.narrowing import Narrowing

if TYPE_CHECKING:
    from graph.agent import Agent


async def tell_if_nothing_is_left(agent: "Agent", narrowing: Narrowing, *, user: str) -> None:
    """A note on stderr if no document meets the wishes. It is no error: tomorrow one may.

    Raises:
        UnknownDocumentError: a document that was named is none that this user may see.
    """
    if await agent.services.documents.matching(narrowing, reader=user) == 0:
        wishes = [
            *(f"--document {one}" for one in narrowing.documents),
            *(f"--path {one!r}" for one in narrowing.paths),
            *([f"--since {narrowing.since}"] if narrowing.since else ()),
            *([f"--until {narrowing.until}"] if narrowing.until else ()),
            *([f"--collection {narrowing.collection!r}"] if narrowing.collection else ()),
        ]
        complain(f"No document fits {' '.join(wishes)}. `recite documents list` shows what there is.")
