"""`rewrite+NAME`: the product's planner, its merge, its calls counted; the question itself is always searched."""

from dataclasses import dataclass, field

import pytest
from langchain_core.messages import AIMessage
from langchain_core.messages.ai import UsageMetadata
from scripted import OpenAgent, ScriptedModel, search_call, tool_calls

from eval.pipelines import Ranked
from eval.rewriting import Planner, rewriting
from graph.agent import Agent
from nodes.prompts import NO_SEARCH
from stores.documents.document import Chunk, Location

QUESTION = "它多久更换一次，怎么更换？"


def chunk(one: str) -> Chunk:
    return Chunk(
        chunk_id=one, document_id="d", position=0, text=one, start=0, end=1, kind="prose", language="zh",
        location=Location(), context="",
    )  # fmt: skip


CHUNKS = {one: chunk(one) for one in "abcdef"}
RANKINGS = {QUESTION: "ab", "滤芯 更换 周期": "cda", "更换步骤": "ea", "lease": "f"}


@dataclass
class Inner:
    """A pipeline that knows its rankings by heart; every list begins with 0.9."""

    asked: list[str] = field(default_factory=list)

    async def __call__(self, query: str) -> Ranked:
        self.asked.append(query)
        ids = list(RANKINGS.get(query, ""))
        return Ranked(ids, {"total": 1.0}, {one: 0.9 - 0.2 * place for place, one in enumerate(ids)})


@pytest.fixture
async def ask(open_scripted: OpenAgent):
    inner = Inner()

    async def asked(agent: Agent, question: str = QUESTION) -> tuple[Ranked, list[str]]:
        inner.asked.clear()
        services = agent.services
        planner = Planner(services.model, services.registry, services.memories, services.limits)
        return await rewriting(inner, CHUNKS, planner)(question), list(inner.asked)

    return asked


async def test_the_question_and_the_planned_queries_are_merged_rank_by_rank(ask, open_scripted: OpenAgent) -> None:
    async with open_scripted({"plan": [search_call("滤芯 更换 周期", "更换步骤")]}) as agent:
        ranked, asked = await ask(agent)

        assert asked == [QUESTION, "滤芯 更换 周期", "更换步骤"]
        assert ranked.ids == ["a", "c", "e", "b", "d"]
        assert ranked.scores["a"] == pytest.approx(0.9)
        assert ranked.usage.model_calls == 1
        assert set(ranked.ms) == {"plan", "search", "total"}
        model = agent.services.model
        assert isinstance(model, ScriptedModel)
        assert model.prompts("plan")[0][-1].text == QUESTION


async def test_the_question_is_searched_whatever_the_planner_says(ask, open_scripted: OpenAgent) -> None:
    for said in (NO_SEARCH, "…", tool_calls(("calculator", {"expression": "1+1"}, "c1"))):
        async with open_scripted({"plan": [said]}) as agent:
            ranked, asked = await ask(agent)
            assert (ranked.ids, asked, ranked.usage.model_calls) == (["a", "b"], [QUESTION], 1)


async def test_a_plan_that_goes_on_is_asked_again_and_its_calls_and_tokens_counted(
    ask, open_scripted: OpenAgent
) -> None:
    def step(query: str, then: str, call_id: str) -> AIMessage:
        message = search_call(query, then=then, call_id=call_id)
        return message.model_copy(
            update={"usage_metadata": UsageMetadata(input_tokens=100, output_tokens=7, total_tokens=107)}
        )

    script = [step("滤芯 更换 周期", "plan", "s1"), step("更换步骤", "answer", "s2")]
    async with open_scripted({"plan": script}) as agent:
        ranked, asked = await ask(agent)

    assert asked == [QUESTION, "滤芯 更换 周期", "更换步骤"]
    assert ranked.ids == ["a", "c", "b", "d", "e"]  # what a later round finds comes behind
    assert ranked.usage.model_calls == 2


async def test_rounds_end_with_the_budget_of_a_turn(ask, open_scripted: OpenAgent) -> None:
    lines = [search_call(f"q{n}", then="plan", call_id=f"s{n}") for n in range(9)]
    async with open_scripted({"plan": lines}, max_rounds=2) as agent:
        ranked, asked = await ask(agent)

    assert asked == [QUESTION, "q0", "q1"]
    assert ranked.usage.model_calls == 2


async def test_the_offline_model_plans_without_a_key_and_the_report_counts_its_calls(
    measure, own_set, documents
) -> None:
    report = await measure(own_set, documents, pipelines="hybrid,rewrite+hybrid", chat_model="offline")

    rewritten = report["pipelines"]["rewrite+hybrid"]
    assert rewritten["recall@5"] == 1.0
    assert rewritten["model_calls"] == 4
    assert rewritten["model_calls_per_question"] == 1.0
    assert rewritten["stages_ms"]["plan"]["p50"] > 0
    assert report["pipelines"]["hybrid"]["model_calls"] == 0
    assert "false_answer_rate" in rewritten
