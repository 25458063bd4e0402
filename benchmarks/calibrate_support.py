"""Fit the support model of citations, and print its weights and how it does on documents it was not fitted on.

    python benchmarks/calibrate_support.py DATA_DIR [--cache FILE] [--fewer N]

Pairs of a sentence and a passage come from questions whose answer is put in their place (cmrc2018, drcd), from
paragraphs in two languages (train_pairs/xquad), conclusions of abstracts (pubmedqa), docstrings (python_code), and
sentences written by hand in other words (support_pairs.jsonl, and the calibration part of eval/sets/claims, where what
is near or altered is not supported). Unsupported are the same sentences over other paragraphs
of the article, over the paragraph without them, and joined with a sentence of elsewhere. Only pairs whose figures,
names and polarity agree count, as the model is asked about no others. A document is in one half only, by its hash; of
the claims' calibration part all documents are fitted on, and each is reported by weights fitted without it. No document
of their report part is fitted on, wherever its sentences come from.
"""

import argparse
import gzip
import hashlib
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Literal

import numpy as np

from eval.claims.pairs import read_all
from nodes.citations.calibrated import SUPPORTED, Weight, Weights, probability
from nodes.citations.features import Asked, passage_sentences
from nodes.citations.local_support import LocalSupport
from nodes.citations.support import check_sentence
from nodes.citations.words import Script, script
from stores.documents.sentences import split_sentences
from stores.documents.terms import fold
from stores.embeddings.local import LocalEmbeddings
from stores.embeddings.means import MEANS_FILE, MEANS_OF

WH = re.compile(
    r"什么样的?人|哪一?[个位年月日座些种所国地区省市县部家]?|谁|什么(?:地方|时候|名字|类型)?|多少|几|甚麼|什麼|誰|哪裡|哪里|哪儿|哪些"
)
NOT_ONE_FACT = re.compile("为什么|為什麼|怎么|怎麼|如何|是否")
LONGEST_ANSWER = 25
RIDGE = 1.0
SUPPORTED_SHARE = 0.76
"""So many of the sentences that a model cites something for, and whose facts agree, are taken to be supported."""

CLAIMS_COUNT, HALVES_COUNT = 1.5, 3.0
"""A kind of claims, and one of half truths, counts as so many others."""
FOLDS = 5
CLAIMS = [Path(__file__).parents[1] / "eval" / "sets" / "claims" / name for name in ("written.jsonl", "altered.jsonl")]
Role = Literal["halved", "crossed", "reported"]
"""Whether half of the documents are fitted on, all of them but for the report on each, or none."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence over a passage, and whether the passage says it."""

    asked: Asked
    supported: bool
    kind: str
    document: str
    part: Role = "halved"

    @property
    def fitting(self) -> bool:
        """Is its document in the half that is fitted on?"""
        return self.part == "crossed" or (self.part == "halved" and self.hashed % 2 == 0)

    @property
    def hashed(self) -> int:
        """A number that stands for the document."""
        return int(hashlib.sha256(self.document.encode()).hexdigest(), 16)


def rows(path: Path) -> list[dict[str, object]]:
    """A JSON Lines file, gzipped or not."""
    if not path.exists():
        path = path.with_name(path.name + ".gz")
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def pair(sentence: str, passage: str, kind: str, document: str, *, supported: bool) -> Pair:
    """One pair."""
    return Pair(Asked(fold(sentence), (fold(passage),)), supported, kind, document)


def statement(question: str, answer: str) -> str | None:
    """A Chinese question with its answer in the place of what it asks for."""
    asked = question.strip().rstrip("？?。")
    found = list(WH.finditer(asked))
    if len(found) != 1 or len(answer) > LONGEST_ANSWER or NOT_ONE_FACT.search(asked):
        return None
    return f"{asked[: found[0].start()]}{answer}{asked[found[0].end() :]}。"


def answered(folder: Path, draw: random.Random, most: int) -> Iterator[Pair]:
    """Questions with their answers as statements, over their paragraph and over a sibling."""
    corpus = {row["_id"]: row for row in rows(folder / "corpus.jsonl")}
    titled: dict[object, list[str]] = {}
    for name, row in corpus.items():
        titled.setdefault(row.get("title"), []).append(name)
    right = dict(line.split("\t")[:2] for line in (folder / "qrels" / "test.tsv").read_text().splitlines()[1:])
    asked = rows(folder / "queries.jsonl")
    draw.shuffle(asked)
    before = ""
    for row in asked:
        told = statement(row["text"], min(row["metadata"]["answers"], key=len)) if row["_id"] in right else None
        if told is None or most <= 0:
            continue
        most -= 1
        place = right[row["_id"]]
        text, document = corpus[place]["text"], f"{folder.name} {corpus[place].get('title')}"
        siblings = [one for one in titled[corpus[place].get("title")] if one != place]
        elsewhere = draw.choice(siblings if siblings and len(titled) > 20 else list(corpus))
        yield pair(told, text, "zh answered", document, supported=True)
        yield pair(told, corpus[elsewhere]["text"], "zh elsewhere", document, supported=False)
        if before:
            yield pair(f"{told[:-1]}，{before}", text, "zh half", document, supported=False)
        before = told


def parallel(file: Path, draw: random.Random, most: int) -> Iterator[Pair]:
    """Sentences of paragraphs over the translation, over siblings, and over the rest of their paragraph."""
    texts: dict[str, dict[str, tuple[str, list[str]]]] = {"en": {}, "zh": {}}
    for row in rows(file):
        texts[row["lang_positive"]].setdefault(
            row["source_id"].split(":")[1], (row["positive"], row.get("negatives", []))
        )
    names = sorted(texts["en"].keys() & texts["zh"].keys())
    draw.shuffle(names)
    seen: set[str] = set()
    before = {"en": "", "zh": ""}
    for name in names:
        both = {language: sentences(texts[language][name][0]) for language in ("en", "zh")}
        if texts["en"][name][0] in seen or len(both["en"]) != len(both["zh"]) or len(both["en"]) < 3 or most <= 0:
            continue
        if not (texts["en"][name][1] and texts["zh"][name][1]):
            continue
        seen.add(texts["en"][name][0])
        most -= 1
        document = "xquad " + min([texts["en"][name][0], *texts["en"][name][1]])
        for own, other in (("en", "zh"), ("zh", "en")):
            at = draw.randrange(len(both[own]))
            told = both[own][at]
            passage, siblings = texts[other][name]
            yield pair(told, passage, f"{own} over {other}", document, supported=True)
            yield pair(told, siblings[0], f"{own} over {other} elsewhere", document, supported=False)
            for language in (own, other):
                rest = " ".join(both[language][:at] + both[language][at + 1 :])
                yield pair(told, rest, f"{own} over the rest in {language}", document, supported=False)
            if before[own]:
                yield pair(f"{told} {before[own]}", passage, f"{own} over {other} half", document, supported=False)
                yield pair(f"{told} {before[own]}", texts[own][name][0], f"{own} half", document, supported=False)
            before[own] = told


def concluded(file: Path, draw: random.Random, most: int) -> Iterator[Pair]:
    """Conclusions over their abstract, and over another one."""
    parts: dict[str, dict[str, str]] = {}
    for row in rows(file):
        _, name, part = row["source_id"].split(":")
        parts.setdefault(name, {})[part] = row["positive"]
    names = sorted(name for name, both in parts.items() if len(both) > 1)
    draw.shuffle(names)
    for name, other in pairwise(names[: most + 1]):
        told = max(sentences(next(text for part, text in parts[name].items() if part != "abstract")), key=len)
        yield pair(told, parts[name]["abstract"], "en concluded", f"pubmed {name}", supported=True)
        yield pair(told, parts[other]["abstract"], "en elsewhere", f"pubmed {name}", supported=False)


def documented(file: Path, draw: random.Random, most: int) -> Iterator[Pair]:
    """What a docstring says over its function, and over others of the file."""
    found = [row for row in rows(file) if row.get("negatives") and len(row["query"].split()) > 4]
    for row in draw.sample(found, most):
        yield pair(row["query"], row["positive"], "en over code", row["source_id"], supported=True)
        yield pair(row["query"], row["negatives"][0], "en over code elsewhere", row["source_id"], supported=False)


def reworded(file: Path, data: Path) -> Iterator[Pair]:
    """Sentences in other words over their section of a document, and over another one of it."""
    for line in rows(file):
        place = Path(__file__).parents[1] / line["document"]
        text = (place if place.exists() else data / line["document"]).read_text(encoding="utf-8")
        title, *sections = re.split(r"(?m)^(?=##|第[一二三四五六七八九十]+条)", text)
        own = next(at for at, one in enumerate(sections) if line["section"] in one.split("\n")[0][:40])
        other = max((at for at in range(len(sections)) if at != own), key=lambda at: (at * 7 + own * 3) % 11)
        told, heading = line["paraphrase"], title.split("\n")[0].lstrip("# ")
        kind = f"{language_of(told)} in other words"
        if language_of(told) != language_of(sections[own]):
            kind = f"{kind}, across"
        for supported, at, sentence in [
            (True, own, told),
            (False, other, told),
            *((False, own, one) for one in line["altered"]),
        ]:
            of = kind if supported else f"{kind}, altered" if at == own else f"{kind}, elsewhere"
            one = pair(sentence, f"{heading}\n\n{sections[at].strip()}", of, line["document"], supported=supported)
            yield replace(one, part="reported") if told_of(line["document"]) & kept_back() else one


@cache
def kept_back() -> frozenset[str]:
    """The documents of the claims' report part."""
    return frozenset(one.source for one in read_all(CLAIMS, part="report"))


def told_of(document: str) -> frozenset[str]:
    """What the claims may call a document: by its name, without the date of a law."""
    return frozenset({Path(document).stem, Path(document).stem.partition("(")[0]})


def labelled() -> Iterator[Pair]:
    """The claims of the calibration part; those to the letter are never asked about."""
    for one in read_all(CLAIMS, part="calibration"):
        if one.kind == "literal" or len(sentences(one.claim)) > 1:
            continue
        of = f"{one.form} {one.kind}" if one.supported else one.kind if one.kind == "near" else "altered"
        told = pair(one.claim, one.document, f"claims: {one.language} {of}", one.source, supported=one.supported)
        yield replace(told, part="crossed")


def language_of(text: str) -> str:
    """zh or en."""
    return "zh" if len(re.findall(r"[\u4e00-\u9fff]", text)) > len(text) / 5 else "en"


def agrees(one: Pair) -> bool:
    """Do the figures, names and polarity of the pair agree, so that the model is asked at all?"""
    return check_sentence(one.asked.sentence, one.asked.passages).reason in {"ok", "low_overlap"}


def verified(file: Path) -> Iterator[Pair]:
    """Claims of scifact_verify: reported, never fitted on."""
    for row in rows(file):
        kind, told = f"scifact {row['label']}", " ".join(row["sentences"])
        one = pair(row["claim"], told, kind, row["doc_id"], supported=row["label"] == "SUPPORT")
        yield replace(one, part="reported")


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return [text[start:end] for start, end in split_sentences(text)]


def table(names: Sequence[str], found: Sequence[dict[str, float]]) -> np.ndarray:
    """Features as columns, the constant last."""
    return np.array([[*(row[name] for name in names), 1.0] for row in found])


def fitted(pairs: Sequence[Pair], found: Sequence[dict[str, float]]) -> Weights:
    """A logistic regression by Newton's method; every kind of a side counts the same."""
    names = list(found[0])
    data, labels = table(names, found), np.array([float(one.supported) for one in pairs])
    means, deviations = data.mean(axis=0), data.std(axis=0)
    means[-1], deviations[-1] = 0.0, 1.0
    data = (data - means) / np.where(deviations == 0, 1, deviations)
    counts = importance(pairs)
    weights = np.zeros(len(names) + 1)
    penalty = RIDGE * np.eye(len(weights))
    penalty[-1, -1] = 1e-9
    for _ in range(60):
        chance = 1 / (1 + np.exp(-data @ weights))
        slope = data.T @ (counts * (labels - chance)) - penalty @ weights
        curvature = (data * (counts * chance * (1 - chance))[:, None]).T @ data + penalty
        weights = weights + np.linalg.solve(curvature, slope)
    rounded = {
        name: Weight(round(float(m), 4), round(float(d) or 1.0, 4), round(float(w), 4))
        for name, m, d, w in zip(names, means, deviations, weights, strict=False)
    }
    return {**rounded, "": Weight(0.0, 1.0, round(float(weights[-1]), 4))}


def importance(pairs: Sequence[Pair]) -> np.ndarray:
    """How much each pair counts."""
    kinds = [(one.supported, one.kind) for one in pairs]
    sizes = {kind: kinds.count(kind) for kind in set(kinds)}
    sides = {side: sum(1 for kind in sizes if kind[0] == side) for side in (True, False)}
    shares = {True: SUPPORTED_SHARE, False: 1 - SUPPORTED_SHARE}
    often = np.array([often_counted(one) for one in pairs])
    return often * [len(pairs) * shares[kind[0]] / sides[kind[0]] / sizes[kind] for kind in kinds]


def often_counted(pair: Pair) -> float:
    """How many kinds a pair's kind counts as."""
    if pair.part == "crossed":
        return CLAIMS_COUNT
    return HALVES_COUNT if pair.kind.endswith(" half") else 1.0


def crossed(pairs: Sequence[Pair], found: Sequence[dict[str, float]], weights: Weights) -> np.ndarray:
    """The score of each pair by weights that were fitted without its document."""
    scores = np.array([probability(weights, row) for row in found])
    for left_out in range(FOLDS):
        held = [one.part == "crossed" and one.hashed % FOLDS == left_out for one in pairs]
        rest = [at for at, one in enumerate(pairs) if one.fitting and not held[at]]
        without = fitted([pairs[at] for at in rest], [found[at] for at in rest])
        for at in np.flatnonzero(held):
            scores[at] = probability(without, found[at])
    return scores


def report(pairs: Sequence[Pair], scores: np.ndarray) -> None:
    """Per kind, how many of its pairs pass, and the reliability of the score."""
    labels = np.array([one.supported for one in pairs])
    for kind in sorted({one.kind for one in pairs}):
        of = np.array([one.kind == kind for one in pairs])
        passed = float((scores[of] >= SUPPORTED).mean())
        deciles = np.percentile(scores[of], (10, 50, 90)).round(2).tolist()
        print(f"{kind:32} {'supported' if labels[of].all() else 'not':9} {of.sum():4} pass {passed:.2f} {deciles}")
    counts = importance(pairs)
    for low in np.arange(0, 1, 0.2):
        of = (scores >= low) & (scores < low + 0.2001)
        if of.any():
            told = float((labels * counts)[of].sum() / counts[of].sum())
            print(f"score {low:.1f} to {low + 0.2:.1f}: {of.sum():4} pairs, supported {told:.2f}")


def curve(pairs: Sequence[Pair], scores: np.ndarray) -> None:
    """What each threshold would stop of the labelled claims whose facts agree, and how well the score parts them."""
    of = {
        name: np.array([s for one, s in zip(pairs, scores, strict=True) if re.match(f"claims: .* {name}$", one.kind)])
        for name in ("close paraphrase", "free paraphrase", "near", "altered")
    }
    told = np.concatenate([of["close paraphrase"], of["free paraphrase"]])
    for name in ("near", "altered"):
        apart = told[:, None] - of[name]
        print(f"AUC of paraphrases and {name}: {float((apart > 0).mean() + (apart == 0).mean() / 2):.3f}")
    for least in np.arange(0.1, 0.95, 0.1):
        print(f"below {least:.1f}:", {name: f"{float((found < least).mean()):.2f}" for name, found in of.items()})


def main() -> None:
    """Fit and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--cache", type=Path, help="an .npz file with the vectors, made if it is not there")
    parser.add_argument("--fewer", type=int, default=1, help="one part in so many of the pairs")
    given = parser.parse_args()
    draw, few = random.Random(7), given.fewer
    pairs = [
        *answered(given.data / "cmrc2018", draw, 160 // few),
        *answered(given.data / "drcd", draw, 100 // few),
        *parallel(given.data / "train_pairs" / "xquad.jsonl", draw, 120 // few),
        *concluded(given.data / "train_pairs" / "pubmedqa.jsonl", draw, 100 // few),
        *documented(given.data / "train_pairs" / "python_code.jsonl", draw, 120 // few),
        *reworded(Path(__file__).with_name("support_pairs.jsonl"), given.data),
        *labelled(),
        *verified(given.data / "scifact_verify" / "pairs.jsonl"),
    ]
    pairs = [one for one in pairs if agrees(one)]
    fitting = [one for one in pairs if one.fitting]
    embed = Kept(given.cache)
    model = LocalSupport(embed, means_of(fitting, embed))
    found = [model.features([one.asked])[0] for one in pairs]
    embed.keep()
    weights = fitted(fitting, [row for one, row in zip(pairs, found, strict=True) if one.fitting])
    print("LOCAL_WEIGHTS =", {name: tuple(weight) for name, weight in weights.items()})
    scores = crossed(pairs, found, weights)
    shown = [at for at, one in enumerate(pairs) if one.part == "crossed" or not one.fitting]
    report([pairs[at] for at in shown], scores[shown])
    curve(pairs, scores)


class Kept:
    """The packaged embedder; with a file, vectors are kept between runs."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._embed = LocalEmbeddings().embed_documents
        self._known: dict[str, np.ndarray] = {}
        if file is not None and file.exists():
            stored = np.load(file)
            self._known = dict(zip(stored["texts"].tolist(), stored["vectors"], strict=True))

    def __call__(self, texts: list[str]) -> list[list[float]]:
        """See `Embed`."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known |= dict(zip(new, np.asarray(self._embed(new), np.float32), strict=True))
        return [self._known[text].tolist() for text in texts]

    def keep(self) -> None:
        """Write the file."""
        if self._file is not None:
            np.savez(self._file, texts=np.array(list(self._known)), vectors=np.array(list(self._known.values())))


def means_of(pairs: Sequence[Pair], embed: Kept) -> dict[Script, np.ndarray]:
    """The mean of sentences and claims of each language, which is written into the package."""
    texts: dict[Script, list[str]] = {language: [] for language in MEANS_OF}
    for one in pairs:
        for text in (
            one.asked.sentence,
            *(found for whole in one.asked.passages for found in passage_sentences(whole)),
        ):
            texts[script(text)].append(text)
    means = {of: np.mean(embed(found), axis=0, dtype=np.float32) for of, found in texts.items()}
    target = Path(__file__).parents[1] / "stores" / "embeddings" / "e5_small_zh_en" / MEANS_FILE
    np.save(target, np.array([means[language] for language in MEANS_OF], dtype=np.float32))
    return means


if __name__ == "__main__":
    main()
