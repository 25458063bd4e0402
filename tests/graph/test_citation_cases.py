"""Citation and refusal cases through the graph: other inputs than the cases' own, in Chinese, English and code."""

import json
import re
from collections.abc import Iterator

import pytest
from hostile import Piece
from stage import ASKS, Stage, Turn, opened_stage

from nodes.citations.markers import find_markers
from nodes.refusal import REFUSAL_EN, REFUSAL_ZH
from nodes.turn import is_answer

LEASE = '"""Leases of the {}."""\n\n\ndef renew_lease(key: str) -> bool:\n    return store.put(key, ttl={})\n'
FILES = {
    "泵站/滤芯.md": "# 滤芯\n\n## 更换\n\n滤芯每 45 天更换一次，更换前先关闭进水阀。\n",
    "泵站/报警.md": "# 报警\n\n红灯常亮表示水位高于 3.2 米，应打开备用泵。\n",
    "ferry.md": "# Ferry\n\n## Summer\n\nThe ferry leaves the north pier at 9:15. A bicycle travels free of charge.\n",
    "winter.md": "# Winter\n\nIn January there is no ferry service. The ticket office opens at 10:30.\n",
    "甲馆/notes.md": "# 甲馆\n\n甲馆每天 8:20 开门迎接读者。\n",
    "乙馆/notes.md": "# 乙馆\n\n乙馆每天 9:40 开门迎接读者。\n",
    "east/lease.py": LEASE.format("east", 30),
    "west/lease.py": LEASE.format("west", 90),
}
FILTER, LIGHT = "滤芯每 45 天更换一次", "红灯常亮表示水位高于 3.2 米"
FERRY, BIKE = "The ferry leaves the north pier at 9:15", "A bicycle travels free of charge"
OFFICE, NO_FERRY = "The ticket office opens at 10:30", "In January there is no ferry service"
ZH, EN = "滤芯多久更换一次，红灯是什么意思？", "When does the ferry leave, and when does the ticket office open?"


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with opened_stage(tmp_path_factory.mktemp("cases"), {ASKS: FILES}, top_k=8) as stage:
        yield stage


def told(stage: Stage, question: str, draft: str, *, repair: str = "", plan: list[list[Piece]] | None = None) -> Turn:
    """One turn in which the answer is `draft`, and the repair, if one is asked for, `repair`."""
    turn = stage.turn({"plan": plan or [["NO_SEARCH"]], "answer": [[draft]], "repair": [[repair]]}, question)
    reply = turn.ended
    numbers = [number for marker in find_markers(reply.answer) for number in marker.numbers]
    assert set(numbers) == {citation.number for citation in reply.citations}
    assert reply.answer.startswith(turn.streamed)
    return turn


def of(words: str) -> str:
    """A marker of the passage that holds these words."""
    return f"[{{{{{words}}}}}]"


@pytest.mark.parametrize(
    ("question", "true", "forged"),
    [
        (ZH, LIGHT, "[17]"),
        (ZH, FILTER, "【来源：12】"),
        (ZH, LIGHT, "（来源：31）"),
        (ZH, FILTER, "［９９－１０１］"),
        (EN, FERRY, "[ref: 40]"),
        (EN, OFFICE, "〔55〕"),
        (EN, BIKE, "(Source 23)"),
        (EN, FERRY, "[^18]"),
        (EN, OFFICE, "[[0]]"),
    ],
)
def test_c01_a_number_of_no_evidence_is_repaired_once_and_then_cut(
    stage: Stage, question: str, true: str, forged: str
) -> None:
    turn = told(stage, question, f"{true}。{forged}", repair=f"{true}。{forged}")

    assert sum(task == "repair" for task, _ in stage.model.heard) == 1
    assert not turn.ended.citations
    assert true not in turn.streamed + turn.ended.answer
    assert forged not in turn.ended.answer


@pytest.mark.parametrize(
    ("question", "used"), [(ZH, [LIGHT, FILTER]), (EN, [OFFICE, FERRY]), (EN, [BIKE, NO_FERRY]), (ZH, [FILTER])]
)
def test_c02_c12_each_number_opens_the_passage_that_says_it_and_numbers_follow_first_use(
    stage: Stage, question: str, used: list[str]
) -> None:
    reply = told(stage, question, "\n".join(f"{words}。{of(words)}" for words in used)).ended

    assert [citation.number for citation in reply.citations] == list(range(1, len(used) + 1))
    for words, citation in zip(used, reply.citations, strict=True):
        assert words in citation.quote


@pytest.mark.parametrize(
    ("first", "second", "small"),
    [
        ((ZH, FILTER), (EN, OFFICE), ("谢谢", "不客气。")),
        ((EN, FERRY), (ZH, LIGHT), ("thanks", "You are welcome.")),
        ((EN, BIKE), (EN, NO_FERRY), ("你好", "你好！")),
    ],
)
def test_c03_every_message_keeps_its_own_citations(
    stage: Stage, first: tuple[str, str], second: tuple[str, str], small: tuple[str, str]
) -> None:
    thread = f"c03-{next(stage.threads)}"
    for question, draft in ((first[0], first[1] + of(first[1])), small, (second[0], second[1] + of(second[1]))):
        turn = stage.turn({"plan": [["NO_SEARCH"]], "answer": [[f"{draft}。"]]}, question, thread)

    answers = [message for message in turn.state["messages"] if is_answer(message)]
    kept = [stage.run(stage.agent.citations(message, user=ASKS)) for message in answers]
    assert [len(citations) for citations in kept] == [1, 0, 1]
    assert first[1] in kept[0][0].quote and second[1] in kept[2][0].quote
    assert [citations[0].number for citations in (kept[0], kept[2])] == [1, 1]


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        ("甲馆和乙馆几点开门？", ("甲馆每天 8:20 开门迎接读者", "乙馆每天 9:40 开门迎接读者")),
        ("Compare renew_lease in east and west.", ("return store.put(key, ttl=30)", "return store.put(key, ttl=90)")),
        ("renew_lease 有哪几种 ttl？", ("return store.put(key, ttl=90)", "return store.put(key, ttl=30)")),
    ],
)
def test_c04_two_files_of_one_name_are_two_numbers(stage: Stage, question: str, lines: tuple[str, str]) -> None:
    draft = "\n\n".join(f"`{line}` {of(line)}" if "(" in line else f"{line}。{of(line)}" for line in lines)
    reply = told(stage, question, draft).ended

    assert [citation.number for citation in reply.citations] == [1, 2]
    assert len({citation.path for citation in reply.citations}) == 2
    assert len({citation.path.rpartition("/")[2] for citation in reply.citations}) == 1


@pytest.mark.parametrize(
    "shape", ["[{0}, {1}]", "【{0}、{1}】", "[{0}][{1}]", "[{0}; {1}]", "[{0} and {1}]", "(来源{0}，{1})"]
)
@pytest.mark.parametrize(
    ("question", "two", "sentence"),
    [
        (ZH, (FILTER, LIGHT), f"{FILTER}，而{LIGHT}。"),
        (EN, (FERRY, OFFICE), f"{FERRY}, and {OFFICE[0].lower()}{OFFICE[1:]}."),
    ],
)
def test_c05_several_numbers_of_one_marker_are_all_cited(
    stage: Stage, question: str, two: tuple[str, str], sentence: str, shape: str
) -> None:
    marker = shape.format(*(f"{{{{{words}}}}}" for words in two))
    reply = told(stage, question, f"{sentence}{marker}").ended

    assert [citation.number for citation in reply.citations] == [1, 2]
    assert reply.answer.endswith("[1][2]")


@pytest.mark.parametrize(
    "shape",
    ["〔{}〕", "⟦{}⟧", "[#{}]", "[Passage {}]", "［证据：{}］", "(来源{})", "（出处：{}）", "(source {})", "[^{}]"],
)
@pytest.mark.parametrize(("question", "words"), [(ZH, LIGHT), (EN, NO_FERRY)])
def test_c06_other_bracket_shapes_are_shown_as_one(stage: Stage, question: str, words: str, shape: str) -> None:
    stop = "。" if question is ZH else "."
    turn = told(stage, question, f"{words}{stop}{shape.format(f'{{{{{words}}}}}')}")

    assert re.fullmatch(rf"{re.escape(words)}{re.escape(stop)} ?\[1\]", turn.ended.answer)
    assert turn.streamed == turn.ended.answer


@pytest.mark.parametrize(
    ("question", "code"),
    [
        (
            "renew_lease 怎么写？",
            "```python\ndef renew_lease(key: str) -> bool:\n    return store.put(key, ttl=30)\n```",
        ),
        ("Show renew_lease.", "```\nreturn store.put(key, ttl=30)\n```"),
        ("ttl 在哪一行？", "`return store.put(key, ttl=30)`"),
    ],
)
@pytest.mark.parametrize("index", ["rows[7]", "cells[99] = x[3]"])
def test_c07_an_index_in_code_is_no_citation_and_code_keeps_its_own(
    stage: Stage, question: str, code: str, index: str
) -> None:
    line = "return store.put(key, ttl=30)"
    supported = told(stage, question, f"{code}\n{of(line)}").ended
    forged = told(stage, question, f"{code.replace('store', index)}\n").ended

    assert [citation.number for citation in supported.citations] == [1]
    assert "ttl=30" in supported.answer
    assert not forged.citations
    assert index not in forged.answer


@pytest.mark.parametrize(
    "hostile",
    ["［" * 9_000, "[1," * 4_000, "【" + "９" * 6_000, "(来源" * 3_000, "[" + "1-" * 4_000 + "]", "[[1]" * 3_000],
)
@pytest.mark.parametrize(("question", "words"), [(ZH, FILTER), (EN, FERRY)])
def test_c08_hostile_brackets_hold_up_no_turn(stage: Stage, question: str, words: str, hostile: str) -> None:
    reply = told(stage, question, f"{words}。{of(words)}\n\n{hostile}").ended

    assert reply.answer.startswith(words)
    assert [citation.number for citation in reply.citations][:1] == [1]


@pytest.mark.parametrize(
    ("question", "draft"),
    [
        (ZH, "《滤芯》手册规定滤芯每 45 天更换一次。"),
        (ZH, "滤芯每 45 天更换一次（见 滤芯.md）。"),
        (ZH, "据附件一，红灯常亮表示水位高于 3.2 米。"),
        (EN, "According to ferry.md, the ferry leaves the north pier at 9:15."),
        (EN, "The ticket office opens at 10:30 (Winter, line 3)."),
        (EN, "A bicycle travels free of charge [Ferry]."),
    ],
)
def test_c09_a_title_in_place_of_a_number_is_uncited(stage: Stage, question: str, draft: str) -> None:
    reply = told(stage, question, draft, repair=draft).ended

    assert sum(task == "repair" for task, _ in stage.model.heard) == 1
    assert (reply.status, list(reply.citations)) == ("insufficient_material", [])
    assert reply.answer.startswith(REFUSAL_ZH if question is ZH else REFUSAL_EN)


@pytest.mark.parametrize(
    ("question", "queries", "words"),
    [
        (ZH, ["滤芯 更换", "进水阀", "45 天"], FILTER),
        (EN, ["ferry north pier", "bicycle free of charge", "Ferry summer"], FERRY),
        ("甲馆几点开门？", ["甲馆 开门", "甲馆 读者", "jia library opening"], "甲馆每天 8:20 开门迎接读者"),
    ],
)
def test_c10_a_passage_found_by_several_queries_has_one_number(
    stage: Stage, question: str, queries: list[str], words: str
) -> None:
    call = {"id": "a", "name": "search_documents", "args": json.dumps({"queries": queries}), "index": 0}
    turn = told(stage, question, f"{words}。{of(words)} {words}。{of(words)}", plan=[[call]])

    chunks = [item.chunk_id for item in turn.state["evidence"]]
    assert len(set(chunks)) == len(chunks)
    assert [citation.number for citation in turn.ended.citations] == [1]
    assert set(queries) <= set(turn.ended.searched)


@pytest.mark.parametrize(
    ("question", "words", "place"),
    [
        (ZH, FILTER, {"lines": [5, 5], "heading": ["滤芯", "更换"]}),
        (EN, FERRY, {"lines": [5, 5], "heading": ["Ferry", "Summer"]}),
        (EN, OFFICE, {"lines": [3, 3], "heading": ["Winter"]}),
        ("Show the ttl of renew_lease.", "return store.put(key, ttl=90)", {"lines": [5, 5]}),
    ],
)
def test_c11_a_citation_carries_the_place_of_its_words(
    stage: Stage, question: str, words: str, place: dict[str, object]
) -> None:
    [citation] = told(
        stage, question, f"`{words}` {of(words)}" if "(" in words else f"{words}。{of(words)}"
    ).ended.citations

    assert {key: value for key, value in citation.location.items() if key in place} == place


@pytest.mark.parametrize(
    ("question", "draft"),
    [
        ("泵站的负责人是谁？", "资料中没有提到负责人。[1][2]"),
        ("泵站是哪一年建成的？", "INSUFFICIENT_MATERIAL: 建成年份 [1]"),
        ("泵站有几台水泵？", "抱歉，我没有找到相关内容。（来源：3）"),
        ("Who owns the ferry?", "The passages do not mention the owner. [2]"),
        ("What does a ticket cost?", f"INSUFFICIENT_MATERIAL: the price {of(FERRY)}"),
        ("How deep is the harbour?", "I could not find it in the documents [1, 2]."),
    ],
)
def test_c13_a_refusal_has_no_sources(stage: Stage, question: str, draft: str) -> None:
    reply = told(stage, question, draft).ended

    assert (reply.status, list(reply.citations)) == ("insufficient_material", [])
    assert reply.answer.startswith((REFUSAL_ZH, REFUSAL_EN))
    assert question in reply.answer


@pytest.mark.parametrize(
    ("question", "draft", "known"),
    [
        ("月球离地球有多远？", "月球离地球约 38 万公里。", "38"),
        ("水在多少度沸腾？", "众所周知，水在 100 度沸腾。[1]", "100"),
        ("谁写了《红楼梦》？", "INSUFFICIENT_MATERIAL: 资料没有，但作者是曹雪芹，成书于 1754 年", "1754"),
        ("Who painted the Mona Lisa?", "Leonardo da Vinci painted it.", "Leonardo"),
        ("How fast is light?", "Light travels at 299792 kilometres per second. [1]", "299792"),
        ("When was Rome founded?", "INSUFFICIENT_MATERIAL: not in the passages, but it was in 753 BC", "753"),
    ],
)
def test_c14_what_the_model_knows_beside_the_material_is_not_told(
    stage: Stage, question: str, draft: str, known: str
) -> None:
    reply = told(stage, question, draft, repair=draft).ended

    assert (reply.status, list(reply.citations)) == ("insufficient_material", [])
    assert known not in reply.answer + json.dumps(reply.as_json()["missing"], ensure_ascii=False)
    assert question in reply.searched and question in reply.answer
    assert reply.missing


@pytest.mark.parametrize(
    ("question", "draft", "words"),
    [
        (ZH, f"好的。\n\n{LIGHT}。{of(LIGHT)}\n希望对您有帮助！", LIGHT),
        (EN, f"Sure! {OFFICE}. {of(OFFICE)}", OFFICE),
        (EN, f"**{FERRY}**. {of(FERRY)}", FERRY),
        ("红灯亮了怎么办？", f"- 应打开备用泵 {of(LIGHT)}", "应打开备用泵"),
    ],
)
def test_c15_what_the_first_passage_says_is_answered(stage: Stage, question: str, draft: str, words: str) -> None:
    reply = told(stage, question, draft).ended

    assert reply.status == "answered"
    assert words in reply.answer and words in reply.citations[0].quote


@pytest.mark.parametrize(
    ("draft", "kept", "cut"),
    [
        (
            f"{FILTER}。{of(FILTER)}更换前先关闭出水阀门三次。{of(FILTER)}{LIGHT}。{of(LIGHT)}",
            [FILTER, LIGHT],
            "出水阀",
        ),
        (f"{LIGHT}！{of(LIGHT)}{FILTER}？不，每 54 天更换一次。{of(FILTER)}", [LIGHT], "54 天"),
        (f"{FILTER}；{of(FILTER)}红灯常亮表示水位高于 2.3 米。{of(LIGHT)}", [FILTER], "2.3"),
    ],
)
def test_c17_chinese_sentences_are_judged_one_by_one(stage: Stage, draft: str, kept: list[str], cut: str) -> None:
    reply = told(stage, ZH, draft, repair=f"不，{cut}。").ended

    assert all(words in reply.answer for words in kept)
    assert cut not in reply.answer
    assert reply.status == "partial"
    assert all(0 <= citation.support <= 1 for citation in reply.citations)
