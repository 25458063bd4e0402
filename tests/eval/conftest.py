"""Fixtures for measuring: a small folder of documents, an own set about it, and a way to measure in this process."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from labelled import ROWS, write_documents, write_rows

from eval.measuring import Request, measured
from graph.settings import Settings

Measure = Callable[..., Awaitable[dict[str, Any]]]


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    return write_documents(tmp_path / "docs")


@pytest.fixture
def own_set(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "mine.jsonl", ROWS)


@pytest.fixture
def measure(tmp_path: Path) -> Measure:
    async def run(dataset: Path, *documents: Path, pipelines: str = "keyword", **settings: Any) -> dict[str, Any]:
        chosen = {"home": tmp_path / "home"} | settings
        request = Request(
            dataset=dataset, pipelines=pipelines.split(","), documents=documents, cache=tmp_path / "cache"
        )
        return await measured(request, Settings(_env_file=None, **chosen), lambda *_: None)

    return run
