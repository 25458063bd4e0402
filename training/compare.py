"""Compare: does a cross-encoder make the ranking better, and where? The weight is chosen on trained sets only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import mean
from typing import Any

from eval.bootstrap import interval
from eval.metrics import ndcg_at
from stores.rerankers.combination import Weights, combined, missing_exact
from stores.rerankers.local import standing
from stores.rerankers.scorer import PairScorer
from training.candidates import Question
from training.parts import UNSEEN

CROSS_ENCODER = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0, 1.5, 2.0)
MISSING = (0.0, 0.25, 0.5, 1.0, 2.0)
"""The weights that are tried."""
RANKINGS = ("fused", "combination", "cross-encoder", "combination + cross-encoder")
_NDCG = ndcg_at(10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A question whose best hits a cross-encoder has scored."""

    question: Question
    scores: Sequence[float]
    missing: Sequence[float]

    def values(self, weights: Weights) -> dict[str, float]:
        """nDCG@10 of every ranking."""
        hits = self.question.hits
        shown = len(self.scores)
        ids = [hit.chunk.chunk_id for hit in hits]
        calibrated = standing([hit.score for hit in hits[:shown]])
        both = combined(calibrated, self.scores, self.missing, weights)
        ranked = {
            "fused": _sorted(ids, [hit.fused_score or 0.0 for hit in hits]),
            "combination": ids,
            "cross-encoder": _sorted(ids[:shown], self.scores) + ids[shown:],
            "combination + cross-encoder": _sorted(ids[:shown], both) + ids[shown:],
        }
        return {name: _NDCG(ranking, self.question.relevant) for name, ranking in ranked.items()}


def judged(questions: Sequence[Question], scorer: PairScorer) -> list[Judged]:
    """Let the cross-encoder score the best hits of every question."""
    return [
        Judged(
            question=one,
            scores=scorer.score(one.pairs),
            missing=missing_exact(one.query, [passage for _, passage in one.pairs]),
        )
        for one in questions
    ]


def chosen(sets: Mapping[str, Sequence[Judged]]) -> Weights:
    """The weights with the best mean nDCG@10 over the trained sets, each set counting alike; of equals the smallest."""
    trained = [questions for name, questions in sets.items() if name not in UNSEEN]
    tried = [Weights(*pair) for pair in product(CROSS_ENCODER, MISSING)]
    return max(tried, key=lambda weights: round(mean(_mean(questions, weights) for questions in trained), 4))


def report(sets: Mapping[str, Sequence[Judged]], weights: Weights) -> dict[str, Any]:
    """Figures of every set: each ranking's nDCG@10, and what the cross-encoder adds, with 95 % intervals."""
    return {
        name: _figures([one.values(weights) for one in questions]) | {"trained": name not in UNSEEN}
        for name, questions in sets.items()
    }


def ships(figures: Mapping[str, Mapping[str, Any]]) -> bool:
    """The rule: better with it on the unseen sets together, and on no set below the fused order."""
    unseen = [one for one in figures.values() if not one["trained"]]
    gain = mean(one["over combination"][0] for one in unseen)
    return gain > 0 and all(one["over fused"][0] >= 0 for one in figures.values())


def markdown(figures: Mapping[str, Mapping[str, Any]]) -> str:
    """The figures as a table."""
    lines = [
        f"| set | questions | {' | '.join(RANKINGS)} | over combination | over fused |",
        "|---|" + "---|" * (len(RANKINGS) + 3),
    ]
    for name, one in figures.items():
        values = " | ".join(f"{one[ranking]:.3f}" for ranking in RANKINGS)
        gains = " | ".join(_signed(one[key]) for key in ("over combination", "over fused"))
        kind = "" if one["trained"] else " (unseen)"
        lines.append(f"| {name}{kind} | {one['questions']} | {values} | {gains} |")
    return "\n".join(lines) + "\n"


def _figures(values: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    columns = {name: [one[name] for one in values] for name in RANKINGS}
    ours = columns["combination + cross-encoder"]
    return {
        "questions": len(values),
        **{name: round(mean(column), 4) for name, column in columns.items()},
        "over combination": [round(one, 4) for one in interval(ours, columns["combination"])],
        "over fused": [round(one, 4) for one in interval(ours, columns["fused"])],
    }


def _mean(questions: Sequence[Judged], weights: Weights) -> float:
    return mean(one.values(weights)["combination + cross-encoder"] for one in questions)


def _sorted(ids: Sequence[str], scores: Sequence[float]) -> list[str]:
    """Best first; equal ones keep their order."""
    return [one for one, _ in sorted(zip(ids, scores, strict=True), key=lambda pair: -pair[1])]


def _signed(gain: Sequence[float]) -> str:
    return f"{gain[0]:+.3f} [{gain[1]:+.3f}, {gain[2]:+.3f}]"
