"""The labelled sets under eval/sets, asked of the product: identifiers, and questions across languages."""

import json
from pathlib import Path
from typing import Any

from langchain_core.embeddings import DeterministicFakeEmbedding
from scripted import ScriptedModel

from graph.agent import Agent, open_agent
from graph.settings import Settings

SETS = Path(__file__).parents[2] / "eval" / "sets"
Row = dict[str, Any]


def rows(file: Path) -> list[Row]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


async def ranks(agent: Agent, questions: list[Row]) -> dict[str, int | None]:
    """The place of the first right passage among the first ten, by question."""
    found: dict[str, int | None] = {}
    for row in questions:
        result = await agent.search(row["question"], k=10)
        right = [(one["document"], one["quote"]) for one in row["relevant"]]
        places = (
            place
            for place, hit in enumerate(result.hits, start=1)
            if any(hit.path.endswith(f"/{document}") and quote in hit.chunk.text for document, quote in right)
        )
        found[row["question"]] = next(places, None)
    return found


async def test_every_identifier_of_a_web_application_is_found_in_the_first_three_passages(data, home):
    # Vectors of chance: letters decide, and embedding all 256 files in earnest takes minutes.
    settings = Settings(home=home, _env_file=None)
    chance = DeterministicFakeEmbedding(size=32)
    async with open_agent(settings=settings, model=ScriptedModel(script={}), embeddings=chance, work=False) as agent:
        await agent.ingest(data / "java_web_examples" / "app")
        found = await ranks(agent, rows(SETS / "identifiers.jsonl"))
    assert len(found) == 50
    assert [question for question, place in found.items() if place is None or place > 3] == []


async def test_four_of_five_questions_find_their_answer_in_the_other_language(home):
    questions = rows(SETS / "cross_language" / "questions.jsonl")
    settings = Settings(home=home, _env_file=None)
    async with open_agent(settings=settings, model=ScriptedModel(script={}), work=False) as agent:
        await agent.ingest(SETS / "cross_language" / "documents")  # both languages in one index
        for way in ("zh→en", "en→zh"):
            found = await ranks(agent, [row for row in questions if row["type"] == way])
            assert len(found) == 20
            assert sum(place is not None and place <= 5 for place in found.values()) >= 16, found
