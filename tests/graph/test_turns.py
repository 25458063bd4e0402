"""Whole turns through the graph with a scripted model and real stores."""

import asyncio
import re
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from scripted import OpenAgent, ScriptedModel, search_call, tool_calls

from graph.agent import Agent
from graph.commands.threads import message_json
from graph.reply import Reply
from nodes.limits import MAX_ROUNDS
from nodes.refusal import REFUSAL_ZH
from nodes.turn import ANSWER, is_answer
from stores.checkpoints import DEFLATED
from stores.owner import find_owner

POLICY = """# 图书馆借阅规则

## 借期

本科生每次最多借 12 册，借期为 30 天。研究生每次最多借 20 册，借期为 60 天。

## 逾期

逾期每册每天收 0.2 元，上限为 15 元。遗失图书按原价的 2 倍赔偿。
"""
QUESTION = "本科生最多可以借几册书？"
GOOD = "本科生每次最多借 12 册，借期为 30 天。[1]"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "资料 夹"
    folder.mkdir()
    (folder / "借阅规则.md").write_text(POLICY, encoding="utf-8")
    return folder


def model_of(agent: Agent) -> ScriptedModel:
    assert isinstance(agent.services.model, ScriptedModel)
    return agent.services.model


def inflated(path: Path) -> str:
    """Everything that a thread database holds, as text."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT type, checkpoint FROM checkpoints UNION ALL SELECT type, value FROM writes")
        return "".join(
            (zlib.decompress(data) if kind.endswith(DEFLATED) else data).decode("utf-8", "replace")
            for kind, data in rows
        )


async def ask(open_scripted: OpenAgent, library: Path, script: dict, question: str = QUESTION) -> Reply:
    async with open_scripted(script) as agent:
        await agent.ingest(library)
        return await agent.ask(question)


async def test_a_document_question_costs_two_model_calls_and_cites_the_place(
    open_scripted: OpenAgent, library: Path
) -> None:
    reply = await ask(open_scripted, library, {"plan": [search_call("本科生 借书 册数")], "answer": [GOOD]})

    assert reply.status == "answered"
    assert reply.answer == GOOD
    assert reply.usage.model_calls == 2
    assert "12 册" in reply.citations[0].quote
    assert reply.citations[0].path.endswith("借阅规则.md")
    assert reply.searched[0] == QUESTION
    assert [step["node"] for step in reply.steps] == [
        "recall_memory",
        "plan",
        "retrieve",
        "answer",
        "check_citations",
        "extract_memory",
        "compress_history",
    ]


async def test_passages_are_neither_in_the_messages_nor_in_the_checkpoints(
    open_scripted: OpenAgent, library: Path, home: Path
) -> None:
    await ask(open_scripted, library, {"plan": [search_call("借书")], "answer": [GOOD]})

    stored = await asyncio.to_thread(inflated, home / "threads.db")
    assert "遗失图书按原价" not in stored
    assert "本科生每次最多借 12 册" in stored


async def test_an_answer_keeps_its_citations_after_a_restart_c03(open_scripted: OpenAgent, library: Path) -> None:
    script = {"plan": [search_call("借书"), "NO_SEARCH"], "answer": [GOOD, "不客气。"]}
    async with open_scripted(script) as agent:
        await agent.ingest(library)
        await agent.ask(QUESTION)
        await agent.ask("谢谢")

    async with open_scripted() as agent:
        first, second = [message for message in await agent.history() if is_answer(message)]
        assert [citation.number for citation in await agent.citations(first)] == [1]
        assert await agent.citations(second) == []


async def test_i14_a_deleted_source_is_said_so_in_reply_thread_and_http(
    open_scripted: OpenAgent, library: Path, home: Path
) -> None:
    async with open_scripted({"plan": [search_call("借书")], "answer": [GOOD]}) as agent:
        await agent.ingest(library)
        await agent.ask(QUESTION)
        [document] = await agent.services.documents.documents(reader="local")
        await agent.services.documents.delete(document.document_id, owner="local")

        answer = (await agent.history())[-1]
        [citation] = await agent.citations(answer)

        shown = await message_json(agent, answer, [answer], "local")
        owner = find_owner(home)
        assert owner is not None
        async with httpx.AsyncClient(trust_env=False, headers={"Authorization": f"Bearer {owner.token}"}) as client:
            body = {"user": "local", "citations": answer.additional_kwargs[ANSWER]["citations"]}
            told = (await client.post(f"{owner.url}/recite/citations", json=body)).json()
            refused = await client.post(f"{owner.url}/recite/citations", json={"user": "local", "citations": [{}]})

    assert citation.quote == "source deleted"
    assert [one["quote"] for one in shown["citations"]] == ["source deleted"]
    assert told == {"citations": shown["citations"]}
    assert refused.status_code == 422


@pytest.mark.parametrize("forged", ["[9]", "[0]", "【7】", "[1-9]", "[２３]", "[9, 12]"])
async def test_c01_a_forged_number_never_reaches_the_user(open_scripted: OpenAgent, library: Path, forged: str) -> None:
    draft = f"研究生每次最多借 20 册。{forged}"
    streamed = ""
    async with open_scripted({"plan": [search_call("借书")], "answer": [draft], "repair": [draft]}) as agent:
        await agent.ingest(library)
        async for item in agent.stream(QUESTION):
            if isinstance(item, str):
                streamed += item
            elif isinstance(item, Reply):
                reply = item

    shown = {int(n) for n in re.findall(r"\[(\d+)\]", reply.answer)}
    assert shown <= {citation.number for citation in reply.citations}
    assert forged not in reply.answer
    assert forged not in streamed
    assert reply.answer.startswith(streamed)


async def test_a_wrong_figure_is_repaired_once(open_scripted: OpenAgent, library: Path) -> None:
    reply = await ask(
        open_scripted,
        library,
        {"plan": [search_call("借书")], "answer": ["本科生每次最多借 21 册。[1]"], "repair": [GOOD]},
    )

    assert reply.answer == GOOD
    assert reply.status == "answered"
    assert reply.usage.model_calls == 3


async def test_a_wrong_figure_that_stays_wrong_is_cut(open_scripted: OpenAgent, library: Path) -> None:
    wrong = "遗失图书按原价的 5 倍赔偿。[1]"
    reply = await ask(
        open_scripted,
        library,
        {"plan": [search_call("借书")], "answer": [f"{GOOD}\n{wrong}"], "repair": [wrong]},
    )

    assert reply.answer == f"{GOOD}\n\n有 1 句因资料不支持而略去。"
    assert reply.status == "partial"


async def test_c13_c14_nothing_supported_is_refused_with_what_was_searched_and_no_sources(
    open_scripted: OpenAgent, library: Path
) -> None:
    reply = await ask(
        open_scripted,
        library,
        {
            "plan": [search_call("火星 生命"), "NO_SEARCH"],
            "answer": ["火星上可能有微生物。"],
        },
        question="火星上有生命吗？",
    )

    assert reply.status == "insufficient_material"
    assert reply.answer.startswith(REFUSAL_ZH)
    assert reply.citations == []
    assert "火星上有生命吗？" in reply.searched
    assert "火星上有生命吗？" in reply.answer


async def test_the_planner_cannot_talk_the_application_out_of_searching(
    open_scripted: OpenAgent, library: Path
) -> None:
    reply = await ask(open_scripted, library, {"plan": ["NO_SEARCH"], "answer": [GOOD]})

    assert reply.searched == [QUESTION]
    assert reply.status == "answered"


async def test_small_talk_needs_no_documents(open_scripted: OpenAgent, library: Path) -> None:
    reply = await ask(open_scripted, library, {"answer": ["你好！"]}, question="你好")

    assert (reply.status, reply.answer, reply.searched) == ("chat", "你好！", [])


@pytest.mark.parametrize("planned", ["", "我来查一下", '{"queries": ["借书"]}', "<tool_call>search"])
async def test_a_planner_that_ignores_tools_still_gets_the_question_searched(
    open_scripted: OpenAgent, library: Path, planned: str
) -> None:
    reply = await ask(open_scripted, library, {"plan": [planned], "answer": [GOOD]})

    assert reply.searched == [QUESTION]
    assert reply.answer == GOOD


async def test_r11_a_planner_that_always_wants_more_stops_at_the_budget(
    open_scripted: OpenAgent, library: Path
) -> None:
    rounds = iter(range(100))

    def more(_: object) -> AIMessage:
        number = next(rounds)
        return search_call(f"借书 {number}", then="plan", call_id=f"s{number}")

    async with open_scripted({"plan": [more], "answer": ["INSUFFICIENT_MATERIAL: 没有"]}) as agent:
        await agent.ingest(library)
        reply = await agent.ask("校车几点发车？")
        searches = {tuple(step["detail"]["searched"]) for step in reply.steps if step["node"] == "retrieve"}

    assert reply.status == "insufficient_material"
    assert len(searches) == MAX_ROUNDS


async def test_r12_a_query_is_never_run_twice_in_a_turn(open_scripted: OpenAgent, library: Path) -> None:
    plans = [
        search_call("借期多久", "借期 多久？", "借期，多久", "逾期罚款", "逾期罚款!", then="plan", call_id="a"),
        search_call("借期多久", "逾期 罚款", then="answer", call_id="b"),
    ]
    reply = await ask(open_scripted, library, {"plan": plans, "answer": [GOOD]})

    assert reply.searched == [QUESTION, "借期多久", "逾期罚款"]


async def test_c10_c12_a_chunk_keeps_one_number_and_numbers_follow_first_use(
    open_scripted: OpenAgent, tmp_path: Path
) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, text in {
        "a": "阅览室周一至周五 8:00 开门，22:00 关门。",
        "b": "自习室周末 9:00 开门，21:00 关门。",
    }.items():
        (folder / f"{name}.md").write_text(f"# {name}\n\n{text}\n", encoding="utf-8")

    def cite_in_reverse(prompt: list) -> str:
        asked = prompt[-1].text
        study = re.search(r'n="(\d+)"[^>]*>\n(?:(?!</).)*自习室', asked, re.DOTALL)
        reading = re.search(r'n="(\d+)"[^>]*>\n(?:(?!</).)*阅览室', asked, re.DOTALL)
        assert study and reading
        second = max(int(study[1]), int(reading[1]))
        texts = {
            int(study[1]): "自习室周末 9:00 开门",
            int(reading[1]): "阅览室周一至周五 8:00 开门",
        }
        return f"{texts[second]}。[{second}] {texts[3 - second]}。[{3 - second}]"

    async with open_scripted(
        {"plan": [search_call("阅览室开门时间", "自习室开门时间")], "answer": [cite_in_reverse]},
        min_score=0.0,
    ) as agent:
        await agent.ingest(folder)
        reply = await agent.ask("阅览室和自习室几点开门？")

    assert re.findall(r"\[\d+\]", reply.answer) == ["[1]", "[2]"]
    assert [citation.number for citation in reply.citations] == [1, 2]
    assert len({citation.citation.chunk_id for citation in reply.citations}) == 2


async def test_tools_and_a_search_run_side_by_side_and_every_call_is_answered(
    open_scripted: OpenAgent, library: Path
) -> None:
    plans = [
        tool_calls(
            ("search_documents", {"queries": ["借书逾期每册每天收多少元"]}, "s"),
            ("calculator", {"expression": "0.2*30"}, "c"),
            ("delete_everything", {}, "d"),
            ("calculator", {"expression": "1/0"}, "e"),
        ),
        "NO_SEARCH",
    ]
    answer = "逾期每册每天收 0.2 元，上限为 15 元。[1] 计算结果是 6。"
    async with open_scripted({"plan": plans, "answer": [answer]}) as agent:
        await agent.ingest(library)
        reply = await agent.ask("逾期 30 天罚多少？")
        second_plan = model_of(agent).prompts("plan")[1]
        history = await agent.history()

    assert {tool.name: tool.status for tool in reply.tools if tool.call_id in {"c", "d"}} == {
        "calculator": "ok",
        "delete_everything": "error",
    }
    assert [tool.status for tool in reply.tools if tool.call_id == "e"] == ["error"]
    answered = {message.tool_call_id for message in second_plan if isinstance(message, ToolMessage)}
    assert answered == {"s", "c", "d", "e"}
    called = {call["id"] for m in history if isinstance(m, AIMessage) for call in m.tool_calls}
    assert called == {m.tool_call_id for m in history if isinstance(m, ToolMessage)} == {"c", "d", "e"}
    assert reply.answer == answer


async def test_malformed_arguments_are_answered_and_the_question_is_searched(
    open_scripted: OpenAgent, library: Path
) -> None:
    broken = AIMessage(
        content="",
        invalid_tool_calls=[
            {
                "name": "search_documents",
                "args": '{"queries": ["借',
                "id": "x",
                "error": "cut",
                "type": "invalid_tool_call",
            }
        ],
    )
    reply = await ask(open_scripted, library, {"plan": [broken], "answer": [GOOD]})

    assert reply.searched == [QUESTION]
    assert reply.answer == GOOD


async def test_t16_the_stream_holds_answer_text_and_step_events_only(open_scripted: OpenAgent, library: Path) -> None:
    plans = [
        tool_calls(("search_documents", {"queries": ["借书"]}, "s"), ("calculator", {"expression": "1+1"}, "c")),
        "NO_SEARCH",
    ]
    async with open_scripted({"plan": plans, "answer": [f"{GOOD}\n遗失图书按原价的 2 倍赔偿。[1]"]}) as agent:
        await agent.ingest(library)
        config = agent.config(await agent.services.conversations.open("local", "s"))
        texts, kinds = "", set()
        async for mode, item in agent.graph.astream(
            {"messages": [HumanMessage(content=QUESTION)]}, config, stream_mode=["messages", "custom"]
        ):
            if mode == "messages":
                assert item[0].type in {"AIMessageChunk", "ai"}
                assert not item[0].tool_calls
                texts += item[0].text
            else:
                kinds.add(item["type"])
        final = (await agent.graph.aget_state(config)).values["messages"][-1]

    assert kinds == {"step"}
    assert final.text == texts


async def test_two_files_with_one_name_are_two_sources_c04(open_scripted: OpenAgent, tmp_path: Path) -> None:
    for name, hours in (("甲馆", "8:00"), ("乙馆", "9:30")):
        folder = tmp_path / "two" / name
        folder.mkdir(parents=True)
        (folder / "notes.md").write_text(f"# {name}\n\n{name}每天 {hours} 开门迎接读者。\n", encoding="utf-8")

    def cite_both(prompt: list) -> str:
        frames = re.findall(r'n="(\d+)"[^>]*>\n(.*?)\n</passage', prompt[-1].text, re.DOTALL)
        return "\n".join(f"{text.splitlines()[-1].rstrip('。')}。[{number}]" for number, text in frames)

    async with open_scripted({"plan": [search_call("开门")], "answer": [cite_both]}, min_score=0.0) as agent:
        await agent.ingest(tmp_path / "two")
        reply = await agent.ask("甲馆和乙馆几点开门？")

    assert [c.number for c in reply.citations] == [1, 2]
    assert len({c.path for c in reply.citations}) == 2


async def test_another_users_document_is_not_found_s04(open_scripted: OpenAgent, library: Path) -> None:
    script = {"plan": [search_call("借书"), "NO_SEARCH"], "answer": [GOOD]}
    async with open_scripted(script) as agent:
        await agent.ingest(library, user="alice")
        stranger = await agent.ask(QUESTION, user="bob")
        owner = await agent.ask(QUESTION, user="alice")

    assert stranger.status == "insufficient_material"
    assert stranger.citations == []
    assert owner.status == "answered"
