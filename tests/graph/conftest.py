"""Fixtures for the command line: `recite` on a data directory of its own, and a folder with one document."""

from pathlib import Path

import pytest
from commands import TEXT, Recite


@pytest.fixture
def recite(home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Recite:
    monkeypatch.chdir(tmp_path)
    return Recite(home)


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "图书馆 资料"
    folder.mkdir()
    (folder / "借阅.md").write_text(TEXT, encoding="utf-8")
    return folder
