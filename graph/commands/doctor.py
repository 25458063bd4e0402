"""The doctor: configuration, models, index and store health, each with what to do."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal

import typer

from graph.agent import Agent
from graph.commands import shared
from graph.commands.escaping import escape
from graph.console import FAILED, explain, print_json
from graph.errors import SettingsError
from graph.failures import EXPECTED
from graph.models.probe import probe
from graph.parts import reranker_for
from nodes.citations.features import Asked
from nodes.citations.opinions import SupportFailedError
from stores.counting import counted
from stores.documents.document import Chunk, Hit, Location
from stores.documents.rerank import RerankFailedError
from stores.errors import StoreError

State = Literal["ok", "warning", "failed"]
COLOURS: dict[State, str] = {"ok": "green", "warning": "yellow", "failed": "red"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing looked at: how it is, and what to do if it is not well."""

    subject: str
    state: State
    told: str
    advice: str = ""


async def examine(*, as_json: bool) -> None:
    """`recite doctor`: status 1 if anything failed."""
    findings = await _findings()
    if as_json:
        print_json({"findings": [_json(finding) for finding in findings]})
    else:
        for finding in findings:
            shared.out.print(
                f"[{COLOURS[finding.state]}]{finding.state:8}[/] {finding.subject:14} {escape(finding.told)}"
            )
            if finding.advice:
                shared.out.print(f"{'':24}[dim]{escape(finding.advice)}[/dim]")
    if any(finding.state == "failed" for finding in findings):
        raise typer.Exit(FAILED)


def _json(finding: Finding) -> dict[str, Any]:
    return {
        "subject": finding.subject,
        "state": finding.state,
        "told": finding.told,
        "advice": finding.advice,
    }


async def _findings() -> list[Finding]:
    try:
        settings = shared.settings()
    except EXPECTED as error:
        return [Finding(subject="settings", state="failed", told=explain(error))]
    findings = [Finding(subject="settings", state="ok", told=f"data directory {settings.home.absolute()}")]
    try:
        async with shared.agent() as agent:
            findings += [await _looked(look, agent) for look in LOOKS]
    except SettingsError as error:
        return [Finding(subject="settings", state="failed", told=explain(error))]
    except StoreError as error:
        findings.append(Finding(subject="stores", state="failed", told=explain(error)))
    return findings


async def _looked(look: Callable[[Agent], Awaitable[Finding]], agent: Agent) -> Finding:
    try:
        return await look(agent)
    except EXPECTED as error:
        return Finding(subject=look.__name__.strip("_"), state="failed", told=explain(error))


async def _model(agent: Agent) -> Finding:
    settings = agent.services.settings
    if not settings.uses_endpoint:
        return Finding(
            subject="chat model",
            state="ok",
            told=f"{agent.services.model_name}: quotes, does not write",
            advice="Set OPENAI_API_KEY and OPENAI_BASE_URL for a model that writes.",
        )
    found = await probe(agent.services.model)
    where = f"{settings.endpoint_model} at {settings.endpoint_url or 'api.openai.com'}"
    if not found.reachable:
        return Finding(subject="chat model", state="failed", told=f"{where}: {found.error}")
    told = (
        f"{where}: tools {found.tools}, streaming {_yes(found.streaming)}, token counts {_yes(found.usage)}, "
        f"reasoning text {_yes(found.reasoning)}, {found.latency_ms:.0f} ms"
    )
    if found.tools == "yes":
        return Finding(subject="chat model", state="ok", told=told)
    return Finding(
        subject="chat model",
        state="warning",
        told=told,
        advice="Without tool calls only your own question is searched, and no tool runs.",
    )


def _yes(value: bool | None) -> str:
    return "yes" if value else "no"


async def _documents(agent: Agent) -> Finding:
    health = await agent.services.documents.health()
    documents, stale, failed, chunks = (int(str(health[key])) for key in ("documents", "stale", "failed", "chunks"))
    told = f"{counted(documents, 'document')}, {counted(chunks, 'chunk')}"
    if failed:
        told += f"; {counted(failed, 'file')} could not be taken in"
    if stale:
        told += f"; {counted(stale, 'document')} whose file is gone or no longer readable"
    advice = "`recite documents list` says why." if failed or stale else ""
    if health["problem"] is not None:
        return Finding(subject="documents", state="failed", told=f"{told}: {health['problem']}")
    return Finding(subject="documents", state="ok", told=told, advice=advice)


async def _index(agent: Agent) -> Finding:
    health = await agent.services.documents.health()
    parts = {"indexed": health["indexed"], "built with": health["built_with"]}
    told = "; ".join(f"{name}: {_listed(part)}" for name, part in parts.items() if part)
    return Finding(subject="index", state="ok", told=f"{health['state']}; {told}")


def _listed(part: object) -> str:
    return ", ".join(f"{key} {value}" for key, value in part.items()) if isinstance(part, dict) else str(part)


async def _embedder(agent: Agent) -> Finding:
    embeddings = agent.services.embeddings
    vector = await embeddings.aembed_query("doctor")
    return Finding(subject="embedder", state="ok", told=f"{embeddings.name}, {len(vector)} dimensions")


async def _reranker(agent: Agent) -> Finding:
    settings = agent.services.settings
    reranker = reranker_for(settings, model=agent.services.model)
    if reranker is None:
        return Finding(subject="reranker", state="ok", told=f"{settings.reranker}: the calibrated score of both legs")
    started = perf_counter()
    try:
        await reranker.rerank("Which filter runs first?", [_sample("The filter runs first."), _sample("Apples.")])
    except RerankFailedError as error:
        return Finding(
            subject="reranker",
            state="failed",
            told=explain(error),
            advice="Searches go on without it. Mend it, raise RECITE_RERANK_DEADLINE, or set RECITE_RERANKER=local.",
        )
    took = (perf_counter() - started) * 1000
    return Finding(subject="reranker", state="ok", told=f"{settings.reranker}: 2 passages in {took:.0f} ms")


def _sample(text: str) -> Hit:
    chunk = Chunk(
        chunk_id=text,
        document_id="doctor",
        position=0,
        text=text,
        start=0,
        end=len(text),
        kind="prose",
        language="en",
        location=Location(),
        context="",
    )
    return Hit(chunk=chunk, title="doctor", path="doctor", score=0.5, source="both")


async def _support(agent: Agent) -> Finding:
    settings = agent.services.settings
    check = agent.services.support
    asked = Asked("The filter runs first.", ("Of the two, it is the filter that runs before the servlet.",))
    started = perf_counter()
    try:
        if check.judge is not None:
            [score] = (await check.judge.read([asked])).values()
        elif check.model is not None:
            [score] = await asyncio.to_thread(check.model.score, [asked])
        else:
            return Finding(subject="support check", state="ok", told=f"{settings.support}: facts and words alone")
    except (SupportFailedError, StoreError) as error:
        return Finding(
            subject="support check",
            state="failed",
            told=explain(error) if isinstance(error, StoreError) else str(error),
            advice="Answers are checked by the local model meanwhile. Mend it, or set RECITE_SUPPORT=local.",
        )
    took = (perf_counter() - started) * 1000
    return Finding(subject="support check", state="ok", told=f"{settings.support}: {score:.2f} in {took:.0f} ms")


async def _jobs(agent: Agent) -> Finding:
    jobs = await agent.services.jobs.list()
    dead = sum(job.state == "dead" for job in jobs)
    if dead:
        return Finding(
            subject="memory jobs",
            state="warning",
            told=f"{dead} gave up",
            advice="`recite jobs list` says why, `recite jobs retry ID` tries again.",
        )
    waiting = sum(job.state in {"waiting", "running"} for job in jobs)
    return Finding(subject="memory jobs", state="ok", told=f"{waiting} waiting, none gave up")


LOOKS: tuple[Callable[[Agent], Awaitable[Finding]], ...] = (
    _model,
    _documents,
    _index,
    _embedder,
    _reranker,
    _support,
    _jobs,
)
