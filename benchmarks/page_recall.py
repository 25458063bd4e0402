"""Real filings, real questions, the page that answers: python benchmarks/page_recall.py DATA_DIR [--k 5] [--limit N].

DATA_DIR holds `financebench_pdfs` (the filings as PDF) and `financebench_pages` (questions with the page that holds
the evidence, counted from 0). The PDFs are taken in together, each question is searched as `recite search` does, and
a question counts when one of the first k passages stands on an evidence page of the right document.
"""

import argparse
import asyncio
import csv
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from graph.agent import Agent, open_agent
from graph.settings import Settings

Page = tuple[str, int]


def evidence(folder: Path, documents: set[str]) -> dict[str, set[Page]]:
    """Question id to its pages (from 1), of the questions whose document is among these."""
    pages: dict[str, set[Page]] = defaultdict(set)
    with (folder / "qrels" / "test.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            name, _, index = row["corpus-id"].rpartition("#p")
            if name in documents and int(row["score"]) > 0:
                pages[row["query-id"]].add((name, int(index) + 1))
    return dict(pages)


def questions(folder: Path) -> dict[str, str]:
    """Question id to question."""
    lines = (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["_id"]: row["text"] for row in map(json.loads, lines)}


async def ranks_of(agent: Agent, question: str, pages: set[Page], k: int) -> tuple[int, int]:
    """Ranks (from 1; 0 for none) of the first passage on an evidence page, and of the first in its document."""
    hits = (await agent.search(question, k=k)).hits
    places = [(Path(hit.path).stem, hit.chunk.location.page or 0) for hit in hits]
    names = {name for name, _ in pages}
    first_page = next((place for place, found in enumerate(places, start=1) if found in pages), 0)
    first_document = next((place for place, (name, _) in enumerate(places, start=1) if name in names), 0)
    return first_page, first_document


async def measure(data: Path, *, k: int, limit: int | None, home: Path) -> Mapping[str, object]:
    """Take in, search, count."""
    pdfs = sorted((data / "financebench_pdfs").glob("*.pdf"))
    pages = evidence(data / "financebench_pages", {pdf.stem for pdf in pdfs})
    asked = {id_: text for id_, text in questions(data / "financebench_pages").items() if id_ in pages}
    asked = dict(list(asked.items())[:limit])
    started = time.perf_counter()
    async with open_agent(settings=Settings(home=home, chat_model="offline", _env_file=None), work=False) as agent:
        results = await agent.ingest(*pdfs)
        seconds = time.perf_counter() - started
        ranks = [await ranks_of(agent, text, pages[id_], k) for id_, text in asked.items()]
    return {
        "documents": len(pdfs),
        "failed": [result.reason for result in results if result.status == "failed"],
        "pages": sum(result.pages or 0 for result in results),
        "chunks": sum(result.chunks for result in results),
        "ingest_seconds": round(seconds, 1),
        "questions": len(ranks),
        **{f"page_recall@{n}": share([page for page, _ in ranks], n) for n in sorted({1, min(5, k), k})},
        f"document_recall@{k}": share([document for _, document in ranks], k),
    }


def share(ranks: Sequence[int], k: int) -> float:
    """The share of questions whose rank is among the first k."""
    return round(sum(0 < rank <= k for rank in ranks) / len(ranks), 3)


def main() -> None:
    """Measure and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--limit", type=int)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        result = asyncio.run(measure(asked.data, k=asked.k, limit=asked.limit, home=Path(home)))
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
