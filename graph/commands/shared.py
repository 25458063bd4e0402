"""What every command needs: the settings, and the agent over the data directory."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NoReturn

from rich.console import Console

from graph.settings import Settings, read_settings

if TYPE_CHECKING:
    from graph.agent import Agent
    from graph.services import Records

HOME: str | None = None
"""The data directory named on the command line; set once by `recite --home`."""


class _Output(Console):
    """The terminal, or whatever reads the output."""

    def on_broken_pipe(self) -> NoReturn:
        """Let `graph.console.run` end the command as every other program in a pipe ends."""
        raise BrokenPipeError


out = _Output(highlight=False, soft_wrap=True)


def settings() -> Settings:
    """The settings of this call."""
    return read_settings(home=HOME)


@asynccontextmanager
async def agent(*, work: bool = False) -> AsyncIterator[Agent]:
    """The agent of this call; memory jobs are only worked on when asked for."""
    from graph.agent import open_agent  # noqa: PLC0415 - heavy

    gc.freeze()
    gc.enable()
    async with open_agent(settings=settings(), work=work) as opened:
        yield opened


@asynccontextmanager
async def records() -> AsyncIterator[Records]:
    """The relational stores alone: no models, no indexes, and no need to own the data directory."""
    from graph.services import open_records  # noqa: PLC0415

    async with open_records(settings()) as opened:
        yield opened
