"""State, Update, Context: what the nodes of the graph share.

`messages` is the whole history of a thread. Everything else is working memory of the running turn and
is cleared by `recall_memory`, except `summary`, which belongs to the thread.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from operator import add
from typing import Annotated, Any, Literal, Self

from langchain_core.messages import AnyMessage
from langgraph.channels import DeltaChannel

# The delta reducer is a private name of a beta feature. It is imported here and nowhere else; pyproject.toml
# bounds langgraph to one minor version, and a committed thread database proves that old threads still open.
from langgraph.graph.message import _messages_delta_reducer as messages_reducer
from langgraph.types import Overwrite
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from typing_extensions import TypedDict

from stores.documents.document import DEFAULT_USER, Kind, Language
from stores.documents.narrowing import Narrowing, Wishes, narrowing
from stores.names import MAX_COLLECTION, MAX_NAME, collection_name, user_name
from tools.tasks import Task

MAX_TOOL_CALLS = 8
MAX_PLANS = 8
MAX_REPAIRS = 1

Status = Literal["answered", "partial", "insufficient_material", "chat", "clarify", "awaiting_confirmation", "failed"]
Next = Literal["answer", "plan"]
Verdict = Literal["", "repair", "search", "done"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A passage found this turn. Its text stays in the document store.

    `number` is the passage's internal number, one per chunk and turn; the numbers a reader sees follow first use.
    """

    number: int
    chunk_id: str
    revision: int
    score: float
    source: str
    worth: float = 0.0
    """The best score from this hit on, in its query's order: what a reranker puts first is worth no less than what
    follows. The score itself where the order is by score."""

    def __setstate__(self, state: list[Any]) -> None:
        """From a pickle, as `langgraph dev` keeps threads: fields that came later take their default."""
        for number, one in enumerate(fields(self)):
            object.__setattr__(self, one.name, state[number] if number < len(state) else one.default)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What became of one proposed call."""

    call_id: str
    name: str
    arguments: dict[str, Any]
    status: Literal["ok", "error", "rejected"]
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The older part of a thread in few words.

    `covers` is the id of the last message it tells of; everything after it is still told in full.
    """

    text: str
    covers: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Model calls and tokens of a turn, as the endpoint reported them."""

    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What a node reads. A node returns an `Update` and never changes the state itself."""

    messages: Annotated[list[AnyMessage], DeltaChannel(messages_reducer)] = field(default_factory=list)
    summary: Summary | None = None

    turn_messages: Annotated[list[dict[str, Any]], add] = field(default_factory=list)
    """The planner's calls of the running turn with their answers (see `nodes/turn.py`); every call id is answered."""
    tool_results: Annotated[list[ToolResult], add] = field(default_factory=list)
    told: str = ""
    """What the application itself tells the user about their memory this turn."""
    awaiting: bool = False
    """`told` asks for a confirmation."""
    task: Task | None = None
    """What the question asks for; `None` before it was planned."""
    clarifying: str = ""
    """The one question that goes back to the user instead of an answer."""
    memories: list[str] = field(default_factory=list)
    """Ids of the recalled memories."""
    evidence: list[Evidence] = field(default_factory=list)
    searched: list[str] = field(default_factory=list)
    """Queries already run this turn, as they were written."""
    degraded: list[str] = field(default_factory=list)
    below_threshold: int = 0
    """Passages that the threshold cut so far, over all queries of the turn."""
    rounds: int = 0
    searched_again: bool = False
    """The check sent the planner back once because the material was missing."""
    searched_by_rule: bool = False
    """The planner gave nothing usable, so the application searched the user's own question."""
    after_search: Next = "answer"
    repairs: int = 0
    missing: list[str] = field(default_factory=list)
    """What the answering model could not find."""
    drafted_at: int = -1
    """The number of evidence and tool results when the draft was written; -1 before."""
    draft: str = ""
    """The model's text of the running turn, with internal numbers."""
    released: str = ""
    """The sentences already shown to the user, with shown numbers."""
    shown: list[int] = field(default_factory=list)
    """Internal numbers in the order in which they were first shown: shown[0] is [1]."""
    problems: list[str] = field(default_factory=list)
    """Sentences of the draft that failed the check, as the model wrote them."""
    sentences: list[dict[str, Any]] = field(default_factory=list)
    """What became of each sentence of the draft and its repair, as `nodes.citations.record.Sentence.stored` has it."""
    started: float = 0.0
    """When the turn began, in seconds of the deployment's clock."""
    first_ms: float | None = None
    """How long the reader waited for the first words, in milliseconds; `None` before there are any."""
    verdict: Verdict = ""
    usage: Usage = field(default_factory=Usage)


class Update(TypedDict, total=False):
    """What a node may write. `Overwrite` empties a channel that otherwise grows."""

    messages: Sequence[AnyMessage | dict[str, Any]]
    summary: Summary | None
    turn_messages: list[dict[str, Any]] | Overwrite
    tool_results: list[ToolResult] | Overwrite
    told: str
    awaiting: bool
    task: Task | None
    clarifying: str
    memories: list[str]
    evidence: list[Evidence]
    searched: list[str]
    degraded: list[str]
    below_threshold: int
    rounds: int
    searched_again: bool
    searched_by_rule: bool
    after_search: Next
    repairs: int
    missing: list[str]
    drafted_at: int
    draft: str
    released: str
    shown: list[int]
    problems: list[str]
    sentences: list[dict[str, Any]]
    started: float
    first_ms: float | None
    verdict: Verdict
    usage: Usage


class Input(TypedDict):
    """What starts a turn: the user's message, appended to the thread."""

    messages: Annotated[list[AnyMessage], DeltaChannel(messages_reducer)]


def _collection(value: str | None) -> str | None:
    """A field left empty in Studio's form names no collection."""
    return collection_name(value) if value else None


class Context(BaseModel):
    """Who asks, and over what. Studio shows it as a form."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    user_id: Annotated[str, AfterValidator(user_name)] = Field(
        default=DEFAULT_USER,
        json_schema_extra={"minLength": 1, "maxLength": MAX_NAME},
        description="Whose memories and documents to use. Ignored when the server authenticates its users.",
    )
    collection: Annotated[str | None, AfterValidator(_collection)] = Field(
        default=None,
        json_schema_extra={"maxLength": MAX_COLLECTION},
        description="Search only this collection of documents. Empty: all of them.",
    )
    documents: tuple[str, ...] = Field(
        default=(), description="Search only these documents: ids, or beginnings of ids that are one document's alone."
    )
    kinds: tuple[Kind, ...] = Field(default=(), description="Search only passages of these kinds.")
    languages: tuple[Language, ...] = Field(default=(), description="Search only passages in these languages.")
    paths: tuple[str, ...] = Field(
        default=(), description="Search only files whose path matches one of these, such as docs/**/*.md or *.java."
    )
    since: str | None = Field(
        default=None, description="Search only documents taken in on this day (YYYY-MM-DD, UTC) or later."
    )
    until: str | None = Field(
        default=None, description="Search only documents taken in on this day (YYYY-MM-DD, UTC) or earlier."
    )

    @property
    def narrowing(self) -> Narrowing:
        """What the turn's searches are narrowed to."""
        return narrowing(**{name: getattr(self, name) for name in Wishes.__annotations__})

    @model_validator(mode="after")
    def _can_be_meant(self) -> Self:
        """Refuse what cannot be meant, such as a day that is none."""
        _ = self.narrowing
        return self
