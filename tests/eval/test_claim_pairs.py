"""Labelled claims are read in three layouts; what cannot be read is told with its line."""

import json
from pathlib import Path
from typing import Any

import pytest
from labelled import write_rows

from eval.claims.pairs import read_all, read_pairs
from eval.errors import DatasetError

OWN = {"id": "a", "claim": "Bikes are free.", "document": "Bicycles travel free of charge.", "label": "SUPPORT"}


def read(tmp_path: Path, *rows: dict[str, Any]) -> Any:
    return read_pairs(write_rows(tmp_path / "pairs.jsonl", list(rows)))


def test_an_abstract_with_a_claim_is_read_as_a_pair(tmp_path: Path) -> None:
    row = {"id": "1-2", "claim": "Zinc heals.", "doc_id": "2", "label": "CONTRADICT", "rationales": [[1]],
           "sentences": ["We gave zinc.", "It did not heal."]}  # fmt: skip

    (pair,) = read(tmp_path, row)

    assert (pair.pair_id, pair.document, pair.label) == ("1-2", "We gave zinc. It did not heal.", "CONTRADICT")
    assert (pair.kind, pair.language, pair.source, pair.supported) == ("contradict", "en", "2", False)


@pytest.mark.parametrize(
    ("label", "marks", "expected"),
    [
        ("consistent", [], "SUPPORT"),
        ("benign", [["Benign"]], "NOT_ENOUGH_INFO"),
        ("unwanted", [["Unwanted", "Unwanted.Extrinsic"]], "NOT_ENOUGH_INFO"),
        ("unwanted", [["Benign"], ["Unwanted", "Unwanted.Intrinsic"]], "CONTRADICT"),
    ],
)
def test_a_summary_is_supported_only_if_nothing_in_it_is_marked(
    tmp_path: Path, label: str, marks: list[list[str]], expected: str
) -> None:
    row = {"id": "b1", "source": "A dog barks.", "summary": "A dog bites.", "label": label,
           "spans": [{"label": one} for one in marks], "summarizer": "m", "group": "g"}  # fmt: skip

    (pair,) = read(tmp_path, row)

    assert (pair.claim, pair.document, pair.label, pair.kind) == ("A dog bites.", "A dog barks.", expected, label)


def test_an_own_row_may_quote_a_file_beside_the_set(tmp_path: Path) -> None:
    (tmp_path / "泵.md").write_text("# 泵\n\n滤芯每 45 天\n更换一次。\n", encoding="utf-8")
    row = {"id": 7, "claim": "滤芯一个半月换一次。", "path": "泵.md", "quote": "滤芯每 45 天更换一次。",
           "label": "SUPPORT", "kind": "paraphrase", "form": "free"}  # fmt: skip

    (pair,) = read(tmp_path, row)

    assert (pair.pair_id, pair.document, pair.source) == ("7", "滤芯每 45 天更换一次。", "泵.md")
    assert (pair.kind, pair.form, pair.language) == ("paraphrase", "free", "zh")


def test_a_row_needs_neither_id_nor_kind_nor_language(tmp_path: Path) -> None:
    row = {"claim": "Bikes are free.", "document": "Bicycles travel free.", "label": "NOT_ENOUGH_INFO"}

    (pair,) = read(tmp_path, row)

    assert (pair.pair_id, pair.kind, pair.language) == ("1", "not_enough_info", "en")


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("{", "no JSON"),
        ("[1]", "expected `claim` with `sentences`"),
        ({"claim": "x", "label": "SUPPORT"}, "expected `claim` with `sentences`"),
        ({"claim": "x", "sentences": "y", "label": "SUPPORT", "doc_id": 1}, "`sentences` is a list of texts"),
        ({"source": "x", "summary": "y", "label": "fine"}, "`label` is 'fine': it must be one of benign"),
        (OWN | {"label": "TRUE"}, "`label` is 'TRUE': it must be one of SUPPORT, CONTRADICT, NOT_ENOUGH_INFO"),
        (OWN | {"label": None}, "`label` is None"),
        (OWN | {"claim": " "}, "`claim` must be a text that is not empty"),
        (OWN | {"claim": ["x"]}, "`claim` must be a text that is not empty"),
        (OWN | {"langauge": "zh"}, "langauge is not among"),
        (OWN | {"language": "fr"}, "`language` is 'fr': it must be one of zh, en"),
        (OWN | {"path": "a.md"}, "give `document`, or `path` with `quote`, not both"),
        ({"claim": "x", "path": "a.md", "quote": "y", "label": "SUPPORT"}, "a.md cannot be read as text"),
        ({"claim": "x", "path": "b.md", "quote": "y", "label": "SUPPORT"}, "the quotation does not stand in"),
    ],
)
def test_a_bad_row_is_told_with_its_line_and_what_is_wrong(tmp_path: Path, row: object, told: str) -> None:
    (tmp_path / "b.md").write_text("Nothing.", encoding="utf-8")
    lines = [json.dumps(OWN), "", row if isinstance(row, str) else json.dumps(row)]
    (tmp_path / "pairs.jsonl").write_text("\n".join(lines), encoding="utf-8")

    with pytest.raises(DatasetError, match=r"pairs\.jsonl, line 3: ") as error:
        read_pairs(tmp_path / "pairs.jsonl")

    assert told in str(error.value)


def test_an_id_that_is_given_twice_is_told_with_both_lines(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="line 2: line 1 has the id a"):
        read(tmp_path, OWN, OWN)


def test_a_file_that_is_missing_or_holds_nothing_is_told(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="cannot be read"):
        read_all([tmp_path / "none.jsonl"])
    with pytest.raises(DatasetError, match="no pairs"):
        read_all([write_rows(tmp_path / "empty.jsonl", [])])


def test_the_parts_split_by_document_and_leave_nothing_out(tmp_path: Path) -> None:
    rows = [OWN | {"id": f"{n}-{m}", "source": f"doc {n}"} for n in range(20) for m in range(2)]
    file = write_rows(tmp_path / "pairs.jsonl", rows)

    fitted, reported = (read_all([file], part=part) for part in ("calibration", "report"))

    assert len(fitted) + len(reported) == len(rows)
    assert min(len(fitted), len(reported)) >= 10
    assert not {one.source for one in fitted} & {one.source for one in reported}
