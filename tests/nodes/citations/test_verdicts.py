"""The verdict on each sentence of a draft."""

from collections.abc import Sequence

import pytest

from nodes.citations.verdicts import Passage, SentenceVerdict, judge, split_insufficient
from nodes.prompts import INSUFFICIENT

TRAVEL = Passage(
    number=1,
    chunk_id="travel",
    text="一线城市每晚不超过 500 元，二线城市每晚不超过 400 元。"
    "员工应在出差结束后 10 个工作日内提交报销申请，并附上发票原件。",
    context="差旅制度",
)
WEB = Passage(
    number=5,
    chunk_id="web",
    text="Filters run before the servlet. Interceptors run inside Spring MVC.\n\n"
    "```java\nint[] a = b[10];\nfilter.doFilter(request, response);\n```",
    context="Java Web",
)
TABLE = Passage(
    number=7,
    chunk_id="table",
    text="| 一线城市 | 500 | 100 |\n| 二线城市 | 400 | 80 |",
    context="| 城市 | 住宿（元/晚） | 餐补（元/天） |",
)
PASSAGES = {one.number: one for one in (TRAVEL, WEB, TABLE)}


def judged(draft: str, *, free: Sequence[str] = (), allow_uncited: bool = False) -> list[SentenceVerdict]:
    return judge(draft, PASSAGES, free=free, allow_uncited=allow_uncited)


def test_c01_a_forged_number_is_dropped_and_fails_a_sentence_that_rests_on_it() -> None:
    [verdict] = judged("一线城市每晚不超过 500 元 [9]。")
    assert not verdict.ok
    assert verdict.forged == (9,)
    assert verdict.support.reason == "unknown_number"
    assert verdict.cited == ()


def test_c01_beside_a_valid_number_the_forged_one_is_only_dropped() -> None:
    [verdict] = judged("一线城市每晚不超过 500 元 [9][1]。")
    assert verdict.ok
    assert verdict.cited == (1,)
    assert verdict.forged == (9,)


def test_c01_an_existing_number_that_does_not_support_fails() -> None:
    [verdict] = judged("一线城市每晚不超过 500 元 [5]。")
    assert not verdict.ok
    assert verdict.named == (5,)


def test_c05_of_several_passages_the_supporting_ones_are_kept() -> None:
    [verdict] = judged("一线城市每晚不超过 500 元 [1, 5]。")
    assert verdict.cited == (1,)


def test_c07_a_code_block_is_cited_by_the_marker_under_it_not_by_its_indices() -> None:
    [verdict] = judged("```java\nint[] a = b[10];\nfilter.doFilter(request, response);\n```\n[5]")
    assert verdict.kind == "code"
    assert verdict.ok
    assert verdict.cited == (5,)
    assert verdict.forged == ()
    [changed] = judged("```java\nint[] a = b[11];\nfilter.doFilter(request, reply);\n```\n[5]")
    assert not changed.ok


def test_c09_a_title_instead_of_a_number_is_uncited() -> None:
    [verdict] = judged("一线城市每晚不超过 500 元（《差旅制度》第 1 章）。")
    assert not verdict.ok
    assert verdict.support.reason == "uncited"


def test_one_marker_serves_the_sentence_before_it_only_if_it_supports_it() -> None:
    first, second = judged("Filters run before the servlet. Interceptors run inside Spring MVC [5].")
    assert first.ok
    assert first.cited == (5,)
    assert second.cited == (5,)
    wrong, _ = judged("Penguins live on ice. Interceptors run inside Spring MVC [5].")
    assert not wrong.ok
    other_paragraph, _ = judged("Filters run before the servlet.\n\nInterceptors run inside Spring MVC [5].")
    assert not other_paragraph.ok
    other_item, _ = judged("- Filters run before the servlet\n- Interceptors run inside Spring MVC [5]")
    assert not other_item.ok


def test_a_marker_does_not_reach_forward() -> None:
    _, second = judged("Filters run before the servlet [5]. Interceptors run inside Spring MVC.")
    assert not second.ok


def test_rows_of_a_table_are_judged_one_by_one_and_its_head_is_plain() -> None:
    verdicts = judged("| 城市 | 住宿 |\n|---|---|\n| 一线城市 | 500 [7] |\n| 二线城市 | 500 [7] |")
    assert [verdict.plain for verdict in verdicts] == [True, True, False, False]
    assert [verdict.ok for verdict in verdicts] == [True, True, True, False]


def test_a_cut_first_sentence_leaves_its_bullet_and_gap_to_the_next() -> None:
    cut, kept = judged("根据资料：\n\n- 企鹅住在南极的冰面上。 一线城市每晚不超过 500 元[1]。")[1:]
    assert not cut.ok
    assert kept.before == "\n\n- "


def test_tool_results_and_memories_need_no_number() -> None:
    free = ["{'expression': '12*7'} 84", "用户住在杭州"]
    assert [verdict.ok for verdict in judged("12 乘以 7 等于 84。您住在杭州。过滤器在拦截器之前执行。", free=free)] == [
        True,
        True,
        False,
    ]


def test_a_sentence_may_rest_on_a_passage_and_a_tool_result_together() -> None:
    [verdict] = judged("一线城市每晚不超过 500 元，3 晚合计 1500 元 [1]。", free=["{'expression': '3*500'} 1500"])
    assert verdict.ok
    assert verdict.cited == (1,)


def test_small_talk_passes_uncited_only_where_nothing_was_looked_up() -> None:
    assert judged("我很喜欢聊天。", allow_uncited=True)[0].ok
    assert not judged("我很喜欢聊天。")[0].ok


@pytest.mark.parametrize(
    "line",
    [
        f"{INSUFFICIENT}: 停车费",
        f"`{INSUFFICIENT}`：停车费",
        f"**{INSUFFICIENT}:** 停车费",
        f"- {INSUFFICIENT}: 停车费",
    ],
)
def test_c14_a_line_that_says_what_is_missing_is_no_sentence(line: str) -> None:
    draft = f"一线城市每晚不超过 500 元[1]。\n{line}"
    assert split_insufficient(draft) == ("一线城市每晚不超过 500 元[1]。", ["停车费"])
    assert len(judged(draft)) == 1
    assert split_insufficient(line)[0] == ""


def test_c17_chinese_sentences_are_told_apart() -> None:
    assert [verdict.ok for verdict in judged("一线城市每晚不超过 500 元[1]。二线城市每晚不超过 400 元[1]。")] == [
        True,
        True,
    ]


def test_a_longer_draft_keeps_the_verdicts_of_its_beginning() -> None:
    draft = "一线城市每晚不超过 500 元[1]。\n\nFilters run before the servlet [5]. 二线城市每晚不超过 400 元【1】。"
    whole = judged(draft)
    for end in (draft.index("\n"), draft.index(" 二线")):
        part = judged(draft[:end])
        assert part == whole[: len(part)]
