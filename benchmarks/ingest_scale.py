"""A large folder taken in whole: seconds, chunks a second, peak memory, and what is not embedding as a share of it.

    python benchmarks/ingest_scale.py FOLDER [--chunks 68000] [--sample 64]

FOLDER is a BEIR folder (`corpus.jsonl`): its sentences, shuffled, become Markdown files; any other folder is taken in
as it is. The vectors are random and cost next to nothing, so the time is parsing, chunking and indexing; beside it a
sample of the chunks is embedded with the model in the package, and the rest is reckoned from that.
"""

import argparse
import asyncio
import resource
import tempfile
import time
from pathlib import Path

from search_speed import RandomVectors, texts_of

from stores.database import open_database, sqlite_url
from stores.documents.local import LocalDocuments
from stores.embeddings.local import LocalEmbeddings

SECTIONS = 20


class Recording(RandomVectors):
    """Random vectors for chunks as long as the model's, and a memory of what they were asked for."""

    def __init__(self, model: LocalEmbeddings) -> None:
        super().__init__()
        self.model = model
        self.texts: list[str] = []

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """The model's own tokens, so that cutting costs and yields what it does with the model."""
        return self.model.token_spans(text)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Keep the texts and go on."""
        self.texts.extend(texts)
        return super().embed_documents(texts)


def spread(texts: list[str], count: int) -> list[str]:
    """About so many of the texts, evenly taken."""
    return texts[:: max(1, len(texts) // count)][:count]


def write(folder: Path, texts: list[str]) -> None:
    """Files of so many sections each, a section a chunk."""
    for start in range(0, len(texts), SECTIONS):
        body = "\n\n".join(f"## Part {n}\n\n{text}" for n, text in enumerate(texts[start : start + SECTIONS]))
        (folder / f"{start:06}.md").write_text(f"# File {start}\n\n{body}\n", encoding="utf-8")


async def measure(given: argparse.Namespace, root: Path) -> None:
    """Ingest once and once more, and print."""
    model = LocalEmbeddings()
    folder, home, vectors = given.folder, root / "home", Recording(model)
    home.mkdir()
    if (folder / "corpus.jsonl").is_file() or (folder / "corpus.jsonl.gz").is_file():
        folder = root / "files"
        folder.mkdir()
        write(folder, texts_of(given.folder, given.chunks))
    async with (
        open_database(sqlite_url(home / "recite.db")) as engine,
        LocalDocuments.open(home, engine=engine, embeddings=vectors) as documents,
    ):
        for name in ("first ingest", "again, unchanged"):
            start, chunks = time.perf_counter(), 0
            async for result, done, total in documents.ingest([folder], owner="local", collection="default"):
                chunks += result.chunks
                if done % 500 == 0:
                    print(f"  {done}/{total} files, {chunks} chunks, {time.perf_counter() - start:.0f} s", flush=True)
            seconds = time.perf_counter() - start
            print(f"{name}: {chunks} chunks in {seconds:.1f} s, {seconds / chunks * 1000:.2f} ms a chunk", flush=True)
            if name == "first ingest":
                apart = seconds / chunks
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    workers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"peak memory: {peak:.0f} MB, the largest worker {workers:.0f} MB")
    sample = spread(vectors.texts, given.sample)
    model.embed_documents(sample[:1])
    start = time.perf_counter()
    model.embed_documents(sample)
    embedding = (time.perf_counter() - start) / len(sample)
    print(f"embedding: {embedding * 1000:.1f} ms a chunk; all the rest is {apart / embedding:.1%} of it")


def main() -> None:
    """Measure in a folder that is removed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--chunks", type=int, default=68_000, help="sections, a chunk each")
    parser.add_argument("--sample", type=int, default=64)
    with tempfile.TemporaryDirectory() as root:
        asyncio.run(measure(parser.parse_args(), Path(root)))


if __name__ == "__main__":
    main()
