"""Comparing: the weight is chosen on trained sets only, and the rule looks at the unseen ones."""

from eval.metrics import ndcg_at
from stores.documents.document import Chunk, Hit, Location
from stores.rerankers.combination import Weights
from training.candidates import Question
from training.compare import RANKINGS, Judged, chosen, markdown, report, ships


def judged(calibrated: list[float], fused: list[float], scores: list[float], right: int) -> Judged:
    hits = [
        Hit(
            chunk=Chunk(
                chunk_id=str(i), document_id="d", position=0, text=f"text {i}", start=0, end=6, kind="prose",
                language="en", location=Location(), context="",
            ),
            title="t", path="p", score=score, source="both", fused_score=fusion,
        )
        for i, (score, fusion) in enumerate(zip(calibrated, fused, strict=True))
    ]  # fmt: skip
    question = Question(query="q", relevant={str(right): 1.0}, hits=hits)
    return Judged(question=question, scores=scores, missing=[0.0] * len(scores))


HELPED = judged([0.6, 0.5], [0.02, 0.01], [-2.0, 2.0], right=1)
MISLED = judged([0.6, 0.5], [0.02, 0.01], [-2.0, 2.0], right=0)


def test_every_ranking_is_measured():
    values = HELPED.values(Weights(cross_encoder=1.0, missing=0.0))
    second = ndcg_at(10)(["0", "1"], {"1": 1.0})
    assert values == dict(zip(RANKINGS, (second, second, 1.0, 1.0), strict=True))


def test_the_weight_is_chosen_on_trained_sets_and_no_other():
    assert chosen({"stard_zh": [HELPED], "cranfield": [MISLED]}).cross_encoder > 0
    assert chosen({"stard_zh": [MISLED], "cranfield": [HELPED]}) == Weights(cross_encoder=0.0, missing=0.0)


def test_a_model_ships_only_if_unseen_sets_gain_and_no_set_falls_below_the_fused_order():
    weights = Weights(cross_encoder=1.0, missing=0.0)
    good = report({"stard_zh": [HELPED], "cranfield": [HELPED]}, weights)
    assert ships(good)
    assert not ships(report({"stard_zh": [MISLED], "cranfield": [HELPED]}, weights))
    assert not ships(report({"stard_zh": [HELPED], "cranfield": [HELPED], "rgb_zh_retrieval": [MISLED]}, weights))
    assert "| cranfield (unseen) | 1 | 0.631 | 0.631 | 1.000 | 1.000 | +0.369" in markdown(good)
