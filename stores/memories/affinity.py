"""Affinity: how much closer a question and a memory are than either is to things in general.

Cosines of one encoder lie in a narrow band (e5: .7 to .9, higher within a language), so a fixed floor either hides hits
or drags memories in. The margin against a background of the same language means the same for every encoder. It is
cross-domain similarity local scaling (CSLS, Conneau et al. 2018) with a fixed background for the neighbourhoods.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from stores.memories.text import cjk_share

Vector = NDArray[np.float32]
_Tongue = Literal["zh", "en"]

NEIGHBOURS = 3
"""How many nearest background texts make the neighbourhood."""
_ZH_SHARE = 0.3
_FACTS: dict[_Tongue, tuple[str, ...]] = {
    "zh": (
        "用户喜欢安静的环境", "用户有一辆自行车", "用户正在准备考试", "用户的生日在夏天",
        "用户的父母住在乡下", "用户参加过一次展览",
        "用户每天晚上看书", "用户不喜欢排队", "用户负责一个小团队", "用户计划去旅行", "用户家里有两台电脑",
        "用户最近换了手机",
    ),
    "en": (
        "The user likes quiet places", "The user owns a bicycle", "The user is preparing for an exam",
        "The user's birthday is in summer", "The user's parents live in the countryside",
        "The user once visited an exhibition",
        "The user reads every evening", "The user dislikes waiting in line", "The user leads a small team",
        "The user plans to travel", "The user has two computers at home", "The user recently bought a phone",
    ),
}  # fmt: skip
_QUESTIONS: dict[_Tongue, tuple[str, ...]] = {
    "zh": (
        "这个词是什么意思", "水的沸点是多少", "如何安装这个软件", "公司的报销流程是什么",
        "合同违约怎么处理", "地球到月亮有多远",
        "这段代码为什么报错", "历史上第一个皇帝是谁", "三角形面积怎么算", "如何申请专利",
        "过滤器和拦截器有什么区别", "光合作用的过程",
    ),
    "en": (
        "What does this word mean?", "What is the boiling point of water?", "How do I install this package?",
        "What is the expense policy?", "How is a breach of contract handled?", "How far is the moon?",
        "Why does this code raise an error?", "Who was the first emperor?",
        "How is the area of a triangle computed?",
        "How are patents filed?", "What is the difference between a filter and an interceptor?",
        "How does photosynthesis work?",
    ),
}  # fmt: skip


def _tongue(text: str) -> _Tongue:
    return "zh" if cjk_share(text) >= _ZH_SHARE else "en"


@dataclass(frozen=True, slots=True)
class Background:
    """Ordinary memories and ordinary questions of both languages, embedded once."""

    facts: dict[_Tongue, Vector]
    questions: dict[_Tongue, Vector]

    @classmethod
    async def embed(cls, embeddings: Embeddings) -> "Background":
        """Embed the background with the encoder whose vectors will be compared."""
        facts: dict[_Tongue, Vector] = {}
        questions: dict[_Tongue, Vector] = {}
        for tongue, texts in _FACTS.items():
            facts[tongue] = np.asarray(await embeddings.aembed_documents(list(texts)), dtype=np.float32)
            asked = [await embeddings.aembed_query(text) for text in _QUESTIONS[tongue]]
            questions[tongue] = np.asarray(asked, dtype=np.float32)
        return cls(facts, questions)

    def affinity(self, question: str, asked: Vector, content: str, kept: Vector) -> float:
        """Twice the cosine less both neighbourhoods; near or below 0 for what has nothing to do with each other."""
        around_question = _nearest(self.facts[_tongue(content)], asked)
        around_memory = _nearest(self.questions[_tongue(question)], kept)
        return 2 * _cosines(kept[np.newaxis, :], asked)[0] - around_question - around_memory


def _cosines(rows: Vector, vector: Vector) -> list[float]:
    lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(vector)
    return [float(value) for value in rows @ vector / np.maximum(lengths, 1e-9)]


def _nearest(rows: Vector, vector: Vector) -> float:
    return float(np.mean(sorted(_cosines(rows, vector))[-NEIGHBOURS:]))
