"""What a turn and its searches come to in numbers, and where they can be looked at."""

from collections.abc import Sequence
from pathlib import Path

import httpx
import pytest
from commands import TEXT
from hits import hit
from scripted import OpenAgent, search_call
from starlette.applications import Starlette

from graph.agent import Agent, open_agent
from graph.http import Access, routes
from graph.settings import Settings
from nodes.answer import within_budget
from nodes.retrieve import _interleaved, _numbered, _worth
from stores.documents.document import Document, Hit, SearchResult
from stores.memory_meter import MemoryMeter
from stores.metrics import BELOW_THRESHOLD, REPEATS_SKIPPED, ROUNDS, SEARCHES, STAGE_SECONDS
from stores.owner import find_owner

QUESTION = "本科生每次最多借几册？"
ANSWER = "本科生每次最多借 12 册，借期为 30 天。[1]"


def total(agent: Agent, name: str) -> float:
    assert isinstance(agent.services.meter, MemoryMeter)
    return sum(one.get("value", one.get("count")) for one in agent.services.meter.snapshot()[name]["values"])


def rounds(agent: Agent) -> tuple[int, float]:
    """Turns, and their rounds together."""
    assert isinstance(agent.services.meter, MemoryMeter)
    values = agent.services.meter.snapshot()[ROUNDS]["values"]
    return (values[0]["count"], values[0]["sum"]) if values else (0, 0)


async def test_r12_a_query_that_was_run_before_is_counted_as_skipped(open_scripted: OpenAgent, library: Path) -> None:
    plans = [
        search_call("借期多久", "借期 多久？", "借期，多久", "逾期罚款", "逾期罚款!", then="plan", call_id="a"),
        search_call("借期多久", QUESTION, "续借几次", call_id="b"),
    ]
    async with open_scripted({"plan": plans, "answer": [ANSWER]}) as agent:
        await agent.ingest(library)
        reply = await agent.ask(QUESTION)
        assert len(reply.searched) == total(agent, SEARCHES) == 4
        assert total(agent, REPEATS_SKIPPED) == 3 + 2
        assert rounds(agent) == (1, 2)


async def test_rounds_are_noted_once_a_turn_and_0_where_nothing_was_searched(
    open_scripted: OpenAgent, library: Path
) -> None:
    script = {"plan": ["NO_SEARCH", search_call("借书")], "answer": ["不客气。", ANSWER]}
    async with open_scripted(script) as agent:
        await agent.ingest(library)
        await agent.ask("谢谢")
        assert rounds(agent) == (1, 0)
        await agent.ask(QUESTION)
        assert rounds(agent) == (2, 1)


async def test_what_the_threshold_cut_is_counted_in_the_trace_and_in_the_meter(
    open_scripted: OpenAgent, library: Path
) -> None:
    async with open_scripted({"answer": ["INSUFFICIENT_MATERIAL: 没有"]}) as agent:
        await agent.ingest(library)
        reply = await agent.ask("校车几点发车？")
        steps = [step["detail"] for step in reply.steps if step["node"] == "retrieve"]
        assert [step["evidence"] for step in steps] == [[]] * len(steps)
        assert steps[-1]["below_threshold"] == total(agent, BELOW_THRESHOLD) == len(reply.searched) > 0


@pytest.fixture
def access() -> Access:
    return Access()


@pytest.fixture
def client(access: Access) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(Starlette(routes=routes(access)))
    return httpx.AsyncClient(transport=transport, base_url="http://recite")


async def test_the_metrics_want_the_owners_token(access: Access, client: httpx.AsyncClient) -> None:
    access.token, access.meter = "t", MemoryMeter()
    access.meter.count(SEARCHES, outcome="hit")
    refused = [
        await client.get("/recite/metrics"),
        await client.get("/recite/metrics", headers={"Authorization": "Bearer x"}),
    ]
    allowed = await client.get("/recite/metrics", headers={"Authorization": "Bearer t"})
    assert [one.status_code for one in refused] == [403, 403]
    assert all("metrics" not in one.json() for one in refused)
    assert allowed.json()["metrics"][SEARCHES]["values"] == [{"labels": {"outcome": "hit"}, "value": 1}]


async def test_before_the_stores_are_open_there_are_no_metrics(access: Access, client: httpx.AsyncClient) -> None:
    access.token = "t"
    answer = await client.get("/recite/metrics", headers={"Authorization": "Bearer t"})
    assert (answer.status_code, answer.json()) == (200, {"metrics": {}})


async def test_the_owner_counts_searches_that_another_process_asks_it_for(home: Path, library: Path) -> None:
    settings = Settings(home=home, chat_model="offline", min_score=0.7, _env_file=None)
    async with open_agent(settings=settings, work=False) as owner, open_agent(settings=settings, work=False) as guest:
        await owner.ingest(library)
        found = await guest.search("asdf qwer", min_score=0.7, explain=True)
        address = find_owner(home)
        assert address is not None
        async with httpx.AsyncClient(trust_env=False) as client:
            told = await client.get(
                f"{address.url}/recite/metrics", headers={"Authorization": f"Bearer {address.token}"}
            )
        metrics = told.json()["metrics"]
        assert metrics[SEARCHES]["values"] == [{"labels": {"outcome": "miss"}, "value": 1}]
        stages = {one["labels"]["stage"] for one in metrics[STAGE_SECONDS]["values"]}
        assert stages >= {"keyword", "vector", "across", "total"}
        assert "other" not in stages
        # Over the wire the passages that were cut come along, whole.
        assert found.hits == () and found.below_threshold == len(found.cut) == 1
        assert found.cut[0].chunk.text in TEXT and found.cut[0].matched == ()
        assert total(guest, SEARCHES) == 0


def scored(text: str, score: float) -> Hit:
    return Hit(chunk=hit(text).chunk, title="t", path="p", score=score, source="both")


def result(*hits: Hit) -> SearchResult:
    return SearchResult(query="q", hits=hits, degraded=(), ms={})


def kept(results: Sequence[SearchResult], budget: int) -> list[str]:
    """The passages that a model would be given within this budget."""
    found = _interleaved(results)
    revisions = {one.chunk.chunk_id: 1 for one in found}
    document = Document(
        document_id="d", owner="o", collection="c", path="p", title="t", media_type="text/plain", encoding=None,
        pages=None, chunks=1, sha256="", revision=1, state="ready", reason=None, updated_at="",
    )  # fmt: skip
    passages = {one.chunk.chunk_id: (one.chunk, document) for one in found}
    evidence = _numbered([], found, revisions, _worth(results))
    return [item.chunk_id for item in within_budget(evidence, passages, budget)]


FIRST, SECOND, THIRD, OTHER = ("一" * 100, "二" * 100, "三" * 100, "四" * 100)


def test_a_short_budget_drops_what_the_reranker_put_last_not_what_scores_least() -> None:
    ordered = result(scored(FIRST, 0.75), scored(SECOND, 0.95), scored(THIRD, 0.9))
    assert kept([ordered], 250) == [FIRST, SECOND]
    assert kept([ordered, result(scored(OTHER, 0.92))], 360) == [FIRST, OTHER, SECOND]


def test_a_short_budget_drops_what_scores_least_where_the_order_is_by_score() -> None:
    assert kept([result(scored(FIRST, 0.8), scored(SECOND, 0.75)), result(scored(OTHER, 0.9))], 120) == [OTHER]
    assert kept([result(scored(FIRST, 0.8)), result(scored(OTHER, 0.9), scored(SECOND, 0.85))], 250) == [OTHER, SECOND]
