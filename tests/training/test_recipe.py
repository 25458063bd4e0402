"""The recipe at small scale: data, training with a restart, export, scores."""

import json
import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

from stores.rerankers.scorer import PairScorer  # noqa: E402
from training.check import PAIRS, distance, written  # noqa: E402
from training.encoder import CrossEncoder, from_embedder  # noqa: E402
from training.errors import TrainingError  # noqa: E402
from training.examples import Example, pair_examples, read_examples, write_examples  # noqa: E402
from training.export import exported  # noqa: E402
from training.loop import CHECKPOINT, Plan, Progress, rate_share, steps, train  # noqa: E402
from training.negatives import mined  # noqa: E402
from training.packaged import FOLDER, MODEL, tokenizer  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.training]
LAYERS = 2
THINGS = (
    "fox",
    "whale",
    "河流",
    "lantern",
    "茶壶",
    "violin",
    "glacier",
    "图书馆",
    "anchor",
    "meadow",
    "铁路",
    "harbour",
)


@pytest.fixture(scope="module")
def examples(tmp_path_factory) -> list[Example]:
    """Through the files, as in earnest: pairs in, mined examples out."""
    folder = tmp_path_factory.mktemp("data")
    rows = [
        {"query": f"room number of the {one}", "positive": f"The {one}: room number {i}.", "lang_query": "en",
         "lang_positive": "en"}
        for i, one in enumerate(THINGS)
    ]  # fmt: skip
    (folder / "toy.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    write_examples(folder / "examples.gz", mined(pair_examples(folder / "toy.jsonl"), {}))
    return read_examples(folder / "examples.gz")


def plan(**more) -> Plan:
    small = {"pairs": 1_000, "sorted_lists": 8, "warmup_steps": 3, "rate": 5e-4, "head_rate": 5e-3}
    return Plan(shares={"toy": 1.0}, **small | more)


def encoder() -> CrossEncoder:
    return from_embedder(MODEL, LAYERS)


@pytest.fixture(scope="module")
def trained(examples, tmp_path_factory):
    """An encoder that has run through the plan, and where."""
    torch.manual_seed(0)
    run = tmp_path_factory.mktemp("run")
    model = encoder()
    before = accuracy(model, examples)
    progress = train(model, tokenizer(), examples, plan(), run)
    return model, run, progress, before


def accuracy(model: CrossEncoder, examples: list[Example]) -> float:
    """The share of examples whose right passage has the best score."""
    scorer = PairScorer(exported(model, "fp32"), FOLDER)
    first = [
        int(np.argmax(scorer.score([(one.query, text) for text in (*one.negatives[:4], one.positive)]))) == 4
        for one in examples
    ]
    return sum(first) / len(first)


def test_training_learns_to_put_the_right_passage_first(trained, examples):
    model, _, progress, before = trained
    assert progress.steps == 50 and progress.pairs == 1_000
    assert before == 0  # a head of zeros tells nothing apart
    assert accuracy(model, examples) >= 0.9


def test_a_run_goes_on_where_its_checkpoint_was(examples, tmp_path):
    torch.manual_seed(0)
    halves = [train(encoder(), tokenizer(), examples, plan(pairs=500), tmp_path)]
    again = encoder()
    halves.append(train(again, tokenizer(), examples, plan(), tmp_path))
    assert [one.steps for one in halves] == [25, 50]
    assert accuracy(again, examples) >= 0.9


def test_a_checkpoint_of_another_order_or_size_is_refused(trained, examples, tmp_path):
    _, run, _, _ = trained
    with pytest.raises(TrainingError, match="seed=5"):
        train(encoder(), tokenizer(), examples, plan(seed=6), run)
    with pytest.raises(TrainingError, match="2 layers, not 1"):
        train(from_embedder(MODEL, 1), tokenizer(), examples, plan(), run)


def test_the_steps_are_the_same_again(examples):
    first, again = (steps(examples, plan()) for _ in range(2))
    assert [next(first) for _ in range(20)] == [next(again) for _ in range(20)]


def test_the_rate_rises_then_falls_to_a_floor():
    shares = [rate_share(plan(), Progress(steps=step, pairs=20 * step)) for step in range(51)]
    assert shares[0] < shares[2] and shares[3:] == sorted(shares[3:], reverse=True)
    assert math.isclose(shares[-1], 0.03)


@pytest.mark.parametrize(("weights", "most"), [("fp32", 1e-3), ("q8", 0.3), ("int8", 3.0)])
def test_an_exported_file_scores_like_the_checkpoint(trained, tmp_path, weights, most):
    model, run, _, _ = trained
    told = written(run, tmp_path / "model.onnx", weights, LAYERS)
    assert "after 1000 pairs" in told
    assert distance(model, (tmp_path / "model.onnx").read_bytes()) < most


def test_the_file_leaves_the_embedders_tables_out(trained):
    model, *_ = trained
    assert len(exported(model, "q8")) < 5_000_000


def test_a_score_does_not_depend_on_what_is_scored_beside_it(trained):
    model, *_ = trained
    scorer = PairScorer(exported(model, "q8"), FOLDER)
    together = scorer.score([*PAIRS, ("q", "long " * 150)])
    alone = [scorer.score([pair])[0] for pair in PAIRS]
    assert together[:-1] == pytest.approx(alone, abs=1e-4)
    assert scorer.score([]) == []


def test_what_cannot_be_exported_says_so(trained, tmp_path):
    _, run, _, _ = trained
    with pytest.raises(TrainingError, match=r"choose from fp32, q8, int8"):
        written(run, tmp_path / "x", "q3", LAYERS)
    with pytest.raises(TrainingError, match=rf"holds no {CHECKPOINT}"):
        written(tmp_path, tmp_path / "x", "q8", LAYERS)


def test_the_untrained_encoder_reads_as_the_embedder_does():
    from stores.embeddings.local import LocalEmbeddings
    from stores.rerankers.pairs import padded

    model = from_embedder(MODEL, 12)
    seen = []
    model.head.register_forward_pre_hook(lambda _module, given: seen.append(given[0]))
    texts = ["过滤器和拦截器", "how does a filter work"]
    rows = [[0, *tokenizer().encode(f"query: {text}", add_special_tokens=False).ids, 2] for text in texts]
    ids, mask = padded(rows)
    with torch.no_grad():
        model(torch.from_numpy(ids), torch.from_numpy(mask))
    mean = seen[0].numpy()
    own = mean / np.linalg.norm(mean, axis=1, keepdims=True)
    assert np.allclose(own, [LocalEmbeddings().embed_query(text) for text in texts], atol=1e-5)


def test_every_example_has_enough_negatives(examples):
    assert all(len(one.negatives) >= 4 for one in examples)
    assert all(one.positive not in one.negatives for one in examples)
