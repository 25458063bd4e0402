"""RECITE_RERANKER names the reranker; the doctor tries it; late or broken, a search goes on without it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer, Reply
from commands import Recite

from graph.parts import reranker_for
from graph.settings import read_settings
from stores.documents.rerank import CrossEncoderReranker
from stores.rerankers.endpoint import EndpointReranker
from stores.rerankers.local import LocalReranker


@pytest.mark.parametrize(
    ("named", "kind"),
    [
        ("local", LocalReranker),
        ("none", None),
        ("", LocalReranker),
        ("http://127.0.0.1:8080/rerank", EndpointReranker),
        ("https://example.com/v1/rerank", EndpointReranker),
        ("BAAI/bge-reranker-base", CrossEncoderReranker),
        ("C:\\models\\reranker", CrossEncoderReranker),
        ("./reranker", CrossEncoderReranker),
    ],
)
def test_the_setting_names_the_reranker(monkeypatch: pytest.MonkeyPatch, named: str, kind: type | None) -> None:
    monkeypatch.setenv("RECITE_RERANKER", named)
    chosen = reranker_for(read_settings(_env_file=None))
    assert chosen is None if kind is None else isinstance(chosen, kind)


@pytest.mark.parametrize(
    ("seconds", "hurried", "deadline"), [("2.5", True, 2.5), ("0", True, None), ("2.5", False, None)]
)
def test_the_deadline_is_a_setting_and_off_in_the_evaluation(
    monkeypatch: pytest.MonkeyPatch, seconds: str, hurried: bool, deadline: float | None
) -> None:
    monkeypatch.setenv("RECITE_RERANKER", "http://127.0.0.1:8080/rerank")
    monkeypatch.setenv("RECITE_RERANK_DEADLINE", seconds)
    chosen = reranker_for(read_settings(_env_file=None), hurried=hurried)
    assert isinstance(chosen, EndpointReranker)
    assert chosen._deadline == deadline


def test_a_search_goes_on_without_an_endpoint_that_is_not_there(
    recite: Recite, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recite.json("ingest", str(library))
    before = recite.json("search", "本科生每次最多借几册")
    monkeypatch.setenv("RECITE_RERANKER", "http://127.0.0.1:9/rerank")
    after = recite.json("search", "本科生每次最多借几册")
    asked = recite.json("ask", "本科生每次最多借几册？")
    assert [hit["chunk_id"] for hit in after["hits"]] == [hit["chunk_id"] for hit in before["hits"]]
    assert after["degraded"] == ["reranker"]
    assert asked["status"] == "answered"


def test_the_local_reranker_orders_what_was_found_and_the_calibrated_score_stays(
    recite: Recite, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECITE_RERANK_DEADLINE", "0")
    recite.json("ingest", str(library))
    question = "本科生每次最多借几册"
    before = recite.json("search", question, "--k", "20")["hits"]
    monkeypatch.setenv("RECITE_RERANKER", "local")
    after = recite.json("search", question, "--k", "20")
    assert after["degraded"] == []
    assert after["ms"]["rerank"] > 0
    assert {hit["chunk_id"]: hit["score"] for hit in after["hits"]} == {hit["chunk_id"]: hit["score"] for hit in before}
    assert after["hits"][0]["rerank_score"] == max(hit["rerank_score"] for hit in after["hits"])
    assert "12 册" in after["hits"][0]["content"]


def test_the_doctor_tries_the_reranker(recite: Recite, monkeypatch: pytest.MonkeyPatch) -> None:
    def reranker() -> dict[str, str]:
        return next(one for one in recite.json("doctor")["findings"] if one["subject"] == "reranker")

    assert reranker()["state"] == "ok"
    monkeypatch.setenv("RECITE_RERANKER", "http://127.0.0.1:9/rerank")
    found = recite.json("doctor", status=1)["findings"]
    broken = next(one for one in found if one["subject"] == "reranker")
    assert broken["state"] == "failed"
    assert "http://127.0.0.1:9/rerank" in broken["told"] and "RECITE_RERANKER=local" in broken["advice"]


QUESTION = "本科生每次最多借几册？"
ANSWER = "本科生每次最多借 12 册，借期为 30 天。[1]"


def writes(order: str) -> Callable[[dict[str, Any]], Reply]:
    """A model that plans nothing, answers well, and ranks as it is told."""

    def respond(body: dict[str, Any]) -> Reply:
        match body["messages"][0]["content"].splitlines()[0]:
            case "# Task: rerank":
                return Reply(order)
            case "# Task: answer":
                return Reply(ANSWER)
            case _:
                return Reply("")

    return respond


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    monkeypatch.setenv("RECITE_RERANKER", "llm")
    with ChatServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        yield server


@pytest.fixture
def two(library: Path) -> Path:
    (library / "花园.md").write_text("# Garden\n\nRoses grow there.\n", encoding="utf-8")
    return library


def test_the_chat_model_orders_and_the_calibrated_score_stays(
    recite: Recite, two: Path, endpoint: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    recite.json("ingest", str(two))
    with monkeypatch.context() as without:
        without.setenv("RECITE_RERANKER", "none")
        plain = recite.json("search", QUESTION)["hits"]
    endpoint.respond = writes("[2, 1]")
    found = recite.json("search", QUESTION)
    printed, _, below = recite("search", QUESTION).stdout.partition("Below the threshold")
    assert found["degraded"] == []
    assert [hit["path"] for hit in found["hits"]] == [hit["path"] for hit in plain[::-1]]
    assert [hit["score"] for hit in found["hits"]] == [hit["score"] for hit in plain[::-1]]
    assert [hit["rerank_score"] for hit in found["hits"]] == [1.0, 0.5]
    assert "借阅.md" in printed and "花园.md" not in printed
    assert "花园.md" in below and "借阅.md" not in below


def test_a_ranking_in_a_turn_is_counted_among_its_model_calls(
    recite: Recite, two: Path, endpoint: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    recite.json("ingest", str(two))
    monkeypatch.setenv("RECITE_MIN_SCORE", "0")
    endpoint.respond = writes("[1, 2]")
    asked = recite.json("ask", QUESTION)
    calls = [body["messages"][0]["content"].splitlines()[0] for body in endpoint.bodies]
    turn = [call for call in calls if call != "# Task: propose memory operations"]
    assert asked["status"] == "answered"
    assert turn == ["# Task: plan", "# Task: rerank", "# Task: answer"]
    assert asked["usage"] == {"model_calls": 3, "input_tokens": 33, "output_tokens": 21}


@pytest.mark.parametrize(
    ("reply", "deadline"),
    [(Reply("I cannot rank"), ""), (Reply("[1, 1]"), ""), (Reply(status=400), ""), (Reply("[2, 1]", delay=30), "0.05")],
)
def test_without_an_order_the_calibrated_one_stands_and_the_trace_says_so(
    recite: Recite, two: Path, endpoint: ChatServer, monkeypatch: pytest.MonkeyPatch, reply: Reply, deadline: str
) -> None:
    recite.json("ingest", str(two))
    monkeypatch.setenv("RECITE_RERANK_DEADLINE", deadline)
    endpoint.default = reply
    found = recite.json("search", QUESTION)
    assert found["degraded"] == ["reranker"]
    assert [Path(hit["path"]).name for hit in found["hits"]] == ["借阅.md", "花园.md"]
    assert {hit["rerank_score"] for hit in found["hits"]} == {None}


def test_the_doctor_lets_the_chat_model_rank(recite: Recite, endpoint: ChatServer) -> None:
    def reranker(status: int) -> dict[str, str]:
        found = recite.json("doctor", status=status)["findings"]
        return next(one for one in found if one["subject"] == "reranker")

    endpoint.respond = writes("[1, 2]")
    assert reranker(0)["told"].startswith("llm: 2 passages in ")
    endpoint.respond = writes("ready")
    assert (reranker(1)["state"], "gave no order of 2 passages" in reranker(1)["told"]) == ("failed", True)


def test_the_offline_model_cannot_rank_and_says_so_in_one_line(
    recite: Recite, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECITE_RERANKER", "llm")
    line = recite.fails("search", QUESTION)
    [finding] = recite.json("doctor", status=1)["findings"]
    assert "RECITE_RERANKER='llm'" in line and "the offline model cannot rank" in line
    assert (finding["subject"], finding["state"]) == ("settings", "failed")
    assert "RECITE_RERANKER='llm'" in finding["told"]


@pytest.mark.parametrize(
    ("named", "given", "seconds"),
    [("local", "", 0.8), ("llm", "", 15.0), ("llm", "3", 3.0), ("llm", "0", None), ("./llm", "", 0.8)],
)
def test_a_model_that_writes_its_order_gets_longer(
    monkeypatch: pytest.MonkeyPatch, named: str, given: str, seconds: float | None
) -> None:
    monkeypatch.setenv("RECITE_RERANKER", named)
    monkeypatch.setenv("RECITE_RERANK_DEADLINE", given)
    assert read_settings(_env_file=None).rerank_seconds == seconds
