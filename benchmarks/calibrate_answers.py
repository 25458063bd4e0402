"""Fits the constants of graph/models/sufficiency.py: python benchmarks/calibrate_answers.py DATA_DIR [--cache DIR].

Questions with known answers, each with five passages: the right one among its neighbours, for half of them with
two cuts of it beside it, as other pages repeat it; the neighbours alone; the right one with the sentences that hold the
answer taken out, among its neighbours; and passages about something else.
Passages are scored by the product's own search. Prints the constants, and what they do on the half that was not
fitted on.
"""

import argparse
import asyncio
import json
import math
import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from answer_questions import BEIR, PAIRS, Asked, holds, load_beir, load_pairs, others_of

from eval.answers_report import draw_curves
from eval.curve import area, points, refused_at
from eval.given import GivenPassages, passage_id
from graph.models.quoting import Material
from graph.models.sufficiency import FEATURES, Judge, stands_out, telling
from graph.models.units import PassageText
from graph.models.wording import Question
from stores.documents.narrowing import Narrowing
from stores.embeddings.local import LocalEmbeddings
from stores.rerankers.local import packaged

Kind = Literal["right", "near", "taken out", "foreign"]
GIVEN = 5
SIGNS = np.array([{"absent": -1.0, "one": 0.0}.get(name, 1.0) for name in FEATURES])
"""What each feature may only count for: fitted freely, near relatives among them would count against each other, and
so count wrongly elsewhere.
"""
JUDGED_ONLY = frozenset({"line", "margin", "agreement"})
FALSE_REFUSALS = 0.10
"""The share of answerable questions that the threshold may refuse."""
STEP = 0.05
COMPARED = 0.15
"""The share at which curves are compared."""
SHARES = (0.02, 0.05, 0.10, 0.15, 0.20)
WRONG: tuple[Kind, ...] = ("near", "taken out", "foreign")
ROUNDS = 8


@dataclass(frozen=True)
class Bag:
    """One question with one choice of passages: the features of every unit, and whether one stands out."""

    asked: Asked
    kind: Kind
    rows: np.ndarray
    ahead: bool

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
        "right": [right, *map(passage_id, asked.cuts), *beside][:GIVEN],
        "near": near[:GIVEN],
        "foreign": draw.sample([one for one in library if one not in close], GIVEN),
    }
    if asked.without is not None:
        choices["taken out"] = [passage_id(asked.without), *near[: GIVEN - 1]]
    return [
        Bag(asked, kind, *await features_of(asked.question, ids, store, judge)) for kind, ids in choices.items() if ids
    ]


async def features_of(question: str, ids: Sequence[str], store: GivenPassages, judge: Judge) -> tuple[np.ndarray, bool]:
    """One row per unit, one column per name in `FEATURES`; and whether a unit stands out."""
    hits = (await store.search(question, reader="local", narrowing=Narrowing(documents=tuple(ids)), k=GIVEN)).hits
    passages = [PassageText(number, hit.chunk.text, score=hit.score) for number, hit in enumerate(hits, start=1)]
    signals = telling(Material(passages, judge=judge).signals(Question(question)))
    rows = np.array([one.row() for one in signals]).reshape(len(signals), len(FEATURES))
    return rows, any(map(stands_out, signals))


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
    """Prints what the weights do; returns the threshold that refuses at most `FALSE_REFUSALS` of the answerable ones,
    rounded down: with these few questions the next digits are chance.
    """
    score = {id(bag): likelihood(bag, weights) for bag in bags}
    right = [score[id(bag)] for bag in bags if bag.label]
    kinds = {kind: np.array([score[id(bag)] for bag in bags if bag.kind == kind]) for kind in WRONG}
    print(f"\n| answerable refused | threshold | {' | '.join(f'{kind} refused' for kind in WRONG)} |")
    print(f"|{'---|' * (len(WRONG) + 2)}")
    for share in SHARES:
        threshold = float(np.quantile(right, share))
        cells = " | ".join(f"{np.mean(kinds[kind] < threshold):.0%}" for kind in WRONG)
        print(f"| {share:.0%} | {threshold:.3f} | {cells} |")
    chosen = math.floor(float(np.quantile(right, FALSE_REFUSALS)) / STEP) * STEP
    print(f"\n| set | AUC, foreign ones aside | refused at {COMPARED:.0%} |\n|---|---|---|")
    for name in dict.fromkeys([*(bag.asked.dataset for bag in bags), "all"]):
        own, hard = hard_scores([bag for bag in bags if name in {"all", bag.asked.dataset}], weights)
        print(f"| {name} | {area(own, hard):.3f} | {refused_at(own, hard, COMPARED):.0%} |")
    return chosen


def told_ahead(bags: Sequence[Bag], weights: np.ndarray, threshold: float) -> str:
    """By kind, the share that reaches no threshold and is answered by the sentence that stands out."""
    found = []
    for kind in ("right", *WRONG):
        of = [bag.ahead and likelihood(bag, weights) < threshold for bag in bags if bag.kind == kind]
        found.append(f"{kind} {np.mean(of):.0%}")
    return f"Below the threshold, but one sentence stands out: {', '.join(found)}."


def likelihood(bag: Bag, weights: np.ndarray) -> float:
    """The probability that the passages answer: that of the best unit."""
    return float(1 / (1 + np.exp(-(bag.rows @ weights).max())))


def hard_scores(bags: Sequence[Bag], weights: np.ndarray) -> tuple[list[float], list[float]]:
    """The probabilities where the answer is there, and where it is not but something close to it."""
    own = [likelihood(bag, weights) for bag in bags if bag.label]
    return own, [likelihood(bag, weights) for bag in bags if bag.kind not in {"right", "foreign"}]


def curve(bags: Sequence[Bag], weights: np.ndarray) -> dict[str, object]:
    """What the chart draws."""
    own, hard = hard_scores(bags, weights)
    return {"auc": area(own, hard), "points": points(own, hard)}


async def gathered(data: Path, cache: Path) -> list[Bag]:
    """All bags, from the cache if they are there."""
    draw = random.Random(5)
    asked = [one for name in BEIR for one in load_beir(data / name, draw)]
    for name, languages in PAIRS.items():
        asked += load_pairs(data / "train_pairs" / f"{name}.jsonl", languages, draw)
    texts = dict.fromkeys([*(one.right for one in asked), *others_of(data, draw)])
    library = {passage_id(text): text for text in texts}
    made = [text for one in asked for text in (*one.cuts, one.without) if text is not None]
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
    parser.add_argument("--chart", type=Path, default=None, help="draw the curves here: FILE.png or FILE.svg")
    given = parser.parse_args()
    cache = given.cache or Path(tempfile.mkdtemp())
    bags = [bag for bag in asyncio.run(gathered(given.data, cache)) if len(bag.rows)]
    questions = list(dict.fromkeys(bag.asked.question for bag in bags))
    unseen = set(questions[::2])
    fitting = [bag for bag in bags if bag.asked.question not in unseen]
    showing = [bag for bag in bags if bag.asked.question in unseen]
    curves: dict[str, object] = {}
    for name, left_out in (("JUDGED", frozenset()), ("WORD", JUDGED_ONLY)):
        columns = [i for i, feature in enumerate(FEATURES) if feature not in left_out]
        weights = fitted(fitting, columns)
        print(f"{name}_WEIGHTS =", {one: round(float(value), 3) for one, value in zip(FEATURES, weights, strict=True)})
        threshold = told(showing, weights)
        if name == "JUDGED":
            print(f"\n{told_ahead(showing, weights, threshold)}")
        print(f"\n{name}_THRESHOLD = {threshold:.2f}\n")
        curves["with the cross-encoder" if name == "JUDGED" else "words alone"] = curve(showing, weights)
    if given.chart:
        report = {"source": "Calibration, unseen half", "model": "offline", "curves": curves}
        draw_curves(report | {"refused_answerable": None, "refused_negative": None}, given.chart)


if __name__ == "__main__":
    main()
