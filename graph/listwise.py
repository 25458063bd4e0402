"""ListwiseReranker: the chat model puts the best hits in order; what it writes is read as numbers or not at all."""

import re
from collections.abc import Sequence

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage

from graph.models.text import strip_reasoning
from nodes.fences import fence, fence_token
from nodes.models import beside, silent
from nodes.prompts import BUILT_IN, Prompts
from nodes.tokens import shorten
from stores.counting import counted
from stores.documents.document import Hit
from stores.documents.entry import passage_text
from stores.documents.rerank import RerankFailedError, in_time

MOST = 20
"""So many passages are shown to the model; hits behind them keep their order."""
QUERY_SHARE = 8
"""The query gets at most one part in so many of the tokens."""

_WIDE = str.maketrans("［］【】，、；＞０１２３４５６７８９", "[][],,;>0123456789")
_NUMBER = "[0-9]{1,3}"
_LIST = re.compile(rf"\[ ?{_NUMBER}(?: ?[,; ] ?{_NUMBER})* ?,? ?\]")
_BARE = re.compile(rf"{_NUMBER}(?: ?[,;> ] ?{_NUMBER})*")
_DIGITS = re.compile(_NUMBER)
_BETWEEN = re.compile(r"\][ ,;>]*\[")


class ListwiseReranker:
    """A chat model that is shown the query and the numbered passages and answers with their order.

    Its order is a proposal: it moves hits and changes no score, so what a planted sentence could win is a place and
    never the threshold. One call a search, not streamed to any client.

    Args:
        secret: what no document can know; the frames around the passages carry a token made of it.
        tokens: the estimated size of query and passages together; what is longer is cut, its head and tail kept.
        deadline_seconds: `None` waits as long as it takes.
    """

    orders_only = True

    def __init__(
        self,
        model: BaseChatModel,
        *,
        secret: str,
        tokens: int,
        deadline_seconds: float | None,
        prompts: Prompts = BUILT_IN,
    ) -> None:
        self._model = model
        self._prompts = prompts
        self._secret = secret
        self._tokens = tokens
        self._deadline = deadline_seconds

    async def rerank(self, query: str, hits: Sequence[Hit]) -> list[float]:
        """See `Reranker`; the numbers fall evenly from 1 with the place in the order."""
        if len(hits) < 2:  # noqa: PLR2004 - there is nothing to put in order
            return [1.0] * len(hits)
        order = [*await self._order(query, hits[:MOST]), *range(MOST, len(hits))]
        places = {index: place for place, index in enumerate(order)}
        return [1.0 - places[index] / len(hits) for index in range(len(hits))]

    async def _order(self, query: str, hits: Sequence[Hit]) -> list[int]:
        try:
            work = silent(self._model).ainvoke(self._prompt(query, hits))
            reply = await in_time(work, self._deadline, reranker="The chat model", passages=len(hits))
        except RerankFailedError:
            raise
        except Exception as error:  # any model may be given, and may raise anything
            raise RerankFailedError(f"The chat model could not order the passages ({error}).") from error
        beside(reply)
        order = read_order(reply.text, len(hits))
        if order is None:
            raise RerankFailedError(
                f"The chat model gave no order of {counted(len(hits), 'passage')} but {reply.text[:80]!r}."
            )
        return order

    def _prompt(self, query: str, hits: Sequence[Hit]) -> list[AnyMessage]:
        token = fence_token(self._secret + query)
        asked = shorten(query, self._tokens // QUERY_SHARE)
        each = (self._tokens - self._tokens // QUERY_SHARE) // len(hits)
        texts = [shorten(passage_text(hit.chunk.context, hit.chunk.text), each) for hit in hits]
        parts = [fence("query", asked, token=token)]
        parts += [fence("passage", text, token=token, attributes={"n": n}) for n, text in enumerate(texts, start=1)]
        return [SystemMessage(self._prompts.text("rerank")), HumanMessage("\n".join(parts))]


def read_order(text: str, count: int) -> list[int] | None:
    """The order that a reply proposes for `count` passages, as indexes from 0, best first; `None` if it holds none.

    Read are a JSON list of numbers, `[2] > [1]` and `2, 1`, and one list of several numbers among words. Passages it
    leaves out follow as they stood. A number that no passage has, or that comes twice, spoils the whole.
    """
    numbers = [number - 1 for number in _numbers(" ".join(strip_reasoning(text).translate(_WIDE).split()))]
    if not numbers or len(set(numbers)) != len(numbers) or not all(0 <= number < count for number in numbers):
        return None
    return [*numbers, *(index for index in range(count) if index not in numbers)]


def _numbers(text: str) -> list[int]:
    """The numbers of the one list in a text; none if there are several lists, or none. `[2]` in a sentence is none."""
    plain = _BETWEEN.sub(", ", text.replace('"', "")).strip("` ").removeprefix("json").strip()
    whole = _LIST.fullmatch(plain) or _BARE.fullmatch(plain)
    found = [whole[0]] if whole else [one[0] for one in _LIST.finditer(plain) if len(_DIGITS.findall(one[0])) > 1]
    return [int(number) for number in _DIGITS.findall(found[0])] if len(found) == 1 else []
