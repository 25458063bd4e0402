"""Vectors kept by content and model."""

import asyncio

import numpy as np
import pytest
from sqlalchemy import select

from stores.embeddings.cache import CachedEmbeddings, content_hash, embeddings
from stores.embeddings.configured import ConfiguredEmbeddings


@pytest.fixture
def cached(hash_embeddings, engine) -> CachedEmbeddings:
    return CachedEmbeddings(ConfiguredEmbeddings(hash_embeddings, name="hash"), engine)


async def test_a_text_is_embedded_once(cached, hash_embeddings):
    first = await cached.aembed_documents(["one", "two", "one"])
    second = await cached.aembed_documents(["two", "three"])
    assert hash_embeddings.seen == ["one", "two", "three"]
    assert first[0] == first[2]
    assert second[0] == first[1]


async def test_another_model_never_gets_this_models_vectors(cached, hash_embeddings, engine):
    await cached.aembed_documents(["one"])
    other = CachedEmbeddings(ConfiguredEmbeddings(hash_embeddings, name="other"), engine)
    await other.aembed_documents(["one"])
    assert hash_embeddings.seen == ["one", "one"]


async def test_vectors_are_float32_and_texts_are_not_kept(cached, engine):
    await cached.aembed_documents(["a very private sentence"])
    async with engine.connect() as connection:
        (row,) = (await connection.execute(select(embeddings))).all()
    assert len(row.vector) == 4 * cached.dimension
    assert row.content_hash == content_hash("a very private sentence")
    assert "private" not in repr(row)


async def test_forgotten_texts_leave_no_vector_and_others_stay(cached, engine, hash_embeddings):
    await cached.aembed_documents(["keep", "drop"])
    await cached.forget(["drop", "never seen"])
    async with engine.connect() as connection:
        left = list(await connection.scalars(select(embeddings.c.content_hash)))
    assert left == [content_hash("keep")]


async def test_pruning_keeps_exactly_what_is_named(cached, engine):
    await cached.aembed_documents([f"text {i}" for i in range(1000)])
    gone = await cached.prune({content_hash("text 7"), content_hash("unknown")})
    async with engine.connect() as connection:
        left = list(await connection.scalars(select(embeddings.c.content_hash)))
    assert (gone, left) == (999, [content_hash("text 7")])


async def test_two_tasks_may_embed_the_same_text_at_once(cached):
    one, two = await asyncio.gather(cached.aembed_documents(["same"]), cached.aembed_documents(["same"]))
    assert np.allclose(one, two)
