"""Fusion: both legs' rankings made one, by reciprocal rank."""

from collections.abc import Sequence

from langchain_classic.retrievers import EnsembleRetriever

from stores.documents.retrievers import ID_KEY, GuardedRetriever, Leg

RRF_C = 60
"""Cormack, Clarke and Büttcher 2009, "Reciprocal rank fusion outperforms Condorcet"."""


async def fused(query: str, legs: Sequence[GuardedRetriever]) -> list[tuple[str, float]]:
    """Run the legs side by side; (chunk id, RRF score) of everything found, best first.

    The key is the chunk id, so the same text in two files stays two hits, and one chunk found by both legs is one.
    """
    ensemble = EnsembleRetriever(retrievers=list(legs), weights=[1 / len(legs)] * len(legs), c=RRF_C, id_key=ID_KEY)
    found = await ensemble.ainvoke(query)
    scores = rrf_scores([retriever.leg for retriever in legs])
    return [(one.metadata[ID_KEY], scores[one.metadata[ID_KEY]]) for one in found]


def rrf_scores(legs: Sequence[Leg]) -> dict[str, float]:
    """The scores `EnsembleRetriever` sorts by and does not show: the mean over the legs of 1 / (c + rank)."""
    scores: dict[str, float] = {}
    for leg in legs:
        for chunk_id, rank in leg.ranks.items():
            scores[chunk_id] = scores.get(chunk_id, 0.0) + 1 / len(legs) / (RRF_C + rank)
    return scores
