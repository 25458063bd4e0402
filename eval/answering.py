"""Ask cases through the graph, as a user would, and look at what was released."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter

from eval.rgb import Case
from graph.agent import Agent
from graph.models.offline import OfflineChatModel
from graph.models.units import PassageText
from graph.reply import Reply
from nodes.citations.markers import find_markers, without_markers
from stores.documents.document import SearchResult
from stores.documents.terms import fold

_SAID = re.compile(
    r"冲突|矛盾|不一致|不同说法|说法不一|相互?抵触|出入|\b(?:conflict|contradict|disagree|inconsisten|differ)\w*",
    re.IGNORECASE,
)
"""How an answer says that its sources do not agree."""
_COMMA_IN_NUMBER = re.compile(r"(?<=\d),(?=\d{3})")
REFUSED = frozenset({"insufficient_material", "clarify"})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one case."""

    case: Case
    text: str
    """What was released, without its markers."""
    status: str
    markers: int
    """Citation markers in what was released, as our own parser reads them."""
    resolved: int
    """How many of their numbers are citations of the reply."""
    numbers: int
    cited_right: int
    """Citations of passages that answer."""
    cited: int
    searched: float
    """The best calibrated score of a passage, whether it passed or not."""
    sufficiency: float | None
    """The offline model's probability that those passages answer; `None` of another model."""
    model_calls: int
    input_tokens: int
    output_tokens: int
    ms: float

    @property
    def refused(self) -> bool:
        """Whether nothing was answered."""
        return self.status in REFUSED

    @property
    def right(self) -> bool:
        """Whether every due answer stands in what was released."""
        return not self.refused and holds(self.text, self.case.answer)

    @property
    def named(self) -> bool:
        """Of a conflict: both values are named, or that there is one is said."""
        both = self.right and holds(self.text, self.case.wrong)
        return not self.refused and (both or _SAID.search(self.text) is not None)


async def ask(agent: Agent, case: Case, documents: Sequence[str] = ()) -> Outcome:
    """Ask one case in a thread of its own, over these documents of the agent's store, or over all.

    Raises:
        ModelError: the chat model's endpoint failed.
    """
    found = await agent.search(case.question, documents=documents or None)
    started = perf_counter()
    reply = await agent.ask(case.question, thread=case.case_id, documents=documents or None)
    return _outcome(case, reply, found, agent.services.model, (perf_counter() - started) * 1000)


def _outcome(case: Case, reply: Reply, found: SearchResult, model: object, ms: float) -> Outcome:
    numbers = [number for marker in find_markers(reply.answer) for number in marker.numbers]
    known = {citation.number for citation in reply.citations}
    cited_right = sum(any(_same(one.quote, right) for right in case.right) for one in reply.citations)
    return Outcome(
        case=case,
        text=without_markers(reply.answer),
        status=reply.status,
        markers=len(find_markers(reply.answer)),
        resolved=sum(number in known for number in numbers),
        numbers=len(numbers),
        cited_right=cited_right,
        cited=len(reply.citations),
        searched=max((hit.score for hit in found.hits), default=0.0),
        sufficiency=_sufficiency(model, case.question, found),
        model_calls=reply.usage.model_calls,
        input_tokens=reply.usage.input_tokens,
        output_tokens=reply.usage.output_tokens,
        ms=ms,
    )


def _sufficiency(model: object, question: str, found: SearchResult) -> float | None:
    if not isinstance(model, OfflineChatModel):
        return None
    passages = [
        PassageText(number, hit.chunk.text, context=hit.chunk.context, score=hit.score)
        for number, hit in enumerate(found.hits, start=1)
    ]
    return model.sufficiency(question, passages)


def holds(text: str, due: Iterable[Sequence[str]]) -> bool:
    """Whether one spelling of every group that is due stands in a text; False if nothing is due."""
    flat, groups = plain(text), list(due)
    return bool(groups) and all(any(plain(one) in flat for one in spellings if plain(one)) for spellings in groups)


def plain(text: str) -> str:
    """A text as answers are compared: width, case, script, spaces, punctuation and thousands separators aside."""
    folded = fold(_COMMA_IN_NUMBER.sub("", unicodedata.normalize("NFKC", text))).casefold()
    kept = [one for place, one in enumerate(folded) if one.isalnum() or one == "%" or _is_point(folded, place)]
    return "".join(kept)


def _is_point(text: str, place: int) -> bool:
    """Whether this is the decimal point of a number."""
    return text[place] == "." and text[place - 1 : place].isdigit() and text[place + 1 : place + 2].isdigit()


def _same(quote: str, passage: str) -> bool:
    """A citation's quote is a part of its passage, white space aside."""
    return "".join(quote.split()) in "".join(passage.split())
