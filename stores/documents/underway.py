"""Underway: which files wait in a running ingest and which are just being taken in."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

Waiting = Literal["queued", "indexing"]


@dataclass(slots=True, kw_only=True)
class Queue:
    """The files of one ingest that are not taken in yet, by path."""

    owner: str
    collection: str
    files: dict[str, Waiting] = field(default_factory=dict)

    def indexing(self, paths: Iterable[str]) -> None:
        """These are being taken in."""
        self.files.update((path, "indexing") for path in paths if path in self.files)

    def done(self, paths: Iterable[str]) -> None:
        """These are taken in, or have failed."""
        for path in paths:
            self.files.pop(path, None)


class Underway:
    """All running ingests of this process. Nothing of it is kept: an ingest that was killed is not queued."""

    def __init__(self) -> None:
        self._queues: list[Queue] = []

    @contextmanager
    def queue(self, paths: Iterable[str], *, owner: str, collection: str) -> Iterator[Queue]:
        """These files wait, until each is done or the block ends."""
        queue = Queue(owner=owner, collection=collection, files=dict.fromkeys(paths, "queued"))
        self._queues.append(queue)
        try:
            yield queue
        finally:
            self._queues.remove(queue)

    def queues(self, owners: Iterable[str], collection: str | None) -> list[Queue]:
        """The running ingests of these owners, into this collection or, with `None`, into any."""
        among = set(owners)
        return [one for one in self._queues if one.owner in among and collection in {None, one.collection}]
