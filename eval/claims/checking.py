"""Checking: what the product says about a claim and the passage it cites."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Literal, get_args

from eval.claims.pairs import Label, Pair
from eval.material import Tell
from graph.parts import chat_model, embedder, support_for
from graph.settings import Settings
from nodes.citations.opinions import SupportCheck
from nodes.citations.verdicts import Passage, SentenceVerdict, asked_of, judge
from stores.documents.sentences import split_sentences

Verdict = Literal["supported", "contradicted", "unknown"]

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
RIGHT: dict[Label, Verdict] = {"SUPPORT": "supported", "CONTRADICT": "contradicted", "NOT_ENOUGH_INFO": "unknown"}
CONTRADICTING: frozenset[str] = frozenset({"negation", "opposite", "number_elsewhere"})
"""Reasons that say the passage tells it otherwise; the others say that the passage lacks something."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a checker says of a claim. `score` is 0..1, `reason` and `detail` those of the sentence that failed."""

    verdict: Verdict
    score: float
    reason: str
    detail: str = ""


Checker = Callable[[str, str], Awaitable[Judgement]]
"""Takes a claim and the passage it cites."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A pair with its judgement and the time that took."""

    pair: Pair
    judgement: Judgement
    ms: float

    @property
    def supported(self) -> bool:
        """Whether the claim was let through."""
        return self.judgement.verdict == "supported"

    @property
    def right(self) -> bool:
        """Whether it was let through exactly if the passage supports it."""
        return self.supported == self.pair.supported


async def check_pairs(pairs: Sequence[Pair], checker: Checker, tell: Tell) -> list[Checked]:
    """Judge every pair, in order."""
    checked: list[Checked] = []
    for done, pair in enumerate(pairs):
        tell("checking", done, len(pairs))
        started = perf_counter()
        judgement = await checker(pair.claim, pair.document)
        checked.append(Checked(pair, judgement, (perf_counter() - started) * 1000))
    return checked


async def check_delivered(pairs: Sequence[Pair], settings: Settings, tell: Tell) -> list[Checked]:
    """Judge every pair as a deployment with these settings would; RECITE_SUPPORT says with which model, if any."""
    async with chat_model(settings, embedder(settings)) as (model, _):
        return await check_pairs(pairs, product(support_for(settings, model=model)), tell)


def product(check: SupportCheck) -> Checker:
    """As an answer is checked that gives each sentence of the claim with the document as its only source."""

    async def checker(claim: str, document: str) -> Judgement:
        passages = {1: Passage(number=1, chunk_id="1", text=document, context="")}
        draft, opinions = cited(claim), check.of_draft()
        await opinions.read(asked_of(draft, passages))
        return summed_up(judge(draft, passages, free=(), allow_uncited=False, opinions=opinions))

    return checker


def cited(claim: str) -> str:
    """The claim as a model writes it: a marker behind every sentence."""
    sentences = (claim[start:end].strip() for start, end in split_sentences(claim))
    return "\n".join(f"{sentence} [1]" for sentence in sentences if sentence)


def summed_up(verdicts: Sequence[SentenceVerdict]) -> Judgement:
    """A claim is supported if each of its sentences is. Its score is that of the weakest one."""
    telling = [one for one in verdicts if not one.plain] or list(verdicts)
    failed = [one.support for one in telling if not one.ok]
    score = min((one.support.score for one in telling), default=0.0)
    if telling and not failed:
        return Judgement("supported", score, "ok")
    if not failed:
        return Judgement("unknown", 0.0, "uncited")
    worst = next((one for one in failed if one.reason in CONTRADICTING), failed[0])
    verdict: Verdict = "contradicted" if worst.reason in CONTRADICTING else "unknown"
    return Judgement(verdict, score, worst.reason, worst.detail)
