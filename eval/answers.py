"""Measuring answers: cases asked through the graph, and what they come to, by class."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from eval.answering import Outcome, ask
from eval.bootstrap import share
from eval.curve import area, area_interval, band, points, refused_at
from eval.errors import EvaluationError
from eval.given import GivenPassages, passage_id
from eval.material import Tell, kept_apart, open_material
from eval.own_answers import own_cases
from eval.rgb import Case, CaseClass, read_cases
from graph.agent import Agent
from graph.build import compiled
from graph.parts import reranker_for
from graph.services import Services, open_services
from graph.settings import Settings

FALSE_REFUSALS = 0.15
"""Where the curve is read off, so that reports compare."""
CLASSES: tuple[CaseClass, ...] = ("answerable", "integration", "negative", "conflict", "own", "other subject")
_CURVE_POINTS = 200
_SHARES = (0.0, 0.01, 0.02, *(round(0.05 * step, 2) for step in range(1, 21)))
"""False refusals at which the curve is told with its interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersRequest:
    """What to measure: a file of RGB or a folder of them; and documents about another subject, with own questions."""

    source: Path
    other: Path | None = None
    questions: Path | None = None
    limit: int | None = None
    cache: Path


async def measured_answers(request: AnswersRequest, settings: Settings, tell: Tell) -> dict[str, Any]:
    """Ask everything through the graph with the model that the settings name.

    Raises:
        EvaluationError: the cases or the own questions cannot be read.
        SettingsError, StoreError, ModelError: a part that the settings name cannot be used.
    """
    if (request.other is None) != (request.questions is None):
        raise EvaluationError("--other DIR and --questions FILE belong together: documents, and what they answer.")
    cases = read_cases(request.source, limit=request.limit)
    if not cases:
        raise EvaluationError(f"{request.source} holds no question with passages.")
    own = own_cases(request.questions) if request.questions else []
    with TemporaryDirectory(prefix="recite-answers-") as home:
        apart = settings.model_copy(update=kept_apart(Path(home)) | {"memory_extraction": False})
        async with open_services(apart) as services:
            model = services.model_name
            outcomes = await _given(cases, services, request.cache, tell)
        if request.other:
            outcomes += await _others(cases, own, request, apart, tell)
    return report(outcomes, source=request.source.name, model=model, settings=settings)


async def _given(cases: Sequence[Case], services: Services, cache: Path, tell: Tell) -> list[Outcome]:
    """Each case over its own passages, which are all that its search finds."""
    texts = [text for case in cases for text in case.passages]
    reranker = reranker_for(services.settings, model=services.model, hurried=False)
    store = await GivenPassages.open(
        "given", texts, services.embeddings, reranker, cache, lambda done, of: tell("embedding passages", done, of)
    )
    try:
        over = replace(services, documents=store)
        agent = Agent(over, compiled(over, services.checkpointer))
        return [
            await ask(agent, case, [passage_id(text) for text in case.passages])
            async for case in _counted(cases, tell, "asking over given passages")
        ]
    finally:
        await store.close()


async def _others(
    cases: Sequence[Case], own: Sequence[Case], request: AnswersRequest, settings: Settings, tell: Tell
) -> list[Outcome]:
    """The own questions, and every RGB question once, over documents about something else."""
    assert request.other is not None  # noqa: S101 - the caller looked
    foreign = {case.question: case for case in cases}.values()
    asked = [*own, *(_foreign(case) for case in foreign)]
    async with open_material(settings, [request.other], request.cache, tell) as material:
        agent = Agent(material.services, compiled(material.services, material.services.checkpointer))
        return [await ask(agent, case) async for case in _counted(asked, tell, "asking over other documents")]


def _foreign(case: Case) -> Case:
    return replace(
        case, case_id=f"{case.case_id} elsewhere", kind="other subject", passages=(), wrong=(), right=frozenset()
    )


async def _counted(cases: Sequence[Case], tell: Tell, stage: str) -> AsyncIterator[Case]:
    for number, case in enumerate(cases, start=1):
        tell(stage, number, len(cases))
        yield case


def report(outcomes: Sequence[Outcome], *, source: str, model: str, settings: Settings) -> dict[str, Any]:
    """All figures of the outcomes; shares come with their 95 % interval."""
    by_class = {kind: [one for one in outcomes if one.case.kind == kind] for kind in CLASSES}
    answerable = [*by_class["answerable"], *by_class["integration"]]
    negative = by_class["negative"]
    return {
        "source": source,
        "model": model,
        "reranker": settings.reranker,
        "min_score": settings.min_score,
        "questions": len(outcomes),
        "accuracy": _rate([one.right for one in answerable]),
        "refused_negative": _rate([one.refused for one in negative]),
        "refused_answerable": _rate([one.refused for one in answerable]),
        "by_class": {kind: _class(kind, of) for kind, of in by_class.items() if of},
        "by_file": _by_file([*answerable, *negative]),
        "curves": _curves(answerable, negative),
        "cases": [_row(one) for one in outcomes],
    }


def _rate(values: Sequence[bool]) -> float | None:
    return round(mean(values), 4) if values else None


def _class(kind: CaseClass, of: Sequence[Outcome]) -> dict[str, Any]:
    ms = [one.ms for one in of]
    figures: dict[str, Any] = {"questions": len(of), "refused": share([one.refused for one in of])}
    if of[0].case.answerable:
        figures["accuracy"] = share([one.right for one in of])
        figures["partial"] = share([one.status == "partial" for one in of])
    if kind == "conflict":
        figures["named"] = share([one.named for one in of])
    answered = [one for one in of if not one.refused]
    if answered:
        figures["cited"] = share([one.markers > 0 for one in answered])
        figures["unresolved_numbers"] = sum(one.numbers - one.resolved for one in answered)
    cited: int = sum([one.cited for one in answered if one.case.right])
    if cited:
        figures["cites_right"] = round(sum([one.cited_right for one in answered]) / cited, 4)
    return figures | {
        "model_calls": round(mean(one.model_calls for one in of), 2),
        "input_tokens": round(mean(one.input_tokens for one in of), 1),
        "output_tokens": round(mean(one.output_tokens for one in of), 1),
        "latency_ms": {name: round(float(np.percentile(ms, part)), 1) for name, part in (("p50", 50), ("p95", 95))},
    }


def _by_file(outcomes: Sequence[Outcome]) -> dict[str, dict[str, Any]]:
    """Refusal by the file a question stands in: the beginning of its id."""
    files = sorted({_file(one) for one in outcomes})
    found: dict[str, dict[str, Any]] = {}
    for name in files:
        right = [one for one in outcomes if _file(one) == name and one.case.answerable]
        wrong = [one for one in outcomes if _file(one) == name and not one.case.answerable]
        found[name] = {
            "questions": len(right),
            "accuracy": _rate([one.right for one in right]),
            "refused_answerable": _rate([one.refused for one in right]),
            "refused_negative": _rate([one.refused for one in wrong]),
            "curves": _curves(right, wrong, short=True),
        }
    return found


def _file(outcome: Outcome) -> str:
    return outcome.case.case_id.rpartition("-")[0]


def _curves(answerable: Sequence[Outcome], negative: Sequence[Outcome], *, short: bool = False) -> dict[str, Any]:
    """Each score's curve: the search's best calibrated score, and the offline model's own probability."""
    scores: dict[str, Callable[[Outcome], float | None]] = {
        "search": lambda one: one.searched,
        "offline model": lambda one: one.sufficiency,
    }
    found: dict[str, Any] = {}
    for name, of in scores.items():
        right = [value for one in answerable if (value := of(one)) is not None]
        wrong = [value for one in negative if (value := of(one)) is not None]
        if not right or not wrong:
            continue
        found[name] = {
            "auc": round(area(right, wrong), 4),
            "refused_at_15": round(refused_at(right, wrong, FALSE_REFUSALS), 4),
        }
        if not short:
            found[name] |= {
                "auc_interval": area_interval(right, wrong),
                "band": band(right, wrong, _SHARES),
                "points": [[round(v, 4) for v in point] for point in _thinned(points(right, wrong))],
            }
    return found


def _thinned(curve: list[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    step = max(1, len(curve) // _CURVE_POINTS)
    return [*curve[:-1][::step], (1.0, 1.0, 1.0)]


def _row(one: Outcome) -> dict[str, Any]:
    """What a reader needs to see why: the question, what came, the scores."""
    return {
        "id": one.case.case_id,
        "class": one.case.kind,
        "question": one.case.question,
        "status": one.status,
        "right": one.right if one.case.answerable else one.refused,
        "said": one.text,
        "searched": round(one.searched, 4),
        "sufficiency": None if one.sufficiency is None else round(one.sufficiency, 4),
        "ms": round(one.ms, 1),
    }
