"""What the model was sent, word for word: `ask(record=True)`, `recite ask --trace`, and own prompts in it."""

from pathlib import Path

import pytest
from commands import Recite
from scripted import OpenAgent, ScriptedModel, search_call, tool_calls

from nodes.prompts import prompt

QUESTION = "本科生每次最多借几册？"
GOOD = "本科生每次最多借 12 册，借期为 30 天。[1]"


async def test_every_call_is_recorded_as_the_model_received_it(open_scripted: OpenAgent, library: Path) -> None:
    plans = [
        tool_calls(("search_documents", {"queries": ["借书"]}, "s"), ("calculator", {"expression": "6*7"}, "c")),
        "NO_SEARCH",
    ]
    wrong = "本科生每次最多借 21 册。[1]"
    async with open_scripted({"plan": plans, "answer": [wrong], "repair": [GOOD]}) as agent:
        await agent.ingest(library)
        reply = await agent.ask(QUESTION, record=True)
        model = agent.services.model

    assert isinstance(model, ScriptedModel)
    assert [call["node"] for call in reply.messages] == ["plan", "plan", "answer", "answer"]
    assert len(reply.messages) == len(model.heard) == reply.usage.model_calls
    for call, (_, heard) in zip(reply.messages, model.heard, strict=True):
        assert [message["text"] for message in call["messages"]] == [message.text for message in heard]
        assert call["messages"][0]["role"] == "system"
    assert set(reply.messages[0]["tools"]) == {"search_documents", "calculator", "current_date"}
    assert reply.messages[2]["tools"] == []
    roles = [message["role"] for message in reply.messages[1]["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "tool"]
    assert reply.messages[1]["messages"][2]["tool_calls"][1] == {"name": "calculator", "args": {"expression": "6*7"}}
    assert "12 册" in reply.messages[2]["messages"][-1]["text"]
    assert reply.as_json()["messages"] == reply.messages


async def test_secrets_are_redacted_and_nothing_is_kept_unless_asked(open_scripted: OpenAgent, library: Path) -> None:
    (library / "密钥.md").write_text(
        "# 部署密钥\n\n部署用的密钥是 sk-abcdefghijklmnop1234，不得外传。\n", encoding="utf-8"
    )
    script = {
        "plan": [search_call("部署密钥", "token=sk-qrstuvwxyzabcdef5678")],
        "answer": ["INSUFFICIENT_MATERIAL: x"],
    }
    async with open_scripted(script) as agent:
        await agent.ingest(library)
        recorded = await agent.ask("部署密钥 password=hunter2hunter2 是什么？", record=True)
        silent = await agent.ask(QUESTION)

    told = str(recorded.messages)
    assert "部署用的密钥" in told
    assert not any(secret in told for secret in ("abcdefghijklmnop1234", "qrstuvwxyzabcdef5678", "hunter2"))
    assert silent.messages == []
    assert "messages" not in silent.as_json()


def test_the_trace_shows_the_exact_messages_and_json_carries_them(recite: Recite, library: Path) -> None:
    recite.json("ingest", str(library))

    printed = recite("ask", QUESTION, "--trace").stdout
    told = recite.json("ask", QUESTION, "--trace", "--thread", "j")
    untold = recite.json("ask", QUESTION, "--thread", "k")

    assert "model call 1 plan · tools: search_documents" in printed
    assert "model call 2 answer" in printed
    assert "# Task: plan" in printed
    assert [call["node"] for call in told["messages"]] == ["plan", "answer"]
    assert told["messages"][0]["messages"][-1] == {"role": "user", "text": QUESTION}
    assert told["task"] == untold["task"] == "find"
    assert "messages" not in untold


def test_prompts_of_ones_own_reach_the_model_and_broken_ones_stop_the_start(
    recite: Recite, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recite.json("ingest", str(library))
    folder = tmp_path / "prompts"
    folder.mkdir()
    own = folder / "answer.zh.md"
    own.write_text(prompt("answer.zh").replace("不猜测", "绝不猜测"), encoding="utf-8")
    monkeypatch.setenv("RECITE_PROMPTS", str(folder))

    told = recite.json("ask", QUESTION, "--trace")
    own.write_text(prompt("answer.zh").replace("INSUFFICIENT_MATERIAL", "没有"), encoding="utf-8")
    line = recite.fails("ask", QUESTION)

    assert "绝不猜测" in told["messages"][-1]["messages"][0]["text"]
    assert told["status"] == "answered"
    assert "RECITE_PROMPTS" in line
    assert "answer.zh.md lacks 'INSUFFICIENT_MATERIAL'" in line
