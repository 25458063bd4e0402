"""Settings: the only reader of the environment and of `.env`. Every variable is listed in `.env.example`."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, AliasChoices, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from graph.errors import SettingsError
from nodes.limits import MAX_ROUNDS, Limits
from stores.documents.backends.address import StoreAddress
from stores.documents.reading_rules import ReadingRules
from stores.documents.rerank import DEADLINE_SECONDS
from stores.errors import InputRefusedError
from stores.names import MAX_HITS, collection_name, is_text

DEFAULT_HOME = Path(".recite")
LISTWISE_SECONDS = 15.0
"""What a chat model that orders passages may take, unless the settings say otherwise: it writes its answer."""
DASHSCOPE_URL = "https://dashscope.aliyuncs.com/compatible-mode/v1"


def _empty_is_none(value: Any) -> Any:
    return None if isinstance(value, str) and not value.strip() else value


def _home(value: Any) -> Any:
    """An empty variable is one that is not set; the current directory must be named as such."""
    text = str(value)
    if not text.strip():
        return DEFAULT_HOME
    if not is_text(text):
        raise ValueError("The path is no valid UTF-8")
    return value


def _collection(value: str) -> str:
    try:
        collection_name(value)
    except InputRefusedError as error:
        raise ValueError(str(error).rstrip(".")) from error
    return value


def _vector_store(value: Any) -> Any:
    """An empty variable is one that is not set."""
    text = value.strip() if isinstance(value, str) else value
    if not text:
        return "chroma"
    try:
        StoreAddress.parse(str(text))
    except InputRefusedError as error:
        raise ValueError(str(error)) from error
    return text


def _support(value: Any) -> Any:
    """An empty variable is one that is not set."""
    return (value.strip() or "local") if isinstance(value, str) else value


Optional = Annotated[str | None, BeforeValidator(_empty_is_none)]


class Settings(BaseSettings):
    """How one deployment is set up. Names carry the prefix `RECITE_` unless they are the ecosystem's own."""

    model_config = SettingsConfigDict(
        env_prefix="RECITE_",
        env_file=".env",
        env_file_encoding="utf-8",
        extra="ignore",
        populate_by_name=True,
    )

    home: Annotated[Path, BeforeValidator(_home)] = Field(default=DEFAULT_HOME, description="The data directory.")
    chat_model: Optional = Field(
        default=None, description="A model of the endpoint, or `offline`. Empty: offline unless a key is set."
    )
    chat_timeout: float = Field(default=60.0, gt=0, le=3600, description="Seconds one model call may take.")
    embedding_model: str = Field(
        default="local",
        description="`local`, `openai:NAME`, or a sentence-transformers name or folder.",
    )
    reranker: str = Field(
        default="local",
        description="`local`, `none`, `llm`, the address of a /rerank endpoint, or a CrossEncoder name or folder.",
    )
    reranker_model: Optional = Field(default=None, description="The model that a /rerank endpoint is asked for.")
    reranker_api_key: SecretStr | None = Field(default=None, description="The key of a /rerank endpoint.")
    rerank_deadline: Annotated[float | None, BeforeValidator(_empty_is_none)] = Field(
        default=None,
        ge=0,
        le=600,
        description="Seconds a reranker may take, else the order without it stands; 0: any. Empty: 0.8, for `llm` 15.",
    )
    support: Annotated[str, BeforeValidator(_support)] = Field(
        default="local",
        description="`local`, `words`, `llm`, or the name or folder of a CrossEncoder for natural language inference.",
    )
    database_url: Optional = Field(default=None, description="Empty: SQLite under the data directory.")
    vector_store: Annotated[str, BeforeValidator(_vector_store)] = Field(
        default="chroma",
        description="`chroma`: embedded; `chroma://HOST:PORT`; `milvus:PATH.db` or `milvus:http://HOST:PORT`.",
    )
    vector_store_token: SecretStr | None = Field(default=None, description="What the vector store's server asks for.")
    collection: Annotated[str, AfterValidator(_collection)] = "default"
    top_k: int = Field(default=5, ge=1, le=MAX_HITS, description="Passages per query.")
    min_score: float = Field(default=0.7, ge=0, le=1, description="Threshold on the calibrated score.")
    max_rounds: int = Field(default=MAX_ROUNDS, ge=1, le=10, description="Rounds of search per turn.")
    context_tokens: int = Field(default=12_000, ge=2_000, le=2_000_000)
    memory_extraction: bool = Field(default=True, description="Propose memories after each answer.")
    embedding_threads: int = Field(
        default=0,
        ge=0,
        le=256,
        description="Threads of the local embedder; 0: up to 4. Never more than the cores.",
    )

    prompts: Annotated[Path | None, BeforeValidator(_empty_is_none)] = Field(
        default=None, description="A folder whose files replace the built-in prompts of the same name."
    )
    handoff_text: Optional = Field(default=None, description="What stands below a refusal, as it is written.")
    handoff_tool: Optional = Field(
        default=None, description="A registered tool that is called with the question before a refusal."
    )

    max_file_mb: int = Field(default=200, ge=1, le=4_000, description="Size limit of one file, in MB.")
    max_pages: int = Field(default=5_000, ge=1, le=1_000_000, description="Page limit of one document.")
    max_archive_files: int = Field(default=2_000, ge=1, le=1_000_000, description="Files in one archive.")
    parse_seconds: float = Field(default=300.0, gt=0, le=86_400, description="Time that parsing one file may take.")
    parse_workers: int = Field(
        default=2, ge=0, le=64, description="Processes that read files; 0: in this one, where a crash ends it."
    )
    ocr: bool = Field(default=False, description="Read text in pictures; needs the extra `ocr`.")

    openai_api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("OPENAI_API_KEY", "DASHSCOPE_API_KEY")
    )
    openai_base_url: Optional = Field(default=None, validation_alias="OPENAI_BASE_URL")
    dashscope_api_key: SecretStr | None = Field(default=None, validation_alias="DASHSCOPE_API_KEY")
    dashscope_model: Optional = Field(default=None, validation_alias="DASHSCOPE_MODEL")

    @property
    def database(self) -> Path:
        """The SQLite file under the data directory."""
        return self.home / "recite.db"

    @property
    def threads_database(self) -> Path:
        """The SQLite file of the conversation threads."""
        return self.home / "threads.db"

    @property
    def uses_endpoint(self) -> bool:
        """Whether answers come from an OpenAI-compatible endpoint rather than from the offline model."""
        if self.chat_model == "offline":
            return False
        return self.openai_api_key is not None or self.openai_base_url is not None

    @property
    def endpoint_model(self) -> str:
        """The endpoint's model name."""
        return self.chat_model or self.dashscope_model or "gpt-4o-mini"

    @property
    def endpoint_url(self) -> str | None:
        """The endpoint's address; `None` is OpenAI's own."""
        if self.openai_base_url is None and self._only_dashscope:
            return DASHSCOPE_URL
        return self.openai_base_url

    @property
    def _only_dashscope(self) -> bool:
        key, dashscope = self.openai_api_key, self.dashscope_api_key
        return key is not None and dashscope is not None and key == dashscope

    @property
    def rerank_seconds(self) -> float | None:
        """How long a reranker may take; `None`: as long as it needs."""
        usual = LISTWISE_SECONDS if self.reranker == "llm" else DEADLINE_SECONDS
        return (usual if self.rerank_deadline is None else self.rerank_deadline) or None

    @property
    def reading(self) -> ReadingRules:
        """How files are read."""
        return ReadingRules(
            file_bytes=self.max_file_mb * 1_000_000,
            pages=self.max_pages,
            archive_files=self.max_archive_files,
            seconds=self.parse_seconds,
            workers=self.parse_workers,
            ocr=self.ocr,
        )

    @property
    def limits(self) -> Limits:
        """What the nodes need to know of it."""
        return Limits(
            top_k=self.top_k,
            min_score=self.min_score,
            max_rounds=self.max_rounds,
            context_tokens=self.context_tokens,
        )


def read_settings(**overrides: Any) -> Settings:
    """Settings from the environment and `.env`, with `overrides` on top.

    Raises:
        SettingsError: one line per wrong value: the variable, the value, what is allowed.
    """
    try:
        settings = Settings(**{key: value for key, value in overrides.items() if value is not None})
    except ValidationError as error:
        raise SettingsError("; ".join(_complaint(fault) for fault in error.errors())) from None
    if settings.chat_model not in {None, "offline"} and not settings.uses_endpoint:
        raise SettingsError(
            f"RECITE_CHAT_MODEL={settings.chat_model!r} needs an endpoint: set OPENAI_API_KEY (and OPENAI_BASE_URL), "
            "or leave RECITE_CHAT_MODEL empty to use the offline model."
        )
    return settings


def _complaint(fault: Any) -> str:
    field = str(fault["loc"][0])
    name = field if field.isupper() else f"RECITE_{field.upper()}"
    secret = "KEY" in name.upper() or "TOKEN" in name.upper() or "@" in str(fault["input"])
    value = "(hidden)" if secret else repr(fault["input"])
    message = fault["msg"].removeprefix("Value error, ")
    return f"{name}={value} cannot be used: {message[0].lower()}{message[1:]}."
