"""One opened agent over the documents of several users, and turns on it with a model that a test has written."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

from hostile import HostileModel, Piece
from langgraph.checkpoint.memory import InMemorySaver

from graph.agent import Agent, open_agent
from graph.build import compiled
from graph.models.errors import ModelError
from graph.reply import Reply
from graph.settings import Settings

ASKS, OTHER = "alice", "bob"


@dataclass
class Turn:
    """What one turn came to."""

    streamed: str = ""
    reply: Reply | None = None
    error: Exception | None = None
    steps: list[Any] = field(default_factory=list)
    state: dict[str, Any] = field(default_factory=dict)

    @property
    def ended(self) -> Reply:
        assert self.reply is not None, self.error
        return self.reply


@dataclass
class Stage:
    """The agent, its model, and the loop that both live on."""

    loop: asyncio.AbstractEventLoop
    agent: Agent
    model: HostileModel
    threads: Iterator[int] = field(default_factory=count)

    def turn(self, script: Mapping[str, list[list[Piece]]], question: str, thread: str | None = None) -> Turn:
        """Ask once with this script, in a thread of its own unless one is named."""
        self.model.says(script)
        return self.run(self._turn(question, thread or f"t{next(self.threads)}"))

    def run(self, work: Any) -> Any:
        return self.loop.run_until_complete(work)

    def passages(self, user: str) -> list[Any]:
        return self.run(self.agent.services.documents.passages(reader=user))

    async def _turn(self, question: str, thread: str) -> Turn:
        turn = Turn()
        try:
            async for item in self.agent.stream(question, user=ASKS, thread=thread):
                if isinstance(item, str):
                    turn.streamed += item
                elif isinstance(item, Reply):
                    turn.reply = item
                else:
                    turn.steps.append(item)
        except ModelError as error:
            turn.error = error
        conversation = await self.agent.services.conversations.find(ASKS, thread)
        turn.state = (await self.agent.graph.aget_state(self.agent.config(conversation))).values
        return turn


@contextmanager
def opened_stage(root: Path, files: Mapping[str, Mapping[str, str]], **chosen: Any) -> Iterator[Stage]:
    """An agent over these files of each user; threads are kept in memory."""
    for owner, texts in files.items():
        for name, text in texts.items():
            path = root / owner / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    asked = {"min_score": 0.0, "top_k": 3, "reranker": "none", "parse_workers": 0} | chosen
    model = HostileModel()
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()

        async def opened() -> Agent:
            settings = Settings(home=root / "home", _env_file=None, **asked)
            agent = await stack.enter_async_context(open_agent(settings=settings, model=model, work=False))
            for owner in files:
                await agent.ingest(root / owner, user=owner)
            services = replace(agent.services, limits=replace(agent.services.limits, plan_seconds=0.05))
            return Agent(services, compiled(services, InMemorySaver(serde=services.checkpointer.serde)))

        yield Stage(runner.get_loop(), runner.run(opened()), model)
        runner.run(stack.aclose())
