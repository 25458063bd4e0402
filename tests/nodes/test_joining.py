"""Joining: what continues one another is read as one text, under the numbers of its passages."""

import re

from hypothesis import given
from hypothesis import strategies as st

from nodes.fences import read_fences
from nodes.joining import joined
from nodes.prompting import Passages, framed_question
from nodes.state import Evidence
from stores.documents.document import Chunk, Document, Location

TEXT = "第一句在这里。\n第二句接着说。\n第三句说完了。\n第四句另起头。\n第五句收尾。"
LINES = [match.span() for match in re.finditer(r"[^\n]+", TEXT)]


def passages_of(*cuts: tuple[int, int], document_id: str = "d", heading: tuple[str, ...] = ("一",)) -> Passages:
    """Chunks of `TEXT` from line to line, in order."""
    document = Document(
        document_id=document_id, owner="o", collection="c", path="/p.md", title="t", media_type="m", encoding=None,
        pages=None, chunks=1, sha256="0", revision=1, state="ready", reason=None, updated_at="",
    )  # fmt: skip
    found = {}
    for position, (first, last) in enumerate(cuts):
        start, end = LINES[first][0], LINES[last][1]
        one = Chunk(
            chunk_id=f"{document_id}{position}", document_id=document_id, position=position, text=TEXT[start:end],
            start=start, end=end, kind="prose", language="zh", location=Location(heading=heading), context="t",
        )  # fmt: skip
        found[one.chunk_id] = (one, document)
    return found


def evidence(*ids: str) -> list[Evidence]:
    return [
        Evidence(number=at, chunk_id=one, revision=1, score=0.9, source="both") for at, one in enumerate(ids, start=1)
    ]


def read(items: list[Evidence], passages: Passages) -> list[tuple[str, str | None, str]]:
    """Number, what it follows, and text of every passage in the prompt."""
    prompt = framed_question("?", token="0" * 8, evidence=items, passages=passages).text
    frames = read_fences(prompt, "passage")
    return [(frame.attributes["n"], frame.attributes.get("follows"), frame.text) for frame in frames]


def test_overlapping_neighbours_are_one_text_in_document_order_and_keep_their_numbers() -> None:
    shown = read(evidence("d1", "x0", "d0"), passages_of((0, 2), (2, 4)) | passages_of((0, 0), document_id="x"))

    assert shown == [
        ("3", None, "第一句在这里。\n第二句接着说。\n第三句说完了。"),
        ("1", "3", "第四句另起头。\n第五句收尾。"),
        ("2", None, "第一句在这里。"),
    ]


def test_passages_apart_in_another_section_or_in_another_document_are_not_joined() -> None:
    apart = passages_of((0, 0), (1, 1), (2, 2))
    del apart["d1"]
    first, second = passages_of((0, 1))["d0"], passages_of((0, 1), (1, 2), heading=("二",))["d1"]
    other = passages_of((0, 1)) | {"x1": passages_of((0, 1), (1, 2), document_id="x")["x1"]}

    assert [follows for _, follows, _ in read(evidence("d0", "d2"), apart)] == [None, None]
    assert [follows for _, follows, _ in read(evidence("a", "b"), {"a": first, "b": second})] == [None, None]
    assert read(evidence("d0", "x1"), other)[1][2] == "第二句接着说。\n第三句说完了。"


def test_the_indent_of_a_line_of_code_behind_an_overlap_is_kept() -> None:
    passages = passages_of((0, 1), (1, 2))
    (before, document), (after, _) = passages["d0"], passages["d1"]
    text = "if ready:\n    start()\n    stop()"
    changed = {
        "d0": (_cut(before, text, 0, 21), document),
        "d1": (_cut(after, text, 10, len(text)), document),
    }

    assert read(evidence("d0", "d1"), changed) == [("1", None, text[:21]), ("2", "1", "    stop()")]


def _cut(chunk: Chunk, text: str, start: int, end: int) -> Chunk:
    fields = {name: getattr(chunk, name) for name in chunk.__slots__}
    return Chunk(**(fields | {"text": text[start:end], "start": start, "end": end}))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=1, max_size=5), st.randoms())
def test_every_passage_is_read_once_and_nothing_of_it_is_lost(cuts: list[tuple[int, int]], random) -> None:
    spans = sorted({(first, min(4, first + more)) for first, more in cuts})
    passages = passages_of(*spans)
    ids = list(passages)
    random.shuffle(ids)
    items = evidence(*ids)

    parts = joined(items, passages)

    assert sorted(part.item.number for part in parts) == [item.number for item in items]
    known = {item.number: passages[item.chunk_id][0] for item in items}
    for part in parts:
        chunk = known[part.item.number]
        if part.start:
            before = known[part.follows]
            assert before.text.endswith(chunk.text[: before.end - chunk.start])
            assert not chunk.text[before.end - chunk.start : part.start].strip()
