"""Writes under their key, so that repeating one replays its result instead of doing it again."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from tools.errors import ToolConflictError
from tools.tool import ToolContext

KEY_ARGUMENT = "idempotency_key"
"""The argument under which a tool may take a key of the caller's. Without it the call's id is the key."""

_KEPT = 1_000
_LATEST_S = 600
"""A write that is later than this is ended, and its key is free again."""

Key = tuple[str, str, str, str]


def key_of(name: str, arguments: Mapping[str, Any], context: ToolContext) -> Key:
    """Who, where, which tool, under which key: a key of one user or thread means nothing to another."""
    return context.user_id, context.thread_id, name, str(arguments.get(KEY_ARGUMENT) or context.call_id)


class CallLedger:
    """The writes of this process, the newest thousand. Share one between all runs."""

    def __init__(self) -> None:
        self._written: dict[Key, tuple[str, asyncio.Task[str]]] = {}

    def task(
        self, key: Key, arguments: Mapping[str, Any], start: Callable[[], Coroutine[Any, Any, str]]
    ) -> asyncio.Task[str]:
        """The write under `key`: started now, or finished earlier with the same arguments.

        A write that failed or was cancelled leaves no entry, so that it can be tried again.

        Raises:
            ToolConflictError: the key stands for other arguments, or its write is still running.
        """
        fingerprint = json.dumps(arguments, sort_keys=True, ensure_ascii=False)
        if key in self._written:
            return self._replayed(key, fingerprint)
        task = asyncio.create_task(_ended(start()))
        self._written[key] = (fingerprint, task)
        task.add_done_callback(lambda done: self._settle(key, done))
        return task

    def _replayed(self, key: Key, fingerprint: str) -> asyncio.Task[str]:
        earlier, task = self._written[key]
        if earlier != fingerprint:
            raise ToolConflictError(
                f"The key {key[-1]!r} was used with other arguments. Nothing was run; take a new key."
            )
        if not task.done():
            raise ToolConflictError(f"The call under the key {key[-1]!r} is still in progress. Ask again later.")
        return task

    def _settle(self, key: Key, task: asyncio.Task[str]) -> None:
        if task.cancelled() or task.exception() is not None:
            del self._written[key]
        settled = [each for each, (_, other) in self._written.items() if other.done()]
        for each in settled[: len(self._written) - _KEPT]:
            del self._written[each]


async def _ended(write: Coroutine[Any, Any, str]) -> str:
    async with asyncio.timeout(_LATEST_S):
        return await write
