"""What langgraph.json serves: the graph, the project's checkpointer, the HTTP routes. Imported by nobody."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph_sdk import get_client
from starlette.applications import Starlette

from graph.agent import Agent
from graph.build import Compiled, compiled
from graph.http import Access, routes
from graph.services import CHECKPOINTED, Services, open_services
from graph.settings import read_settings
from stores.checkpoints import open_checkpointer

GRAPH_ID = "recite"
REGISTER_SECONDS = 2.0
"""How often threads begun elsewhere are looked for."""

logger = logging.getLogger(__name__)


class _Deployment:
    """The one set of services of this server process."""

    graph: Compiled | None = None


deployment = _Deployment()
access = Access()


async def graph() -> Compiled:
    """The compiled graph, without checkpointer and store: the server adds the project's own.

    Compiled once, when the server has opened the services.
    """
    if deployment.graph is None:
        raise RuntimeError("The graph is asked for before the server has started.")
    return deployment.graph


@asynccontextmanager
async def checkpointer() -> AsyncIterator[BaseCheckpointSaver[str]]:
    """The same threads that the command line and notebooks use."""
    settings = await asyncio.to_thread(read_settings)
    async with open_checkpointer(settings.threads_database, allowed=CHECKPOINTED) as saver:
        yield saver


@asynccontextmanager
async def lifespan(_: Starlette) -> AsyncIterator[None]:
    """Open the services, own the data directory, work on memory jobs, keep the server's thread list complete."""
    settings = await asyncio.to_thread(read_settings)
    async with open_services(settings, must_own=True, access=access) as services:
        deployment.graph = compiled(services)
        agent = Agent(services, compiled(services, services.checkpointer))
        tasks = [
            asyncio.create_task(agent.worker().run()),
            asyncio.create_task(_register_threads(services)),
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            deployment.graph = None


async def _register_threads(services: Services) -> None:
    """Threads begun in the CLI or a notebook appear in Studio's list; those deleted on one side go on the other."""
    client = get_client()
    known: set[str] = set()
    while True:
        deleted = await services.checkpointer.deleted_threads()
        present = {c.thread_id: c for c in await services.conversations.all()}
        for conversation in [present.pop(thread_id) for thread_id in deleted & present.keys()]:
            await services.conversations.delete(conversation.user_id, conversation.thread_id)
        for thread_id in present.keys() - known:
            conversation = present[thread_id]
            await client.threads.create(
                thread_id=thread_id,
                graph_id=GRAPH_ID,
                if_exists="do_nothing",
                metadata={"name": conversation.name, "user": conversation.user_id},
            )
        for thread_id in known - present.keys():
            with contextlib.suppress(Exception):
                await client.threads.delete(thread_id)
        known = set(present)
        await asyncio.sleep(REGISTER_SECONDS)


http = Starlette(routes=routes(access), lifespan=lifespan)
