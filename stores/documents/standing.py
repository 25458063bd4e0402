"""Standing: the state in which a document is shown: queued, indexing, ready, stale or failed.

The manifest knows ready and failed; that a file waits is known to the running ingests, and that it has changed or
gone since it was taken in, to the disk.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from stores.documents.document import Document
from stores.documents.ingest import document_id_of
from stores.documents.look import GONE, Look, sha256_of
from stores.documents.making import Place, failed
from stores.documents.manifest import UNKNOWN_STAMP, Entry
from stores.documents.underway import Queue
from stores.documents.walk import stamp_of
from stores.errors import DocumentError

CHANGED = "The file has changed since it was taken in."
UNREADABLE = "The file cannot be read any more ({})."


def standing(entries: Iterable[Entry], queues: Sequence[Queue]) -> list[Document]:
    """The documents as they stand now, by path; files that wait to become documents among them. Reads the disk."""
    shown: list[Document] = []
    seen: set[tuple[str, str, str]] = set()
    waiting = {(one.owner, one.collection, path): state for one in queues for path, state in one.files.items()}
    for entry in entries:
        of = entry.document
        key = (of.owner, of.collection, of.path)
        seen.add(key)
        state = waiting.get(key)
        shown.append(_on_disk(entry) if state is None else replace(of, state=state))
    shown += [_waiting(*key, state) for key, state in waiting.items() if key not in seen]
    return sorted(shown, key=lambda one: (one.path, one.owner, one.collection))


def _on_disk(entry: Entry) -> Document:
    """A ready document is stale if its file is not what it was made from; the reason says why."""
    of = entry.document
    if of.state != "ready":
        return of
    reason = of.reason or _difference(entry)
    return of if reason is None else replace(of, state="stale", reason=reason)


def _difference(entry: Entry) -> str | None:
    path = entry.document.path
    try:
        stamp = stamp_of(path)
        if stamp == entry.stamp:
            return None
        resized = entry.stamp != UNKNOWN_STAMP and stamp.size != entry.stamp.size
        return CHANGED if resized or sha256_of(path) != entry.document.sha256 else None
    except (FileNotFoundError, NotADirectoryError):
        return GONE
    except DocumentError as error:  # the archive that holds it
        return str(error)
    except OSError as error:
        return UNREADABLE.format(error.strerror)


def _waiting(owner: str, collection: str, path: str, state: str) -> Document:
    """A file that is not a document yet."""
    place = Place(
        document_id=document_id_of(path, owner, collection), owner=owner, collection=collection, path=str(Path(path))
    )
    look = Look(stamp=UNKNOWN_STAMP, sha256="")
    document = failed(place, look, "", now="").document
    return replace(document, state="indexing" if state == "indexing" else "queued", reason=None)
