"""RECITE_SUPPORT names who checks sentences: through the graph, by the doctor, and when it fails."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer, Reply
from commands import Recite
from scripted import OpenAgent, search_call

from graph.entailment import EntailmentSupport
from graph.errors import SettingsError
from graph.models.offline import OfflineChatModel
from graph.parts import support_for
from graph.settings import read_settings
from nodes.citations.local_support import LocalSupport
from nodes.citations.opinions import BY_WORDS

QUESTION = "本科生每次最多借几册？"
ANSWER = "本科生一次能借走的书不超过 12 册。[1]"
MADE_UP = "图书馆为读者安排了免费的咖啡。[1]"


@pytest.mark.parametrize(
    ("named", "kind"),
    [("local", LocalSupport), ("", LocalSupport), ("cross-encoder/nli-deberta-v3-base", EntailmentSupport)],
)
def test_the_setting_names_the_model(monkeypatch: pytest.MonkeyPatch, named: str, kind: type) -> None:
    monkeypatch.setenv("RECITE_SUPPORT", named)
    check = support_for(read_settings(_env_file=None))
    assert isinstance(check.model, kind)
    assert check.judge is None


def test_without_any_model_facts_and_words_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECITE_SUPPORT", "words")
    assert support_for(read_settings(_env_file=None)) is BY_WORDS


def test_the_offline_model_cannot_judge_and_says_so_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECITE_SUPPORT", "llm")
    with pytest.raises(SettingsError, match="RECITE_SUPPORT='llm' needs a chat model"):
        support_for(read_settings(_env_file=None), model=OfflineChatModel())


async def test_the_local_model_passes_other_words_and_cuts_what_is_made_up(
    open_scripted: OpenAgent, library: Path
) -> None:
    script = {"plan": [search_call(QUESTION), ""], "answer": [f"{ANSWER}{MADE_UP}"], "repair": [""]}
    async with open_scripted(script, support="local", min_score=0.0) as agent:
        await agent.ingest(library)
        reply = await agent.ask(QUESTION)
    assert reply.answer.startswith("本科生一次能借走的书不超过 12 册。[1]")
    assert "咖啡" not in reply.answer
    assert 0.3 < reply.citations[0].support <= 1
    assert "support" not in reply.degraded


def verdicts(*supported: bool) -> str:
    return json.dumps([{"n": n, "supported": one} for n, one in enumerate(supported, start=1)])


async def test_the_chat_model_judges_the_whole_draft_in_one_call_before_anything_is_shown(
    open_scripted: OpenAgent, library: Path
) -> None:
    two = "读者凭证件入馆。[1]本科生每次最多借 12 册。[1]"
    script = {"plan": [search_call(QUESTION), ""], "answer": [two], "support": [verdicts(False, True)], "repair": [""]}
    async with open_scripted(script, support="llm", min_score=0.0) as agent:
        await agent.ingest(library)
        reply = await agent.ask(QUESTION)
        heard = [name for name, _ in agent.services.model.heard]  # type: ignore[attr-defined]
    assert "12 册" in reply.answer and "证件" not in reply.answer
    assert heard.index("support") == heard.index("answer") + 1
    assert reply.degraded == () or "support" not in reply.degraded


@pytest.mark.parametrize("said", ["I think so.", "[]", verdicts(True, True), RuntimeError("down")])
async def test_a_judge_that_fails_leaves_it_to_the_local_model_and_is_named(
    open_scripted: OpenAgent, library: Path, said: Any
) -> None:
    script = {"plan": [search_call(QUESTION), ""], "answer": ["本科生每次最多借 12 册。[1]"], "support": [said]}
    async with open_scripted(script, support="llm", min_score=0.0) as agent:
        await agent.ingest(library)
        reply = await agent.ask(QUESTION)
    assert "12 册" in reply.answer
    assert "support" in reply.degraded


async def test_a_judge_cannot_overrule_a_wrong_number(open_scripted: OpenAgent, library: Path) -> None:
    script = {
        "plan": [search_call(QUESTION), ""],
        "answer": ["本科生每次最多借 21 册。[1]"],
        "repair": ["本科生每次最多借 21 册。[1]"],
        "support": [verdicts(True)],
    }
    async with open_scripted(script, support="llm", min_score=0.0) as agent:
        await agent.ingest(library)
        reply = await agent.ask(QUESTION)
    assert "21 册" not in reply.answer


async def test_a_model_that_is_not_there_leaves_it_to_the_local_one(open_scripted: OpenAgent, library: Path) -> None:
    script = {"plan": [search_call(QUESTION), ""], "answer": [ANSWER]}
    async with open_scripted(script, support=str(library / "no-model"), min_score=0.0) as agent:
        await agent.ingest(library)
        reply = await agent.ask(QUESTION)
    assert "12 册" in reply.answer
    assert "support" in reply.degraded


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    monkeypatch.setenv("RECITE_SUPPORT", "llm")
    with ChatServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        yield server


def test_the_doctor_tries_the_check(recite: Recite, monkeypatch: pytest.MonkeyPatch) -> None:
    def support(status: int = 0) -> dict[str, str]:
        found = recite.json("doctor", status=status)["findings"]
        return next(one for one in found if one["subject"] == "support check")

    assert support()["told"] == "words: facts and words alone"
    monkeypatch.setenv("RECITE_SUPPORT", "local")
    assert support()["told"].startswith("local: 0.")
    monkeypatch.setenv("RECITE_SUPPORT", "./nowhere")
    broken = support(status=1)
    assert broken["state"] == "failed"
    assert "RECITE_SUPPORT=local" in broken["advice"]


def test_the_doctor_lets_the_chat_model_judge(recite: Recite, endpoint: ChatServer) -> None:
    def respond(body: dict[str, Any]) -> Reply:
        asked = body["messages"][0]["content"].startswith("# Task: check support")
        return Reply(verdicts(True) if asked else "ready")

    endpoint.respond = respond
    found = recite.json("doctor", status=0)["findings"]
    assert next(one for one in found if one["subject"] == "support check")["told"].startswith("llm: 0.95 in ")
