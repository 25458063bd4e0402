"""Measuring: from a dataset and the names of pipelines to the report, with everything opened that they need."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, get_args

from langchain_core.language_models import BaseChatModel

from eval import beir
from eval.beir import Dataset, Passage, Query
from eval.corpus_index import CorpusIndex, open_index
from eval.errors import DatasetError
from eval.labels import Library, mapped
from eval.material import Tell, index_of, kept_apart, open_material
from eval.own_set import read_rows
from eval.pipelines import REWRITE, Pipeline, PipelineName, pipeline
from eval.retrieval import BASELINE, measure, report
from eval.rewriting import Planner, rewriting
from graph.parts import chat_model, embedder, reranker_for
from graph.services import Services, open_services
from graph.settings import Settings
from stores.documents.document import FileResult
from stores.documents.rerank import Reranker
from stores.embeddings.embedder import Embedder


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to measure: a BEIR folder or an own set, on which material, with which pipelines."""

    dataset: Path
    pipelines: Sequence[str]
    queries: Path | None = None
    documents: Sequence[Path] = ()
    limit: int | None = None
    cache: Path


@dataclass(frozen=True, slots=True)
class _Opened:
    dataset: Dataset
    index: CorpusIndex
    embedder: Embedder
    services: Services | None
    """For the planner; a BEIR folder needs them for nothing else."""
    failed: Sequence[FileResult] = ()


def is_pipeline(name: str) -> bool:
    """Whether there is a pipeline of this name."""
    return name.removeprefix(REWRITE) in get_args(PipelineName)


async def measured(request: Request, settings: Settings, tell: Tell) -> dict[str, Any]:
    """Ask every pipeline every question.

    Raises:
        EvaluationError: the set, its labels or a pipeline cannot be measured.
        SettingsError, StoreError, ModelError: a part that the settings name cannot be used.
    """
    opened = _own if request.dataset.suffix == ".jsonl" or request.dataset.is_file() else _beir
    async with opened(request, settings, tell) as on, chat_model(settings, on.embedder) as (chat, _):
        reranks = any("+rerank" in one for one in request.pipelines)
        ranker = reranker_for(settings, model=chat, hurried=False) if reranks else None
        runs = [
            await measure(
                on.dataset, name, _pipeline(name, on, ranker, chat, settings), partial(tell, f"asking {name}")
            )
            for name in request.pipelines
        ]
        made = report(on.dataset, on.index, runs, threshold=settings.min_score, top_k=settings.top_k)
    if on.failed:
        made["not_taken_in"] = [{"path": result.path, "reason": result.reason} for result in on.failed]
    return made


def _pipeline(name: str, on: _Opened, reranker: Reranker | None, chat: BaseChatModel, settings: Settings) -> Pipeline:
    base = name.removeprefix(REWRITE)
    named = next(one for one in get_args(PipelineName) if one == base)
    # The local embedder remembers questions: who is asked second must not be the faster one for it.
    model = embedder(settings) if settings.embedding_model == "local" else on.embedder
    inner = pipeline(named, on.index, model, reranker)
    if base == name or on.services is None:
        return inner
    planner = Planner(chat, on.services.registry, on.services.memories, settings.limits)
    return rewriting(inner, on.index.chunks, planner)


@asynccontextmanager
async def _beir(request: Request, settings: Settings, tell: Tell) -> AsyncIterator[_Opened]:
    if request.documents:
        raise DatasetError(f"--documents belongs to an own set; {request.dataset} is a BEIR folder with a corpus.")
    data = beir.load(request.dataset, queries=request.queries, limit=request.limit)
    model = embedder(settings)
    index = await open_index(data, model, request.cache, partial(tell, "embedding passages"))
    try:
        if not any(name.startswith(REWRITE) for name in request.pipelines):
            yield _Opened(data, index, model, None)
            return
        planning = settings.model_copy(update=kept_apart(request.cache / "planner"))
        async with open_services(planning, embeddings=model) as services:
            yield _Opened(data, index, model, services)
    finally:
        await index.pair.close()


@asynccontextmanager
async def _own(request: Request, settings: Settings, tell: Tell) -> AsyncIterator[_Opened]:
    if request.queries is not None:
        raise DatasetError(f"--queries belongs to a BEIR folder; {request.dataset} is a file of questions.")
    rows = read_rows(request.dataset)
    if not rows:
        raise DatasetError(f"{request.dataset} holds no question. `python -m eval new {request.dataset}` adds some.")
    async with open_material(settings, request.documents, request.cache, tell, must_own=True) as material:
        passages = await material.passages()
        relevant = mapped(rows, Library(passages, material.bases, material.unread), named=str(request.dataset))
        data = Dataset(
            name=request.dataset.stem,
            passages={chunk.chunk_id: Passage(chunk.context, chunk.text) for chunk, _ in passages},
            queries=tuple(Query(str(row.line), row.question, relevant[row.line], row.kind) for row in rows)[
                : request.limit
            ],
            fingerprint="",  # the store looks after its own indexes
        )
        vectors = any(name.removeprefix(REWRITE) == BASELINE for name in request.pipelines)
        index = await index_of(material, passages, vectors=vectors, tell=tell)
        yield _Opened(data, index, material.services.embeddings, material.services, material.failed)
