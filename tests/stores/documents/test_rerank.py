"""The cross-encoder as a reranker: real scores from a tiny real model, deadlines, and failures by name."""

import asyncio
import math
import time
from pathlib import Path

import pytest
from hits import hit

from stores.documents.rerank import CrossEncoderReranker, RerankFailedError, RerankLateError


class Scripted(CrossEncoderReranker):
    """The same class over a judge that needs no model."""

    def __init__(self, seconds: float = 0.0, **kwargs) -> None:
        super().__init__("scripted", **kwargs)
        self.seconds = seconds
        self.pairs: list[tuple[str, str]] = []
        self.judged = 0
        self._encoder = object()

    def judge(self, pairs):
        self.pairs = list(pairs)
        time.sleep(self.seconds)
        self.judged += 1
        return [len(passage) / 100 for _, passage in pairs]


async def test_scores_come_in_the_order_of_the_hits_and_context_is_read():
    reranker = Scripted()
    assert await reranker.rerank("q", [hit("four"), hit("six six", "title")]) == [0.04, 0.13]
    assert reranker.pairs == [("q", "four"), ("q", "title\nsix six")]


async def test_no_hits_cost_nothing():
    reranker = Scripted(seconds=10)
    assert await reranker.rerank("q", []) == []


async def test_a_late_answer_is_an_error_within_the_deadline_and_the_loop_stays_free():
    reranker = Scripted(seconds=1, deadline_seconds=0.05)
    with pytest.raises(RerankLateError, match=r"scripted took longer than 0\.05 s for 1 passage"):
        await asyncio.gather(reranker.rerank("q", [hit("x")]), asyncio.sleep(0))
    assert reranker.judged == 0
    reranker.close()


async def test_a_model_that_is_not_there_is_a_failure_by_name(tmp_path):
    reranker = CrossEncoderReranker(str(tmp_path / "nowhere"))
    with pytest.raises(RerankFailedError, match="nowhere cannot be loaded"):
        await reranker.rerank("q", [hit("x")])


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> dict[str, Path]:
    """Two tiny cross-encoders with random weights: one logit; two classes."""
    pytest.importorskip("sentence_transformers")
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    made = {}
    for name, labels in (("one", 1), ("two", 2)):
        folder = tmp_path_factory.mktemp(name)
        words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "what", "filter", "apple", "runs", "过", "滤", "器"]
        (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
        torch.manual_seed(3)
        config = BertConfig(
            vocab_size=len(words), hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
            intermediate_size=64, max_position_embeddings=64, num_labels=labels, initializer_range=0.5,
        )  # fmt: skip
        BertForSequenceClassification(config).save_pretrained(folder)
        BertTokenizerFast(vocab=str(folder / "vocab.txt")).save_pretrained(folder)
        made[name] = folder
    return made


def logits(folder: Path, pairs: list[tuple[str, str]]) -> list[list[float]]:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    encoded = tokenizer([a for a, _ in pairs], [b for _, b in pairs], padding=True, return_tensors="pt")
    with torch.no_grad():
        return model(**encoded).logits.tolist()


@pytest.mark.parametrize("name", ["one", "two"])
@pytest.mark.filterwarnings("default")
async def test_a_real_cross_encoder_gives_the_sigmoid_of_its_logits_once(folders, name):
    texts = ["filter runs", "apple", "过滤器"]
    reranker = CrossEncoderReranker(str(folders[name]), deadline_seconds=60)
    scores = await reranker.rerank("what filter", [hit(text) for text in texts])
    raw = logits(folders[name], [("what filter", text) for text in texts])
    expected = [1 / (1 + math.exp(-(one[-1] - one[0] if len(one) > 1 else one[0]))) for one in raw]
    assert scores == pytest.approx(expected, abs=1e-4)
    assert max(scores) - min(scores) > 0.01
    assert all(0 <= score <= 1 for score in scores)
