"""ModelJudge: the chat model reads a whole draft with its passages; its verdicts are read as JSON or not at all."""

import json
import re
from collections.abc import Mapping, Sequence

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage
from pydantic import BaseModel, ConfigDict, StrictBool, StrictInt, TypeAdapter, ValidationError

from graph.models.text import strip_reasoning
from nodes.citations.features import Asked
from nodes.citations.opinions import SupportFailedError
from nodes.fences import fence, fence_token
from nodes.models import beside, silent
from nodes.prompts import BUILT_IN, Prompts
from nodes.tokens import shorten
from stores.counting import counted

YES, NO = 0.95, 0.05
"""A chat model's word as a probability: it says which side, and is not always right."""
MOST = 60
"""So many sentences of a draft are shown; the local model decides on those behind them."""
SENTENCES_SHARE = 3
"""The sentences get at most one part in so many of the tokens."""

_CODE_FENCE = re.compile(r"^```(?:json)?\s*|\s*```$")


class _Verdict(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    n: StrictInt
    supported: StrictBool


_VERDICTS = TypeAdapter(list[_Verdict])


class ModelJudge:
    """A chat model that says of each sentence whether its passages support it. One call a draft, not streamed.

    What figures, names, quotations and polarity decide it cannot overrule.

    Args:
        secret: what no document can know; the frames around the texts carry a token made of it.
        tokens: the estimated size of sentences and passages together; what is longer is cut, head and tail kept.
    """

    def __init__(self, model: BaseChatModel, *, secret: str, tokens: int, prompts: Prompts = BUILT_IN) -> None:
        self._model = model
        self._secret = secret
        self._tokens = tokens
        self._prompts = prompts

    async def read(self, asked: Sequence[Asked]) -> Mapping[Asked, float]:
        """See `DraftJudge`."""
        shown = asked[:MOST]
        try:
            reply = await silent(self._model).ainvoke(self._prompt(shown))
        except Exception as error:  # any model may be given, and may raise anything
            raise SupportFailedError(f"The chat model could not check the draft ({error}).") from error
        beside(reply)
        verdicts = read_verdicts(reply.text, len(shown))
        if verdicts is None:
            raise SupportFailedError(
                f"The chat model gave no verdict on each of {counted(len(shown), 'sentence')} but {reply.text[:80]!r}."
            )
        return {one: YES if supported else NO for one, supported in zip(shown, verdicts, strict=True)}

    def _prompt(self, asked: Sequence[Asked]) -> list[AnyMessage]:
        passages = list(dict.fromkeys(text for one in asked for text in one.passages))
        token = fence_token(self._secret + "".join(one.sentence for one in asked))
        for_sentences = self._tokens // SENTENCES_SHARE
        room = (self._tokens - for_sentences) // max(1, len(passages))
        parts = [
            fence("passage", shorten(text, room), token=token, attributes={"n": n})
            for n, text in enumerate(passages, start=1)
        ]
        for n, one in enumerate(asked, start=1):
            named = " ".join(str(1 + passages.index(text)) for text in one.passages)
            text = shorten(one.sentence, for_sentences // len(asked))
            parts.append(fence("sentence", text, token=token, attributes={"n": n, "passages": named}))
        return [SystemMessage(self._prompts.text("support")), HumanMessage("\n".join(parts))]


def read_verdicts(text: str, count: int) -> list[bool] | None:
    """The verdicts of a reply on sentences 1 to `count`, in order; `None` if it is not one JSON list with each once."""
    plain = _CODE_FENCE.sub("", strip_reasoning(text).strip())
    try:
        found = _VERDICTS.validate_python(json.loads(plain))
    except (ValueError, ValidationError, RecursionError):
        return None
    by_number = {one.n: one.supported for one in found}
    if len(by_number) != len(found) or sorted(by_number) != list(range(1, count + 1)):
        return None
    return [by_number[n] for n in range(1, count + 1)]
