"""The hardened endpoint model over a real HTTP server that misbehaves as real ones do."""

import socket

import httpx
import pytest
from chat_server import ChatServer, Reply
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from pydantic import SecretStr

from graph.models.endpoint import EndpointChatModel, open_chat_model
from graph.models.errors import (
    ModelError,
    ModelOverloadedError,
    ModelRejectedError,
    ModelResponseError,
    ModelTimeoutError,
    ModelUnreachableError,
)

KEY = "sk-test-0000EXAMPLE0000"
TOOL = {
    "type": "function",
    "function": {
        "name": "lookup",
        "description": "Look something up.",
        "parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
    },
}


async def collect(model: EndpointChatModel, question: str = "?") -> AIMessageChunk:
    whole: AIMessageChunk | None = None
    async for chunk in model.astream(question):
        whole = chunk if whole is None else whole + chunk
    assert whole is not None
    return whole


async def show(model: EndpointChatModel, shown: list[str]) -> None:
    async for chunk in model.astream("?"):
        shown.append(chunk.text)  # noqa: PERF401 - what came before the failure must be kept


class Tokens(AsyncCallbackHandler):
    def __init__(self) -> None:
        self.text = ""

    async def on_llm_new_token(self, token: str, **kwargs: object) -> None:
        self.text += token


async def test_a_reply_carries_its_text_and_the_reported_usage(server: ChatServer, model: EndpointChatModel) -> None:
    server.script(Reply("你好"))

    reply = await model.ainvoke("hi")

    assert reply.text == "你好"
    assert reply.usage_metadata is not None
    assert reply.usage_metadata["total_tokens"] == 18
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


async def test_a_stream_carries_the_same_text_and_usage(server: ChatServer, model: EndpointChatModel) -> None:
    server.script(Reply("a streamed answer, 一段流式回答"))

    whole = await collect(model)

    assert whole.text == "a streamed answer, 一段流式回答"
    assert whole.usage_metadata is not None
    assert whole.usage_metadata["output_tokens"] == 7
    assert server.bodies[0]["stream_options"] == {"include_usage": True}


async def test_missing_usage_is_none_and_no_error(server: ChatServer, model: EndpointChatModel) -> None:
    server.script(Reply("a", usage=None), Reply("b", usage=None))

    assert (await model.ainvoke("?")).usage_metadata is None
    assert (await collect(model)).usage_metadata is None


async def test_tool_calls_arrive_whole_and_streamed(server: ChatServer, model: EndpointChatModel) -> None:
    call = Reply(tool_calls=(("lookup", '{"q": "钥匙"}'), ("lookup", '{"q": "b"}')))
    server.script(call, call)
    bound = model.bind_tools([TOOL])

    whole = await bound.ainvoke("?")
    streamed: AIMessageChunk | None = None
    async for chunk in bound.astream("?"):
        streamed = chunk if streamed is None else streamed + chunk

    assert isinstance(whole, AIMessage)
    assert [c["args"] for c in whole.tool_calls] == [{"q": "钥匙"}, {"q": "b"}]
    assert streamed is not None
    assert [c["args"] for c in streamed.tool_calls] == [{"q": "钥匙"}, {"q": "b"}]


async def test_t01_cut_off_arguments_arrive_as_an_invalid_call(server: ChatServer, model: EndpointChatModel) -> None:
    server.script(Reply(tool_calls=(("lookup", '{"q": "Par'),)), Reply(tool_calls=(("lookup", '{"q": "Par'),)))
    bound = model.bind_tools([TOOL])

    whole = await bound.ainvoke("?")
    streamed: AIMessageChunk | None = None
    async for chunk in bound.astream("?"):
        streamed = chunk if streamed is None else streamed + chunk

    assert isinstance(whole, AIMessage)
    assert whole.tool_calls == []
    assert whole.invalid_tool_calls[0]["args"] == '{"q": "Par'
    assert whole.invalid_tool_calls[0]["name"] == "lookup"
    assert streamed is not None
    assert not any(c["args"].get("q") == "Paris" for c in streamed.tool_calls)
    assert streamed.tool_call_chunks[0]["args"] == '{"q": "Par'


async def test_rejected_tools_are_left_out_and_remembered() -> None:
    with ChatServer(tools="rejected") as server:
        model = open_chat_model(model="small", base_url=server.base_url, max_retries=0)
        bound = model.bind_tools([TOOL])
        history = [
            HumanMessage("what is the key?"),
            AIMessage("", tool_calls=[{"id": "c1", "name": "lookup", "args": {"q": "key"}}]),
            ToolMessage("it is 42", tool_call_id="c1", name="lookup"),
        ]

        first = await bound.ainvoke(history)
        second = [chunk.text async for chunk in bound.astream(history)]
        await model.aclose()

    assert first.text == "ready"
    assert "".join(second) == "ready"
    assert model.rejects_tools
    assert ["tools" in body for body in server.bodies] == [True, False, False]
    assert [m["role"] for m in server.bodies[1]["messages"]] == ["user", "user"]
    assert "it is 42" in server.bodies[1]["messages"][1]["content"]


async def test_ignored_tools_give_plain_text() -> None:
    with ChatServer(tools="ignored") as server:
        server.default = Reply("plain", tool_calls=(("lookup", "{}"),))
        model = open_chat_model(model="small", base_url=server.base_url)
        reply = await model.bind_tools([TOOL]).ainvoke("?")
        await model.aclose()

    assert isinstance(reply, AIMessage)
    assert reply.text == "plain"
    assert reply.tool_calls == []
    assert not model.rejects_tools


async def test_a_vague_refusal_is_not_blamed_on_the_tools_for_ever(
    server: ChatServer, model: EndpointChatModel
) -> None:
    server.script(Reply(status=400, error="bad request"), Reply(status=400, error="bad request"))

    with pytest.raises(ModelRejectedError):
        await model.bind_tools([TOOL]).ainvoke("?")

    assert not model.rejects_tools


async def test_an_endpoint_without_stream_options_is_streamed_without_them() -> None:
    with ChatServer(stream_options=False) as server:
        model = open_chat_model(model="small", base_url=server.base_url, max_retries=0)
        first, second = await collect(model), await collect(model)
        await model.aclose()

    assert first.text == second.text == "ready"
    assert ["stream_options" in body for body in server.bodies] == [True, False, False]


@pytest.mark.parametrize("pieces", [1, 2, 5, 100])
async def test_reasoning_never_reaches_the_content(server: ChatServer, model: EndpointChatModel, pieces: int) -> None:
    reply = Reply("<think>secret 思考</think>\n\n答案。", reasoning_content="also secret", pieces=pieces)
    server.script(reply, reply)
    tokens = Tokens()

    whole = await model.ainvoke("?")
    streamed = [chunk async for chunk in model.astream("?", {"callbacks": [tokens]})]

    assert whole.text == "答案。"
    assert "".join(chunk.text for chunk in streamed) == "答案。"
    assert tokens.text == "答案。"
    assert "secret" not in repr(whole) + repr(streamed)
    assert whole.response_metadata["reasoning"] is True


async def test_unclosed_reasoning_leaves_an_empty_answer(server: ChatServer, model: EndpointChatModel) -> None:
    server.script(Reply("<think>and then the budget ran out"), Reply("<think>and then the budget ran out"))

    assert (await model.ainvoke("?")).text == ""
    assert (await collect(model)).text == ""


async def test_a_model_that_opens_its_reasoning_silently_is_remembered(
    server: ChatServer, model: EndpointChatModel
) -> None:
    server.default = Reply("thinking aloud</think>the answer", pieces=1)

    assert (await model.ainvoke("?")).text == "the answer"
    assert (await collect(model)).text == "the answer"


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_passing_failure_is_retried(server: ChatServer, model: EndpointChatModel, status: int) -> None:
    server.script(Reply(status=status, headers={"Retry-After": "0.01"}), Reply("ok"))

    assert (await model.ainvoke("?")).text == "ok"
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("reply", "error", "requests"),
    [
        (Reply(status=429), ModelOverloadedError, 2),
        (Reply(status=500), ModelOverloadedError, 2),
        (Reply(status=401, error=f"Incorrect API key provided: {KEY}"), ModelRejectedError, 1),
        (Reply(status=403), ModelRejectedError, 1),
        (Reply(status=404, error="no such model"), ModelRejectedError, 1),
        (Reply(status=400, error=f"line one\nline two {KEY}"), ModelRejectedError, 1),
        (Reply(delay=1.0), ModelTimeoutError, 2),
    ],
)
@pytest.mark.parametrize("streaming", [False, True])
async def test_a_lasting_failure_is_one_typed_line_without_the_key(
    server: ChatServer, reply: Reply, error: type[ModelError], requests: int, streaming: bool
) -> None:
    server.default = reply
    model = open_chat_model(
        model="scripted", base_url=server.base_url, api_key=SecretStr(KEY), timeout=0.3, max_retries=1
    )

    with pytest.raises(error) as raised:
        await (collect(model) if streaming else model.ainvoke("?"))
    await model.aclose()

    message = str(raised.value)
    assert "\n" not in message
    assert server.base_url in message
    assert "scripted" in message
    assert KEY not in message
    assert KEY not in repr(raised.value.__cause__)
    assert len(server.requests) == requests


@pytest.mark.parametrize(
    "reply",
    [
        Reply(raw="<html>\nlogin page</html>"),
        Reply(raw='{"choices": null}', headers={"content-type": "application/json"}),
        Reply(raw='{"error": {"message": "x"}}', headers={"content-type": "application/json"}),
    ],
)
async def test_what_is_no_chat_completion_is_one_typed_line(
    server: ChatServer, model: EndpointChatModel, reply: Reply
) -> None:
    server.script(reply)

    with pytest.raises(ModelResponseError) as raised:
        await model.ainvoke("?")

    assert "\n" not in str(raised.value)
    assert server.base_url in str(raised.value)


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Reply("a long answer", cut_after=3), ModelUnreachableError),
        (Reply("a long answer", stall_after=3), ModelTimeoutError),
    ],
)
async def test_a_stream_that_breaks_off_ends_in_one_typed_error(
    server: ChatServer, reply: Reply, error: type[ModelError]
) -> None:
    server.default = reply
    model = open_chat_model(model="scripted", base_url=server.base_url, timeout=0.3, max_retries=1)
    shown: list[str] = []

    with pytest.raises(error):
        await show(model, shown)
    await model.aclose()

    assert shown
    assert "a long answer".startswith("".join(shown))
    assert len(server.requests) == 1


async def test_nobody_at_the_address_is_one_typed_line() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://user:password@127.0.0.1:{taken.getsockname()[1]}/v1"
        model = open_chat_model(model="scripted", base_url=url, timeout=1.0, max_retries=0)
        with pytest.raises(ModelUnreachableError) as raised:
            await model.ainvoke("?")
        await model.aclose()

    assert "127.0.0.1" in str(raised.value)
    assert "password" not in str(raised.value)


async def test_the_key_is_in_no_representation_of_the_model(model: EndpointChatModel) -> None:
    assert KEY not in repr(model) + str(model.asdict()) + str(model._identifying_params)


def test_the_synchronous_calls_are_hardened_too(server: ChatServer) -> None:
    model = open_chat_model(model="scripted", base_url=server.base_url, max_retries=0)
    server.script(Reply("<think>x</think>a"), Reply("<think>x</think>b"), Reply(status=500), Reply(status=500))

    assert model.invoke("?").text == "a"
    assert "".join(chunk.text for chunk in model.stream("?")) == "b"
    with pytest.raises(ModelOverloadedError):
        model.invoke("?")
    with pytest.raises(ModelOverloadedError):
        list(model.stream("?"))
    model.root_client.close()


def test_the_embeddings_route_answers_with_equal_vectors_for_equal_texts(server: ChatServer) -> None:
    body = {"model": "scripted", "input": ["甲", "b", "甲"]}

    data = httpx.post(f"{server.base_url}/embeddings", json=body).json()["data"]

    assert data[0]["embedding"] == data[2]["embedding"] != data[1]["embedding"]
