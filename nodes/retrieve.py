"""retrieve: runs the proposed queries and the user's own question over the documents, within the budget."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from functools import partial, reduce
from itertools import accumulate, chain, zip_longest

from langgraph.runtime import Runtime

from nodes.limits import Limits
from nodes.models import calls_beside
from nodes.models import counted as counted_call
from nodes.spread import Spread, spread_evidence, spread_over
from nodes.state import Context, Evidence, Next, State, Update
from nodes.tasks import BREADTH
from nodes.turn import PlannedCall, answer_record, narrowing_of, open_calls, question_of, user_of
from stores.counting import counted
from stores.documents.document import Hit, SearchResult
from stores.documents.selection import collapsed
from stores.documents.store import DocumentStore
from stores.metrics import REPEATS_SKIPPED, Meter
from tools.errors import ToolArgumentsError
from tools.search_documents import MAX_QUERIES, SEARCH_DOCUMENTS, parse_search, same_query_key


async def retrieve(
    state: State, runtime: Runtime[Context], *, documents: DocumentStore, limits: Limits, meter: Meter
) -> Update:
    """Hybrid search per query; what was searched before in this turn is not searched again.

    A task that needs the whole of a document brings passages spread over the one that is meant, and of the hits only
    those in it.
    """
    calls = [call for call in open_calls(state.turn_messages) if call.name == SEARCH_DOCUMENTS]
    proposed, faults, after, repeats = _proposals(calls)
    question, asked = question_of(state), proposed[:MAX_QUERIES]
    queries = _fresh([question, *asked], state.searched)
    repeats += len(asked) - len(_fresh(asked, [question, *state.searched]))
    if repeats:
        meter.count(REPEATS_SKIPPED, repeats)
    if state.rounds >= limits.max_rounds:
        queries = []
    reader = user_of(runtime)
    search = partial(
        documents.search,
        reader=reader,
        narrowing=narrowing_of(runtime),
        k=limits.top_k,
        min_score=limits.min_score,
    )
    with calls_beside() as replies:
        results = await asyncio.gather(*map(search, queries))
    breadth = BREADTH["find" if state.task is None or state.task == "chat" else state.task]
    spread = Spread()
    if queries and breadth.spread:
        spread = await spread_over(
            documents,
            "\n".join([question, *asked]),
            reader=reader,
            narrowing=narrowing_of(runtime),
            passages=breadth.spread,
            tokens=limits.evidence_tokens,
        )
    merged = collapsed(_interleaved(results))
    if spread.documents:
        merged = [hit for hit in merged if hit.chunk.document_id in {one.document_id for one in spread.documents}]
    found = merged[: max(limits.top_k, breadth.passages)]
    revisions = {
        chunk_id: document.revision
        for chunk_id, (_, document) in (
            await documents.chunks([hit.chunk.chunk_id for hit in found], reader=reader)
        ).items()
    }
    readable = [hit for hit in found if hit.chunk.chunk_id in revisions]
    known = spread_evidence(state.evidence, spread, merged)
    evidence = _numbered(known, readable, revisions, _worth(results))
    note = _note(found, spread, evidence, queries)
    return Update(
        turn_messages=[answer_record(call.call_id, faults.get(call.call_id, note)) for call in calls],
        evidence=evidence,
        searched=[*state.searched, *queries],
        degraded=sorted({*state.degraded, *chain.from_iterable(result.degraded for result in results)}),
        below_threshold=state.below_threshold + sum(result.below_threshold for result in results),
        usage=reduce(counted_call, replies, state.usage),
        rounds=state.rounds + bool(queries),
        after_search=after if queries else "answer",
        searched_by_rule=False,
    )


def _proposals(calls: Sequence[PlannedCall]) -> tuple[list[str], dict[str, str], Next, int]:
    """The valid queries of all calls, the fault of each invalid call by its id, where to go afterwards, and how many
    queries only repeated another of their call.
    """
    queries: list[str] = []
    repeats = 0
    faults: dict[str, str] = {}
    after: Next = "answer"
    for call in calls:
        request = parse_search(call.arguments)
        if isinstance(request, ToolArgumentsError):
            faults[call.call_id] = f"{request} The user's own question was searched instead."
            continue
        queries += request.queries
        repeats += request.repeats
        if request.then == "plan":
            after = "plan"
    return queries, faults, after, repeats


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


def _worth(results: Sequence[SearchResult]) -> dict[str, float]:
    """The best score from each hit on, in the order of its own query; of several queries, the most."""
    worth: dict[str, float] = {}
    for result in results:
        behind = accumulate((hit.score for hit in reversed(result.hits)), max)
        for hit, best in zip(reversed(result.hits), behind, strict=True):
            worth[hit.chunk.chunk_id] = max(best, worth.get(hit.chunk.chunk_id, best))
    return worth


def _numbered(
    known: Sequence[Evidence], hits: Sequence[Hit], revisions: Mapping[str, int], worth: Mapping[str, float]
) -> list[Evidence]:
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
                worth=round(worth[hit.chunk.chunk_id], 4),
            )
            for number, hit in enumerate(new, start=len(known) + 1)
        ),
    ]


def _note(found: Sequence[Hit], spread: Spread, evidence: Sequence[Evidence], queries: Sequence[str]) -> str:
    """What the planner is told: how many passages, under which numbers, from which documents. Never their text."""
    if not queries:
        return "Nothing new to search: these queries were already run, or the search budget is used up."
    ids = {hit.chunk.chunk_id for hit in found} | {chunk.chunk_id for chunk in spread.chunks}
    numbers = [item.number for item in evidence if item.chunk_id in ids]
    if not numbers:
        return "No passage in the documents fits these queries."
    titles = "; ".join(dict.fromkeys([*(one.title for one in spread.documents), *(hit.title for hit in found)]))
    listed = ", ".join(f"[{number}]" for number in numbers)
    return f"{counted(len(numbers), 'passage')}, {listed}; {titles}"
