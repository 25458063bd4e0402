"""The questions of examples/questions.json, over the documents as they are and over renamed ones.

Nothing may be tuned to the example material: entities, figures and file names are renamed by script, and the same
questions, renamed alike, must still be answered.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scripted import OpenAgent

from examples.rename import rename, rename_question
from graph.reply import Reply

EXAMPLES = Path(__file__).parents[2] / "examples"
FOLDERS = ("java-web-课程", "差旅制度")
QUESTIONS: list[dict[str, Any]] = json.loads((EXAMPLES / "questions.json").read_text(encoding="utf-8"))


def complaint(row: dict[str, Any], reply: Reply, *, places: bool) -> str | None:
    """What is wrong with the reply to one question, or `None`."""
    expect = row["expect"]
    if reply.status != expect["status"]:
        return f"{row['id']}: status {reply.status}, not {expect['status']}: {reply.answer}"
    absent = [part for part in expect["contains"] if part not in reply.answer]
    if absent:
        return f"{row['id']}: {absent} not in: {reply.answer}"
    cited = [citation for citation in reply.citations if Path(citation.path).name == expect["document"]]
    if expect["document"] and not cited:
        return f"{row['id']}: cites {[c.path for c in reply.citations]}, not {expect['document']}"
    if places and "location" in expect and not any(overlaps(c.location, expect["location"]) for c in cited):
        return f"{row['id']}: at {[c.location for c in cited]}, not {expect['location']}"
    if expect["status"] == "insufficient_material" and reply.citations:
        return f"{row['id']}: a refusal with sources"
    return None


def overlaps(found: dict[str, Any], wanted: dict[str, Any]) -> bool:
    if "lines" in wanted:
        first, last = found.get("lines", (0, -1))
        return bool(first <= wanted["lines"][1] and last >= wanted["lines"][0])
    return all(found.get(key) == value for key, value in wanted.items())


async def complaints(
    open_offline: OpenAgent, folder: Path, rows: list[dict[str, Any]], *, places: bool, **settings: Any
) -> list[str]:
    threads: dict[str, str] = {}
    found: list[str] = []
    async with open_offline(**settings) as agent:
        await agent.ingest(*(path for path in sorted(folder.iterdir()) if path.is_dir() and path.name != "sources"))
        for row in rows:
            thread = threads[row["id"]] = threads.get(row.get("after", ""), row["id"])
            problem = complaint(row, await agent.ask(row["question"], thread=thread), places=places)
            found += [problem] if problem else []
    return found


async def test_every_example_question_is_answered_or_refused_as_it_should_be(
    open_offline: OpenAgent, tmp_path: Path
) -> None:
    material = tmp_path / "material"
    material.mkdir()
    for name in FOLDERS:
        (material / name).symlink_to(EXAMPLES / name)

    as_delivered = {"reranker": "local", "rerank_deadline": 0}
    assert await complaints(open_offline, material, QUESTIONS, places=True, **as_delivered) == []


@pytest.mark.parametrize("seed", [1, 2])
async def test_nothing_is_tuned_to_the_examples(open_offline: OpenAgent, tmp_path: Path, seed: int) -> None:
    renaming: Callable[[str], str] = rename(EXAMPLES, tmp_path / "renamed", seed)
    rows = [rename_question(row, renaming) for row in QUESTIONS]

    assert await complaints(open_offline, tmp_path / "renamed", rows, places=True) == []
