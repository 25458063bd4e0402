"""What every embedder promises the stores."""

import numpy as np
import pytest

from stores.embeddings.cache import CachedEmbeddings
from stores.embeddings.configured import ConfiguredEmbeddings
from stores.embeddings.embedder import Embedder

TEXTS = ["过滤器在请求到达前执行。", "A filter runs before the request arrives.", "", "server.port=8080"]


@pytest.fixture(params=["local", "configured", "cached"])
def embedder(request, local_embeddings, hash_embeddings, engine) -> Embedder:
    if request.param == "local":
        return local_embeddings
    configured = ConfiguredEmbeddings(hash_embeddings, name="hash-64", window=32)
    return configured if request.param == "configured" else CachedEmbeddings(configured, engine)


def test_it_says_its_name_dimension_and_window(embedder):
    assert embedder.name
    assert embedder.dimension > 1
    assert embedder.window > 1


async def test_every_text_gets_one_vector_of_the_dimension_and_of_length_1(embedder):
    vectors = np.array(await embedder.aembed_documents(TEXTS))
    assert vectors.shape == (len(TEXTS), embedder.dimension)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-4)


async def test_the_query_vector_has_the_same_dimension_both_ways(embedder):
    assert len(embedder.embed_query("什么是过滤器")) == embedder.dimension
    assert await embedder.aembed_query("什么是过滤器") == pytest.approx(embedder.embed_query("什么是过滤器"))


async def test_no_texts_give_no_vectors(embedder):
    assert await embedder.aembed_documents([]) == []
    assert embedder.embed_documents([]) == []


async def test_a_vector_does_not_depend_on_its_batch(embedder):
    together = await embedder.aembed_documents(TEXTS)
    alone = [embedder.embed_documents([text])[0] for text in TEXTS]
    assert np.allclose(together, alone, atol=1e-4)


@pytest.mark.parametrize("text", ["过滤器 Filter，v1.2.3！", "a\n\nb", "", "㎏ ﬁ 𠀀 🙂 x"])
def test_token_spans_are_character_offsets_in_order(embedder, text):
    spans = embedder.token_spans(text)
    assert all(0 <= start <= end <= len(text) for start, end in spans)
    assert spans == sorted(spans)
    assert set("".join(text[start:end] for start, end in spans)) >= set(text.replace(" ", "").replace("\n", ""))


async def test_i09_the_end_of_a_text_over_the_window_still_counts(embedder):
    beginning = "苹果 香蕉 apple " * (embedder.window * 2)
    one, other = await embedder.aembed_documents([beginning, beginning + "tail 尾巴 " * embedder.window * 2])
    assert np.linalg.norm(one) == pytest.approx(1.0, abs=1e-4)
    assert np.dot(one, other) < 0.9999


async def test_a_lone_surrogate_is_no_error(embedder):
    assert len((await embedder.aembed_documents(["bad \ud800 text"]))[0]) == embedder.dimension
