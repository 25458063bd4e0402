"""Narrowed searches and questions: at the command line, from a notebook and in the graph's context."""

from pathlib import Path

import pytest
from commands import Recite
from pydantic import ValidationError
from scripted import OpenAgent, search_call

from nodes.state import Context
from nodes.turn import ANSWER
from stores.documents.narrowing import EVERYTHING, narrowing
from stores.errors import InputRefusedError, UnknownDocumentError

OLD = "# 旧规则\n\n本科生每次最多借 8 册，借期为 20 天。\n"
QUESTION = "本科生每次最多借几册？"


@pytest.fixture
def both(library: Path) -> Path:
    """The rules of the library, and beside them those of before."""
    (library / "归档").mkdir()
    (library / "归档" / "旧规则.txt").write_text(OLD, encoding="utf-8")
    return library


def paths(found: dict) -> set[str]:
    return {Path(hit["path"]).name for hit in found["hits"]}


def test_search_and_ask_are_narrowed_by_every_option(recite: Recite, both: Path) -> None:
    ingested = {Path(one["path"]).name: one for one in recite.json("ingest", str(both))["files"]}
    old = ingested["旧规则.txt"]["document_id"]

    for options in (
        ("--path", "归档/**"),
        ("--path", "*.txt"),
        ("--document", old[:8]),
        ("--path", "*.no", "--path", "旧*"),
    ):
        assert paths(recite.json("search", QUESTION, *options)) == {"旧规则.txt"}
        asked = recite.json("ask", QUESTION, *options)
        assert "8 册" in asked["answer"] and "12 册" not in asked["answer"]
        assert {one["document_id"] for one in asked["citations"]} == {old}
    since = ("--since", "2000-01-01", "--until", "9999-12-31")
    assert paths(recite.json("search", QUESTION, "--kind", "prose", "--language", "zh", *since)) == set(ingested)
    assert paths(recite.json("search", QUESTION, "--kind", "code", "--kind", "table")) == set()
    assert paths(recite.json("search", QUESTION, "--language", "en")) == set()


@pytest.mark.parametrize("command", ["search", "ask"])
@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (("--kind", "poem"), 2, "'poem' is no kind. Allowed are prose"),
        (("--language", "fr"), 2, "'fr' is no language. Allowed are zh"),
        (("--since", "2024-13-01"), 2, "'2024-13-01' is no date"),
        (("--until", "gestern"), 2, "'gestern' is no date"),
        (("--since", "2024-02-01", "--until", "2024-01-31"), 2, "2024-01-31"),
        (("--path", ""), 2, "path pattern is empty"),
        (("--document", " "), 2, "id is empty"),
        (("--document", "feedbeef"), 1, "There is no document 'feedbeef'"),
    ],
)
def test_a_wrong_option_is_one_line_and_asks_nothing(
    recite: Recite, library: Path, command: str, options: tuple[str, ...], status: int, said: str
) -> None:
    recite.json("ingest", str(library))

    assert said in recite.fails(command, QUESTION, *options, status=status)
    assert recite.json("threads", "list") == []


@pytest.mark.parametrize("command", ["search", "ask"])
def test_a_pattern_that_matches_nothing_finds_nothing_and_says_why(recite: Recite, library: Path, command: str) -> None:
    recite.json("ingest", str(library))

    result = recite(command, QUESTION, "--path", "*.java", "--since", "2024-01-01")

    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        "recite: No document fits --path '*.java' --since 2024-01-01. `recite documents list` shows what there is."
    ]
    assert "12 册" not in result.stdout


async def test_a_notebook_narrows_by_the_same_words(open_offline: OpenAgent, both: Path) -> None:
    async with open_offline() as agent:
        await agent.ingest(both)
        assert "8 册" in (await agent.ask(QUESTION, paths=["归档/*"])).answer
        assert "12 册" in (await agent.ask(QUESTION, paths=["*.md"], thread="t")).answer
        assert (await agent.search(QUESTION, since="2999-01-01")).hits == ()
        with pytest.raises(InputRefusedError):
            await agent.ask(QUESTION, kinds=["poem"], thread="never")
        with pytest.raises(UnknownDocumentError):
            await agent.ask(QUESTION, documents=["feedbeef"], thread="never")
        assert {one.name for one in await agent.services.conversations.list("local")} == {"default", "t"}


async def test_the_graphs_context_narrows_what_is_retrieved(open_scripted: OpenAgent, both: Path) -> None:
    script = {"plan": [search_call("借阅 册数")], "answer": ["本科生每次最多借 8 册。[1]"]}
    async with open_scripted(script) as agent:
        await agent.ingest(both)
        conversation = await agent.services.conversations.open("local", "t")
        state = await agent.graph.ainvoke(
            {"messages": [{"role": "user", "content": QUESTION}]},
            agent.config(conversation),
            context={"paths": ["旧*"], "kinds": ["prose"], "since": "", "documents": []},
        )
    details = state["messages"][-1].additional_kwargs[ANSWER]
    assert details["status"] == "answered"
    assert {Path(one["path"]).name for one in details["citations"]} == {"旧规则.txt"}


def test_a_context_is_a_form_whose_empty_fields_narrow_nothing_and_wrong_ones_are_refused() -> None:
    assert Context(collection="", since="", until=None, documents=[]).narrowing == EVERYTHING
    assert Context(kinds=["code"], since="2024-05-01").narrowing == narrowing(kinds=["code"], since="2024-05-01")
    with pytest.raises(ValidationError, match="kinds"):
        Context(kinds=["poem"])
    with pytest.raises(ValidationError, match="owners"):
        Context(owners=["alice"])
    with pytest.raises(InputRefusedError, match="no date"):
        Context(since="soon")
