"""Sources that give different values for one thing: named by the application, both cited, the newer one marked."""

import re
from pathlib import Path

import pytest
from scripted import OpenAgent, search_call

from graph.reply import Reply

OLD = "# 差旅补贴标准\n\n员工出差期间每人每天的伙食补贴为 80 元。住宿费凭发票报销。\n"
NEW = "# 差旅补贴标准\n\n员工出差期间每人每天的伙食补贴为 110 元。住宿费凭发票报销。\n"
QUESTION = "出差期间每天的伙食补贴是多少？"


def written(folder: Path, **files: str) -> Path:
    folder.mkdir()
    for name, text in files.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


async def answered(open_scripted: OpenAgent, folder: Path, question: str, *claims: str) -> tuple[str, Reply]:
    """Ask; the model tells each claim with the number of the passage that holds it."""

    def draft(prompt: list) -> str:
        frames = re.findall(r'n="(\d+)"[^>]*>\n(.*?)\n</passage', prompt[-1].text, re.DOTALL)
        numbers = [next(number for number, text in frames if claim in text) for claim in claims]
        return "".join(f"{claim}[{number}]" for claim, number in zip(claims, numbers, strict=True))

    text = ""
    async with open_scripted({"plan": [search_call(question)], "answer": [draft]}, min_score=0.0) as agent:
        await agent.ingest(folder)
        async for item in agent.stream(question):
            if isinstance(item, str):
                text += item
            elif isinstance(item, Reply):
                reply = item
    return text, reply


async def test_the_other_value_is_named_with_its_citation_and_the_newer_source_marked(
    open_scripted: OpenAgent, tmp_path: Path
) -> None:
    files = {"差旅补贴标准(2021-03-01)": OLD, "差旅补贴标准(2025-06-30)": NEW}
    folder = written(tmp_path / "docs", **files)
    claim = "员工出差期间每人每天的伙食补贴为 80 元。"
    text, reply = await answered(open_scripted, folder, QUESTION, claim)

    assert reply.answer == (
        f"{claim}[1]\n\n资料之间不一致：《差旅补贴标准》（2021-03-01）写“员工出差期间每人每天的伙食补贴为 80 元”[1]；"
        "《差旅补贴标准》（2025-06-30，较新）写“员工出差期间每人每天的伙食补贴为 110 元”[2]。"
    )
    assert text == reply.answer
    assert [one.number for one in reply.citations] == [1, 2]
    assert "110 元" in reply.citations[1].quote
    assert reply.citations[1].path.endswith("(2025-06-30).md")


async def test_in_english_without_dates_no_source_is_called_newer(open_scripted: OpenAgent, tmp_path: Path) -> None:
    text = "# Upload guide\n\nThe upload limit for one file is {} MB.\n"
    folder = written(tmp_path / "docs", first=text.format(10), second=text.format(25))
    claim = "The upload limit for one file is 10 MB."
    _, reply = await answered(open_scripted, folder, "What is the upload limit for one file?", claim)

    assert "The sources disagree: “Upload guide” says “The upload limit for one file is 10 MB” [1]; " in reply.answer
    assert "“Upload guide” says “The upload limit for one file is 25 MB” [2]." in reply.answer
    assert "newer" not in reply.answer


async def test_an_answer_that_tells_both_sides_gets_no_further_line(open_scripted: OpenAgent, tmp_path: Path) -> None:
    folder = written(tmp_path / "docs", a=OLD, b=NEW)
    both = ("员工出差期间每人每天的伙食补贴为 80 元。", "员工出差期间每人每天的伙食补贴为 110 元。")
    _, reply = await answered(open_scripted, folder, QUESTION, *both)

    assert "不一致" not in reply.answer
    assert reply.answer.count("[") == 2


@pytest.mark.parametrize(
    "other",
    [
        "# 差旅补贴标准\n\n员工出差期间每人每天的交通补贴为 110 元。\n",
        "# 差旅补贴标准\n\n实习生出差期间每人每天的伙食补贴为 50 元。\n",
        "# 海外差旅补贴标准\n\n员工境外出差期间每人每天的伙食补贴为 300 元。\n",
        "# 差旅补贴标准\n\n员工出差期间每人每天的伙食补贴为八十元。\n",
    ],
)
async def test_what_is_said_of_something_else_is_no_disagreement(
    open_scripted: OpenAgent, tmp_path: Path, other: str
) -> None:
    folder = written(tmp_path / "docs", a=OLD, b=other)
    _, reply = await answered(open_scripted, folder, QUESTION, "员工出差期间每人每天的伙食补贴为 80 元。")

    assert "不一致" not in reply.answer


async def test_s02_s03_nothing_of_a_disagreeing_source_comes_alive(open_scripted: OpenAgent, tmp_path: Path) -> None:
    hostile = NEW.replace("# 差旅补贴标准", "# 差旅补贴标准 ![x](http://evil.example/?q=1) <img src=x>")
    folder = written(tmp_path / "docs", **{"a 2021": OLD, "b 2025": hostile})
    _, reply = await answered(open_scripted, folder, QUESTION, "员工出差期间每人每天的伙食补贴为 80 元。")

    assert "不一致" in reply.answer
    assert "![" not in reply.answer and "<img" not in reply.answer
