"""`langgraph dev` as users run it, talked to through the SDK and the command line."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

ROOT = Path(__file__).parents[2]
TEXT = "# 借阅\n\n本科生每次最多借 12 册，借期为 30 天。\n"
QUESTION = "本科生每次最多借几册？"


def environment(home: Path) -> dict[str, str]:
    return os.environ | {
        "RECITE_HOME": str(home),
        "RECITE_CHAT_MODEL": "offline",
        "LANGGRAPH_NO_VERSION_CHECK": "true",
        "LANGSMITH_TRACING": "false",
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        "PYTHONUNBUFFERED": "1",
    }


def recite(home: Path, *arguments: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "graph.cli", *arguments, "--json"],
        cwd=ROOT,
        env=environment(home),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Server:
    def __init__(self, url: str, home: Path, log: Path) -> None:
        self.url = url
        self.home = home
        self.log = log


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    home, log = folder / "home", folder / "log.txt"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(Path(sys.executable).parent / "langgraph"), "dev", "--no-browser", "--no-reload"]
    command += ["--port", str(port)]
    with log.open("w") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=environment(home), stdout=output, stderr=output)
        url = f"http://127.0.0.1:{port}"
        try:
            wait_for(url, process, log)
            yield Server(url, home, log)
        finally:
            process.terminate()
            process.wait(30)


def wait_for(url: str, process: subprocess.Popen, log: Path) -> None:
    for _ in range(600):
        assert process.poll() is None, log.read_text()[-4_000:]
        try:
            if httpx.get(f"{url}/ok", trust_env=False).status_code == 200:
                return
        except httpx.HTTPError:
            time.sleep(0.1)
    pytest.fail(log.read_text()[-4_000:])


@pytest.fixture
async def client(server: Server) -> AsyncIterator[LangGraphClient]:
    async with get_client(url=server.url) as opened:
        yield opened


async def test_the_schemas_are_there(server: Server, client: LangGraphClient) -> None:
    [assistant] = await client.assistants.search(graph_id="recite")

    schemas = await client.assistants.get_schemas(assistant["assistant_id"])

    assert "messages" in schemas["input_schema"]["properties"]
    assert schemas["output_schema"] and schemas["state_schema"]
    assert set(schemas["context_schema"]["properties"]) == {
        "user_id", "collection", "documents", "kinds", "languages", "paths", "since", "until"
    }  # fmt: skip
    assert all(field["description"] for field in schemas["context_schema"]["properties"].values())


async def test_a_run_streams_answer_text_and_step_events_only_and_a_second_turn_follows(
    server: Server, client: LangGraphClient, tmp_path: Path
) -> None:
    (tmp_path / "借阅.md").write_text(TEXT, encoding="utf-8")
    await asyncio.to_thread(recite, server.home, "ingest", str(tmp_path / "借阅.md"))
    thread = await client.threads.create(graph_id="recite")

    texts: dict[str, str] = {}
    kinds: set[str] = set()
    async for part in client.runs.stream(
        thread["thread_id"],
        "recite",
        input={"messages": [{"role": "user", "content": QUESTION}]},
        stream_mode=["messages-tuple", "custom"],
    ):
        if part.event == "custom":
            kinds.add(part.data["type"])
        elif part.event == "messages":
            message = part.data[0]
            assert message["type"] in {"AIMessageChunk", "ai"}
            texts[message["id"]] = texts.get(message["id"], "") + message["content"]
    state = await client.threads.get_state(thread["thread_id"])
    [question, answer] = state["values"]["messages"]

    assert kinds == {"step"}
    assert list(texts) == [answer["id"]]
    assert answer["content"] == texts[answer["id"]]
    assert "12 册" in answer["content"]
    assert answer["additional_kwargs"]["recite"]["citations"][0]["number"] == 1
    assert question["content"] == QUESTION

    second = await client.runs.wait(
        thread["thread_id"], "recite", input={"messages": [{"role": "user", "content": "借期呢？"}]}
    )
    assert len(second["messages"]) == 4
    assert "30 天" in second["messages"][-1]["content"]

    listed = await asyncio.to_thread(recite, server.home, "threads", "list")
    assert thread["thread_id"] in {row["id"] for row in listed}


async def test_a_file_ingested_beside_the_running_server_answers_at_once(
    server: Server, client: LangGraphClient, tmp_path: Path
) -> None:
    (tmp_path / "新 文件.md").write_text("# 自习室\n\n自习室共有 318 个座位。\n", encoding="utf-8")

    ingested = await asyncio.to_thread(recite, server.home, "ingest", str(tmp_path))
    thread = await client.threads.create(graph_id="recite")
    state = await client.runs.wait(
        thread["thread_id"], "recite", input={"messages": [{"role": "user", "content": "自习室有多少个座位？"}]}
    )

    assert [file["status"] for file in ingested["files"]] == ["added"]
    assert "318" in state["messages"][-1]["content"]


async def test_a_thread_begun_on_the_command_line_goes_on_in_the_server(
    server: Server, client: LangGraphClient
) -> None:
    asked = await asyncio.to_thread(recite, server.home, "ask", "你好", "--thread", "命令行")
    listed = await asyncio.to_thread(recite, server.home, "threads", "list")
    thread_id = next(row["id"] for row in listed if row["name"] == "命令行")
    for _ in range(50):
        found = await client.threads.search(metadata={"graph_id": "recite"}, limit=100)
        if thread_id in {thread["thread_id"] for thread in found}:
            break
        await asyncio.sleep(0.2)
    state = await client.threads.get_state(thread_id)

    assert thread_id in {thread["thread_id"] for thread in found}
    assert state["values"]["messages"][-1]["content"] == asked["answer"]
    again = await client.runs.wait(thread_id, "recite", input={"messages": [{"role": "user", "content": "谢谢"}]})
    assert len(again["messages"]) == 4


async def test_a_cancelled_run_leaves_the_thread_usable(server: Server, client: LangGraphClient) -> None:
    thread = await client.threads.create(graph_id="recite")
    message = {"messages": [{"role": "user", "content": QUESTION}]}

    run = await client.runs.create(thread["thread_id"], "recite", input=message)
    await client.runs.cancel(thread["thread_id"], run["run_id"], wait=True)
    state = await client.runs.wait(
        thread["thread_id"], "recite", input={"messages": [{"role": "user", "content": "你好"}]}
    )

    assert state["messages"][-1]["type"] == "ai"


async def test_document_routes_want_the_owners_token(server: Server) -> None:
    async with httpx.AsyncClient(base_url=server.url, trust_env=False) as client:
        assert (await client.get("/recite/health")).json() == {"status": "ok"}
        refused = await client.post("/recite/documents/list", json={"reader": "local"})
        token = json.loads((server.home / "owner.json").read_text())["token"]
        allowed = await client.post(
            "/recite/documents/list", json={"reader": "local"}, headers={"Authorization": f"Bearer {token}"}
        )

    assert refused.status_code == 403
    assert allowed.status_code == 200


def test_the_servers_log_is_free_of_blocked_types_and_tracebacks(server: Server) -> None:
    log = server.log.read_text()

    assert "Blocked deserialization" not in log
    assert "Traceback" not in log
