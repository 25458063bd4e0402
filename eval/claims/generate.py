"""Generating: altered claims from the sentences of documents and from claims that somebody wrote."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.claims.altering import ALTERATIONS, altered, hash_of
from eval.claims.pairs import Language, Pair, language_of
from stores.documents.sentences import split_sentences

LITERAL, PARAPHRASE = "literal", "paraphrase"
_DATED = re.compile(r"\(\d{4}-\d\d-\d\d\)$")
_FENCED = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)
_NO_PROSE = re.compile(r"#|\||>|[-*+] |\d+[.)、]|<!--|\*\*|---|[(（][一二三四五六七八九十\d]+[)）]")
_ARTICLE = re.compile(r"第[〇零一二三四五六七八九十百千]+条[\s\u3000]*")
_LONGEST: dict[Language, int] = {"zh": 90, "en": 220}
_SHORTEST: dict[Language, int] = {"zh": 14, "en": 40}
_PASSAGE = 600
"""A paragraph of more characters is no passage of a few sentences."""


@dataclass(frozen=True, slots=True)
class _Told:
    """A claim that is true of its passage."""

    claim: str
    passage: str
    language: Language
    source: str
    form: str


def generated(documents: Sequence[Path], written: Iterable[Pair], *, each: int) -> list[dict[str, Any]]:
    """Rows of a set: sentences to the letter, and sentences and written claims altered.

    Each folder gives up to `each` of every kind in each language, and so do the supported claims of `written`.
    """
    rows: list[dict[str, Any]] = []
    for folder in documents:
        told = list(_sentences(folder))
        rows += _literal(told, each)
        rows += _altered(told, each)
    rows += _altered(
        [_Told(one.claim, one.document, one.language, one.source, one.form or PARAPHRASE) for one in _true(written)],
        each,
    )
    return list({row["id"]: row for row in rows}.values())


def _true(written: Iterable[Pair]) -> Iterator[Pair]:
    return (one for one in written if one.supported)


def _literal(told: Sequence[_Told], each: int) -> Iterator[dict[str, Any]]:
    for language in ("zh", "en"):
        for one in _drawn(told, language, LITERAL)[:each]:
            yield _row(one, one.claim, LITERAL, "SUPPORT")


def _altered(told: Sequence[_Told], each: int) -> Iterator[dict[str, Any]]:
    for language in ("zh", "en"):
        for kind in ALTERATIONS:
            found = 0
            for one in _drawn(told, language, kind):
                claim = altered(one.claim, one.passage, one.language, kind)
                if claim is not None and found < each:
                    found += 1
                    yield _row(one, claim, kind, "CONTRADICT")


def _drawn(told: Iterable[_Told], language: str, salt: str) -> list[_Told]:
    """In an order that depends on the sentences alone."""
    return sorted((one for one in told if one.language == language), key=lambda one: hash_of(f"{salt} {one.claim}"))


def _row(one: _Told, claim: str, kind: str, label: str) -> dict[str, Any]:
    return {
        "id": f"{kind}-{one.form}-{one.language}-{hash_of(claim + one.passage):016x}",
        "claim": claim,
        "document": one.passage,
        "label": label,
        "kind": kind,
        "language": one.language,
        "form": one.form,
        "source": one.source,
    }


def _sentences(folder: Path) -> Iterator[_Told]:
    """Every sentence of the prose of a folder's Markdown files, in its passage. Versions of one law are one source."""
    known: set[str] = set()
    for file in sorted(folder.rglob("*.md")):
        source = _DATED.sub("", file.stem)
        paragraphs = list(_paragraphs(file.read_text(encoding="utf-8-sig")))
        for at, paragraph in enumerate(paragraphs):
            language, passage = language_of(paragraph), _around(paragraphs, at)
            for start, end in split_sentences(paragraph):
                claim = paragraph[start:end].strip()
                if claim not in known and _is_told(claim, language):
                    known.add(claim)
                    yield _Told(claim, passage, language, source, LITERAL)


def _around(paragraphs: Sequence[str], at: int) -> str:
    """The paragraph, with its neighbours where that does not make the passage too long."""
    whole = "\n".join(paragraphs[max(0, at - 1) : at + 2])
    return whole if len(whole) <= _PASSAGE else paragraphs[at]


def _is_told(claim: str, language: Language) -> bool:
    """Whole, of a usual length, and no question or reference to what stands elsewhere."""
    return _SHORTEST[language] <= len(claim) <= _LONGEST[language] and claim.endswith(("。", "."))


def _paragraphs(text: str) -> Iterator[str]:
    """The prose paragraphs of a Markdown text, one line each, without numbers of articles."""
    for block in re.split(r"\n[ \t]*\n", _FENCED.sub("", text)):
        paragraph = _joined(block)
        if not _NO_PROSE.match(paragraph) and 0 < len(paragraph) <= _PASSAGE:
            yield _ARTICLE.sub("", paragraph)


def _joined(block: str) -> str:
    """Lines as one; between Chinese characters a line's end is no space."""
    return re.sub(r"(?<=[^\x00-\x7f])\n(?=[^\x00-\x7f])", "", block.strip()).replace("\n", " ")
