"""RECITE_RERANKER names the reranker; the doctor tries it; late or broken, a search goes on without it."""

from pathlib import Path

import pytest
from commands import Recite

from graph.parts import reranker_for
from graph.settings import read_settings
from stores.documents.rerank import CrossEncoderReranker
from stores.rerankers.endpoint import EndpointReranker


@pytest.mark.parametrize(
    ("named", "kind"),
    [
        ("local", None),
        ("none", None),
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


def test_the_doctor_tries_the_reranker(recite: Recite, monkeypatch: pytest.MonkeyPatch) -> None:
    def reranker() -> dict[str, str]:
        return next(one for one in recite.json("doctor")["findings"] if one["subject"] == "reranker")

    assert reranker()["state"] == "ok"
    monkeypatch.setenv("RECITE_RERANKER", "http://127.0.0.1:9/rerank")
    found = recite.json("doctor", status=1)["findings"]
    broken = next(one for one in found if one["subject"] == "reranker")
    assert broken["state"] == "failed"
    assert "http://127.0.0.1:9/rerank" in broken["told"] and "RECITE_RERANKER=local" in broken["advice"]
