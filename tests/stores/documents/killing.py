"""A process that is killed at a step of a change; run by test_lifecycle_kill.py, once for all its tests.

Each line on stdin, {"home", "action", "target", "step"}, forks a child that does the action and gets SIGKILL when the
step has become durable; the line that answers says how the child ended. Forking spares each test the seconds that
importing takes: nothing here has begun a thread or an event loop.
"""

import asyncio
import importlib.util
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))


def _shared() -> Any:
    spec = importlib.util.spec_from_file_location("documents_conftest", Path(__file__).with_name("conftest.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


async def change(shared: Any, home: str, action: str, target: str, step: str) -> None:
    """The change that is not to end."""
    armed = False

    def checkpoint(name: str) -> None:
        if armed and name == step:
            os.kill(os.getpid(), signal.SIGKILL)

    async with shared.open_local(Path(home), shared.TermEmbedder(), checkpoint=checkpoint) as documents:
        armed = True
        match action:
            case "delete":
                await documents.delete(target, owner="local")
            case "reindex":
                assert [result async for result in documents.reindex()]
            case _:
                results = documents.ingest([Path(target)], owner="local", collection="default", prune=action == "prune")
                assert [result async for result in results]


def main() -> None:
    """Serve until stdin ends."""
    shared = _shared()
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            try:
                asyncio.run(change(shared, **order))
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
