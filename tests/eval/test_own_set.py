"""Own sets: quotations find today's chunks, stale ones stop the run, and chunks are those of the product."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from labelled import ROWS, run_eval, write_rows

from eval.errors import DatasetError, StaleLabelsError
from eval.labels import Library, NotFoundError, stands_in
from eval.own_set import Label, read_rows
from graph.agent import open_agent
from graph.settings import Settings
from stores.documents.document import Chunk, Document, Location
from stores.documents.parsing import parse
from stores.embeddings.local import LocalEmbeddings


def document(path: str) -> Document:
    return Document(
        document_id=path, owner="local", collection="c", path=path, title="t", media_type="text/plain", encoding=None,
        pages=None, chunks=1, sha256="", revision=1, state="ready", reason=None, updated_at="",
    )  # fmt: skip


def library(text: str, spans: Sequence[tuple[int, int]], path: str = "/docs/a.md") -> Library:
    chunks = [
        Chunk(
            chunk_id=f"{start}-{end}", document_id=path, position=at, text=text[start:end], start=start, end=end,
            kind="prose", language="zh", location=Location(), context="",
        )
        for at, (start, end) in enumerate(spans)
    ]  # fmt: skip
    return Library([(chunk, document(path)) for chunk in chunks], [Path("/docs")])


TEXT = "0123456789 abcdefghij\n\nABCDEFGHIJ"


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("345", ["0-10"]),
        ("３４５", ["0-10"]),  # full width
        ("9abc", ["11-21"]),  # most of it stands there, a quarter in the chunk before
        ("89 abc", ["0-10", "11-21"]),
        ("0123456789 abcdefghij ABCDEFGHIJ", ["0-10", "11-21", "23-33"]),
        ("j\u200bA", ["11-21", "23-33"]),
    ],
)
def test_a_quotation_maps_to_every_chunk_with_a_good_part_of_it(quote: str, found: list[str]) -> None:
    assert library(TEXT, [(0, 10), (11, 21), (23, 33)]).chunks(Label("a.md", quote)) == found


def test_a_quotation_in_an_overlap_maps_to_both_chunks_and_one_that_stands_twice_to_both_places() -> None:
    assert library(TEXT, [(0, 15), (11, 33)]).chunks(Label("a.md", "abcd")) == ["0-15", "11-33"]
    assert library("again. x. again.", [(0, 6), (7, 9), (10, 16)]).chunks(Label("a.md", "again.")) == ["0-6", "10-16"]


def test_the_same_label_finds_its_place_however_the_document_is_cut() -> None:
    for spans in ([(0, 33)], [(0, 10), (11, 33)], [(0, 21), (23, 33)]):
        (found,) = library(TEXT, spans).chunks(Label("a.md", "cdefgh"))
        start, end = map(int, found.split("-"))
        assert "cdefgh" in TEXT[start:end]


def test_a_document_is_named_from_the_folder_in_full_or_by_its_end_if_only_one_ends_so() -> None:
    one = library(TEXT, [(0, 33)], "/docs/sub/a.md")

    for name in ("sub/a.md", "/docs/sub/a.md", "a.md", "./sub/../sub/a.md"):
        assert one.chunks(Label(name, "abc")) == ["0-33"]
    with pytest.raises(NotFoundError, match="not among"):
        one.chunks(Label("b/a.md", "abc"))
    with pytest.raises(NotFoundError, match="does not stand"):
        one.chunks(Label("a.md", "abd"))


def test_a_name_that_several_documents_have_must_be_written_longer() -> None:
    chunk = Chunk(
        chunk_id="c", document_id="d", position=0, text="abc", start=0, end=3, kind="prose", language="en",
        location=Location(), context="",
    )  # fmt: skip
    two = Library([(chunk, document("/docs/x/a.md")), (chunk, document("/docs/y/a.md"))], [Path("/docs")])

    assert two.chunks(Label("x/a.md", "abc")) == ["c"]
    with pytest.raises(NotFoundError, match="2 documents"):
        two.chunks(Label("a.md", "abc"))


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("{no", "line 1: no JSON"),
        ('{"question": " "}', "line 1: expected an object"),
        ('{"question": "a"}\n{"question": "b", "relevent": []}', "line 2: relevent is not among"),
        ('{"question": "a", "relevant": [{"document": "d"}]}', "a `document` and a `quote`"),
        ('{"question": "a", "relevant": [{"document": "d", "quote": ""}]}', "a `document` and a `quote`"),
        ('{"question": "a", "relevant": "d"}', "`relevant` a list"),
        ('{"question": "How  MANY?"}\n{"question": "how many？"}', "line 2 asks what line 1 asks"),
    ],
)
def test_a_broken_line_is_told_with_its_number(tmp_path: Path, lines: str, said: str) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text(lines, encoding="utf-8")

    with pytest.raises(DatasetError, match=said.replace("(", r"\(")):
        read_rows(file)


async def test_every_pipeline_ranks_the_products_own_chunks(measure, own_set: Path, documents: Path) -> None:
    report = await measure(own_set, documents, pipelines="keyword,vector,hybrid,stock")

    assert (report["queries"], report["unanswerable"]) == (3, 1)
    assert {name: figures["recall@5"] for name, figures in report["pipelines"].items()} == dict.fromkeys(
        ["keyword", "vector", "hybrid", "stock"], 1.0
    )
    assert report["pipelines"]["hybrid"]["ndcg@10"] == 1.0
    assert {kind: row["queries"] for kind, row in report["pipelines"]["hybrid"]["by_type"].items()} == {
        "code": 1,
        "fact": 2,
    }
    assert report["index_seconds"] > 0
    assert report["index_megabytes"] > 0


async def test_a_second_run_embeds_no_passage_again_and_a_changed_file_only_its_own(
    measure, own_set: Path, documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedded: list[str] = []
    inner = LocalEmbeddings.embed_documents
    monkeypatch.setattr(
        LocalEmbeddings, "embed_documents", lambda self, texts: embedded.extend(texts) or inner(self, texts)
    )
    await measure(own_set, documents, pipelines="hybrid,stock")
    assert embedded
    embedded.clear()

    await measure(own_set, documents, pipelines="hybrid,stock")
    assert embedded == []
    ferry = documents / "ferry.md"
    ferry.write_text(ferry.read_text(encoding="utf-8").replace("January", "February"), encoding="utf-8")
    await measure(own_set, documents)
    assert len(embedded) == 1
    assert "February" in embedded[0]


async def test_e04_stale_labels_stop_the_run_with_all_of_them(measure, tmp_path: Path, documents: Path) -> None:
    (documents / "broken.docx").write_bytes(b"PK no archive")
    stale = [
        {"question": f"q{n}", "relevant": [{"document": "ferry.md", "quote": f"was number {n}"}]} for n in range(12)
    ]
    gone = {"question": "gone", "relevant": [{"document": "old.md", "quote": "x"}]}
    broken = {"question": "broken", "relevant": [{"document": "broken.docx", "quote": "x"}]}
    file = write_rows(tmp_path / "stale.jsonl", [*ROWS, *stale, gone, broken])

    with pytest.raises(StaleLabelsError) as told:
        await measure(file, documents)

    lines = str(told.value).splitlines()
    assert lines[0].startswith("14 labels of")
    assert all(f"line {5 + n}: «was number {n}» does not stand in ferry.md" in lines[1 + n] for n in range(12))
    assert "line 17: old.md is not among the documents" in lines[13]
    assert "line 18: broken.docx could not be taken in: " in lines[14]


async def test_without_documents_the_data_directory_is_measured_as_it_is(
    measure, own_set: Path, documents: Path, tmp_path: Path
) -> None:
    with pytest.raises(DatasetError, match="holds no documents"):
        await measure(own_set)
    async with open_agent(settings=Settings(home=tmp_path / "home", _env_file=None), work=False) as agent:
        await agent.ingest(documents)

    report = await measure(own_set, pipelines="hybrid")

    assert report["pipelines"]["hybrid"]["recall@5"] == 1.0
    assert report["index_seconds"] is None


def test_the_command_says_in_one_line_what_is_wrong(own_set: Path, documents: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    for arguments, status, said in [
        (("retrieval", "no.jsonl", "--documents", documents), 1, "cannot be read"),
        (("retrieval", "empty.jsonl", "--documents", documents), 1, "holds no question"),
        (("retrieval", own_set, "--documents", "nowhere"), 1, "nowhere"),
        (("retrieval", own_set, "--queries", documents), 1, "--queries belongs to a BEIR folder"),
        (("retrieval", documents, "--documents", documents), 1, "--documents belongs to an own set"),
        (("retrieval", own_set, "--pipelines", "rewrite+magic"), 2, "rewrite+magic"),
        (("retrieval", own_set, "--json", "none/out.json"), 2, "cannot be written"),
    ]:
        done = run_eval(*arguments, cwd=tmp_path)
        assert done.returncode == status, done.stderr
        assert said in " ".join(done.stderr.replace("│", " ").split())
        assert "Traceback" not in done.stderr


def test_the_set_that_ships_fits_the_examples() -> None:
    root = Path(__file__).parents[2]
    rows = read_rows(root / "eval" / "sets" / "examples.jsonl")
    texts = {
        name: parse(root / "examples" / name).text for row in rows for name in (one.document for one in row.labels)
    }

    assert sum(bool(row.labels) for row in rows) >= 20
    assert sum(not row.labels for row in rows) >= 5
    assert [one for row in rows for one in row.labels if not stands_in(one.quote, texts[one.document])] == []
