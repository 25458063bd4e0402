"""Search over 50,000 chunks: keyword search beside bare tantivy, hybrid search beside the stock LangChain retrievers.

    python benchmarks/search_speed.py FOLDER [--chunks 50000] [--queries 100] [--stock-queries 20]

FOLDER is a BEIR folder (`corpus.jsonl`, `queries.jsonl`): its sentences, shuffled, become chunks of about 400 to 500
characters, its queries are asked. Vectors are random and of length 1, for Recite and for its peers alike: what is
measured is searching, not embedding. All run in this process, one after the other, on the same chunks and queries.
"""

import argparse
import asyncio
import gzip
import json
import random
import re
import tempfile
import time
import warnings
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import tantivy
from langchain_core.documents import Document as LangChainDocument
from langchain_core.embeddings import Embeddings

from stores.database import open_database, sqlite_url
from stores.documents.backends.embedded import Embedded
from stores.documents.document import Chunk, Document, Location
from stores.documents.entry import IndexEntry
from stores.documents.filters import Filter
from stores.documents.fusion import fused
from stores.documents.index_pair import IndexPair
from stores.documents.manifest import Entry, Manifest
from stores.documents.retrieval import HybridSearch
from stores.documents.retrievers import GuardedRetriever, KeywordRetriever, Leg, VectorRetriever
from stores.documents.terms import index_terms, query_terms
from stores.documents.walk import FileStamp
from stores.embeddings.embedder import Embedder

DIMENSION = 384
LENGTH = 400
PER_DOCUMENT = 200
OWNER, COLLECTION = "local", "default"
ALL = Filter(owners=(OWNER,))


class RandomVectors(Embedder):
    """A random unit vector for every text, the same for the same text."""

    name = "random"
    dimension = DIMENSION
    window = 512

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Words."""
        return [match.span() for match in re.finditer(r"\S+", text)]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector each."""
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """The text's vector."""
        vector = np.random.default_rng(abs(hash(text))).normal(size=DIMENSION)
        return list(map(float, vector / np.linalg.norm(vector)))


def texts_in(path: Path) -> list[str]:
    """The texts of a JSON Lines file, gzipped or not."""
    packed = path.with_name(path.name + ".gz")
    raw = path.read_bytes() if path.exists() else gzip.decompress(packed.read_bytes())
    return [json.loads(line)["text"] for line in raw.decode("utf-8").split("\n") if line.strip()]


def texts_of(folder: Path, count: int) -> list[str]:
    """Chunks made of the corpus's sentences, each sentence drawn at random."""
    bodies = " ".join(texts_in(folder / "corpus.jsonl"))
    sentences = [one for one in re.split(r"(?<=[.!?])\s+|(?<=[。！？])", bodies) if one]
    draw, made = random.Random(7), []
    while len(made) < count:
        text = ""
        while len(text) < LENGTH:
            text += draw.choice(sentences) + " "
        made.append(text.strip())
    return made


def queries_of(folder: Path, count: int) -> list[str]:
    """The first queries of the folder."""
    return texts_in(folder / "queries.jsonl")[:count]


def chunk(number: int, text: str) -> Chunk:
    """A chunk as the manifest keeps it."""
    return Chunk(
        chunk_id=f"{number:024x}", document_id=f"{number // PER_DOCUMENT:024x}", position=number % PER_DOCUMENT,
        text=text, start=0, end=len(text), kind="prose", language="en", location=Location(), context="Title",
    )  # fmt: skip


def entry(document_id: str) -> Entry:
    """The document of some chunks."""
    document = Document(
        document_id=document_id, owner=OWNER, collection=COLLECTION, path=f"/d/{document_id}", title="Title",
        media_type="text/plain", encoding="utf-8", pages=None, chunks=0, sha256="0" * 64, revision=1, state="ready",
        reason=None, updated_at="2026-12-01T00:00:00+00:00",
    )  # fmt: skip
    return Entry(document=document, stamp=FileStamp(size=0, mtime_ns=0))


async def fill(manifest: Manifest, indexes: IndexPair, texts: Sequence[str], vectors: RandomVectors) -> None:
    """Manifest and both indexes as an ingest leaves them."""
    for start in range(0, len(texts), PER_DOCUMENT):
        chunks = [chunk(start + n, text) for n, text in enumerate(texts[start : start + PER_DOCUMENT])]
        entries = [IndexEntry.of(one, owner=OWNER, collection=COLLECTION) for one in chunks]
        await indexes.add(entries, vectors.embed_documents([one.text for one in chunks]))
        await manifest.switch(entry(chunks[0].document_id), chunks, gone=())
    await indexes.commit()


def bare_tantivy(texts: Sequence[str]) -> Callable[[str], object]:
    """The engine alone: one field, no owners, the same terms, the same number of hits."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("chunk_id", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("body", tokenizer_name="whitespace", index_option="freq")
    index = tantivy.Index(builder.build())
    writer = index.writer(64_000_000, num_threads=1)
    for number, text in enumerate(texts):
        writer.add_document(tantivy.Document(chunk_id=f"{number:024x}", body=" ".join(index_terms(text))))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()

    def search(query: str) -> object:
        searcher = index.searcher()
        terms = [
            (tantivy.Occur.Should, tantivy.Query.term_query(index.schema, "body", term, "freq"))
            for term in query_terms(query)
        ]
        hits = searcher.search(tantivy.Query.boolean_query(terms), 100, count=False).hits
        return [(searcher.doc(address)["chunk_id"], score) for score, address in hits]

    return search


def stock(texts: Sequence[str], embeddings: Embeddings, folder: Path) -> tuple[Callable[[str], object], ...]:
    """What a LangChain user would write, with defaults."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from langchain_classic.retrievers import EnsembleRetriever  # noqa: PLC0415 - warns when it is imported
        from langchain_community.retrievers import BM25Retriever  # noqa: PLC0415
        from langchain_community.vectorstores import Chroma  # noqa: PLC0415

        documents = [LangChainDocument(page_content=text, metadata={"n": n}) for n, text in enumerate(texts)]
        bm25 = BM25Retriever.from_documents(documents)
        chroma = Chroma(embedding_function=embeddings, persist_directory=str(folder))
    for start in range(0, len(documents), 5_000):
        chroma.add_documents(documents[start : start + 5_000])
    ensemble = EnsembleRetriever(retrievers=[bm25, chroma.as_retriever()], weights=[0.5, 0.5])
    return bm25.invoke, ensemble.invoke


def timed(search: Callable[[str], object], queries: Sequence[str]) -> tuple[float, float]:
    """Milliseconds a query at the median and the 95th percentile, after one query that does not count."""
    search(queries[0])
    taken = []
    for query in queries:
        start = time.perf_counter()
        search(query)
        taken.append((time.perf_counter() - start) * 1000)
    return float(np.percentile(taken, 50)), float(np.percentile(taken, 95))


async def timed_async(search: Callable[[str], Awaitable[object]], queries: Sequence[str]) -> tuple[float, float]:
    """The same for a search that is awaited."""
    await search(queries[0])
    taken = []
    for query in queries:
        start = time.perf_counter()
        await search(query)
        taken.append((time.perf_counter() - start) * 1000)
    return float(np.percentile(taken, 50)), float(np.percentile(taken, 95))


async def measure(given: argparse.Namespace, home: Path) -> dict[str, tuple[float, float]]:
    """p50 and p95 by name."""
    texts, queries = texts_of(given.folder, given.chunks), queries_of(given.folder, given.queries)
    vectors = RandomVectors()
    few = queries[: given.stock_queries]
    async with open_database(sqlite_url(home / "recite.db")) as engine, engine.connect():
        manifest = Manifest(engine)
        indexes = await IndexPair.open(Embedded(home), "1", expected=False)
        start = time.perf_counter()
        await fill(manifest, indexes, texts, vectors)
        print(f"filled in {time.perf_counter() - start:.0f} s", flush=True)
        hybrid = HybridSearch(
            keywords=indexes.keywords, vectors=indexes.vectors, embeddings=vectors, reranker=None,
            load=partial(manifest.load, owners=[OWNER]),
        )  # fmt: skip
        found = {
            "keyword, Recite": timed(partial(indexes.keywords.search, within=ALL, limit=100), queries),
            "keyword, bare tantivy": timed(bare_tantivy(texts), queries),
        }

        async def unscored(query: str) -> object:
            """Both legs, fusion and the ten best passages: what the stock retriever gives, and no score."""
            scope = {"within": ALL, "limit": 100}
            legs = [
                KeywordRetriever(index=indexes.keywords, **scope),
                VectorRetriever(index=indexes.vectors, embeddings=vectors, **scope),
            ]
            named = zip(legs, ("keyword", "vector"), strict=True)
            best = await fused(query, [GuardedRetriever(inner=leg, leg=Leg(name)) for leg, name in named])
            return await manifest.load([chunk_id for chunk_id, _ in best[:10]], owners=[OWNER])

        found["both legs fused, Recite"] = await timed_async(unscored, queries)
        found["hybrid, Recite"] = await timed_async(partial(hybrid.search, within=ALL, k=10, min_score=0.0), queries)
        await indexes.close()
    bm25, ensemble = await asyncio.to_thread(stock, texts, vectors, home / "stock")
    found["BM25Retriever"] = await asyncio.to_thread(timed, bm25, few)
    found["EnsembleRetriever(BM25Retriever, Chroma)"] = await asyncio.to_thread(timed, ensemble, few)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--chunks", type=int, default=50_000)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--stock-queries", type=int, default=20, help="a slow peer is asked fewer")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        found = asyncio.run(measure(given, Path(home)))
    for name, (p50, p95) in found.items():
        print(f"{name:42} p50 {p50:8.1f} ms   p95 {p95:8.1f} ms")
    ours, bare = found["keyword, Recite"], found["keyword, bare tantivy"]
    print(f"keyword / bare tantivy: {ours[0] / bare[0]:.2f} (p50), {ours[1] / bare[1]:.2f} (p95)")
    print(f"BM25Retriever / keyword: {found['BM25Retriever'][0] / ours[0]:.0f} (p50)")
    for name in ("both legs fused, Recite", "hybrid, Recite"):
        ratio = found["EnsembleRetriever(BM25Retriever, Chroma)"][1] / found[name][1]
        print(f"stock / {name}: {ratio:.1f} (p95)")


if __name__ == "__main__":
    main()
