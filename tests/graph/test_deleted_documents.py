"""After a deletion nothing of a document is left in the data directory but what past answers said of it."""

import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

from scripted import OpenAgent, search_call

from nodes.turn import is_answer
from stores.checkpoints import DEFLATED

POLICY = """# 图书馆借阅规则

## 借期

本科生每次最多借 12 册，借期为 30 天。研究生每次最多借 20 册，借期为 60 天。

## 逾期

逾期每册每天收 0.2 元，上限为 15 元。遗失图书按原价的 2 倍赔偿。

## Snollygosters

The snollygoster of the reading room sleeps behind the xylophones.
"""
SAID = "本科生每次最多借 12 册，借期为 30 天。"
NEVER_SAID = ("研究生每次最多借", "遗失图书按原价", "snollygoster", "Snollygosters", "xylophone", "逾期每册")


def contents(home: Path) -> dict[str, bytes]:
    """Every file, and besides the deflated values of the conversations."""
    found = {str(path.relative_to(home)): path.read_bytes() for path in home.rglob("*") if path.is_file()}
    with closing(sqlite3.connect(home / "threads.db")) as connection:
        values = [
            zlib.decompress(value) if str(kind).endswith(DEFLATED) else bytes(value)
            for table, column in (("checkpoints", "checkpoint"), ("writes", "value"))
            for kind, value in connection.execute(f"SELECT type, {column} FROM {table} WHERE {column} IS NOT NULL")
        ]
    return found | {"threads.db, inflated": b"\n".join(values)}


def holding(home: Path, words: tuple[str, ...]) -> set[tuple[str, str]]:
    """Which file holds which word, in UTF-8 or UTF-16."""
    return {
        (name, word)
        for name, content in contents(home).items()
        for word in words
        if word.encode() in content or word.encode("utf-16-le") in content
    }


async def test_i14_deleted_text_is_in_no_file_but_for_what_answers_said(
    open_scripted: OpenAgent, tmp_path: Path, home: Path
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "规则.md").write_text(POLICY, encoding="utf-8")
    (folder / "other.md").write_text("# Other\n\nNothing to do with it.\n", encoding="utf-8")
    script = {"plan": [search_call("借书")], "answer": [f"{SAID}[1]"]}
    async with open_scripted(script) as agent:
        await agent.ingest(folder)
        await agent.ask("本科生最多可以借几册书？")
        assert holding(home, NEVER_SAID)
        documents = await agent.services.documents.documents(reader="local")
        [policy] = [document for document in documents if document.path.endswith("规则.md")]
        await agent.services.documents.delete(policy.document_id, owner="local")
        assert holding(home, NEVER_SAID) == set()
        [answer] = [message for message in await agent.history() if is_answer(message)]
        assert SAID in answer.text
        assert [citation.quote for citation in await agent.citations(answer)] == ["source deleted"]
    assert holding(home, NEVER_SAID) == set()


async def test_i14_the_offline_model_leaves_nothing_either(open_offline: OpenAgent, tmp_path: Path, home: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "规则.md").write_text(POLICY, encoding="utf-8")
    async with open_offline() as agent:
        await agent.ingest(folder)
        reply = await agent.ask("本科生每次最多借几册？")
        [document] = await agent.services.documents.documents(reader="local")
        await agent.services.documents.delete(document.document_id, owner="local")
    unsaid = tuple(word for word in NEVER_SAID if word not in reply.answer)
    assert unsaid
    assert holding(home, unsaid) == set()
