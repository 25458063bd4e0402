"""What the reply says about each sentence, and what the application adds behind them."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from scripted import OpenAgent, search_call

from graph.agent import Agent
from graph.commands.printing import print_step
from graph.reply import Reply
from nodes.turn import ANSWER
from stores.memory_meter import MemoryMeter
from stores.metrics import FIRST_WORDS_SECONDS

POLICY = """# 泳池须知

## 开放

深水区开放至 21:30，儿童须由 1 名成人陪同。泳池内不得使用玻璃容器。

## 收费

单次票价 35 元，月卡 280 元。遗失手环赔偿 50 元。
"""
QUESTION = "泳池的单次票价和月卡各多少钱？"
GOOD = "单次票价 35 元，月卡 280 元。[1]"


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    folder = tmp_path / "须知"
    folder.mkdir()
    (folder / "泳池须知.md").write_text(POLICY, encoding="utf-8")
    return folder


async def streamed(agent: Agent, question: str) -> tuple[str, Reply]:
    text, reply = "", None
    async for item in agent.stream(question):
        if isinstance(item, str):
            text += item
        elif isinstance(item, Reply):
            reply = item
    assert reply is not None
    return text, reply


async def asked(
    open_scripted: OpenAgent, folder: Path, script: dict[str, Any], question: str = QUESTION, **settings: Any
) -> tuple[str, Reply]:
    async with open_scripted({"plan": [search_call("泳池 票价")], **script}, **settings) as agent:
        await agent.ingest(folder)
        return await streamed(agent, question)


def outcomes(reply: Reply) -> list[tuple[str, str, tuple[int, ...]]]:
    return [(one.verdict, one.reason, one.numbers) for one in reply.sentences]


async def test_every_sentence_has_its_verdict_score_reason_and_numbers(open_scripted: OpenAgent, pool: Path) -> None:
    draft = f"根据资料：\n\n{GOOD}遗失手环赔偿 500 元。[1]夏天游泳有益健康。"
    repair = "遗失手环赔偿 50 元。[1]"
    text, reply = await asked(open_scripted, pool, {"answer": [draft], "repair": [repair]})

    assert outcomes(reply) == [
        ("needs_none", "states_nothing", ()),
        ("pass", "ok", (1,)),
        ("replaced", "number_missing", ()),
        ("cut", "uncited", ()),
        ("repaired", "ok", (1,)),
    ]
    assert reply.sentences[1].score > 0.9
    assert text == reply.answer == f"根据资料：\n\n{GOOD}{repair}\n\n有 1 句因资料不支持而略去。"
    assert reply.status == "partial"
    assert reply.as_json()["sentences"] == [one.stored() for one in reply.sentences]


async def test_sentences_stay_with_the_message_and_go_out_as_an_event(
    open_scripted: OpenAgent, pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with open_scripted({"plan": [search_call("票价")], "answer": [GOOD]}) as agent:
        await agent.ingest(pool)
        reply = await agent.ask(QUESTION)
        [stored] = (await agent.history())[-1].additional_kwargs[ANSWER]["sentences"]
    event = next(step for step in reply.steps if step["node"] == "check_citations")

    assert stored == reply.sentences[0].stored()
    assert event["detail"]["sentences"] == [stored]
    print_step(dict(event))
    assert "pass" in (shown := capsys.readouterr().out) and GOOD.removesuffix("[1]") in shown
    assert "<details>" in reply._repr_html_() and GOOD.removesuffix("[1]") in reply._repr_html_()


async def test_how_many_sentences_were_left_out_is_said_last_in_the_questions_language(
    open_scripted: OpenAgent, tmp_path: Path
) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "pool.md").write_text("# Pool\n\nA single ticket costs 35 euros.\n", encoding="utf-8")
    draft = "A single ticket costs 35 euros. [1] Otters swim on their backs. Penguins live in Antarctica."
    text, reply = await asked(
        open_scripted, folder, {"answer": [draft], "repair": [""]}, "What does a single ticket cost?"
    )

    last = "2 sentences were left out: the material does not support them."
    assert text == reply.answer == f"A single ticket costs 35 euros. [1]\n\n{last}"


async def test_a_cut_sentence_repeats_nothing_that_is_in_none_of_the_users_material(
    open_scripted: OpenAgent, pool: Path
) -> None:
    secret = "单次票价 35 元，保险柜口令为木星蓝鲸四二，ZX-4471-QQ。[1]"
    text, reply = await asked(open_scripted, pool, {"answer": [f"{GOOD}{secret}"], "repair": [secret]})
    told = json.dumps([reply.as_json(), list(reply.steps)], ensure_ascii=False) + text

    assert [one.verdict for one in reply.sentences] == ["pass", "replaced", "cut"]
    assert "单次票价 35 元" in reply.sentences[2].text
    assert "木星" not in told and "4471" not in told


async def test_a_deleted_passages_words_leave_the_record_of_what_was_cut(
    open_scripted: OpenAgent, pool: Path, tmp_path: Path
) -> None:
    other = tmp_path / "更衣室.md"
    other.write_text("# 更衣室\n\n更衣柜押金 20 元，泳池月卡用户免收。\n", encoding="utf-8")
    agent_of: list[Agent] = []

    async def deletes(_: object) -> str:
        documents = agent_of[0].services.documents
        gone = next(one for one in await documents.documents(reader="local") if one.path.endswith("更衣室.md"))
        await documents.delete(gone.document_id, owner="local")
        return "更衣柜押金 90 元。[1]"

    script = {
        "plan": [search_call("泳池 票价", "更衣柜押金")],
        "answer": [f"{GOOD}更衣柜押金 90 元。[1]"],
        "repair": [deletes],
    }
    async with open_scripted(script, min_score=0.0) as agent:
        agent_of.append(agent)
        await agent.ingest(pool, other)
        reply = await agent.ask(QUESTION)

    assert {one.text for one in reply.sentences if one.verdict in {"cut", "replaced"}} == {""}


async def test_a_partial_answer_says_what_is_missing_and_no_more(open_scripted: OpenAgent, pool: Path) -> None:
    _, reply = await asked(
        open_scripted,
        pool,
        {"answer": [f"{GOOD}\nINSUFFICIENT_MATERIAL: 停车费"]},
        "泳池的单次票价、月卡和停车费各多少钱？",
    )
    assert reply.answer == f"{GOOD}\n\n资料中没有找到：停车费。"
    assert (reply.status, list(reply.missing)) == ("partial", ["停车费"])


@pytest.mark.parametrize(
    "smuggled",
    [
        "木卫二的冰层下有一片深约 100 公里的海洋，科学家认为那里可能存在微生物",
        "资料没有提到，但木卫二上已经发现了甲烷细菌群落和鞭毛藻化石遗迹",
        "Europa's ocean holds twice the water of Earth and NASA plans to land there in 2031",
    ],
)
async def test_c14_what_is_missing_is_no_place_for_outside_knowledge(
    open_scripted: OpenAgent, pool: Path, smuggled: str
) -> None:
    question = "木卫二上有生命吗？"
    _, reply = await asked(open_scripted, pool, {"answer": [f"INSUFFICIENT_MATERIAL: {smuggled}"]}, question)

    assert list(reply.missing) == [question]
    assert not any(word in reply.answer for word in ("微生物", "甲烷", "NASA"))


async def test_c13_c14_a_refusal_names_what_came_nearest_by_title_and_place_only(
    open_scripted: OpenAgent, pool: Path
) -> None:
    script = {"answer": ["INSUFFICIENT_MATERIAL: 停车费"]}
    text, reply = await asked(open_scripted, pool, script, "泳池的停车费多少钱？", min_score=0.0)

    assert reply.status == "insufficient_material"
    assert reply.citations == [] and "[" not in reply.answer
    assert "查找过：泳池的停车费多少钱？；泳池 票价" in reply.answer
    assert "最接近的段落（不足以回答）：《泳池须知》（" in reply.answer
    assert "缺少：停车费" in reply.answer
    assert not any(figure in reply.answer for figure in ("35", "280", "50"))
    assert 1 <= len(reply.nearest) <= 2
    assert set(reply.nearest[0]) == {"title", "path", "document_id", "location"}
    assert reply.as_json()["nearest"] == list(reply.nearest)
    assert text == ""


async def test_c14_nothing_is_named_as_near_where_nothing_is(open_scripted: OpenAgent, pool: Path) -> None:
    _, reply = await asked(
        open_scripted,
        pool,
        {"plan": [search_call("gamma ray bursts")], "answer": ["INSUFFICIENT_MATERIAL: bursts"]},
        "What causes gamma ray bursts?",
    )
    assert reply.status == "insufficient_material"
    assert list(reply.nearest) == [] and "Nearest" not in reply.answer


async def test_s04_a_refusal_names_no_passage_of_another_user(open_scripted: OpenAgent, pool: Path) -> None:
    async with open_scripted({"plan": [search_call("票价")], "answer": [GOOD]}, min_score=0.0) as agent:
        await agent.ingest(pool, user="alice")
        reply = await agent.ask(QUESTION, user="bob")

    assert reply.status == "insufficient_material"
    assert list(reply.nearest) == [] and "泳池须知" not in reply.answer


async def test_the_wait_for_the_first_words_is_measured_once_a_turn(open_scripted: OpenAgent, pool: Path) -> None:
    async def slowly(_: object) -> str:
        await asyncio.sleep(0.05)
        return f"{GOOD}遗失手环赔偿 50 元。[1]"

    async with open_scripted({"plan": [search_call("票价"), "NO_SEARCH"], "answer": [slowly, "不客气。"]}) as agent:
        await agent.ingest(pool)
        first = await agent.ask(QUESTION)
        second = await agent.ask("谢谢")
        assert isinstance(agent.services.meter, MemoryMeter)
        [series] = agent.services.meter.snapshot()[FIRST_WORDS_SECONDS]["values"]

    assert first.first_ms is not None and second.first_ms is not None
    assert first.first_ms >= 50
    assert series["count"] == 2
    assert first.as_json()["first_ms"] == first.first_ms
    assert next(s for s in first.steps if s["node"] == "check_citations")["detail"]["first_ms"] == first.first_ms


async def test_a_refusal_counts_as_first_words_too(open_scripted: OpenAgent, pool: Path) -> None:
    _, reply = await asked(open_scripted, pool, {"answer": ["INSUFFICIENT_MATERIAL: x"]}, "火星上有生命吗？")
    assert reply.first_ms is not None and reply.first_ms > 0


async def test_a_client_of_the_graph_gets_the_added_lines_in_its_stream(open_scripted: OpenAgent, pool: Path) -> None:
    wrong = "遗失手环赔偿 500 元。[1]"
    script = {"plan": [search_call("票价")], "answer": [f"{GOOD}{wrong}"], "repair": [wrong]}
    async with open_scripted(script) as agent:
        await agent.ingest(pool)
        config = agent.config(await agent.services.conversations.open("local", "s"))
        texts = ""
        async for item in agent.graph.astream(
            {"messages": [HumanMessage(content=QUESTION)]}, config, stream_mode="messages"
        ):
            texts += item[0].text
        final = (await agent.graph.aget_state(config)).values["messages"][-1]

    assert texts == final.text
    assert texts.endswith("有 1 句因资料不支持而略去。")


async def test_c11_a_number_quotes_every_line_that_it_stands_for(open_scripted: OpenAgent, pool: Path) -> None:
    draft = "月卡 280 元。[1]\n遗失手环赔偿 50 元。[1]"
    _, reply = await asked(open_scripted, pool, {"answer": [draft]}, "月卡多少钱，遗失手环赔多少？")
    [citation] = reply.citations
    told = citation.as_json()

    assert told["quote"] in told["quotes"]
    assert any("280 元" in quote for quote in told["quotes"])
    assert any("50 元" in quote for quote in told["quotes"])
    first, last = citation.location["lines"]
    lines = POLICY.split("\n")[first - 1 : last]
    assert all(quote in "\n".join(lines) for quote in told["quotes"])
