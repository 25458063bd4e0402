"""The scripted endpoint and a model that talks to it."""

import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

sys.path.insert(0, str(Path(__file__).parents[2]))
from chat_server import ChatServer

from graph.models.endpoint import EndpointChatModel, open_chat_model

KEY = "sk-test-0000EXAMPLE0000"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


@pytest.fixture
async def model(server: ChatServer) -> AsyncIterator[EndpointChatModel]:
    opened = open_chat_model(
        model="scripted", base_url=server.base_url, api_key=SecretStr(KEY), timeout=2.0, max_retries=1
    )
    yield opened
    await opened.aclose()
