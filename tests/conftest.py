"""Fixtures that every test may use: an opened agent, the evaluation data, a clean environment."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from scripted import OpenAgent, ScriptedModel

from graph.agent import Agent, open_agent
from graph.settings import Settings


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with a slow test come first, so that several workers end at about the same time."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def open_scripted(home: Path) -> OpenAgent:
    """Opens an agent on the test's data directory: `async with open_scripted({"answer": [...]}) as agent`."""

    @asynccontextmanager
    async def opened(script: dict[str, list[Any]] | None = None, **settings: Any) -> AsyncIterator[Agent]:
        model = ScriptedModel(script=script or {})
        chosen = Settings(home=home, _env_file=None, **settings)
        async with open_agent(settings=chosen, model=model, work=False) as agent:
            yield agent

    return opened


@pytest.fixture
def open_offline(home: Path) -> OpenAgent:
    """Opens an agent with the offline model."""

    @asynccontextmanager
    async def opened(**settings: Any) -> AsyncIterator[Agent]:
        chosen = Settings(home=home, chat_model="offline", _env_file=None, **settings)
        async with open_agent(settings=chosen, work=False) as agent:
            yield agent

    return opened


@pytest.fixture(scope="session")
def data() -> Path:
    """The public evaluation data; skips where there is none (RECITE_DATA names its folder)."""
    folder = Path(os.environ.get("RECITE_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no evaluation data at {folder}; set RECITE_DATA")
    return folder


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test reads the developer's environment or `.env`."""
    for name in list(os.environ):
        if name.startswith(("RECITE_", "OPENAI_", "DASHSCOPE_", "LANGSMITH_", "LANGCHAIN_")) and name != "RECITE_DATA":
            monkeypatch.delenv(name)
    monkeypatch.setenv("RECITE_RERANKER", "none")  # half a second a search; its own tests set it
    monkeypatch.setenv("RECITE_SUPPORT", "words")  # reading the models takes a second; its own tests set it
    monkeypatch.setenv("RECITE_PARSE_WORKERS", "0")  # starting a process for every ingest would take most of the time
