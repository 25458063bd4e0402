"""The exchangeable parts, as the settings name them: chat model, embedder, reranker, index backend. One `case` each."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial
from secrets import token_hex
from typing import TYPE_CHECKING, assert_never

from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel

from graph.entailment import EntailmentSupport
from graph.errors import SettingsError
from graph.listwise import ListwiseReranker
from graph.models.offline import OfflineChatModel
from graph.models.sufficiency import Judge
from graph.settings import Settings
from graph.support_judge import ModelJudge
from nodes.citations.local_support import LocalSupport
from nodes.citations.opinions import BY_WORDS, SupportCheck
from nodes.handoffs import HandOff, HandOffCall, question_argument
from nodes.prompts import BUILT_IN, PromptError, Prompts, read_prompts
from stores.documents.backends.address import StoreAddress
from stores.documents.backends.embedded import Embedded
from stores.documents.indexes import BackendFactory
from stores.documents.rerank import CrossEncoderReranker, Reranker
from stores.embeddings.configured import ConfiguredEmbeddings
from stores.embeddings.embedder import Embedder
from stores.embeddings.local import LocalEmbeddings
from stores.embeddings.means import sentence_means
from stores.rerankers.local import LocalReranker, shared_scorer
from tools.errors import UnknownToolError
from tools.registry import Registry

if TYPE_CHECKING:
    from stores.documents.backends.milvus import Milvus


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


def reranker_for(
    settings: Settings, *, model: BaseChatModel | None = None, hurried: bool = True, prompts: Prompts = BUILT_IN
) -> Reranker | None:
    """The reranker that RECITE_RERANKER names, `None` for the calibrated score alone.

    `model` is the chat model that `llm` asks. Unless `hurried`, it may take as long as it needs.

    Raises:
        SettingsError: `llm` without a model that could put passages in order.
    """
    deadline = settings.rerank_seconds if hurried else None
    match settings.reranker.partition("://"):
        case ("none", "", ""):
            return None
        case ("local" | "", "", ""):
            return LocalReranker(shared_scorer, deadline_seconds=deadline)
        case ("llm", "", ""):
            return _listwise(settings, model, deadline, prompts)
        case ("http" | "https", "://", _):
            from stores.rerankers.endpoint import EndpointReranker  # noqa: PLC0415 - only when it is used

            key = settings.reranker_api_key
            return EndpointReranker(
                settings.reranker,
                model=settings.reranker_model or "",
                api_key=key.get_secret_value() if key else "",
                deadline_seconds=deadline,
            )
        case _:
            return CrossEncoderReranker(settings.reranker, deadline_seconds=deadline)


def judge_for(settings: Settings) -> Judge | None:
    """The cross-encoder that the offline model asks, the reranker's own; `None` where that is another or none."""
    if settings.reranker not in {"local", ""}:
        return None
    return lambda pairs: shared_scorer().score(pairs)


def _listwise(settings: Settings, model: BaseChatModel | None, deadline: float | None, prompts: Prompts) -> Reranker:
    if model is None or isinstance(model, OfflineChatModel):
        raise SettingsError(
            "RECITE_RERANKER='llm' needs a chat model that writes, and the offline model cannot rank. "
            "Set OPENAI_API_KEY or OPENAI_BASE_URL, or set RECITE_RERANKER=local."
        )
    return ListwiseReranker(
        model,
        secret=token_hex(16),
        tokens=settings.limits.evidence_tokens,
        deadline_seconds=deadline,
        prompts=prompts,
    )


def local_support(threads: int | None = None) -> LocalSupport:
    """The calibrated support model. It compares with Recite's own embedder, whatever searches."""
    return LocalSupport(LocalEmbeddings(threads=threads).embed_documents, sentence_means())


def support_for(settings: Settings, *, model: BaseChatModel | None = None, prompts: Prompts = BUILT_IN) -> SupportCheck:
    """What decides whether a sentence is supported, as RECITE_SUPPORT says. Models load at first use.

    Raises:
        SettingsError: `llm` without a model that could judge.
    """
    local = local_support(threads=settings.embedding_threads or None)
    match settings.support:
        case "words":
            return BY_WORDS
        case "local" | "":
            return SupportCheck(model=local, likeness=local.likeness)
        case "llm":
            if model is None or isinstance(model, OfflineChatModel):
                raise SettingsError(
                    "RECITE_SUPPORT='llm' needs a chat model that writes, and the offline model cannot judge. "
                    "Set OPENAI_API_KEY or OPENAI_BASE_URL, or set RECITE_SUPPORT=local."
                )
            judge = ModelJudge(model, secret=token_hex(16), tokens=settings.limits.evidence_tokens, prompts=prompts)
            return SupportCheck(model=local, judge=judge, likeness=local.likeness)
        case name:
            return SupportCheck(model=EntailmentSupport(name), fallback=local, likeness=local.likeness)


def prompts_for(settings: Settings) -> Prompts:
    """The prompts: the built-in ones, or those of the folder that RECITE_PROMPTS names in their place.

    Raises:
        SettingsError: the folder is not there, or a file in it cannot be used.
    """
    if settings.prompts is None:
        return BUILT_IN
    try:
        return read_prompts(settings.prompts)
    except PromptError as error:
        raise SettingsError(f"RECITE_PROMPTS={str(settings.prompts)!r} cannot be used: {error}") from error


def hand_off_for(settings: Settings, registry: Registry, clock: Callable[[], datetime]) -> HandOff:
    """What RECITE_HANDOFF_TEXT and RECITE_HANDOFF_TOOL add to a refusal.

    Raises:
        SettingsError: there is no such tool, or the question alone is not what it takes.
    """
    text, name = (settings.handoff_text or "").strip(), (settings.handoff_tool or "").strip()
    if not name:
        return HandOff(text=text)
    try:
        tool = registry.get(name)
    except UnknownToolError as error:
        raise SettingsError(
            f"RECITE_HANDOFF_TOOL={name!r} cannot be used: {error} The tools are {', '.join(registry.names())}."
        ) from error
    argument = question_argument(tool) if tool.run is not None else None
    if argument is None:
        raise SettingsError(
            f"RECITE_HANDOFF_TOOL={name!r} cannot be used: the tool must be one that takes the question as its only "
            "required argument, a string. Name another, or leave it empty."
        )
    return HandOff(text=text, call=HandOffCall(registry=registry, tool=name, argument=argument, clock=clock))


def index_backend(settings: Settings) -> BackendFactory:
    """Where the indexes live, as RECITE_VECTOR_STORE says. No connection is made yet.

    Raises:
        SettingsError: the extra that the backend needs is not installed.
    """
    address, secret = StoreAddress.parse(settings.vector_store), settings.vector_store_token
    token = secret.get_secret_value() if secret is not None else ""
    match address.kind:
        case "embedded":
            return Embedded
        case "chroma":
            from stores.documents.backends.chroma_server import ChromaServer  # noqa: PLC0415 - only when it is used

            return partial(ChromaServer, host=address.host, port=address.port, token=token)
        case "milvus":
            return partial(_milvus(settings), uri=address.uri, token=token)
        case _:
            assert_never(address.kind)


def _milvus(settings: Settings) -> "type[Milvus]":
    try:
        from stores.documents.backends.milvus import Milvus  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise SettingsError(
            f"RECITE_VECTOR_STORE={settings.vector_store!r} needs an extra: pip install 'recite-agent[milvus]'. "
            "Or leave it empty to use the embedded index."
        ) from error
    return Milvus


@asynccontextmanager
async def chat_model(
    settings: Settings, embeddings: Embedder, given: BaseChatModel | None = None
) -> AsyncIterator[tuple[BaseChatModel, str]]:
    """The chat model with its name: the given one, the endpoint's, or the offline model."""
    if given is not None:
        yield given, str(getattr(given, "model_name", None) or given._llm_type)  # noqa: SLF001 - LangChain's own name
        return
    if not settings.uses_endpoint:
        offline = OfflineChatModel(embeddings=embeddings, judge=judge_for(settings))
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
