"""The exchangeable parts, as the settings name them: chat model, embedder, reranker. One `case` each."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel

from graph.errors import SettingsError
from graph.models.offline import OfflineChatModel
from graph.settings import Settings
from stores.documents.parse_pool import in_workers
from stores.documents.reading import Reading, in_this_process
from stores.documents.rerank import CrossEncoderReranker, Reranker
from stores.embeddings.configured import ConfiguredEmbeddings
from stores.embeddings.embedder import Embedder
from stores.embeddings.local import LocalEmbeddings


def embedder(settings: Settings, given: Embeddings | None = None) -> Embedder:
    """The embedder: the given one, or what RECITE_EMBEDDING_MODEL names. Models load at first use.

    Raises:
        SettingsError: the extra that the model needs is not installed.
    """
    if isinstance(given, Embedder):
        return given
    if given is not None:
        return ConfiguredEmbeddings(given, name=type(given).__name__)
    name = settings.embedding_model
    match name.partition(":"):
        case ("local", "", ""):
            return LocalEmbeddings(threads=settings.embedding_threads or None)
        case ("openai", ":", model):
            return ConfiguredEmbeddings(_openai_embeddings(settings, model), name=name)
        case _:
            return ConfiguredEmbeddings(_sentence_transformer(name), name=name)


def reading_for(settings: Settings) -> Reading:
    """What files are read with: RECITE_PARSE_WORKERS processes, or this one."""
    if not settings.parse_workers:
        return in_this_process
    return partial(in_workers, settings.parse_workers, seconds=settings.parse_seconds)


def _openai_embeddings(settings: Settings, model: str) -> Embeddings:
    from langchain_openai import OpenAIEmbeddings  # noqa: PLC0415 - only when it is used

    # tiktoken would download a vocabulary; the endpoint counts for itself.
    return OpenAIEmbeddings(
        model=model,
        openai_api_base=settings.endpoint_url,
        openai_api_key=settings.openai_api_key,
        check_embedding_ctx_length=False,
    )


def _sentence_transformer(name: str) -> Embeddings:
    try:
        from stores.embeddings.sentence_transformer import SentenceTransformerEmbeddings  # noqa: PLC0415
    except ImportError as error:
        raise SettingsError(
            f"RECITE_EMBEDDING_MODEL={name!r} needs an extra: pip install 'recite-agent[sentence-transformers]'. "
            "Or leave it empty to use the local embedder."
        ) from error
    return SentenceTransformerEmbeddings(name)


def reranker_for(settings: Settings) -> Reranker | None:
    """The reranker that RECITE_RERANKER names; `local` is the calibrated combination, which always runs."""
    match settings.reranker:
        case "local" | "none":
            return None
        case name:
            return CrossEncoderReranker(name)


@asynccontextmanager
async def chat_model(
    settings: Settings, embeddings: Embedder, given: BaseChatModel | None = None
) -> AsyncIterator[tuple[BaseChatModel, str]]:
    """The chat model with its name: the given one, the endpoint's, or the offline model."""
    if given is not None:
        yield given, str(getattr(given, "model_name", None) or given._llm_type)  # noqa: SLF001 - LangChain's own name
        return
    if not settings.uses_endpoint:
        offline = OfflineChatModel(embeddings=embeddings)
        yield offline, offline.model_name
        return
    from graph.models.endpoint import open_chat_model  # noqa: PLC0415 - the openai package takes long to import

    model = open_chat_model(
        model=settings.endpoint_model,
        base_url=settings.endpoint_url,
        api_key=settings.openai_api_key,
        timeout=settings.chat_timeout,
    )
    try:
        yield model, settings.endpoint_model
    finally:
        await model.aclose()
