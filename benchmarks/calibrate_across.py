"""Fits what stores/documents/calibration.py adds across languages: python benchmarks/calibrate_across.py DATA_DIR.

Three weights of a passage in another language than the question are fitted, the others are taken as they are:
on questions about documentation and Wikipedia whose right passage is in the other language, with passages of both
languages to choose from, and on questions asked of another set's passages. Of each set one half is fitted on, and the
figures are the other half's. `benchmarks/calibrate.py` fits all weights, on other sets, and takes much longer.
"""

import json
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from calibrate import OFF_TOPIC, THRESHOLD, Asked, Set, Task, embedded, folders, importance, is_chinese, rows, tasks_of

from stores.documents.across import means_of
from stores.documents.calibration import FEATURES, LOCAL_WEIGHTS
from stores.embeddings.local import LOCAL_MODEL, LocalEmbeddings

SIZES = {"xquad": 150, "d2l_zh": 120, "debian_handbook": 80, "iotdb_docs": 80, "react_docs": 80}
"""Questions per direction taken of each set of train_pairs."""
ACROSS = ("cross", "closeness_cross", "margin_cross")
"""Not `brief_cross`: sections of documentation are short and right, lines of configuration short and never."""
FOREIGN = 12
"""Questions of every other set asked of a set's passages."""
FOREIGN_WEIGHT = 15.0
"""Times what `importance` says: with as much, no more foreign questions pass than before; with a third of it the right
passages win two in a hundred places more, and an answer from the wrong document with them."""
LONGEST = 900
"""Characters of a passage."""


def load(folder: Path, name: str, cache: Path) -> Set:
    """Questions whose passage is in the other language, and these passages of both languages."""
    draw = random.Random(3)
    pairs = [row for row in rows(folder / f"{name}.jsonl") if row["lang_query"] != row["lang_positive"]]
    draw.shuffle(pairs)
    taken = [row for way in ("zh", "en") for row in [one for one in pairs if one["lang_query"] == way][: SIZES[name]]]
    places: dict[tuple[str, str], str] = {}
    for row in taken:
        places.setdefault((row["lang_positive"], row["positive"][:LONGEST]), f"{name}{len(places)}")
    texts = {one: ("", text) for (_, text), one in places.items()}
    languages = {one: language for (language, _), one in places.items()}
    questions = [
        (row["query"], {places[row["lang_positive"], row["positive"][:LONGEST]]: 1.0})
        for row in taken
        if is_chinese(row["query"]) == (row["lang_query"] == "zh")
    ]
    return embedded(f"across_{name}", texts, languages, questions, cache)


def all_tasks(sets: Sequence[Set]) -> Iterator[Task]:
    """Every set asked its own questions, and some of the others'."""
    means, draw = means_of(LOCAL_MODEL), random.Random(5)
    assert means is not None
    model = LocalEmbeddings()
    chatter: list[Asked] = [(text, np.array(model.embed_query(text)), {}, "off_topic") for text in OFF_TOPIC]
    for one in sets:
        own: list[Asked] = [
            (query, vector, right, "cross") for (query, right), vector in zip(one.questions, one.queries, strict=True)
        ]
        foreign: list[Asked] = [
            (other.questions[i][0], other.queries[i], {}, "off_topic")
            for other in sets
            if other is not one
            for i in draw.sample(range(len(other.questions)), FOREIGN)
        ]
        asked = [*own, *foreign, *chatter]
        draw.shuffle(asked)
        yield from tasks_of(one, list(one.texts), "large", asked, means)


def fitted(tasks: Sequence[Task], weights: Mapping[str, float]) -> dict[str, float]:
    """The weights of `ACROSS` by Newton's method in small steps, all others fixed."""
    columns = [FEATURES.index(name) for name in ACROSS]
    fixed = np.array([0.0 if name in ACROSS else weights[name] for name in FEATURES])
    crossed = [task.local[:, columns[0]] > 0 for task in tasks]
    table = np.concatenate([task.local[mask] for task, mask in zip(tasks, crossed, strict=True)])
    data, offset = table[:, columns], table @ fixed
    labels = np.concatenate([task.labels[mask] for task, mask in zip(tasks, crossed, strict=True)])
    counts = np.concatenate([_counts(task)[mask] for task, mask in zip(tasks, crossed, strict=True)])
    penalty = 1e-5 * counts.sum() * np.eye(len(columns))
    fit = np.array([weights[name] for name in ACROSS])
    for _ in range(200):
        chance = 1 / (1 + np.exp(-np.clip(data @ fit + offset, -30, 30)))
        slope = data.T @ (counts * (labels - chance)) - penalty @ fit
        curvature = (data * (counts * chance * (1 - chance))[:, None]).T @ data + penalty
        step = np.linalg.solve(curvature, slope)
        fit = fit + step / max(1.0, float(np.abs(step).max()))  # a full step may overshoot from far away
    return {name: round(float(one), 3) for name, one in zip(ACROSS, fit, strict=True)}


def _counts(task: Task) -> np.ndarray:
    return importance(task) * (FOREIGN_WEIGHT if task.kind == "off_topic" else 1.0)


def report(tasks: Sequence[Task], weights: Mapping[str, float]) -> None:
    """The share of right passages in the first five and of those that pass; of foreign questions where any passes."""
    values = np.array([weights[name] for name in FEATURES])
    figures: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for task in tasks:
        scores = 1 / (1 + np.exp(-np.maximum(task.local @ values, task.local_met @ values)))
        first = np.argsort(-scores, kind="stable")[:5]
        of = figures[task.group[0]]
        if task.kind == "off_topic":
            of["foreign passed"].append(float(scores.max() >= THRESHOLD))
            continue
        of["candidates"].append(float(any(one in task.relevant for one in task.ids)))
        of["top5"].append(float(any(task.ids[i] in task.relevant for i in first)))
        of["passed"].append(float(any(task.ids[i] in task.relevant and scores[i] >= THRESHOLD for i in first)))
    for name, of in figures.items():
        print(name, {figure: round(float(np.mean(shares)), 3) for figure, shares in of.items()})


def main() -> None:
    """Fit on one half, report on the other, with the weights as they are and as fitted."""
    data, cache = folders(__doc__ or "")
    tasks = list(all_tasks([load(data / "train_pairs", name, cache) for name in SIZES]))
    fit, held = tasks[::2], tasks[1::2]
    print("as it is")
    report(held, LOCAL_WEIGHTS)
    found = fitted(fit, LOCAL_WEIGHTS)
    print(json.dumps(found))
    report(held, {**LOCAL_WEIGHTS, **found})


if __name__ == "__main__":
    main()
