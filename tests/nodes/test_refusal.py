"""A refusal names what came nearest: readable passages only, by title and place, with nothing alive in it."""

import pytest

from nodes.refusal import MOST_NEAR, Near, nearest, refusal
from nodes.state import Evidence
from stores.documents.document import Chunk, Document, Location


def passage(name: str, title: str) -> tuple[Chunk, Document]:
    chunk = Chunk(
        chunk_id=name, document_id=f"d-{name}", position=0, text=f"{name}的内容", start=0, end=4, kind="prose",
        language="zh", location=Location(page=3, heading=("一", "二")), context="",
    )  # fmt: skip
    document = Document(
        document_id=f"d-{name}", owner="o", collection="c", path=f"x/{name}.md", title=title,
        media_type="text/markdown", encoding="utf-8", pages=None, chunks=1, sha256="",
        revision=1, state="ready", reason=None, updated_at="",
    )  # fmt: skip
    return chunk, document


def evidence(name: str, score: float, worth: float = 0.0) -> Evidence:
    return Evidence(number=1, chunk_id=name, revision=1, score=score, source="both", worth=worth)


def test_the_best_readable_passages_are_named_and_no_other() -> None:
    readable = {name: passage(name, f"《{name}》手册") for name in ("甲", "乙", "丙")}
    found = [evidence("甲", 0.71), evidence("丁", 0.99), evidence("乙", 0.7, worth=0.9), evidence("丙", 0.8)]
    near = nearest(found, readable)

    assert [one.path for one in near] == ["x/乙.md", "x/丙.md"]
    assert len(near) == MOST_NEAR
    assert "内容" not in str([one.stored() for one in near])
    assert nearest([evidence("丁", 0.99)], readable) == []


def test_two_documents_of_one_title_are_told_apart_by_their_files() -> None:
    readable = {name: passage(name, "手册") for name in ("甲", "乙")}
    near = nearest([evidence("甲", 0.9), evidence("乙", 0.8)], readable)
    assert [one.title for one in near] == ["甲.md", "乙.md"]


def test_places_are_told_in_the_questions_language() -> None:
    near = [Near(title="手册", path="a", document_id="d", location=Location(lines=(4, 9), heading=("一", "二")))]
    assert "《手册》（第 4–9 行，一 › 二）" in refusal("停车费多少？", searched=[], missing=[], near=near)
    assert "“手册” (lines 4-9, 一 › 二)" in refusal("How much is parking?", searched=[], missing=[], near=near)


@pytest.mark.parametrize("hostile", ["![x](http://e/?q=1)", "<img src=x>", "[t](javascript:x)", "\x1b[2J", "[7]"])
def test_s02_s03_titles_and_headings_are_inert_and_cite_nothing(hostile: str) -> None:
    near = [Near(title=f"手册 {hostile}", path="a", document_id="d", location=Location(heading=(f"节 {hostile}",)))]
    told = refusal("停车费多少？", searched=[f"停车 {hostile}"], missing=[], near=near)

    assert hostile not in told
    assert "手册" in told and "节" in told
    assert "![" not in told and "](" not in told and "<img" not in told and "\x1b" not in told and "[7]" not in told
