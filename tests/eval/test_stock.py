"""The stock baseline: each one over its own passages, also in one process."""

from typing import Any, cast

import numpy as np

from eval.corpus_index import CorpusIndex
from eval.pipelines import pipeline
from stores.documents.document import Chunk, Location
from stores.embeddings.local import LocalEmbeddings


def index(embedder: LocalEmbeddings, **texts: str) -> CorpusIndex:
    chunks = {
        one: Chunk(
            chunk_id=one, document_id=one, position=0, text=text, start=0, end=len(text), kind="prose", language="en",
            location=Location(), context="",
        )
        for one, text in texts.items()
    }  # fmt: skip
    vectors = np.array(embedder.embed_documents(list(texts.values())), dtype=np.float32)
    return CorpusIndex(cast("Any", None), chunks, vectors, None, 0.0)


async def test_two_in_one_process_do_not_mix_their_passages() -> None:
    embedder = LocalEmbeddings()
    first = pipeline("stock", index(embedder, ferry="The ferry leaves at nine."), embedder, None)
    second = pipeline("stock", index(embedder, pump="The pump stops.", valve="Close the valve."), embedder, None)

    assert set((await second("When does the ferry leave?")).ids) == {"pump", "valve"}
    assert (await first("When does the ferry leave?")).ids == ["ferry"]
