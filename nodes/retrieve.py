"""retrieve: runs the proposed queries and the user's own question over the documents, within the budget."""

import asyncio
from collections.abc import Iterable, Sequence
from itertools import chain, zip_longest

from langgraph.runtime import Runtime

from nodes.limits import Limits
from nodes.state import Context, Evidence, Next, State, Update
from nodes.turn import PlannedCall, answer_record, narrowing_of, open_calls, question_of, user_of
from stores.counting import counted
from stores.documents.document import Hit, SearchResult
from stores.documents.store import DocumentStore
from tools.errors import ToolArgumentsError
from tools.search_documents import MAX_QUERIES, SEARCH_DOCUMENTS, parse_search, same_query_key

PASSAGES_PER_ROUND = 10


async def retrieve(state: State, runtime: Runtime[Context], *, documents: DocumentStore, limits: Limits) -> Update:
    """Hybrid search per query; what was searched before in this turn is not searched again."""
    calls = [call for call in open_calls(state.turn_messages) if call.name == SEARCH_DOCUMENTS]
    proposed, faults, after = _proposals(calls)
    queries = _fresh([question_of(state), *proposed[:MAX_QUERIES]], state.searched)
    if state.rounds >= limits.max_rounds:
        queries = []
    reader, narrowing = user_of(runtime), narrowing_of(runtime)
    results = await asyncio.gather(
        *(
            documents.search(query, reader=reader, narrowing=narrowing, k=limits.top_k, min_score=limits.min_score)
            for query in queries
        )
    )
    found = _interleaved(results)[: max(limits.top_k, PASSAGES_PER_ROUND)]
    revisions = {
        chunk_id: document.revision
        for chunk_id, (_, document) in (
            await documents.chunks([hit.chunk.chunk_id for hit in found], reader=reader)
        ).items()
    }
    evidence = _numbered(state.evidence, [hit for hit in found if hit.chunk.chunk_id in revisions], revisions)
    note = _note(found, evidence, queries)
    return Update(
        turn_messages=[answer_record(call.call_id, faults.get(call.call_id, note)) for call in calls],
        evidence=evidence,
        searched=[*state.searched, *queries],
        degraded=sorted({*state.degraded, *chain.from_iterable(result.degraded for result in results)}),
        rounds=state.rounds + bool(queries),
        after_search=after if queries else "answer",
        searched_by_rule=False,
    )


def _proposals(calls: Sequence[PlannedCall]) -> tuple[list[str], dict[str, str], Next]:
    """The valid queries of all calls, the fault of each invalid call by its id, and where to go afterwards."""
    queries: list[str] = []
    faults: dict[str, str] = {}
    after: Next = "answer"
    for call in calls:
        request = parse_search(call.arguments)
        if isinstance(request, ToolArgumentsError):
            faults[call.call_id] = f"{request} The user's own question was searched instead."
            continue
        queries += request.queries
        if request.then == "plan":
            after = "plan"
    return queries, faults, after


def _fresh(queries: Iterable[str], searched: Sequence[str]) -> list[str]:
    """Queries not run yet; two that differ only in width, case, spaces or punctuation are one."""
    seen = {same_query_key(query) for query in searched}
    fresh: list[str] = []
    for query in queries:
        if (key := same_query_key(query)) not in seen:
            seen.add(key)
            fresh.append(query)
    return fresh


def _interleaved(results: Sequence[SearchResult]) -> list[Hit]:
    """Each query's best hit, then each query's second, …; a chunk once, with its best score."""
    best: dict[str, Hit] = {}
    order: list[str] = []
    for hit in chain.from_iterable(zip_longest(*(result.hits for result in results))):
        if hit is None:
            continue
        known = best.get(hit.chunk.chunk_id)
        if known is None:
            order.append(hit.chunk.chunk_id)
        if known is None or hit.score > known.score:
            best[hit.chunk.chunk_id] = hit
    return [best[chunk_id] for chunk_id in order]


def _numbered(known: Sequence[Evidence], hits: Sequence[Hit], revisions: dict[str, int]) -> list[Evidence]:
    """The evidence so far with the new hits behind it; a chunk keeps its number for the whole turn."""
    ids = {item.chunk_id for item in known}
    new = [hit for hit in hits if hit.chunk.chunk_id not in ids]
    return [
        *known,
        *(
            Evidence(
                number=number,
                chunk_id=hit.chunk.chunk_id,
                revision=revisions[hit.chunk.chunk_id],
                score=round(hit.score, 4),
                source=hit.source,
            )
            for number, hit in enumerate(new, start=len(known) + 1)
        ),
    ]


def _note(found: Sequence[Hit], evidence: Sequence[Evidence], queries: Sequence[str]) -> str:
    """What the planner is told: how many passages, under which numbers, from which documents. Never their text."""
    if not queries:
        return "Nothing new to search: these queries were already run, or the search budget is used up."
    ids = {hit.chunk.chunk_id for hit in found}
    numbers = [item.number for item in evidence if item.chunk_id in ids]
    if not numbers:
        return "No passage in the documents fits these queries."
    titles = "; ".join(dict.fromkeys(hit.title for hit in found))
    listed = ", ".join(f"[{number}]" for number in numbers)
    return f"{counted(len(numbers), 'passage')}, {listed}; {titles}"
