"""Questions with known answers for calibrate_answers.py: what answers each, cut up, and what stands near it."""

import gzip
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from stores.documents.sentences import split_sentences
from stores.documents.terms import fold

BEIR = ("cmrc2018", "drcd")
PAIRS = {"squad2_dev_part": ("en", "en")}
"""Sets of pairs, and the languages of the questions and of the passages taken of each."""
QUESTIONS = 80
"""Of each set."""
NEIGHBOURS = 120
"""Further passages of each set."""


@dataclass(frozen=True)
class Asked:
    """A question of a set: its right passage, the same without its answer (if that is known), and its neighbours."""

    dataset: str
    question: str
    right: str
    without: str | None
    answers: tuple[str, ...]
    cuts: tuple[str, ...] = ()
    """Parts of the right passage that hold the answer."""


def rows(path: Path) -> list[dict[str, object]]:
    """A JSON Lines file, gzipped or not."""
    path = path if path.exists() else path.with_name(path.name + ".gz")
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def without_answer(text: str, answers: Sequence[str]) -> str | None:
    """The passage without the sentences that hold an answer; `None` if too little is left, or none held it."""
    spans = split_sentences(text)
    kept = [text[a:b] for a, b in spans if not holds(text[a:b], answers)]
    return "".join(kept) if len(kept) < len(spans) and len("".join(kept)) > 60 else None


def cuts_of(text: str, answers: Sequence[str]) -> tuple[str, ...]:
    """The sentence that holds the answer with the one before it, and with the one behind it."""
    spans = split_sentences(text)
    at = next((i for i, (a, b) in enumerate(spans) if holds(text[a:b], answers)), None)
    if at is None:
        return ()
    ends = ((spans[max(0, at - 1)][0], spans[at][1]), (spans[at][0], spans[min(len(spans) - 1, at + 1)][1]))
    return tuple(dict.fromkeys(text[a:b].strip() for a, b in ends if b - a < len(text.strip())))


def holds(text: str, answers: Sequence[str]) -> bool:
    """Whether a text holds one of the answers."""
    folded = fold(text)
    return any(fold(one) in folded for one in answers if one)


def load_beir(folder: Path, draw: random.Random) -> list[Asked]:
    """Questions of a BEIR folder whose rows name their answers."""
    corpus = {row["_id"]: str(row["text"]) for row in rows(folder / "corpus.jsonl")}
    queries = {row["_id"]: row for row in rows(folder / "queries.jsonl")}
    lines = (folder / "qrels" / "test.tsv").read_text().splitlines()[1:]
    pairs = [line.split("\t")[:2] for line in lines]
    draw.shuffle(pairs)
    found = []
    for query, document in pairs:
        if query not in queries or document not in corpus:
            continue
        row = queries[query]
        answers = tuple(row["metadata"]["answers"])  # type: ignore[call-overload, index]
        right = corpus[document]
        cuts = cuts_of(right, answers) if len(found) % 2 else ()
        found.append(Asked(folder.name, str(row["text"]), right, without_answer(right, answers), answers, cuts))
    return found[:QUESTIONS]


def load_pairs(file: Path, languages: tuple[str, str], draw: random.Random) -> list[Asked]:
    """Questions of a file of pairs in these languages."""
    name = file.name.removesuffix(".jsonl")
    chosen = [row for row in rows(file) if (row["lang_query"], row["lang_positive"]) == languages]
    draw.shuffle(chosen)
    return [Asked(name, str(row["query"]), str(row["positive"]), None, ()) for row in chosen[:QUESTIONS]]


def others_of(data: Path, draw: random.Random) -> Iterator[str]:
    """Passages of the same sets that answer none of the questions, for neighbours."""
    for name in BEIR:
        texts = [str(row["text"]) for row in rows(data / name / "corpus.jsonl")]
        yield from draw.sample(texts, min(NEIGHBOURS, len(texts)))
    for name, (_, language) in PAIRS.items():
        of = [row for row in rows(data / "train_pairs" / f"{name}.jsonl") if row["lang_positive"] == language]
        texts = list(dict.fromkeys(str(row["positive"]) for row in of))
        yield from draw.sample(texts, min(NEIGHBOURS, len(texts)))
