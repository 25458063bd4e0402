"""Health: the document store's counts and versions for `recite doctor`."""

import asyncio

from stores.documents.index_pair import IndexPair
from stores.documents.manifest import Manifest
from stores.documents.standing import standing
from stores.errors import StoreError


async def health_of(manifest: Manifest, indexes: IndexPair | None, problem: StoreError | None) -> dict[str, object]:
    """What there is and what is wrong.

    `state` is "ready" or the name of the error that searching raises, `problem` its message or `None`; `documents`
    counts what can be searched, `stale` those among them whose file has changed or is gone,
    `failed` the files that never became documents; `pending` the chunks of unfinished changes, `indexed` the chunks
    by index, `built_with` the versions by part.
    """
    known = await asyncio.to_thread(standing, await manifest.entries(), ())
    documents = [document for document in known if document.state != "failed"]
    return {
        "state": type(problem).__name__ if problem else "ready",
        "problem": str(problem) if problem else None,
        "documents": len(documents),
        "stale": sum(document.state == "stale" for document in documents),
        "failed": len(known) - len(documents),
        "chunks": await manifest.count_chunks(),
        "pending": len(await manifest.pending()),
        "indexed": await indexes.counts() if indexes else {},
        "built_with": await manifest.meta(),
    }
