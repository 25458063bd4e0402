"""What is remembered, seen and edited by the person it is about."""

from typing import Any

from graph.commands import shared
from graph.commands.escaping import escape
from graph.console import print_json
from stores.memories.memory import Memory, MemoryType


def memory_json(memory: Memory) -> dict[str, Any]:
    """One row of `recite memory list --json`."""
    return {
        "id": memory.memory_id,
        "type": memory.type,
        "content": memory.content,
        "source": memory.source,
        "thread": memory.thread_id,
        "quote": memory.quote,
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
    }


async def list_memories(*, user: str, as_json: bool) -> None:
    """`recite memory list`."""
    async with shared.records() as records:
        found = await records.memories.snapshot(user, limit=10_000)
    if as_json:
        print_json([memory_json(memory) for memory in found])
        return
    if not found:
        shared.out.print("Nothing is remembered.")
    for memory in found:
        print_memory(memory)


def print_memory(memory: Memory) -> None:
    """One memory on the terminal, with who wrote it."""
    shared.out.print(
        f"{memory.memory_id[:8]}  {memory.type:10} {memory.source:9} {memory.updated_at[:10]}  {escape(memory.content)}"
    )


async def show_memory(memory_id: str, *, user: str, as_json: bool) -> None:
    """`recite memory show`."""
    async with shared.records() as records:
        memory = await records.memories.get(user, memory_id)
    if as_json:
        print_json(memory_json(memory))
        return
    for key, value in memory_json(memory).items():
        shared.out.print(f"{key:10} {escape(str(value))}")


async def add_memory(content: str, *, kind: MemoryType, user: str, as_json: bool) -> None:
    """`recite memory add`."""
    async with shared.records() as records:
        memory = await records.memories.add(user, content, type=kind)
    if as_json:
        print_json(memory_json(memory))
    else:
        print_memory(memory)


async def forget_memory(memory_id: str, *, user: str, as_json: bool) -> None:
    """`recite memory forget`."""
    async with shared.records() as records:
        forgotten = await records.memories.forget(user, memory_id)
    if as_json:
        print_json({"forgotten": 1, "id": forgotten.memory_id})
    else:
        shared.out.print(f"forgotten: {escape(forgotten.content)}")


async def forget_everything(*, user: str, as_json: bool) -> None:
    """`recite memory forget-all`."""
    async with shared.records() as records:
        count = await records.memories.forget_all(user)
    if as_json:
        print_json({"forgotten": count})
    else:
        shared.out.print(f"forgotten: {count}")
