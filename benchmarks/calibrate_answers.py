"""Fits the constants of graph/models/sufficiency.py: python benchmarks/calibrate_answers.py DATA_DIR [--cache DIR].

Questions with known answers, each with five passages: the right one among its neighbours, for a third of them with
two cuts of it beside it, as other pages repeat it, and for a third as such a cut among pieces of the same article; the
neighbours alone; the right one with the sentences that hold the answer taken out, among its neighbours; what is left of
it in pieces, as pages about the same subject that say other things; and passages about something else.
Passages are scored by the product's own search. Prints the constants, and what they do on the half that was not
fitted on.
"""

import argparse
import asyncio
import gzip
import json
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from eval.curve import area, refused_at
from eval.given import GivenPassages, passage_id
from graph.models.quoting import Material
from graph.models.sufficiency import FEATURES, Judge, telling
from graph.models.units import PassageText
from graph.models.wording import Question
from stores.documents.narrowing import Narrowing
from stores.documents.sentences import split_sentences
from stores.documents.terms import fold
from stores.embeddings.local import LocalEmbeddings
from stores.rerankers.local import packaged

Kind = Literal["right", "near", "taken out", "same subject", "foreign"]
BEIR = ("cmrc2018", "drcd")
PAIRS = {"squad2_dev_part": ("en", "en")}
"""Sets of pairs, and the languages of the questions and of the passages taken of each."""
QUESTIONS = 80
"""Of each set."""
NEIGHBOURS = 120
"""Further passages of each set."""
GIVEN = 5
PIECE, SHORTEST_PIECE = 2, 30
"""Sentences of a piece of an article, and the least number of its characters."""
SIGNS = np.array([{"absent": -1.0, "one": 0.0}.get(name, 1.0) for name in FEATURES])
"""What each feature may only count for: fitted freely, near relatives among them would count against each other, and
so count wrongly elsewhere.
"""
JUDGED_ONLY = frozenset({"line", "margin", "agreement"})
FALSE_REFUSALS = 0.10
"""The share of answerable questions that the printed threshold may refuse."""
ROUNDS = 8


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
    apart: bool = False
    """The passage itself is not given, but one of those parts among pieces of it."""

    @property
    def pieces(self) -> tuple[str, ...]:
        """What is left of the passage without the answer, in pieces that do not overlap."""
        return pieces_of(self.without or "")

    @property
    def given(self) -> tuple[str, ...]:
        """What answers, and what of the same article is given beside it."""
        return (self.cuts[0], *self.pieces) if self.apart and self.cuts else (self.right, *self.cuts)


@dataclass(frozen=True)
class Bag:
    """One question with one choice of passages: the features of every unit."""

    asked: Asked
    kind: Kind
    rows: np.ndarray

    @property
    def label(self) -> float:
        """1 if the passages hold the answer."""
        return float(self.kind == "right")


class Remembering:
    """A judge that is asked about a pair only once, whatever is tried with what it says."""

    def __init__(self, judge: Judge, file: Path) -> None:
        self._judge, self._file = judge, file
        self._known: dict[str, float] = json.loads(file.read_text()) if file.exists() else {}

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """What the judge says, from memory where it can."""
        new = [pair for pair in dict.fromkeys(pairs) if "\0".join(pair) not in self._known]
        self._known |= zip(map("\0".join, new), map(float, self._judge(new)), strict=True)
        return [self._known["\0".join(pair)] for pair in pairs]

    def write(self) -> None:
        """Keep it for the next run."""
        self._file.write_text(json.dumps(self._known))


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


def pieces_of(text: str) -> tuple[str, ...]:
    """A text in pieces of `PIECE` sentences, too short ones left out."""
    spans = split_sentences(text)
    groups = [spans[start : start + PIECE] for start in range(0, len(spans), PIECE)]
    pieces = (text[group[0][0] : group[-1][1]].strip() for group in groups)
    return tuple(dict.fromkeys(piece for piece in pieces if len(piece) >= SHORTEST_PIECE))


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
        cuts = cuts_of(right, answers) if len(found) % 3 else ()
        without, apart = without_answer(right, answers), len(found) % 3 == 1
        found.append(Asked(folder.name, str(row["text"]), right, without, answers, cuts, apart))
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


async def bags_of(
    asked: Asked, library: Mapping[str, str], store: GivenPassages, judge: Judge, draw: random.Random
) -> list[Bag]:
    """The choices of passages for one question."""
    originals = Narrowing(documents=tuple(library))
    found = await store.search(asked.question, reader="local", narrowing=originals, k=12)
    right = passage_id(asked.right)
    beside = [hit.chunk.chunk_id for hit in found.hits if hit.chunk.chunk_id != right]
    near = [one for one in beside if not holds(library[one], asked.answers)]
    close = {right, *beside}
    choices: dict[Kind, list[str]] = {
        "right": [*map(passage_id, asked.given), *beside][:GIVEN],
        "near": near[:GIVEN],
        "foreign": draw.sample([one for one in library if one not in close], GIVEN),
    }
    if asked.without is not None:
        choices["taken out"] = [passage_id(asked.without), *near[: GIVEN - 1]]
    if len(asked.pieces) > 1:
        choices["same subject"] = [*map(passage_id, asked.pieces), *near][:GIVEN]
    return [
        Bag(asked, kind, await features_of(asked.question, ids, store, judge)) for kind, ids in choices.items() if ids
    ]


async def features_of(question: str, ids: Sequence[str], store: GivenPassages, judge: Judge) -> np.ndarray:
    """One row per unit, one column per name in `FEATURES`."""
    hits = (await store.search(question, reader="local", narrowing=Narrowing(documents=tuple(ids)), k=GIVEN)).hits
    passages = [PassageText(number, hit.chunk.text, score=hit.score) for number, hit in enumerate(hits, start=1)]
    signals = telling(Material(passages, judge=judge).signals(Question(question)))
    return np.array([one.row() for one in signals]).reshape(len(signals), len(FEATURES))


def fitted(bags: Sequence[Bag], columns: list[int], ridge: float = 0.3) -> np.ndarray:
    """Weights so that the best unit of a bag tells whether the bag holds the answer: the best is chosen anew after
    each fit. Right and wrong bags count alike, and so do the sets.
    """
    weights = np.zeros(len(FEATURES))
    weights[[FEATURES.index("line"), FEATURES.index("covered"), FEATURES.index("standing")]] = 1.0
    weights[[i for i in range(len(FEATURES)) if i not in columns]] = 0.0
    labels = np.array([bag.label for bag in bags])
    counts = np.where(labels > 0, 0.5 / labels.mean(), 0.5 / (1 - labels.mean()))
    for _ in range(ROUNDS):
        best = np.array([bag.rows[np.argmax(bag.rows @ weights)] for bag in bags])
        weights = np.zeros(len(FEATURES))
        weights[list(columns)] = regression(best[:, columns], labels, counts, SIGNS[columns], ridge)
    return weights


def regression(data: np.ndarray, labels: np.ndarray, counts: np.ndarray, signs: np.ndarray, ridge: float) -> np.ndarray:
    """Logistic regression with each weight held to its sign, by projected gradient; the constant (0) is free."""
    weights = np.zeros(data.shape[1])
    held = np.where(signs == 0, 0.0, ridge)
    step = 4.0 / (np.linalg.norm(data * np.sqrt(counts)[:, None], 2) ** 2 + ridge)
    for _ in range(4000):
        chance = 1 / (1 + np.exp(-data @ weights))
        weights = weights + step * (data.T @ (counts * (labels - chance)) - held * weights)
        weights = np.where(weights * signs < 0, 0.0, weights)
    return weights


def told(bags: Sequence[Bag], weights: np.ndarray) -> float:
    """Prints what the weights do; returns the threshold that refuses `FALSE_REFUSALS` of the answerable questions."""
    score = {id(bag): 1 / (1 + np.exp(-float((bag.rows @ weights).max()))) for bag in bags}
    right = [score[id(bag)] for bag in bags if bag.label]
    threshold = float(np.quantile(right, FALSE_REFUSALS))
    for kind in ("near", "taken out", "same subject", "foreign"):
        of = [score[id(bag)] for bag in bags if bag.kind == kind]
        refused = float(np.mean(np.array(of) < threshold))
        print(
            f"  {kind:10} AUC {area(right, of):.3f}  refused at 15 % false refusals {refused_at(right, of, 0.15):.2f}"
            f"  below {threshold:.3f}: {refused:.2f}"
        )
    for name in dict.fromkeys(bag.asked.dataset for bag in bags):
        own = [score[id(bag)] for bag in bags if bag.label and bag.asked.dataset == name]
        hard = [score[id(bag)] for bag in bags if bag.kind not in {"right", "foreign"} and bag.asked.dataset == name]
        below = float(np.mean(np.array(own) < threshold))
        print(f"  {name:16} AUC {area(own, hard):.3f}  falsely refused below {threshold:.3f}: {below:.2f}")
    return threshold


async def gathered(data: Path, cache: Path) -> list[Bag]:
    """All bags, from the cache if they are there."""
    draw = random.Random(5)
    asked = [one for name in BEIR for one in load_beir(data / name, draw)]
    for name, languages in PAIRS.items():
        asked += load_pairs(data / "train_pairs" / f"{name}.jsonl", languages, draw)
    texts = dict.fromkeys([*(one.right for one in asked), *others_of(data, draw)])
    library = {passage_id(text): text for text in texts}
    made = [text for one in asked for text in (*one.cuts, *one.pieces, one.without) if text is not None]
    store = await GivenPassages.open(
        "answers", [*texts, *made], LocalEmbeddings(), None, cache, lambda done, of: print("embedded", done, "of", of)
    )
    judge, bags = Remembering(packaged().score, cache / "judged.json"), []
    for number, one in enumerate(asked):
        bags += await bags_of(one, library, store, judge, draw)
        if number % 40 == 0:
            print("asked", number, "of", len(asked), flush=True)
    await store.close()
    judge.write()
    return bags


def main() -> None:
    """Fit and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--cache", type=Path, default=None, help="where vectors are kept between runs")
    given = parser.parse_args()
    cache = given.cache or Path(tempfile.mkdtemp())
    bags = [bag for bag in asyncio.run(gathered(given.data, cache)) if len(bag.rows)]
    questions = list(dict.fromkeys(bag.asked.question for bag in bags))
    unseen = set(questions[::2])
    fitting = [bag for bag in bags if bag.asked.question not in unseen]
    for name, left_out in (("JUDGED", frozenset()), ("WORD", JUDGED_ONLY)):
        columns = [i for i, feature in enumerate(FEATURES) if feature not in left_out]
        weights = fitted(fitting, columns)
        print(f"{name}_WEIGHTS =", {one: round(float(value), 3) for one, value in zip(FEATURES, weights, strict=True)})
        print(f"{name}_THRESHOLD = {told([bag for bag in bags if bag.asked.question in unseen], weights):.3f}")


if __name__ == "__main__":
    main()
