"""Recall: which few memories of one user matter for a question, and none when none does.

Three legs find candidates: words, the slots a question about oneself asks for, and vectors. Recency breaks ties.
How often a memory was recalled before counts for nothing.
"""

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from langchain_core.embeddings import Embeddings
from rank_bm25 import BM25Plus
from sqlalchemy import or_, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from stores.documents.terms import index_terms, query_terms
from stores.memories.affinity import Background, Vector
from stores.memories.memory import RECALL_LIMIT, Memory
from stores.memories.slots import asked_slots, mentioned_slots
from stores.memories.tables import memories

MAX_PROCEDURAL = 2
"""How many memories on how to answer come along with every question."""
GENERAL_MARGIN = 0.075
"""Affinity that a memory needs for a question that does not speak of the user.

With e5-small none of 360 questions on other subjects (60 each of stard_zh, rgb_zh, cmrc2018, scifact, cosqa, cranfield)
reaches .065 with any of 25 memories; questions and memories of one field, such as software, come up to .07.
"""
PERSONAL_MARGIN = 0.025
"""The same for a question about the user ("what can I eat"), where wordings rarely meet."""
_GENERIC_TERMS = (
    "用户 喜欢 公司 工作 使用 问题 项目 时间 时候 目前 现在 以前 希望 需要 可以 一个 这个 那个 我们 "
    "你们 他们 知道 记得 告诉 请问 一下 关于 觉得 回答 今天 明天 昨天 每天 最近 方法 情况 内容 信息 "
    "名字 东西 地方 进行 开始 user like likes love prefer prefers want wants work works use uses using "
    "company project time name thing way day year new make need know remember tell answer get go good "
    "best"
)
_GENERIC = set(_GENERIC_TERMS.split())
_PERSONAL = re.compile(r"我|咱|本人|\b(?:i|i['’]m|i['’]ve|my|me|mine|myself)\b", re.IGNORECASE)
_IMPERSONAL = re.compile(
    r"(?:帮|给|替|为|告诉|教)我|\bhow (?:do|can|should|could|would|might) (?:i|we)\b"
    r"|\b(?:tell|show|give|help|let|explain to) me\b",
    re.IGNORECASE,
)
"""The first person of somebody who asks, not of somebody asked about."""
_EVERYTHING = re.compile(
    r"(?:你)?(?:还)?(?:记得|知道|了解|记住)(?:了)?(?:关于)?我(?:的)?(?:什么|哪些|多少|些)|关于我你"
    r"|我是谁|你对我.{0,6}(?:了解|知道|印象)"
    r"|\bwhat (?:do|have|did) you (?:know|remember|stored?|learn\w*) (?:about|of|on) me\b|\bwho am i\b"
    r"|\bwhat have i told you\b|\beverything (?:you know )?about me\b",
    re.IGNORECASE,
)
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Candidate:
    memory: Memory
    vector: Vector | None


class Recall:
    """Recall over the rows of one user at a time, and the vectors that stand beside them."""

    def __init__(self, engine: AsyncEngine, embeddings: Embeddings | None = None) -> None:
        self._engine = engine
        self._embeddings = embeddings
        self._background: Background | None = None

    async def recall(self, user_id: str, query: str, *, limit: int = RECALL_LIMIT) -> list[Memory]:
        """At most `limit` memories: those on how to answer first (at most 2), then facts and events by relevance.

        Without an embedder, or when it fails, words and slots decide alone.
        """
        candidates = await self._candidates(user_id)
        ways = [one for one in candidates if one.memory.type == "procedural"]
        facts = [one for one in candidates if one.memory.type != "procedural"]
        scores = await self._scores(query, candidates) if query.strip() else {}
        ways.sort(key=lambda one: scores.get(one.memory.memory_id, 0.0), reverse=True)
        relevant = [one for one in facts if one.memory.memory_id in scores]
        relevant.sort(key=lambda one: scores[one.memory.memory_id], reverse=True)
        chosen = [*ways[:MAX_PROCEDURAL], *relevant]
        return [one.memory for one in chosen[:limit]]

    async def embed_pending(self, user_id: str | None = None, *, limit: int = 100) -> int:
        """Write the vectors that are missing, failed or of another model; how many were written.

        A failing embedder leaves the rows as they are, marked `failed`, to be tried again.
        """
        if self._embeddings is None:
            return 0
        model = model_name(self._embeddings)
        stale = or_(memories.c.embedding_status != "ready", memories.c.embedding_model != model)
        query = select(memories.c.memory_id, memories.c.version, memories.c.content).where(stale).limit(limit)
        if user_id is not None:
            query = query.where(memories.c.user_id == user_id)
        async with self._engine.connect() as connection:
            rows = (await connection.execute(query)).all()
        if not rows:
            return 0
        vectors = await self._embed(self._embeddings, [content for _, _, content in rows])
        async with self._engine.begin() as connection:
            for (memory_id, version, _), vector in zip(rows, vectors, strict=True):
                values: dict[str, object] = {"embedding_status": "failed"}
                if vector is not None:
                    blob = vector.astype("<f4").tobytes()
                    values = {"embedding_status": "ready", "embedding_model": model, "embedding": blob}
                await connection.execute(
                    update(memories)
                    .where(memories.c.memory_id == memory_id, memories.c.version == version)
                    .values(**values)
                )
        return sum(vector is not None for vector in vectors)

    async def _candidates(self, user_id: str) -> list[_Candidate]:
        """The user's rows, the latest first; a vector of another model counts as none."""
        names = list(Memory.__dataclass_fields__)
        columns = [memories.c[name] for name in [*names, "embedding", "embedding_model"]]
        query = select(*columns).where(memories.c.user_id == user_id)
        async with self._engine.connect() as connection:
            rows = await connection.execute(query.order_by(memories.c.updated_at.desc(), memories.c.memory_id))
        model = model_name(self._embeddings) if self._embeddings else None
        return [
            _Candidate(
                Memory(**{name: row[name] for name in names}),
                np.frombuffer(row["embedding"], dtype="<f4")
                if row["embedding"] is not None and row["embedding_model"] == model
                else None,
            )
            for row in rows.mappings()
        ]

    async def _scores(self, query: str, candidates: Sequence[_Candidate]) -> dict[str, float]:
        """Relevance by id, only of memories that some leg found."""
        personal = bool(_PERSONAL.search(_IMPERSONAL.sub(" ", query)))
        scores = keyword_scores(query, [one.memory for one in candidates])
        if personal:
            _raise_to(scores, slot_scores(query, [one.memory for one in candidates]))
        _raise_to(scores, await self._vector_scores(query, candidates, personal=personal))
        return scores

    async def _vector_scores(self, query: str, candidates: Sequence[_Candidate], *, personal: bool) -> dict[str, float]:
        embedded = [one for one in candidates if one.vector is not None]
        if self._embeddings is None or not embedded:
            return {}
        try:
            background = await self._ready_background()
            vector = np.asarray(await self._embeddings.aembed_query(query), dtype=np.float32)
        except Exception as error:
            _LOG.warning("Memory recall without vectors: %s", type(error).__name__)
            return {}
        margin = PERSONAL_MARGIN if personal else GENERAL_MARGIN
        found = {}
        for one in embedded:
            if one.vector is None or one.vector.shape != vector.shape:
                continue
            affinity = background.affinity(query, vector, one.memory.content, one.vector)
            if affinity >= margin:
                found[one.memory.memory_id] = 0.5 + affinity
        return found

    async def _ready_background(self) -> Background:
        if self._background is None:
            if self._embeddings is None:
                raise ValueError("There is no embedder.")
            self._background = await Background.embed(self._embeddings)
        return self._background

    async def _embed(self, embeddings: Embeddings, texts: list[str]) -> Sequence[Vector | None]:
        try:
            vectors = await embeddings.aembed_documents(texts)
        except Exception as error:
            _LOG.warning("Memories not embedded: %s", type(error).__name__)
            return [None] * len(texts)
        return [np.asarray(vector, dtype=np.float32) for vector in vectors]


def model_name(embeddings: Embeddings) -> str:
    """The name under which an embedder's vectors are kept; vectors of two names are never compared."""
    named = getattr(embeddings, "name", None) or getattr(embeddings, "model", None)
    return str(named or type(embeddings).__qualname__)[:200]


def keyword_scores(query: str, found: Sequence[Memory]) -> dict[str, float]:
    """Relevance 0.5 to 1.5 by id of the memories that share an informative term with the query.

    A term that memories and questions on anything share (公司,
        "work") counts only when the query has no other.
    """
    wanted = query_terms(query)
    informative = [term for term in wanted if term not in _GENERIC] or wanted
    corpus = [index_terms(memory.content) for memory in found]
    if not informative or not any(corpus):
        return {}
    weights = BM25Plus(corpus).get_scores(informative)
    scores = {}
    for memory, terms, weight in zip(found, corpus, weights, strict=True):
        matched = set(informative) & set(terms)
        if matched:
            scores[memory.memory_id] = 0.5 + len(matched) / len(set(informative)) + float(weight) * 1e-3
    return scores


def slot_scores(query: str, found: Sequence[Memory]) -> dict[str, float]:
    """Relevance by id of what a question about oneself asks for: its slot, or everything."""
    if _EVERYTHING.search(query):
        return {memory.memory_id: 0.5 for memory in found}
    slots = asked_slots(query)
    return {memory.memory_id: 1.0 for memory in found if mentioned_slots(memory.content) & slots}


def _raise_to(scores: dict[str, float], more: Mapping[str, float]) -> None:
    """Add the legs up: what two of them find comes before what one finds."""
    for memory_id, score in more.items():
        scores[memory_id] = scores.get(memory_id, 0.0) + score
