"""The prompts in both languages, and a folder of one's own in their place."""

from pathlib import Path

import pytest

from nodes.prompts import BUILT_IN, FIELDS, MARKERS, NAMES, PromptError, fault_of, prompt, read_prompts, task_in
from tools.tasks import SEARCHED


@pytest.mark.parametrize("name", NAMES)
def test_every_prompt_has_its_first_line_its_fields_and_its_markers(name: str) -> None:
    assert fault_of(name, prompt(name)) is None


@pytest.mark.parametrize("name", [name for name in NAMES if f"{name}.zh" in NAMES])
def test_both_languages_begin_alike_and_differ_in_the_rest(name: str) -> None:
    english, chinese = BUILT_IN.text(name, "en"), BUILT_IN.text(name, "zh")

    if name != "tasks":
        assert english.splitlines()[0] == chinese.splitlines()[0]
    assert english != chinese
    assert sum("\u4e00" <= character <= "\u9fff" for character in chinese) > len(chinese) / 4


def test_every_prompt_file_is_known() -> None:
    folder = Path(__file__).parents[2] / "nodes" / "prompts"

    assert {path.stem for path in folder.glob("*.md")} == set(NAMES)


def test_the_planner_is_told_how_many_searches_are_left() -> None:
    assert "Searches left in this turn: 2." in BUILT_IN.plan("en", rounds=2)
    assert "还能搜索的次数：2。" in BUILT_IN.plan("zh", rounds=2)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("task", SEARCHED)
def test_the_answer_prompt_speaks_of_the_task_of_this_question_alone(task, language) -> None:
    text = BUILT_IN.answer(language, task)

    assert task_in(text) == task
    assert sum(f": {other}\n" in text for other in SEARCHED) == 1
    assert "{" not in text
    assert "\n\n\n" not in text
    assert text.rstrip().splitlines()[-1].count("<...-xxxxxxxx>") == 1


def test_small_talk_is_answered_without_a_task() -> None:
    text = BUILT_IN.answer("en", None)

    assert task_in(text) is None
    assert "{task}" not in text


def write(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


def test_a_file_of_ones_own_takes_the_place_of_the_built_in_one(tmp_path: Path) -> None:
    folder = write(tmp_path / "prompts", "answer.zh", prompt("answer.zh").replace("不猜测", "绝不猜测"))

    chosen = read_prompts(folder)

    assert "绝不猜测" in chosen.answer("zh", "find")
    assert chosen.answer("en", "find") == BUILT_IN.answer("en", "find")


@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_without_a_marker_or_field_is_refused_and_the_message_names_it(tmp_path: Path, name: str) -> None:
    kind = name.removesuffix(".zh")
    for lost in (*MARKERS[kind], *(f"{{{field}}}" for field in FIELDS.get(kind, ()))):
        folder = write(tmp_path / "prompts", name, prompt(name).replace(lost, "…"))
        with pytest.raises(PromptError, match="lacks") as refused:
            read_prompts(folder)
        assert lost.strip("{}") in str(refused.value)
        assert f"{name}.md" in str(refused.value)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("plan", "You plan.\n" + prompt("plan"), "must begin with the line '# Task: plan'"),
        ("anwser", prompt("answer"), "is no prompt's file"),
        ("answer", prompt("answer") + "\n{question}", "has a field {question}"),
    ],
)
def test_a_wrong_beginning_name_or_field_is_one_clear_line(tmp_path: Path, name: str, text: str, said: str) -> None:
    with pytest.raises(PromptError) as refused:
        read_prompts(write(tmp_path / "prompts", name, text))

    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_folder_that_is_not_there_or_a_file_that_is_no_text_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match="no folder"):
        read_prompts(tmp_path / "nowhere")
    (tmp_path / "answer.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PromptError, match="cannot be read"):
        read_prompts(tmp_path)
