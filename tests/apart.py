"""Files read as an ingest reads them, for tests that have no event loop at hand."""

import asyncio
from pathlib import Path
from typing import Self

from stores.documents.document import ParsedDocument
from stores.documents.reading import ReadingPool
from stores.documents.reading_rules import DEFAULT_RULES, ReadingRules


class Apart:
    """A pool of reading processes; one file at a time."""

    def __init__(self, rules: ReadingRules = DEFAULT_RULES) -> None:
        self.rules = rules
        self.pool = ReadingPool(rules)
        self._loop = asyncio.new_event_loop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.run_until_complete(self.pool.close())
        self._loop.run_until_complete(asyncio.sleep(0.01))  # the transports of the pipes end in a turn of the loop
        self._loop.close()

    def read(self, path: Path) -> ParsedDocument | str:
        """The file parsed, or the reason why it cannot be."""
        return self._loop.run_until_complete(self.pool.read(path))
