"""Services: one field per thing that tests swap, opened from the settings."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from sqlalchemy.ext.asyncio import AsyncEngine

from graph.http import Access, listening
from graph.parts import chat_model, embedder, hand_off_for, index_backend, prompts_for, reranker_for, support_for
from graph.settings import Settings
from nodes.citations.opinions import SupportCheck
from nodes.handoffs import HandOff
from nodes.limits import Limits
from nodes.prompts import Prompts
from nodes.state import Evidence, Summary, ToolResult, Usage
from stores.checkpoints import ErasingSqliteSaver, open_checkpointer
from stores.conversations import Conversations
from stores.database import open_database, sqlite_url
from stores.documents.local import LocalDocuments
from stores.documents.remote import RemoteDocuments
from stores.documents.rerank import Reranker
from stores.documents.store import DocumentStore
from stores.embeddings.embedder import Embedder
from stores.errors import IndexInUseError, StoreError
from stores.jobs import Jobs
from stores.memories.recall import Recall
from stores.memories.repository import Memories
from stores.memory_meter import MemoryMeter
from stores.metrics import Meter
from stores.owner import Owner, own
from tools import builtin_tools
from tools.registry import Registry

CHECKPOINTED = [(kind.__module__, kind.__name__) for kind in (Evidence, ToolResult, Summary, Usage)]
"""The state's own types: what a checkpoint may hold besides messages and plain values."""


def now() -> datetime:
    """The clock of a running deployment."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """The relational stores: shared by any number of processes."""

    engine: AsyncEngine
    embeddings: Embedder
    conversations: Conversations
    memories: Memories
    recall: Recall
    jobs: Jobs


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """Everything the graph is built from."""

    settings: Settings
    limits: Limits
    model: BaseChatModel
    model_name: str
    documents: DocumentStore
    support: SupportCheck
    embeddings: Embedder
    conversations: Conversations
    memories: Memories
    recall: Recall
    jobs: Jobs
    meter: Meter
    registry: Registry
    prompts: Prompts
    hand_off: HandOff
    checkpointer: ErasingSqliteSaver
    extraction: bool


@asynccontextmanager
async def open_records(settings: Settings, *, embeddings: Embeddings | None = None) -> AsyncIterator[Records]:
    """The relational stores of a data directory, which is made if it is not there.

    Raises:
        StoreError: the directory cannot be made or its database cannot be opened.
    """
    try:
        await asyncio.to_thread(settings.home.mkdir, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"The data directory {settings.home} cannot be made ({error.strerror}). Set RECITE_HOME to another folder."
        ) from error
    encoder = embedder(settings, embeddings)
    async with open_database(settings.database_url or sqlite_url(settings.database)) as engine:
        yield Records(
            engine=engine,
            embeddings=encoder,
            conversations=Conversations(engine),
            memories=Memories(engine),
            recall=Recall(engine, encoder),
            jobs=Jobs(engine),
        )


@asynccontextmanager
async def open_services(
    settings: Settings,
    *,
    model: BaseChatModel | None = None,
    embeddings: Embeddings | None = None,
    reranker: Reranker | None = None,
    access: Access | None = None,
    must_own: bool = False,
    meter: MemoryMeter | None = None,
) -> AsyncIterator[Services]:
    """Everything over one data directory. The given parts take the place of what the settings name.

    If another process owns the directory, documents are asked of it; the rest is shared. `access` is filled for
    whoever serves the HTTP routes elsewhere too. Without a `meter`, one of this process counts.

    Raises:
        SettingsError: a setting names what is not there.
        IndexInUseError: `must_own`, and another process owns the directory.
        StoreError: the data directory cannot be used.
    """
    access, meter = access or Access(), meter or MemoryMeter()
    registry = Registry(builtin_tools(), pinned=("search_documents",))
    prompts, hand_off = await asyncio.to_thread(prompts_for, settings), hand_off_for(settings, registry, now)
    async with AsyncExitStack() as stack:
        records = await stack.enter_async_context(open_records(settings, embeddings=embeddings))
        chosen, name = await stack.enter_async_context(chat_model(settings, records.embeddings, model))
        reranker = reranker or reranker_for(settings, model=chosen, prompts=prompts)
        documents = await stack.enter_async_context(
            _open_documents(settings, records, reranker, meter, access=access, must_own=must_own)
        )
        checkpointer = await stack.enter_async_context(
            open_checkpointer(settings.threads_database, allowed=CHECKPOINTED)
        )
        yield Services(
            settings=settings,
            limits=settings.limits,
            model=chosen,
            model_name=name,
            documents=documents,
            support=support_for(settings, model=chosen, prompts=prompts),
            conversations=records.conversations,
            memories=records.memories,
            recall=records.recall,
            embeddings=records.embeddings,
            jobs=records.jobs,
            meter=meter,
            registry=registry,
            prompts=prompts,
            hand_off=hand_off,
            checkpointer=checkpointer,
            extraction=settings.memory_extraction,
        )


@asynccontextmanager
async def _open_documents(
    settings: Settings,
    records: Records,
    reranker: Reranker | None,
    meter: MemoryMeter,
    *,
    access: Access,
    must_own: bool,
) -> AsyncIterator[DocumentStore]:
    """The document store: this process's own, served to others, or the owner's over HTTP."""
    async with own(settings.home) as held:
        if isinstance(held, Owner):
            if must_own:
                raise IndexInUseError(
                    f"The data directory {settings.home} is in use by process {held.pid}. "
                    "A server must own it: end that process, or set RECITE_HOME to another folder."
                )
            async with RemoteDocuments(held.url, held.token) as remote:
                yield remote
            return
        async with LocalDocuments.open(
            settings.home,
            engine=records.engine,
            embeddings=records.embeddings,
            reranker=reranker,
            rules=settings.reading,
            backend=index_backend(settings),
            meter=meter,
        ) as local:
            access.documents, access.memories, access.token = local, records.memories, held.token
            access.meter = meter
            async with listening(access) as url:
                await held.announce(url)
                yield local
