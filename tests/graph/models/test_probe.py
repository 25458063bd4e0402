"""What the probe finds out about endpoints of several kinds."""

from typing import Any

import pytest
from chat_server import ChatServer, Reply
from langchain_core.language_models import FakeListChatModel

from graph.models.endpoint import open_chat_model
from graph.models.probe import Capabilities, probe


async def probed(server: ChatServer) -> Capabilities:
    model = open_chat_model(model="scripted", base_url=server.base_url, timeout=2.0, max_retries=0)
    found = await probe(model)
    await model.aclose()
    return found


def calls_when_it_can(body: dict[str, Any]) -> Reply:
    if body.get("tools"):
        return Reply(tool_calls=(("calculator", '{"expression": "127 * 34"}'),))
    return Reply("ready", reasoning_content="hm")


@pytest.mark.parametrize("tools", ["yes", "ignored", "rejected"])
async def test_tool_support_is_told_apart(tools: str) -> None:
    with ChatServer(tools=tools) as server:
        server.respond = calls_when_it_can
        found = await probed(server)

    assert found.tools == tools
    assert found.reachable
    assert found.streaming
    assert found.usage
    assert found.reasoning
    assert found.latency_ms is not None
    assert found.error is None


async def test_an_endpoint_without_usage_and_reasoning_is_said_to_have_none(server: ChatServer) -> None:
    server.default = Reply("ready", usage=None)

    found = await probed(server)

    assert (found.usage, found.reasoning) == (False, False)


async def test_a_failing_endpoint_is_unreachable_with_one_line(server: ChatServer) -> None:
    server.default = Reply(status=401)

    found = await probed(server)

    assert not found.reachable
    assert found.error is not None
    assert "\n" not in found.error


async def test_a_failure_after_the_first_call_keeps_what_was_found(server: ChatServer) -> None:
    server.script(Reply("ready"))
    server.default = Reply(status=500)

    found = await probed(server)

    assert found.reachable
    assert found.tools == "unknown"
    assert found.error is not None


async def test_a_model_without_tool_binding_is_not_asked() -> None:
    found = await probe(FakeListChatModel(responses=["ready"]))

    assert found.tools == "rejected"
    assert found.streaming
