"""A reranker behind an HTTP address: Jina's and Cohere's form, which most servers speak, and TEI's."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

import httpx

from stores.counting import counted
from stores.documents.document import Hit
from stores.documents.entry import passage_text
from stores.documents.rerank import DEADLINE_SECONDS, RerankFailedError, in_time, sigmoid

_REFUSED = {httpx.codes.BAD_REQUEST, httpx.codes.UNPROCESSABLE_ENTITY}


class EndpointReranker:
    """`POST url` with the query and the passages; the scores come back by index.

    Sends `{"model", "query", "documents", "top_n"}` (Jina, Cohere, Voyage, vLLM, SiliconFlow, llama.cpp); a server
    that refuses this is asked with `{"query", "texts"}` (text-embeddings-inference) and remembered. Scores outside
    0..1 are taken for logits, here and from then on. `deadline_seconds=None` waits as long as it takes.
    """

    def __init__(
        self,
        url: str,
        *,
        model: str = "",
        api_key: str = "",
        deadline_seconds: float | None = DEADLINE_SECONDS,
    ) -> None:
        self.url = url
        self._model = model
        self._deadline = deadline_seconds
        self._names_texts = False
        self._gives_logits = False
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        # A new client a call, for the next search may run in another event loop; what is slow to make is kept.
        self._verify = httpx.create_ssl_context()

    async def rerank(self, query: str, hits: Sequence[Hit]) -> list[float]:
        """See `Reranker`."""
        if not hits:
            return []
        passages = [passage_text(hit.chunk.context, hit.chunk.text) for hit in hits]
        answer = await self._asked(query, passages)
        scores = _scores(answer, len(passages), self.url)
        self._gives_logits |= not all(0.0 <= score <= 1.0 for score in scores)
        return [sigmoid(score) for score in scores] if self._gives_logits else scores

    async def _asked(self, query: str, passages: Sequence[str]) -> Any:
        try:
            return await in_time(
                self._answer(query, passages),
                self._deadline,
                reranker=f"The reranker at {self.url}",
                passages=len(passages),
            )
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise RerankFailedError(f"The reranker at {self.url} failed ({error or type(error).__name__}).") from error

    async def _answer(self, query: str, passages: Sequence[str]) -> Any:
        no_second_clock = httpx.Timeout(None)
        async with httpx.AsyncClient(headers=self._headers, verify=self._verify, timeout=no_second_clock) as client:
            response = await client.post(self.url, json=self._body(query, passages))
            if response.status_code in _REFUSED and not self._names_texts:
                other = await client.post(self.url, json=_texts(query, passages))
                if other.is_success:
                    self._names_texts, response = True, other
            if not response.is_success:
                raise RerankFailedError(
                    f"The reranker at {self.url} answered {response.status_code}: {response.text.strip()[:200]}"
                )
            return response.json()

    def _body(self, query: str, passages: Sequence[str]) -> dict[str, Any]:
        if self._names_texts:
            return _texts(query, passages)
        model = {"model": self._model} if self._model else {}
        return {**model, "query": query, "documents": list(passages), "top_n": len(passages)}


def _texts(query: str, passages: Sequence[str]) -> dict[str, Any]:
    return {"query": query, "texts": list(passages), "truncate": True}


def _scores(answer: Any, count: int, url: str) -> list[float]:
    """One finite score a passage, in the order of the passages.

    Raises:
        RerankFailedError: the answer is of another form, or leaves a passage out, or names one twice.
    """
    rows = answer
    for key in ("output", "results", "data"):
        rows = rows[key] if isinstance(rows, Mapping) and key in rows else rows
    found: dict[int, float] = {}
    for row in rows if isinstance(rows, list) else []:
        index = row.get("index") if isinstance(row, Mapping) else None
        score = row.get("relevance_score", row.get("score")) if isinstance(row, Mapping) else None
        if not _is_index(index) or not _is_number(score) or index in found:
            break
        found[index] = float(score)
    if len(found) != count or len(found) != len(rows) or set(found) != set(range(count)):
        raise RerankFailedError(
            f"The reranker at {url} did not give one score for each of {counted(count, 'passage')}."
        )
    return [found[index] for index in range(count)]


def _is_index(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
