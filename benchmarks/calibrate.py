"""Fits the constants of stores/documents/calibration.py: python benchmarks/calibrate.py DATA_DIR [--cache DIR].

Questions with known answers, over corpora of 12 to about 2,500 passages; the same corpora asked questions of another
subject, and gibberish. Prints the constants and what they do, and writes the mean passages of each language.
"""

import argparse
import gzip
import json
import random
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from stores.documents.across import ACROSS_POOL, MEANS_OF, Background, crossed, is_chinese, moved_to
from stores.documents.calibration import FEATURES, Candidate, features
from stores.documents.chunking import language_of
from stores.documents.document import Language
from stores.documents.entry import IndexEntry
from stores.documents.filters import Filter
from stores.documents.fusion import rrf_scores
from stores.documents.keywords import KeywordIndex
from stores.documents.retrievers import Leg
from stores.embeddings.local import LocalEmbeddings

SIZES = {
    "financebench_pages": (168, 84), "cranfield": (1398, 112), "stard_zh": (1200, 160), "cosqa": (1200, 160),
    "scifact": (600, 120), "rgb_zh_retrieval": (1400, 120), "cmrc2018": (300, 100), "drcd": (300, 100),
}  # fmt: skip
"""Passages (at least) and questions taken of each set."""
UNSEEN = frozenset({"financebench_pages", "rgb_zh_retrieval"})
"""Sets whose licence excludes commercial use: nothing is fitted on them, so they show how the fit generalises."""
LANGUAGES: dict[str, Language] = {
    "stard_zh": "zh", "rgb_zh_retrieval": "zh", "cmrc2018": "zh", "drcd": "zh", "cosqa": "code",
}  # fmt: skip
PARALLEL = "xquad"
"""The same paragraphs in Chinese and English, asked in both: where question and answer differ in language."""
OFF_TOPIC = (
    "今天天气怎么样？", "what's the weather today?", "给我讲个笑话", "tell me a joke", "who won the world cup in 1998?",
    "如何做红烧肉？", "how do I bake sourdough bread?", "推荐几部科幻电影", "best hotels in Paris",
    "iPhone 15 价格是多少",
    "asdf qwer", "zxcv hjkl uiop", "qwertyuiop", "啊啊啊啊", "阿斯顿发送到", "嗯嗯哦哦哈", "xkcd1234 9999",
)  # fmt: skip
THRESHOLD = 0.7
NEIGHBOURS = 5
FOREIGN_WEIGHT = 3.0
"""An answer to a question that has none does more harm than a missed one."""


@dataclass(frozen=True)
class Set:
    """A labelled set: passages and questions with their vectors."""

    name: str
    texts: dict[str, tuple[str, str]]
    languages: dict[str, Language]
    questions: list[tuple[str, dict[str, float]]]
    passages: np.ndarray
    queries: np.ndarray


@dataclass(frozen=True)
class Task:
    """One question asked of one corpus: its candidates' features, and which of them are right."""

    group: tuple[str, str]
    """The set, and whether the corpus is large or tiny."""
    kind: str
    """answerable, cross-language, off-topic, off-topic cross-language, gibberish."""
    local: np.ndarray
    any: np.ndarray
    local_met: np.ndarray
    any_met: np.ndarray
    ids: list[str]
    legs: tuple[Leg, Leg]
    relevant: dict[str, float]

    @property
    def labels(self) -> np.ndarray:
        """1 for the right ones."""
        return np.array([float(one in self.relevant) for one in self.ids])


def rows(path: Path) -> list[dict[str, object]]:
    """A JSON Lines file, gzipped or not."""
    if not path.exists():
        path = path.with_name(path.name + ".gz")
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def load_beir(folder: Path, cache: Path) -> Set:
    """A sample of a BEIR folder that holds every right passage of its questions."""
    name = folder.name
    passages, asked = SIZES[name]
    draw = random.Random(7)
    text = {row["_id"]: row["text"] for row in rows(folder / "queries.jsonl")}
    relevant: dict[str, dict[str, float]] = {}
    for line in (folder / "qrels" / "test.tsv").read_text().splitlines()[1:]:
        query, document, grade = line.split("\t")
        if float(grade) > 0 and query in text:
            relevant.setdefault(query, {})[document] = float(grade)
    chosen = sorted(relevant)
    draw.shuffle(chosen)
    chosen = chosen[:asked]
    corpus = {row["_id"]: (row.get("title") or "", row["text"]) for row in rows(folder / "corpus.jsonl")}
    right = list(dict.fromkeys(one for query in chosen for one in relevant[query] if one in corpus))
    others = sorted(set(corpus) - set(right))
    draw.shuffle(others)
    kept = (right + others)[: passages if name == "financebench_pages" else max(passages, len(right) + 200)]
    draw.shuffle(kept)
    texts = {one: corpus[one] for one in kept}
    questions = [(text[query], relevant[query]) for query in chosen]
    code = LANGUAGES.get(name) == "code"
    languages: dict[str, Language] = {
        one: "code" if code else language_of(" ".join(pair), "prose") for one, pair in texts.items()
    }
    return embedded(name, texts, languages, questions, cache)


def load_parallel(file: Path, cache: Path) -> Set:
    """Paragraphs in both languages; a paragraph and its translation are right for a question of either."""
    pairs = rows(file)
    by_id: dict[str, dict[str, str]] = {"en": {}, "zh": {}}
    for row in pairs:
        by_id[row["lang_positive"]].setdefault(row["source_id"].split(":")[1], row["positive"])
    both = sorted({(by_id["en"][one], by_id["zh"][one]) for one in by_id["en"].keys() & by_id["zh"].keys()})
    draw = random.Random(5)
    draw.shuffle(both)
    texts = {
        f"{language}{i}": ("", text)
        for i, pair in enumerate(both[:130])
        for language, text in zip(("en", "zh"), pair, strict=True)
    }
    found = {text: one for one, (_, text) in texts.items()}
    right: dict[str, set[str]] = {}
    for row in pairs:
        if row["positive"] in found:
            number = found[row["positive"]][2:]
            right.setdefault(row["query"], set()).update((f"en{number}", f"zh{number}"))
    asked = sorted(right)
    draw.shuffle(asked)
    questions = [(query, dict.fromkeys(right[query], 1.0)) for query in asked[:160]]
    languages: dict[str, Language] = {one: "zh" if one.startswith("zh") else "en" for one in texts}
    return embedded(PARALLEL, texts, languages, questions, cache)


def part_of(whole: Set, language: Language) -> Set:
    """The passages of one language, asked everything."""
    kept = [i for i, one in enumerate(whole.texts) if whole.languages[one] == language]
    names = list(whole.texts)
    texts = {names[i]: whole.texts[names[i]] for i in kept}
    questions = [(query, {one: 1.0 for one in right if one in texts}) for query, right in whole.questions]
    return Set(f"{whole.name}_{language}", texts, whole.languages, questions, whole.passages[kept], whole.queries)


def embedded(
    name: str,
    texts: dict[str, tuple[str, str]],
    languages: dict[str, Language],
    questions: list[tuple[str, dict[str, float]]],
    cache: Path,
) -> Set:
    """The set with its vectors, from the cache if they are there."""
    file = cache / f"{name}.npz"
    if not file.exists():
        model = LocalEmbeddings()
        passages = model.embed_documents(["\n".join(filter(None, pair)) for pair in texts.values()])
        queries = [model.embed_query(query) for query, _ in questions]
        np.savez(file, E=np.array(passages, np.float32), Q=np.array(queries, np.float32))
    stored = np.load(file)
    return Set(name, texts, languages, questions, stored["E"], stored["Q"])


Columns = Callable[[Task], np.ndarray]
"""Which of a task's feature tables to read."""
Asked = tuple[str, np.ndarray, dict[str, float], str]
"""Question, vector, right passages, the language it is of or `gibberish`."""


def tasks_of(
    corpus: Set, ids: Sequence[str], size: str, asked: Sequence[Asked], means: dict[Language, np.ndarray]
) -> Iterator[Task]:
    """Ask all questions of a part of a set's passages."""
    places = {one: i for i, one in enumerate(corpus.texts)}
    vectors = corpus.passages[[places[one] for one in ids]]
    with tempfile.TemporaryDirectory() as folder:
        index = KeywordIndex.open(Path(folder))
        index.add(
            IndexEntry(
                chunk_id=one,
                document_id=one,
                owner="o",
                collection="c",
                text=corpus.texts[one][1],
                context=corpus.texts[one][0],
            )
            for one in ids
        )
        index.commit()
        for query, vector, right, kind in asked:
            cosines = dict(zip(ids, (vectors @ vector).tolist(), strict=True))
            keyword = Leg("keyword", dict(index.search(query, within=Filter(owners=("o",)), limit=100)))
            nearest = sorted(cosines, key=lambda one: -cosines[one])[:100]
            leg = Leg("vector", {one: cosines[one] for one in nearest})
            fused = rrf_scores([keyword, leg])
            moved = dict(zip(ids, (vectors @ moved_to(query, vector, means)).tolist(), strict=True))
            top = sorted(fused, key=lambda one: -fused[one])[:50]
            top += [
                one
                for one in sorted(moved, key=lambda one: -moved[one])[:ACROSS_POOL]
                if one not in top and crossed(query, corpus.languages[one])
            ]
            bm25 = index.scores(query, top)
            candidates = [
                Candidate(
                    passage="\n".join(filter(None, corpus.texts[one])), language=corpus.languages[one],
                    bm25=bm25.get(one, 0.0), cosine=cosines[one], across=moved[one],
                )
                for one in top
            ]  # fmt: skip
            background = Background.of(query, vector, means)
            known = index.document_frequencies
            local, local_met = features(query, candidates, frequencies=known, background=background)
            any_, any_met = features(query, candidates, frequencies=known, background=None)
            yield Task(
                (corpus.name, size),
                kind,
                local,
                any_,
                local_met,
                any_met,
                top,
                (keyword, leg),
                right,
            )
        index.close()


def all_tasks(sets: Sequence[Set], means: dict[Language, np.ndarray]) -> list[Task]:
    """Every set, whole and in tiny corpora, asked its own questions and foreign ones."""
    model, draw, made = LocalEmbeddings(), random.Random(11), []
    noise = [
        "".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=6)) + " " + "".join(draw.choices("qrstuvwxyzaeiou", k=5))
        for _ in range(8)
    ]
    noise += ["".join(chr(draw.randint(0x4E00, 0x8FFF)) for _ in range(5)) for _ in range(6)]
    gibberish = [(text, np.array(model.embed_query(text)), {}, "gibberish") for text in (*OFF_TOPIC, *noise)]
    for one in sets:
        chinese = LANGUAGES.get(one.name) == "zh" or one.name == f"{PARALLEL}_zh"
        own: list[Asked] = []
        for (query, right), vector in zip(one.questions, one.queries, strict=True):
            mixed = one.name == PARALLEL
            own.append((query, vector, right, "answerable" if mixed or is_chinese(query) == chinese else "cross"))
        foreign: list[Asked] = []
        for other in sets:
            if other.name.split("_")[0] == one.name.split("_")[0] or other.name == f"{PARALLEL}_en":
                continue
            for i in draw.sample(range(len(other.questions)), 10):
                query = other.questions[i][0]
                kind = "off_topic" if is_chinese(query) == chinese else "off_topic_cross"
                foreign.append((query, other.queries[i], {}, kind))
        made += tasks_of(one, list(one.texts), "large", [*own, *foreign, *gibberish], means)
        for number in range(8):
            some = draw.sample(own, 6)
            ids = list(dict.fromkeys(d for _, _, right, _ in some for d in list(right)[:2] if d in one.texts))
            spare = [d for d in draw.sample(list(one.texts), 60) if d not in ids]
            ids = sorted(ids + spare[: max(0, (12, 25, 50)[number % 3] - len(ids))])
            known = [(q, v, {d: g for d, g in right.items() if d in ids}, kind) for q, v, right, kind in some]
            made += tasks_of(one, ids, "tiny", [*known, *draw.sample(foreign, 14), *draw.sample(gibberish, 8)], means)
        print(one.name, len(made), flush=True)
    return [task for task in made if task.ids]


def importance(task: Task) -> np.ndarray:
    """How much each candidate counts: right and wrong ones alike; of an unanswerable question the likeliest most."""
    labels = task.labels
    if labels.any():
        return np.where(labels > 0, 1 / labels.sum(), 1 / max(1.0, (1 - labels).sum()))
    tempting = np.argsort(-(task.local[:, 0] + task.local[:, 1]))
    shares = np.full(len(labels), 0.2 / len(labels))
    shares[tempting[:NEIGHBOURS]] += 0.4 / min(len(labels), NEIGHBOURS)
    return FOREIGN_WEIGHT * shares


def fitted(tasks: Sequence[Task], columns: Columns, ridge: float = 0.01) -> np.ndarray:
    """Weights of a logistic regression, by Newton's method."""
    data = np.concatenate([columns(task) for task in tasks])
    labels = np.concatenate([task.labels for task in tasks])
    counts = np.concatenate([importance(task) for task in tasks])
    penalty = ridge * counts.sum() / 1000 * np.eye(data.shape[1])
    penalty[-1, -1] = 1e-9
    weights = np.zeros(data.shape[1])
    for _ in range(40):
        chance = 1 / (1 + np.exp(-data @ weights))
        slope = data.T @ (counts * (labels - chance)) - penalty @ weights
        curvature = (data * (counts * chance * (1 - chance))[:, None]).T @ data + penalty
        weights = weights + np.linalg.solve(curvature, slope)
    return weights


def ndcg(ranking: Sequence[str], relevant: dict[str, float]) -> float:
    """nDCG@10 with gains 2^grade - 1."""
    gain = sum((2 ** relevant.get(one, 0) - 1) / np.log2(i + 2) for i, one in enumerate(ranking[:10]))
    best = sum((2**grade - 1) / np.log2(i + 2) for i, grade in enumerate(sorted(relevant.values(), reverse=True)[:10]))
    return float(gain / best)


def report(tasks: Sequence[Task], columns: Columns, met: Columns, weights: np.ndarray) -> None:
    """nDCG@10 of every ranking, the share of questions whose answer passes, and of foreign ones where any hit does."""
    figures: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for task in tasks:
        scores = 1 / (1 + np.exp(-np.maximum(columns(task) @ weights, met(task) @ weights)))
        order = np.argsort(-scores, kind="stable")
        of = figures[task.group]
        if task.kind not in {"answerable", "cross"}:
            of[task.kind].append(float(scores.max() >= THRESHOLD))
        elif task.relevant:
            keyword, vector = task.legs
            rankings = {
                "keyword": list(keyword.scores),
                "vector": list(vector.scores),
                "rrf": task.ids,
                "ours": [task.ids[i] for i in order],
            }
            for name, ranking in rankings.items():
                of[f"{task.kind} {name}"].append(ndcg(ranking, task.relevant))
            passed = [task.ids[i] in task.relevant and scores[i] >= THRESHOLD for i in order[:5]]
            of[f"{task.kind} passed"].append(float(any(passed)))
            of[f"{task.kind} top5"].append(float(any(task.ids[i] in task.relevant for i in order[:5])))
    for group, of in sorted(figures.items()):
        print(*group, {name: round(float(np.mean(values)), 3) for name, values in sorted(of.items())})


def folders(purpose: str) -> tuple[Path, Path]:
    """The data's folder and the cache's, from the command line."""
    parser = argparse.ArgumentParser(description=purpose)
    parser.add_argument("data", type=Path)
    parser.add_argument("--cache", type=Path, default=None, help="where vectors are kept between runs")
    given = parser.parse_args()
    return given.data, given.cache or Path(tempfile.mkdtemp())


def main() -> None:
    """Fit and report."""
    data, cache = folders(__doc__ or "")
    parallel = load_parallel(data / "train_pairs" / f"{PARALLEL}.jsonl", cache)
    sets = [load_beir(data / name, cache) for name in SIZES]
    fitting = [one for one in sets if one.name not in UNSEEN]
    means = {
        language: np.mean(
            [one.passages.mean(axis=0) for one in fitting if LANGUAGES.get(one.name, "en") == language], axis=0
        )
        for language in MEANS_OF
    }
    target = Path(__file__).parents[1] / "stores" / "embeddings" / "e5_small_zh_en" / "background.npy"
    np.save(target, np.array([means[language] for language in MEANS_OF], dtype=np.float32))
    tasks = all_tasks([*sets, parallel, part_of(parallel, "zh"), part_of(parallel, "en")], means)
    tables: tuple[tuple[str, Columns, Columns], ...] = (
        ("LOCAL_WEIGHTS", lambda task: task.local, lambda task: task.local_met),
        ("ANY_WEIGHTS", lambda task: task.any, lambda task: task.any_met),
    )
    for name, columns, met in tables:
        weights = fitted([task for task in tasks if task.group[0] not in UNSEEN], columns)
        print(name, "=", {feature: round(float(weight), 3) for feature, weight in zip(FEATURES, weights, strict=True)})
        report(tasks, columns, met, weights)


if __name__ == "__main__":
    main()
