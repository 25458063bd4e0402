"""Ahead: work is prepared side by side, bounded, and handed on in order, as much at once as is ready."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from typing import TypeVar

_Item = TypeVar("_Item")
_Ready = TypeVar("_Ready")


async def ahead(
    items: Iterable[_Item],
    prepare: Callable[[_Item], Awaitable[_Ready]],
    *,
    limit: Callable[[Sequence[_Item]], bool],
    full: Callable[[Sequence[_Ready]], bool],
) -> AsyncGenerator[list[_Ready]]:
    """Groups of prepared items, in the order of the items; a group is never empty.

    While `limit` says of the items begun and not yet handed on that they are enough, no other is begun. A group
    takes what is ready until it is `full`. Whoever ends the iteration ends what was begun.

    Raises:
        Whatever `prepare` raises for the first item that it fails for, when its turn comes.
    """
    source = iter(items)
    begun: deque[tuple[_Item, asyncio.Future[_Ready]]] = deque()

    def begin() -> None:
        while not begun or not limit([item for item, _ in begun]):
            item = next(source, None)
            if item is None:
                return
            begun.append((item, asyncio.ensure_future(prepare(item))))

    try:
        begin()
        while begun:
            await asyncio.wait([begun[0][1]])
            group: list[_Ready] = []
            while begun and begun[0][1].done() and not (group and full(group)):
                group.append(begun.popleft()[1].result())
            begin()
            yield group
    finally:
        for _, future in begun:
            future.cancel()
        await asyncio.gather(*(future for _, future in begun), return_exceptions=True)
