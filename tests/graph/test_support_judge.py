"""The chat model as judge of a draft: what it is shown, what is read of its answer, and what is not believed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted import ScriptedModel

from graph.support_judge import MOST, NO, YES, ModelJudge, read_verdicts
from nodes.citations.features import Asked
from nodes.citations.opinions import SupportFailedError
from nodes.fences import read_fences
from nodes.prompts import SUPPORT_TASK

ASKED = [
    Asked("过滤器先运行。", ("The filter runs first.",)),
    Asked("苹果是蓝色的。", ("The filter runs first.", "Apples are red.")),
]


def judge(*lines: object) -> tuple[ModelJudge, ScriptedModel]:
    model = ScriptedModel(script={"support": list(lines)})
    return ModelJudge(model, secret="s", tokens=4_000), model


@pytest.mark.parametrize(
    "written",
    [
        '[{"n": 1, "supported": true}, {"n": 2, "supported": false}]',
        '```json\n[{"n": 2, "supported": false}, {"n": 1, "supported": true, "why": "so"}]\n```',
        '<think>[{"n": 1}]</think>[{"n": 1, "supported": true}, {"n": 2, "supported": false}]',
    ],
)
async def test_verdicts_are_read_in_any_order(written: str) -> None:
    judging, _ = judge(written)
    assert await judging.read(ASKED) == {ASKED[0]: YES, ASKED[1]: NO}


@pytest.mark.parametrize(
    "written",
    [
        "",
        "yes, no",
        "[]",
        '[{"n": 1, "supported": true}]',
        '[{"n": 1, "supported": true}, {"n": 1, "supported": false}]',
        '[{"n": 1, "supported": true}, {"n": 3, "supported": true}]',
        '[{"n": 1, "supported": "true"}, {"n": 2, "supported": false}]',
        '[{"n": 1.0, "supported": 1}, {"n": 2, "supported": 0}]',
        '{"n": 1, "supported": true}',
        "[" * 100_000,
    ],
)
async def test_what_is_no_verdict_on_each_sentence_is_not_believed(written: str) -> None:
    judging, _ = judge(written)
    with pytest.raises(SupportFailedError, match="gave no verdict on each of 2 sentences"):
        await judging.read(ASKED)


async def test_a_model_that_raises_is_one_named_failure() -> None:
    judging, _ = judge(RuntimeError("down"))
    with pytest.raises(SupportFailedError, match=r"could not check the draft \(down\)"):
        await judging.read(ASKED)


async def test_sentences_and_passages_are_shown_as_fenced_data_each_passage_once() -> None:
    judging, model = judge("[]")
    with pytest.raises(SupportFailedError):
        await judging.read(ASKED)
    [[system, shown]] = model.prompts("support")
    assert system.text.startswith(SUPPORT_TASK)
    assert [one.text for one in read_fences(shown.text, "passage")] == ["The filter runs first.", "Apples are red."]
    assert [one.attributes for one in read_fences(shown.text, "sentence")] == [
        {"n": "1", "passages": "1"},
        {"n": "2", "passages": "1 2"},
    ]


async def test_of_a_long_draft_the_first_sentences_are_judged() -> None:
    many = [Asked(f"第 {n} 句。", ("文",)) for n in range(MOST + 5)]
    judging, _ = judge(json.dumps([{"n": n, "supported": True} for n in range(1, MOST + 1)]))
    assert list(await judging.read(many)) == many[:MOST]


@given(
    st.text()
    | st.lists(st.dictionaries(st.sampled_from(["n", "supported"]), st.booleans() | st.integers(0, 3))).map(json.dumps)
)
def test_whatever_is_written_there_is_a_verdict_on_each_or_none(text: str) -> None:
    found = read_verdicts(text, 2)
    assert found is None or (len(found) == 2 and all(isinstance(one, bool) for one in found))
