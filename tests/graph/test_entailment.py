"""A cross-encoder for natural language inference: its entailment class is the score, whatever its place."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graph.entailment import STRETCH, EntailmentSupport, premises
from nodes.citations.features import Asked
from nodes.citations.opinions import SupportFailedError

ASKED = Asked("cats sleep", ("the cats sleep here", "dogs run"))
Make = Callable[..., Path]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Makes a tiny model with random weights and these class names."""
    pytest.importorskip("sentence_transformers", reason="needs the extra sentence-transformers")
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    def make(*labels: str) -> Path:
        place = tmp_path_factory.mktemp("nli")
        words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cats", "sleep", "here", "dogs", "run"]
        (place / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
        torch.manual_seed(3)
        config = BertConfig(
            vocab_size=len(words),
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=16,
            num_labels=len(labels),
            id2label=dict(enumerate(labels)),
            label2id={label: at for at, label in enumerate(labels)},
            initializer_range=1.0,
        )
        BertForSequenceClassification(config).save_pretrained(place)
        BertTokenizerFast(vocab_file=str(place / "vocab.txt")).save_pretrained(place)
        return place

    return make


def classes(folder: Path) -> Any:
    from sentence_transformers import CrossEncoder

    return CrossEncoder(str(folder))


def test_the_class_called_entailment_is_the_score_of_the_best_premise(folder: Make) -> None:
    import torch

    place = folder("contradiction", "entailment", "neutral")
    [score] = EntailmentSupport(str(place)).score([ASKED])
    pairs = [(premise, ASKED.sentence) for premise in premises(ASKED)]
    logits = torch.tensor(classes(place).predict(pairs, activation_fn=torch.nn.Identity()))
    assert score == pytest.approx(float(logits.softmax(dim=1)[:, 1].max()), abs=1e-5)


def test_two_classes_are_told_apart_by_name_and_one_output_is_a_sigmoid(folder: Make) -> None:
    two = EntailmentSupport(str(folder("not_entailment", "entailment"))).score([ASKED, ASKED])
    one = EntailmentSupport(str(folder("score"))).score([ASKED])
    assert two[0] == two[1]
    assert all(0 < score < 1 for score in [*two, *one])


def test_classes_without_a_name_are_refused_with_what_to_do(folder: Make) -> None:
    with pytest.raises(SupportFailedError, match=r"none, or several, called entailment: a, b, c\. Set RECITE_SUPPORT"):
        EntailmentSupport(str(folder("a", "b", "c"))).score([ASKED])


def test_a_model_that_is_not_there_is_a_failure_by_name(tmp_path: Path) -> None:
    with pytest.raises(SupportFailedError, match="nowhere cannot be loaded"):
        EntailmentSupport(str(tmp_path / "nowhere")).score([ASKED])


def test_a_long_passage_is_read_in_stretches_and_short_ones_also_together() -> None:
    long = "".join(f"第{n}句话说的是另外一件事情。" for n in range(300))
    stretches = premises(Asked("x", (long,)))
    assert len(stretches) > 1
    assert all(len(one) <= 2 * STRETCH for one in stretches)
    assert premises(Asked("x", ("a", "b"))) == ["a", "b", "a\nb"]
