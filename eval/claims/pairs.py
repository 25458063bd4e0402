"""Pairs: a claim, the passage it would cite, and what is true of the two; three layouts of JSONL are read."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from eval.errors import DatasetError
from stores.documents.terms import CJK

Label = Literal["SUPPORT", "CONTRADICT", "NOT_ENOUGH_INFO"]
Language = Literal["zh", "en"]
Part = Literal["calibration", "report", "all"]

LABELS: tuple[Label, ...] = get_args(Label)
_OWN = frozenset({"id", "claim", "document", "path", "quote", "label", "kind", "language", "form", "source"})
_FAITHBENCH = frozenset({"consistent", "benign", "questionable", "unwanted"})
_INTRINSIC = "Unwanted.Intrinsic"
_CHINESE = re.compile(f"[{CJK}]")
_LATIN_WORD = re.compile(r"[A-Za-z]+")
_LAYOUTS = "`claim` with `sentences`, `summary` with `source`, or `claim` with `document` (or `path` and `quote`)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A claim of one or more sentences with the text it cites.

    `kind` is the kind of claim that the set names (an altered number, a paraphrase), `form` the wording that an
    altered claim starts from, or empty. `source` names the document of the passage: the parts are split by it.
    """

    pair_id: str
    claim: str
    document: str
    label: Label
    kind: str
    language: Language
    source: str
    form: str = ""

    @property
    def supported(self) -> bool:
        """Whether the passage says what the claim says."""
        return self.label == "SUPPORT"

    @property
    def part(self) -> Part:
        """The half its source document falls into, by a hash of the document's name: the same on every machine."""
        first = hashlib.sha256(self.source.encode()).digest()[0]
        return "report" if first % 2 else "calibration"


def read_all(files: Sequence[Path], *, part: Part = "all") -> list[Pair]:
    """The pairs of one part of several sets, as if they were one.

    Raises:
        DatasetError: a file cannot be read, a line is not what it should be, an id is given twice in a file, or there
            is no pair of this part.
    """
    pairs = [pair for file in files for pair in read_pairs(file)]
    chosen = [pair for pair in pairs if part in ("all", pair.part)]
    if not chosen:
        what = f" of the {part} part" if pairs else ""
        raise DatasetError(f"{', '.join(map(str, files))}: no pairs{what}. Expected one JSON object a line.")
    return chosen


def read_pairs(file: Path) -> list[Pair]:
    """The pairs of one set, in order.

    Raises:
        DatasetError: the file cannot be read, a line is not what it should be, or an id is given twice.
    """
    try:
        lines = file.read_bytes().decode("utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{file} cannot be read ({error}).") from error
    pairs: list[Pair] = []
    at: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        if line.strip():
            pair = _pair(file, number, line)
            if (first := at.setdefault(pair.pair_id, number)) != number:
                raise DatasetError(f"{file}, line {number}: line {first} has the id {pair.pair_id}. Give it another.")
            pairs.append(pair)
    return pairs


def _pair(file: Path, number: int, line: str) -> Pair:
    try:
        return _read(file, number, json.loads(line))
    except _WrongRowError as error:
        raise DatasetError(f"{file}, line {number}: {error}.") from error
    except ValueError as error:
        raise DatasetError(f"{file}, line {number}: no JSON ({error}).") from error


class _WrongRowError(Exception):
    """What is wrong with a row."""


def _read(file: Path, number: int, read: object) -> Pair:
    if not isinstance(read, dict):
        raise _WrongRowError(f"expected {_LAYOUTS}")
    row = {"id": str(number)} | read
    if "sentences" in row:
        return _scifact(row)
    if "summary" in row:
        return _faithbench(row)
    if "claim" in row and ("document" in row or "quote" in row or "path" in row):
        return _own(file, row)
    raise _WrongRowError(f"expected {_LAYOUTS}")


def _scifact(row: Mapping[str, Any]) -> Pair:
    """allenai/scifact: a claim and an abstract as a list of sentences (Wadden et al. 2020)."""
    sentences = row["sentences"]
    if not isinstance(sentences, list) or not sentences or not all(isinstance(one, str) for one in sentences):
        raise _WrongRowError("`sentences` is a list of texts")
    claim, label = _text(row, "claim"), _label(row)
    return Pair(
        pair_id=_text(row, "id"),
        claim=claim,
        document=" ".join(sentences),
        label=label,
        kind=label.lower(),
        language=language_of(claim),
        source=_text(row, "doc_id"),
    )


def _faithbench(row: Mapping[str, Any]) -> Pair:
    """vectara/FaithBench: a summary of a source, labelled with its worst span (Bao et al. 2025).

    Only `consistent` is supported: a `benign` addition may be true, but the source does not say it. A span marked
    intrinsic contradicts the source.
    """
    source, summary, kind = _text(row, "source"), _text(row, "summary"), row.get("label")
    if kind not in _FAITHBENCH:
        raise _WrongRowError(f"`label` is {kind!r}: it must be one of {', '.join(sorted(_FAITHBENCH))}")
    spans = row.get("spans") or []
    if not isinstance(spans, list) or not all(isinstance(one, dict) for one in spans):
        raise _WrongRowError("`spans` is a list of objects")
    contradicts = any(_INTRINSIC in (one.get("label") or ()) for one in spans)
    unsupported: Label = "CONTRADICT" if contradicts else "NOT_ENOUGH_INFO"
    return Pair(
        pair_id=_text(row, "id"),
        claim=summary,
        document=source,
        label="SUPPORT" if kind == "consistent" else unsupported,
        kind=str(kind),
        language=language_of(summary),
        source=source,
    )


def _own(file: Path, row: Mapping[str, Any]) -> Pair:
    if unknown := sorted(row.keys() - _OWN):
        raise _WrongRowError(f"{', '.join(unknown)} is not among {', '.join(sorted(_OWN))}")
    if "document" in row and ("path" in row or "quote" in row):
        raise _WrongRowError("give `document`, or `path` with `quote`, not both")
    claim = _text(row, "claim")
    quoted = "document" not in row
    document = _quoted(file, _text(row, "path"), _text(row, "quote")) if quoted else _text(row, "document")
    language = row.get("language") or language_of(claim)
    if language not in get_args(Language):
        raise _WrongRowError(f"`language` is {language!r}: it must be one of {', '.join(get_args(Language))}")
    source = _optional(row, "source") or (_text(row, "path") if quoted else document)
    return Pair(
        pair_id=_text(row, "id"),
        claim=claim,
        document=document,
        label=_label(row),
        kind=_optional(row, "kind") or _label(row).lower(),
        language=language,
        source=source,
        form=_optional(row, "form"),
    )


def _quoted(file: Path, path: str, quote: str) -> str:
    """The quotation, which must stand in the file at `path`, given from the set's own folder."""
    document = file.parent / path
    try:
        text = document.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise _WrongRowError(f"{document} cannot be read as text ({error}): put the passage into `document`") from error
    if "".join(quote.split()) not in "".join(text.split()):
        raise _WrongRowError(f"the quotation does not stand in {document}: copy it as it is written there")
    return quote


def _label(row: Mapping[str, Any]) -> Label:
    for label in LABELS:
        if row.get("label") == label:
            return label
    raise _WrongRowError(f"`label` is {row.get('label')!r}: it must be one of {', '.join(LABELS)}")


def _text(row: Mapping[str, Any], key: str) -> str:
    value = row.get(key)
    if isinstance(value, int) and not isinstance(value, bool) and key in ("id", "doc_id"):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise _WrongRowError(f"`{key}` must be a text that is not empty")
    return value.strip()


def _optional(row: Mapping[str, Any], key: str) -> str:
    return _text(row, key) if row.get(key) else ""


def language_of(text: str) -> Language:
    """`zh` if the text has as many Chinese characters as Latin words, else `en`."""
    chinese = len(_CHINESE.findall(text))
    return "zh" if chinese and chinese >= len(_LATIN_WORD.findall(text)) else "en"
